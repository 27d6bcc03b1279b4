//! Checks that an index on disk is what was written.
//!
//! First the pointer, the manifest and the records of the segments; then every file against its checksum; then every chunk
//! is decoded and the graph is loaded. A step runs only if the one before found nothing: no file is decoded before its
//! checksum was compared.

use crate::{
    Index, IndexError,
    disk::{
        CURRENT, FORMAT, Lease, MANIFEST, Pointer, Stored, changed, generation_dir, generation_folder,
        marker, pointer,
    },
};
use std::path::Path;
use types::Damage;

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

/// Reads every file of the current generation of the index in `root` and checks that it is what was written.
///
/// # Errors
/// [`IndexError::Missing`] when nothing was ever indexed there, [`IndexError::Format`] when another version of this
/// program wrote it, and when the folder cannot be read.
pub fn verify(root: &Path) -> Result<Verification, IndexError> {
    let mut verification = Verification {
        generation: None,
        index: None,
        files: 0,
        bytes: 0,
        damages: Vec::new(),
    };
    if marker::is_damaged(root) {
        let reason = "it does not hold what this version writes".to_owned();
        verification.report(types::INDEX_MARKER, reason);
    }
    let (Pointer { number, manifest }, lease) = match current(root) {
        Ok(current) => current,
        Err(IndexError::NoPointer { newest, .. }) => {
            let reason = format!("it is missing, though generation {newest} is there");
            verification.report(CURRENT, reason);
            return Ok(verification);
        }
        Err(IndexError::Damaged { reason, .. }) => {
            verification.report(CURRENT, reason);
            return Ok(verification);
        }
        Err(error) => return Err(error),
    };
    verification.generation = Some(number);
    let Some(lease) = lease else {
        if generation_dir(root, number).is_dir() {
            verification.report(&below(number, MANIFEST), "it is missing".to_owned());
        } else {
            verification.report(CURRENT, format!("it names generation {number}, which is missing"));
        }
        return Ok(verification);
    };
    let stored = match Stored::recover(root, number, Some(&manifest)) {
        Err(error @ IndexError::Format { .. }) => return Err(error),
        Err(error) => {
            verification.damages.push(error.damage(&below(number, MANIFEST)));
            return Ok(verification);
        }
        Ok(stored) if stored.record.format != FORMAT => {
            return Err(IndexError::other_format(stored.dir, stored.record.format.into()));
        }
        Ok(stored) => stored,
    };
    if manifest != stored.hash {
        let reason = format!("it does not hold the SHA-256 {} of {MANIFEST}", stored.hash);
        verification.report(CURRENT, reason);
    }
    // With the pointer, the manifest, its hash, and the record of each segment.
    verification.files = stored.manifest.files.len() + 3 + stored.record.segments.len();
    verification.bytes = stored.manifest.bytes();
    verification.damages.extend(stored.damages.iter().cloned());
    verification.damages.extend(changed(root, &stored.manifest.files));
    if verification.damages.is_empty() {
        let opened = Index::of(root, stored, lease).and_then(|index| {
            index.chunks().try_for_each(|chunk| chunk.map(drop))?;
            if index.manifest.graph.is_some() && index.windows() > 0 {
                index.graph()?;
            }
            Ok(index)
        });
        match opened {
            Ok(index) => verification.index = Some(index),
            Err(IndexError::Damaged { path, reason }) => {
                let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                verification.report(&file, reason);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(verification)
}

/// A file of a generation, below the index folder.
fn below(generation: u64, file: &str) -> String {
    format!("{}/{file}", generation_folder(generation))
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
}
