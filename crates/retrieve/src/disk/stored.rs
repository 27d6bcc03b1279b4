//! A generation on disk: its manifest and the records of its segments. No other file is opened.

use super::{
    FORMAT, GenerationRecord, OLDEST_FORMAT, SEGMENT, StoredGeneration, generation_dir, generation_folder,
    read_generation, read_segment, recover_generation, recover_segment, segment_folder,
};
use crate::{
    Damage, IndexError, Manifest,
    tombstones::{SegmentPart, SourceLocation, assemble},
};
use std::path::{Path, PathBuf};
use types::SourceId;

/// A generation that was read.
pub(crate) struct Stored {
    /// The generation's folder.
    pub(crate) dir: PathBuf,
    pub(crate) record: GenerationRecord,
    /// SHA-256 of the manifest.
    pub(crate) hash: String,
    /// Its segments, as far as their records are intact.
    pub(crate) parts: Vec<SegmentPart>,
    /// Segments whose record and copy are both damaged: their sources are unknown.
    pub(crate) lost: Vec<Damage>,
    /// The manifest as callers see it.
    pub(crate) manifest: Manifest,
    /// Where each source of the manifest is stored in `parts`.
    pub(crate) places: Vec<SourceLocation>,
    /// Sources that are in two segments.
    pub(crate) twice: Vec<SourceId>,
}

impl Stored {
    /// Reads a generation of this format. `pointed` is the hash of its manifest in the pointer.
    ///
    /// # Errors
    /// When its manifest or the record of a segment is damaged.
    pub(crate) fn read(root: &Path, number: u64, pointed: Option<&str>) -> Result<Self, IndexError> {
        let generation = read_generation(&generation_dir(root, number), pointed, FORMAT)?;
        Self::with_segments(root, number, generation)
    }

    /// Reads the records of the segments of a generation of this format.
    ///
    /// # Errors
    /// When one is damaged.
    pub(crate) fn with_segments(
        root: &Path,
        number: u64,
        generation: StoredGeneration,
    ) -> Result<Self, IndexError> {
        let mut parts = Vec::new();
        for entry in &generation.record.segments {
            let folder = segment_folder(entry.segment);
            parts.push(SegmentPart {
                record: read_segment(&root.join(&folder), &entry.record)?,
                entry: entry.clone(),
                folder,
            });
        }
        Ok(Self::of(root, number, generation, parts, Vec::new()))
    }

    /// Reads what is left of a generation of any format from [`OLDEST_FORMAT`] on, using copies where needed.
    ///
    /// # Errors
    /// When its manifest and the copy are both damaged, it has another format, or a file that is there cannot be read.
    pub(crate) fn recover(root: &Path, number: u64, pointed: Option<&str>) -> Result<Self, IndexError> {
        let dir = generation_dir(root, number);
        let mut generation = recover_generation(&dir, pointed, OLDEST_FORMAT)?;
        let found = generation.record.generation;
        if found != number {
            let reason = format!("it names generation {found}, not {number}");
            return Err(IndexError::damaged(dir, reason));
        }
        let (mut parts, mut lost) = (Vec::new(), Vec::new());
        let whole = generation.whole.take();
        for entry in &generation.record.segments {
            let (folder, record) = if let Some(whole) = &whole {
                (generation_folder(number), Ok(whole.clone()))
            } else {
                let folder = segment_folder(entry.segment);
                let record = recover_segment(&root.join(&folder), &entry.record);
                (folder, record)
            };
            match record {
                Ok(record) => parts.push(SegmentPart {
                    entry: entry.clone(),
                    folder,
                    record,
                }),
                Err(error) if !error.shows_loss() => return Err(error),
                Err(error) => lost.push(Damage {
                    file: format!("{folder}/{SEGMENT}"),
                    reason: match error {
                        IndexError::Damaged { reason, .. } => reason,
                        other => other.to_string(),
                    },
                }),
            }
        }
        Ok(Self::of(root, number, generation, parts, lost))
    }

    fn of(
        root: &Path,
        number: u64,
        generation: StoredGeneration,
        parts: Vec<SegmentPart>,
        lost: Vec<Damage>,
    ) -> Self {
        let folder = generation_folder(number);
        let (manifest, places, twice) = assemble(&generation.record, &folder, &parts);
        Self {
            dir: root.join(folder),
            record: generation.record,
            hash: generation.hash,
            parts,
            lost,
            manifest,
            places,
            twice,
        }
    }
}
