//! Whether an index on disk is what was written, and whether what was written agrees with itself.
//!
//! Three steps, each only when the one before found nothing: the pointer and the manifest, whose hash is written in two
//! places and which has a copy, so that a changed byte in any of them is traced to its file; every file against its
//! hash; the content of the files against each other ([`content`]). No file is opened as what it should be before its
//! hash was compared.

mod content;
mod files;
mod findings;

pub(crate) use files::{changed, changed_manifest, check_tables};

use crate::{
    Index, IndexError,
    disk::{
        CURRENT, FORMAT, GENERATIONS, Lease, MANIFEST, Manifest, Pointer, generation_dir, marker, pointer,
        read_manifest,
    },
};
use serde::Serialize;
use std::path::Path;

/// A file that is not what was written, or does not agree with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The file's path inside the generation; from [`verify`], inside the index folder.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What [`verify`] found.
#[derive(Debug)]
pub struct Verification {
    /// The generation that was looked at; `None` when the pointer cannot be read.
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
    let dir = generation_dir(root, pointer.number);
    let below = |file: &str| format!("{GENERATIONS}/{}/{file}", pointer.number);
    let Some(_lease) = lease else {
        if dir.is_dir() {
            found.report(&below(MANIFEST), "it is missing".to_owned());
        } else {
            let reason = format!("it names generation {}, which is missing", pointer.number);
            found.report(CURRENT, reason);
        }
        return Ok(found);
    };
    let Some(manifest) = found.manifest(&dir, &pointer, below)? else {
        return Ok(found);
    };
    // With the manifest, its copy, its hash and the pointer.
    found.files = manifest.files.len() + 4;
    found.bytes = manifest.files.values().map(|file| file.bytes).sum();
    let named = |damage: Damage| Damage {
        file: below(&damage.file),
        ..damage
    };
    found
        .damages
        .extend(changed(&dir, &manifest).into_iter().map(named));
    found
        .damages
        .extend(files::foreign(&dir, &manifest)?.into_iter().map(named));
    if !found.damages.is_empty() {
        return Ok(found);
    }
    match Index::open_generation(&dir, pointer.manifest.as_deref()) {
        Ok(index) => {
            found
                .damages
                .extend(content::check(&index).into_iter().map(named));
            found.index = Some(index);
        }
        Err(IndexError::Damaged { path, reason }) => {
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            found.report(&file, reason);
        }
        Err(error) => return Err(error),
    }
    Ok(found)
}

/// The pointer and a hold on what it names, or no hold when there is nothing to hold.
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

    /// The manifest, when it can be trusted: what two of its hash beside it, its hash in the pointer and its own bytes
    /// say is right.
    fn manifest(
        &mut self,
        dir: &Path,
        pointer: &Pointer,
        below: impl Fn(&str) -> String,
    ) -> Result<Option<Manifest>, IndexError> {
        let (manifest, hash) = match read_manifest(dir, pointer.manifest.as_deref(), FORMAT) {
            Ok(read) => read,
            Err(error @ IndexError::Format { .. }) => return Err(error),
            Err(IndexError::Damaged { reason, .. }) => {
                self.report(&below(MANIFEST), reason);
                return Ok(None);
            }
            Err(error) => {
                self.report(&below(MANIFEST), error.to_string());
                return Ok(None);
            }
        };
        if manifest.generation != pointer.number {
            let reason = format!(
                "it names generation {}, not {}",
                manifest.generation, pointer.number
            );
            self.report(&below(MANIFEST), reason);
            return Ok(None);
        }
        for damage in changed_manifest(dir, &hash, manifest.format) {
            self.report(&below(&damage.file), damage.reason);
        }
        if pointer.manifest.as_ref().is_some_and(|pointed| *pointed != hash) {
            let reason = format!("it does not hold the SHA-256 {hash} of {MANIFEST}");
            self.report(CURRENT, reason);
        }
        Ok(Some(manifest))
    }
}
