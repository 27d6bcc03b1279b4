//! Finds the generation to build on, also when the pointer to it or its manifest was lost.

use crate::{
    IndexError, Manifest,
    base::BaseGeneration,
    disk::{CURRENT, Stored, generation_dir, generations, read_pointer, switch_current},
    steps::Steps,
};
use std::path::Path;
use types::INDEX_MARKER;

/// The manifest that the next ingest builds on (`None` if there is no generation), and what was lost, as text for
/// people. Opens only manifests and records; changes nothing.
///
/// # Errors
/// When a newer version wrote the index, a file cannot be read, or no generation has an intact manifest.
pub fn manifest(root: &Path) -> Result<(Option<Manifest>, Option<String>), IndexError> {
    if !root.join(CURRENT).exists() && !root.join(INDEX_MARKER).exists() {
        return Ok((None, None));
    }
    let (found, note) = locate(root)?;
    Ok((found.map(|found| found.stored.manifest), note))
}

/// Opens the generation to build on, for the writer, and restores the pointer to it if that was lost. Also returns what
/// was lost, as text for people.
pub(crate) fn open(
    root: &Path,
    steps: &Steps,
) -> Result<(Option<BaseGeneration>, Option<String>), IndexError> {
    let (found, note) = locate(root)?;
    let Some(Found { stored, pointed }) = found else {
        return Ok((None, note));
    };
    if !pointed {
        switch_current(root, stored.record.generation, &stored.hash, steps)?;
    }
    Ok((Some(BaseGeneration::open(root, stored, steps)?), note))
}

/// A generation whose manifest is intact.
struct Found {
    stored: Stored,
    /// Whether the pointer names it, and with the right hash if it has one.
    pointed: bool,
}

fn locate(root: &Path) -> Result<(Option<Found>, Option<String>), IndexError> {
    let (lost, pointer) = match read_pointer(root) {
        Ok(Some(pointer)) => match Stored::recover(root, pointer.number, pointer.manifest.as_deref()) {
            Ok(stored) => {
                let note = lost_segments(&stored);
                let pointed = pointer.manifest.is_none_or(|hash| hash == stored.hash);
                return Ok((Some(Found { stored, pointed }), note));
            }
            Err(error) if !error.shows_loss() => return Err(error),
            Err(_) if !generation_dir(root, pointer.number).exists() => {
                let lost = format!("generation {}, which CURRENT names, is missing", pointer.number);
                (lost, true)
            }
            Err(_) => (
                format!("the manifest of generation {} is damaged", pointer.number),
                true,
            ),
        },
        Ok(None) => ("the file CURRENT is missing".to_owned(), false),
        Err(IndexError::Damaged { .. }) => ("the file CURRENT is damaged".to_owned(), true),
        Err(error) => return Err(error),
    };
    let (numbers, _) = generations(root)?;
    for number in numbers.iter().rev() {
        match Stored::recover(root, *number, None) {
            Ok(stored) => {
                let mut note = format!("{lost}: generation {number} was taken over");
                if let Some(more) = lost_segments(&stored) {
                    note = format!("{note}; {more}");
                }
                let pointed = false;
                return Ok((Some(Found { stored, pointed }), Some(note)));
            }
            Err(error) if !error.shows_loss() => return Err(error),
            Err(_) => {}
        }
    }
    if !numbers.is_empty() {
        let path = root.to_owned();
        return Err(IndexError::Unrecoverable { path });
    }
    // A first run that did not finish has no pointer either: nothing was lost.
    Ok((None, pointer.then(|| format!("{lost}: the index is built again"))))
}

/// What is said of segments whose records are lost.
fn lost_segments(stored: &Stored) -> Option<String> {
    let files: Vec<&str> = stored.lost.iter().map(|damage| damage.file.as_str()).collect();
    let first = files.first()?;
    let more = match files.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    Some(format!(
        "{first}{more} cannot be read, nor its copy: the papers of that segment are left out until their folder is ingested"
    ))
}
