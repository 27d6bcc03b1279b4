//! The generation that the next one is built on.
//!
//! When a writer opens an index, it compares every file with its checksum. Of a damaged generation nothing is kept, nor of one of
//! an older format: all its sources have to be added again.

use crate::{
    IndexError, Manifest,
    disk::{
        CURRENT, FORMAT, Lease, Pointer, SourceLocation, Stored, changed, generation_dir, generations,
        read_pointer,
    },
    segment::Segment,
};
use std::path::Path;
use types::{Damage, INDEX_MARKER, SourceId};

/// A generation as a writer reads it.
pub(crate) struct BaseGeneration {
    pub(crate) manifest: Manifest,
    /// Its segments; none if it is damaged or has an older format.
    pub(crate) segments: Vec<Segment>,
    /// Where each source of the manifest is stored.
    places: Vec<SourceLocation>,
    /// The first damaged file, named relative to the index folder.
    pub(crate) damage: Option<Damage>,
    _lease: Option<Lease>,
}

impl BaseGeneration {
    /// Finds the generation to build on and compares its files with their checksums. Also returns what was lost, as text for
    /// people.
    pub(crate) fn open(root: &Path) -> Result<(Option<Self>, Option<String>), IndexError> {
        let (stored, note) = locate(root)?;
        let Some(stored) = stored else {
            return Ok((None, note));
        };
        let damage = changed(root, &stored.manifest.files).into_iter().next();
        let base = Self::of(root, stored, damage)?;
        let damaged = base.damage.as_ref().map(|damage| {
            format!("{} is damaged ({}): the index is built again from its cache", damage.file, damage.reason)
        });
        Ok((Some(base), note.or(damaged)))
    }

    /// Opens the segments of a generation, of which a file may be damaged.
    pub(crate) fn of(root: &Path, stored: Stored, damage: Option<Damage>) -> Result<Self, IndexError> {
        let mut base = Self {
            manifest: stored.manifest,
            segments: Vec::new(),
            places: stored.places,
            damage,
            // The writer removes no generation that it builds on: nothing is lost without a lock.
            _lease: Lease::take(&stored.dir).ok(),
        };
        if base.damage.is_some() || base.manifest.format != FORMAT {
            return Ok(base);
        }
        for part in stored.parts {
            let folder = part.folder.clone();
            match Segment::open(root, part) {
                Ok(segment) => base.segments.push(segment),
                Err(error) if error.shows_loss() => {
                    base.segments.clear();
                    base.damage = Some(error.damage(&folder));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(base)
    }

    /// Where a source is stored.
    pub(crate) fn place(&self, id: &SourceId) -> Option<SourceLocation> {
        let (at, _) = self.manifest.source(id)?;
        self.places.get(at).copied()
    }

    /// # Errors
    /// When no source can be kept: the generation is damaged, or has an older format.
    pub(crate) fn check(&self, root: &Path) -> Result<(), IndexError> {
        if let Some(damage) = &self.damage {
            return Err(IndexError::damaged(root.join(&damage.file), damage.reason.clone()));
        }
        if self.manifest.format != FORMAT {
            let dir = generation_dir(root, self.manifest.generation);
            return Err(IndexError::other_format(dir, self.manifest.format.into()));
        }
        Ok(())
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
    Ok((found.map(|stored| stored.manifest), note))
}

/// The current generation, if its manifest and the records of its segments are intact; and what was lost.
fn locate(root: &Path) -> Result<(Option<Stored>, Option<String>), IndexError> {
    let lost = match read_pointer(root) {
        Ok(Some(Pointer { number, manifest })) => match Stored::read(root, number, &manifest) {
            Ok(stored) => {
                let format = stored.record.format;
                let note = (format != FORMAT).then(|| {
                    format!(
                        "the index has format {format}, and this program writes format {FORMAT}: it is built again from the \
                         parsed papers and the vectors in its cache"
                    )
                });
                return Ok((Some(stored), note));
            }
            Err(IndexError::Format { found, expected, .. }) if found < expected.into() => {
                format!("the index has format {found}")
            }
            Err(error) if !error.shows_loss() => return Err(error),
            Err(error) => lost(root, error),
        },
        // A first run that did not finish has no pointer either: nothing was lost.
        Ok(None) if generations(root)?.is_empty() => return Ok((None, None)),
        Ok(None) => format!("{CURRENT} is missing"),
        Err(error @ IndexError::Damaged { .. }) => lost(root, error),
        Err(error) => return Err(error),
    };
    let note = format!(
        "{lost}: the index is built again from the papers of this run; those of other folders are left out until they are \
         ingested"
    );
    Ok((None, Some(note)))
}

/// What is said of a damaged file.
fn lost(root: &Path, error: IndexError) -> String {
    match error {
        IndexError::Damaged { path, reason } => {
            format!("{} is damaged ({reason})", path.strip_prefix(root).unwrap_or(&path).display())
        }
        other => other.to_string(),
    }
}
