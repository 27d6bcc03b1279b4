//! The generation that the next one is built on.
//!
//! When a writer opens an index, it compares every file with its checksum. A segment with a damaged file is not kept, nor
//! is one of an older format: its sources have to be added again.

use crate::{
    IndexError, Manifest,
    disk::{
        CURRENT, FORMAT, Lease, Pointer, SEGMENT, SourceLocation, Stored, changed, generation_dir,
        generations, read_pointer, switch_current,
    },
    segment::Segment,
    steps::Steps,
};
use std::path::Path;
use types::{Damage, INDEX_MARKER, SourceId};

/// A generation as a writer reads it.
pub(crate) struct BaseGeneration {
    pub(crate) manifest: Manifest,
    /// Its intact segments.
    pub(crate) segments: Vec<Segment>,
    /// Where each source of the manifest is stored; `None` if its segment is not intact.
    places: Vec<Option<SourceLocation>>,
    /// Damaged files, named relative to the index folder.
    pub(crate) damages: Vec<Damage>,
    _lease: Option<Lease>,
}

impl BaseGeneration {
    /// Finds the generation to build on and compares its files with their checksums. Restores the pointer to it if that was
    /// lost. Also returns what was lost, as text for people.
    pub(crate) fn open(root: &Path, steps: &Steps) -> Result<(Option<Self>, Option<String>), IndexError> {
        let (located, note) = locate(root)?;
        let Some((stored, pointed)) = located else {
            return Ok((None, note));
        };
        if !pointed {
            switch_current(root, stored.record.generation, &stored.hash, steps)?;
        }
        let of_files = changed(root, &stored.manifest.files);
        Ok((Some(Self::of(root, stored, of_files)?), note))
    }

    /// Opens the intact segments of a generation; `of_files` are its damaged files.
    pub(crate) fn of(root: &Path, stored: Stored, of_files: Vec<Damage>) -> Result<Self, IndexError> {
        let mut base = Self {
            manifest: stored.manifest,
            segments: Vec::new(),
            places: Vec::new(),
            damages: stored.damages,
            // The writer removes no generation that it builds on: nothing is lost without a lock.
            _lease: Lease::take(&stored.dir).ok(),
        };
        base.damages.extend(of_files);
        let mut opened = Vec::new();
        for part in stored.parts {
            let folder = format!("{}/", part.folder);
            let is_damaged = base.damages.iter().any(|damage| damage.file.starts_with(&folder));
            if is_damaged || base.manifest.format != FORMAT {
                opened.push(None);
                continue;
            }
            match Segment::open(root, part) {
                Ok(segment) => {
                    opened.push(Some(base.segments.len()));
                    base.segments.push(segment);
                }
                Err(error) if error.shows_loss() => {
                    base.damages.push(error.damage(folder.trim_end_matches('/')));
                    opened.push(None);
                }
                Err(error) => return Err(error),
            }
        }
        let place = |place: SourceLocation| {
            let segment = opened[place.segment]?;
            Some(SourceLocation { segment, ..place })
        };
        base.places = stored.places.into_iter().map(place).collect();
        Ok(base)
    }

    /// Where a source is stored; `None` if it is not there, or its segment is not intact.
    pub(crate) fn place(&self, id: &SourceId) -> Option<SourceLocation> {
        let (at, _) = self.manifest.source(id)?;
        self.places.get(at).copied().flatten()
    }

    /// Whether every source can be kept, and nothing else is damaged.
    pub(crate) fn is_intact(&self) -> bool {
        self.damages.is_empty() && self.manifest.format == FORMAT
    }
}

/// The manifest that the next ingest builds on (`None` if there is none), and what was lost, as text for people. Opens only
/// manifests and records; changes nothing.
///
/// # Errors
/// When a newer version wrote the index, or a file that is there cannot be read.
pub fn manifest(root: &Path) -> Result<(Option<Manifest>, Option<String>), IndexError> {
    if !root.join(CURRENT).exists() && !root.join(INDEX_MARKER).exists() {
        return Ok((None, None));
    }
    let (found, note) = locate(root)?;
    Ok((found.map(|(stored, _)| stored.manifest), note))
}

/// A generation whose manifest is intact, and whether the pointer names it with the right hash; and what was lost.
type Located = (Option<(Stored, bool)>, Option<String>);

fn locate(root: &Path) -> Result<Located, IndexError> {
    let (lost, pointer) = match read_pointer(root) {
        Ok(Some(Pointer { number, manifest })) => match Stored::recover(root, number, Some(&manifest)) {
            Ok(stored) => {
                let (note, pointed) = (incomplete(&stored), stored.hash == manifest);
                return Ok((Some((stored, pointed)), note));
            }
            Err(IndexError::Format { found, expected, .. }) if found < expected.into() => {
                (format!("the index has format {found}"), true)
            }
            Err(error) if !error.shows_loss() => return Err(error),
            Err(_) if !generation_dir(root, number).exists() => {
                let lost = format!("generation {number}, which CURRENT names, is missing");
                (lost, true)
            }
            Err(_) => (format!("the manifest of generation {number} is damaged"), true),
        },
        Ok(None) => ("the file CURRENT is missing".to_owned(), false),
        Err(IndexError::Damaged { .. }) => ("the file CURRENT is damaged".to_owned(), true),
        Err(error) => return Err(error),
    };
    let numbers = generations(root)?;
    for number in numbers.iter().rev() {
        match Stored::recover(root, *number, None) {
            Ok(stored) => {
                let taken = format!("{lost}: generation {number} was taken over");
                let note = [Some(taken), incomplete(&stored)];
                let note = note.into_iter().flatten().collect::<Vec<_>>().join("; ");
                return Ok((Some((stored, false)), Some(note)));
            }
            Err(IndexError::Format { found, expected, .. }) if found < expected.into() => {}
            Err(error) if !error.shows_loss() => return Err(error),
            Err(_) => {}
        }
    }
    // A first run that did not finish has no pointer either: nothing was lost.
    let note = (pointer || !numbers.is_empty()).then(|| {
        format!(
            "{lost}: the index is built again from the papers of this run; those of other folders are left out until \
             they are ingested"
        )
    });
    Ok((None, note))
}

/// What is said of a generation that has to be built again in part.
fn incomplete(stored: &Stored) -> Option<String> {
    if stored.record.format != FORMAT {
        let format = stored.record.format;
        return Some(format!(
            "the index has format {format}, and this program writes format {FORMAT}: it is built again from the parsed \
             papers and the vectors in its cache"
        ));
    }
    let lost = stored.damages.iter().filter(|damage| damage.file.ends_with(SEGMENT));
    let files: Vec<&str> = lost.map(|damage| damage.file.as_str()).collect();
    let more = match files.len() {
        0 => return None,
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    Some(format!(
        "{}{more} cannot be read: the papers of that segment are left out until their folder is ingested",
        files[0]
    ))
}
