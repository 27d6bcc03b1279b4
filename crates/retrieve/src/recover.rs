//! Finds the generation to build on, also when the pointer to it or its manifest was lost.

use crate::{
    IndexError, Manifest,
    base::Base,
    disk::{CURRENT, OLDEST, generation_dir, generations, read_pointer, recover_manifest, switch_current},
    steps::Steps,
};
use std::path::{Path, PathBuf};
use types::INDEX_MARKER;

/// A generation whose manifest is intact.
struct Found {
    dir: PathBuf,
    manifest: Manifest,
    /// SHA-256 of the manifest.
    hash: String,
    /// The pointer names it in these words.
    pointed: bool,
}

/// The manifest of the generation that the next ingest builds on, and what was lost, for people. No other file is
/// opened; nothing is changed. `None` when there is no generation.
///
/// # Errors
/// When a newer version wrote the index, or no generation of it has an intact manifest.
pub fn manifest(root: &Path) -> Result<(Option<Manifest>, Option<String>), IndexError> {
    if !root.join(CURRENT).exists() && !root.join(INDEX_MARKER).exists() {
        return Ok((None, None));
    }
    let (found, note) = locate(root)?;
    Ok((found.map(|found| found.manifest), note))
}

/// Opens the generation to build on, for the writer, and points to it where the pointer was lost. Also gives what was
/// lost, for people.
pub(crate) fn open(root: &Path, steps: &Steps) -> Result<(Option<Base>, Option<String>), IndexError> {
    let (found, note) = locate(root)?;
    let Some(found) = found else {
        return Ok((None, note));
    };
    if !found.pointed {
        switch_current(root, found.manifest.generation, &found.hash, steps)?;
    }
    Ok((Some(Base::open(&found.dir, found.manifest, &found.hash)?), note))
}

fn locate(root: &Path) -> Result<(Option<Found>, Option<String>), IndexError> {
    let (lost, pointer) = match read_pointer(root) {
        Ok(Some(pointer)) => {
            let dir = generation_dir(root, pointer.number);
            match intact(&dir, pointer.number, pointer.manifest.as_deref()) {
                Ok(mut found) => {
                    found.pointed = pointer.manifest.is_none_or(|hash| hash == found.hash);
                    return Ok((Some(found), None));
                }
                Err(error @ IndexError::Format { .. }) => return Err(error),
                Err(_) if !dir.exists() => {
                    let lost = format!("generation {}, which CURRENT names, is missing", pointer.number);
                    (lost, true)
                }
                Err(_) => (
                    format!("the manifest of generation {} is damaged", pointer.number),
                    true,
                ),
            }
        }
        Ok(None) => ("the file CURRENT is missing".to_owned(), false),
        Err(IndexError::Damaged { .. }) => ("the file CURRENT is damaged".to_owned(), true),
        Err(error) => return Err(error),
    };
    let (numbers, _) = generations(root)?;
    for number in numbers.iter().rev() {
        match intact(&generation_dir(root, *number), *number, None) {
            Ok(found) => {
                return Ok((
                    Some(found),
                    Some(format!("{lost}: generation {number} was taken over")),
                ));
            }
            Err(error @ IndexError::Format { .. }) => return Err(error),
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

/// The generation in `dir` when its manifest is intact.
fn intact(dir: &Path, number: u64, pointed: Option<&str>) -> Result<Found, IndexError> {
    let (manifest, hash) = recover_manifest(dir, pointed, OLDEST)?;
    if manifest.generation != number {
        let reason = format!("it names generation {}, not {number}", manifest.generation);
        return Err(IndexError::damaged(dir, reason));
    }
    Ok(Found {
        dir: dir.to_owned(),
        manifest,
        hash,
        pointed: false,
    })
}
