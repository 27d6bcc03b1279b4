//! Checks that an index on disk is what was written, and that its parts are consistent with each other.
//!
//! There are three steps, each run only if the one before found nothing:
//!
//! 1. The pointer, the manifest and the records of the segments. The hash of the manifest is written in two places, and
//!    manifest and records each have a copy, so that a changed byte is traced to its file.
//! 2. Every file against its hash.
//! 3. The content of the files against each other ([`content`]).
//!
//! No file is decoded before its hash was compared.

mod content;
mod files;
mod findings;

pub(crate) use files::{changed, changed_records, check_tables};

use crate::{
    Index, IndexError,
    disk::{
        CHECKED, CURRENT, Checked, FORMAT, Lease, MANIFEST, Pointer, SEGMENT, Stored, StoredGeneration,
        generation_dir, generation_folder, marker, pointer, read_generation, segment_folder,
    },
};
use serde::Serialize;
use std::path::Path;

/// A file that is not what was written, or does not agree with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The file's path inside the index folder.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What [`verify`] found.
#[derive(Debug)]
pub struct Verification {
    /// The generation that was checked; `None` when the pointer cannot be read.
    pub generation: Option<u64>,
    /// The generation, opened; `None` when it is damaged.
    pub index: Option<Index>,
    /// Files that were read.
    pub files: usize,
    /// Bytes of these.
    pub bytes: u64,
    /// What is wrong, by file; empty when all is well.
    pub damages: Vec<Damage>,
}

/// Reads every file of the current generation of the index in `root` and checks that it is what was written, then
/// decodes everything and checks that it fits together: chunks, ids, sentences, windows, vectors, stems,
/// neighbours. Takes as long as reading and stemming all text; memory grows with the number of chunks only.
///
/// # Errors
/// [`IndexError::Missing`] when nothing was ever indexed there, [`IndexError::Format`] when another version of this
/// program wrote it, and when the folder cannot be read.
pub fn verify(root: &Path) -> Result<Verification, IndexError> {
    let mut found = Verification {
        generation: None,
        index: None,
        files: 0,
        bytes: 0,
        damages: Vec::new(),
    };
    if marker::is_damaged(root) {
        let reason = "it does not hold what this version writes".to_owned();
        found.report(types::INDEX_MARKER, reason);
    }
    let (pointer, lease) = match current(root) {
        Ok(current) => current,
        Err(IndexError::NoPointer { newest, .. }) => {
            found.report(
                CURRENT,
                format!("it is missing, though generation {newest} is there"),
            );
            return Ok(found);
        }
        Err(IndexError::Damaged { reason, .. }) => {
            found.report(CURRENT, reason);
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    found.generation = Some(pointer.number);
    let Some(lease) = lease else {
        if generation_dir(root, pointer.number).is_dir() {
            found.report(&below(&pointer, MANIFEST), "it is missing".to_owned());
        } else {
            let reason = format!("it names generation {}, which is missing", pointer.number);
            found.report(CURRENT, reason);
        }
        return Ok(found);
    };
    let Some(stored) = found.stored(root, &pointer)? else {
        return Ok(found);
    };
    let manifest = &stored.manifest;
    // With the manifest, its copy, its hash and the pointer, and the two records of each segment.
    found.files = manifest.files.len() + 4 + 2 * stored.parts.len();
    found.bytes = manifest.files.values().map(|file| file.bytes).sum();
    found.damages.extend(changed(root, &manifest.files, |_, _| false));
    let segments: Vec<String> = stored.parts.iter().map(|part| part.folder.clone()).collect();
    found.damages.extend(files::foreign(root, manifest, &segments)?);
    if !found.damages.is_empty() {
        Checked::forget(root, found.damages.iter().map(|damage| damage.file.as_str()));
        return Ok(found);
    }
    for id in &stored.twice {
        let reason = format!("source {id} is in two segments");
        found.report(&below(&pointer, MANIFEST), reason);
    }
    match Index::of(root, stored, lease) {
        Ok(index) => {
            found.damages.extend(content::check(&index));
            found.index = Some(index);
        }
        Err(IndexError::Damaged { path, reason }) => {
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            found.report(&file, reason);
        }
        Err(error) => return Err(error),
    }
    // Last: nothing else depends on it.
    if Checked::is_damaged(root) {
        let reason = "it is not what was written; the next run of `pipeline ingest` replaces it".to_owned();
        found.report(CHECKED, reason);
    }
    Ok(found)
}

/// A file of the generation, below the index folder.
fn below(pointer: &Pointer, file: &str) -> String {
    format!("{}/{file}", generation_folder(pointer.number))
}

/// The pointer, and a lease on the generation that it names if that exists.
fn current(root: &Path) -> Result<(Pointer, Option<Lease>), IndexError> {
    let mut current = pointer(root)?;
    loop {
        if let Ok(lease) = Lease::take(&generation_dir(root, current.number)) {
            return Ok((current, Some(lease)));
        }
        // A writer may have replaced and removed it meanwhile: then there is a newer one.
        let now = pointer(root)?;
        if now == current {
            return Ok((current, None));
        }
        current = now;
    }
}

impl Verification {
    fn report(&mut self, file: &str, reason: String) {
        self.damages.push(Damage {
            file: file.to_owned(),
            reason,
        });
    }

    /// The manifest and the records of the segments, if they can be trusted. Of the manifest's own hash, the hash in
    /// the file beside it and the hash in the pointer, two must agree; records must have the hash that the manifest
    /// gives.
    fn stored(&mut self, root: &Path, pointer: &Pointer) -> Result<Option<Stored>, IndexError> {
        let dir = generation_dir(root, pointer.number);
        let generation = match read_generation(&dir, pointer.manifest.as_deref(), FORMAT) {
            Ok(read) => read,
            Err(error @ IndexError::Format { .. }) => return Err(error),
            Err(IndexError::Damaged { reason, .. }) => {
                self.report(&below(pointer, MANIFEST), reason);
                return Ok(None);
            }
            Err(error) => {
                self.report(&below(pointer, MANIFEST), error.to_string());
                return Ok(None);
            }
        };
        let StoredGeneration { record, hash, .. } = &generation;
        if record.generation != pointer.number {
            let reason = format!(
                "it names generation {}, not {}",
                record.generation, pointer.number
            );
            self.report(&below(pointer, MANIFEST), reason);
            return Ok(None);
        }
        self.damages
            .extend(files::changed_manifest(root, pointer.number, hash, record.format));
        if pointer.manifest.as_ref().is_some_and(|pointed| pointed != hash) {
            let reason = format!("it does not hold the SHA-256 {hash} of {MANIFEST}");
            self.report(CURRENT, reason);
        }
        let mut lost = false;
        for entry in &record.segments {
            let folder = segment_folder(entry.segment);
            let damages = files::changed_copies(root, &folder, &files::RECORDS, &entry.record);
            let first = format!("{folder}/{SEGMENT}");
            lost |= damages.iter().any(|damage| damage.file == first);
            self.damages.extend(damages);
        }
        if lost {
            return Ok(None);
        }
        Stored::with_segments(root, pointer.number, generation).map(Some)
    }
}
