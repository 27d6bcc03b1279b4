//! Whether an index on disk is what was written, and whether what was written agrees with itself.
//!
//! Three looks, each only when the one before found nothing: the pointer and the manifest, whose hash stands in
//! three places, so that a changed byte in any of them is known for what it is; every file against its hash; the
//! content of the files against each other ([`content`]).

mod content;
mod files;
mod findings;

pub(crate) use files::changed;

use crate::{
    Index, IndexError,
    disk::{
        CURRENT, GENERATIONS, Lease, MANIFEST, MANIFEST_HASH, Manifest, Pointer, generation_dir, hash_file,
        read_manifest, read_pointer,
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
    let (pointer, lease) = match current(root) {
        Ok(current) => current,
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
            found.report(&below(MANIFEST), "it is not there".to_owned());
        } else {
            let reason = format!("it names generation {}, which is not there", pointer.number);
            found.report(CURRENT, reason);
        }
        return Ok(found);
    };
    let Some(manifest) = found.manifest(&dir, &pointer, below)? else {
        return Ok(found);
    };
    found.files = manifest.files.len() + 3;
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
    match Index::open_generation(&dir) {
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
    let read = || {
        read_pointer(root)?.ok_or_else(|| IndexError::Missing {
            path: root.to_owned(),
        })
    };
    let mut pointer = read()?;
    loop {
        if let Ok(lease) = Lease::take(&generation_dir(root, pointer.number)) {
            return Ok((pointer, Some(lease)));
        }
        // A writer may have replaced and removed it meanwhile: then there is a newer one.
        let now = read()?;
        if now == pointer {
            return Ok((pointer, None));
        }
        pointer = now;
    }
}

impl Verification {
    fn report(&mut self, file: &str, reason: String) {
        self.damages.push(Damage {
            file: file.to_owned(),
            reason,
        });
    }

    /// The manifest, when it can be trusted. Its hash stands beside it and in the pointer: what two of the three
    /// agree on is right.
    fn manifest(
        &mut self,
        dir: &Path,
        pointer: &Pointer,
        below: impl Fn(&str) -> String,
    ) -> Result<Option<Manifest>, IndexError> {
        let own = match hash_file(&dir.join(MANIFEST)) {
            Ok(record) => record.sha256,
            Err(error) => {
                self.report(&below(MANIFEST), error.to_string());
                return Ok(None);
            }
        };
        let beside = std::fs::read(dir.join(MANIFEST_HASH)).unwrap_or_default();
        let beside = String::from_utf8_lossy(&beside).trim().to_owned();
        let pointed = pointer.manifest.as_ref().unwrap_or(&beside);
        if own != beside && own != *pointed {
            let reason = format!("its SHA-256 is {own}, which neither {MANIFEST_HASH} nor {CURRENT} says");
            self.report(&below(MANIFEST), reason);
            return Ok(None);
        }
        if own != beside {
            self.report(
                &below(MANIFEST_HASH),
                format!("it does not hold the SHA-256 {own} of {MANIFEST}"),
            );
        }
        if own != *pointed {
            self.report(
                CURRENT,
                format!("it does not hold the SHA-256 {own} of {MANIFEST}"),
            );
        }
        match read_manifest(dir, false) {
            Ok(manifest) if manifest.generation == pointer.number => Ok(Some(manifest)),
            Ok(manifest) => {
                let reason = format!(
                    "it names generation {}, not {}",
                    manifest.generation, pointer.number
                );
                self.report(&below(MANIFEST), reason);
                Ok(None)
            }
            Err(IndexError::Damaged { reason, .. }) => {
                self.report(&below(MANIFEST), reason);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
