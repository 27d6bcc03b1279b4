//! Checks that an index on disk is what was written.
//!
//! First the pointer, the manifest and the records of the segments; then every file against its checksum; then every chunk
//! is decoded and the graphs are loaded. A step runs only if the one before found nothing: no file is decoded before its
//! checksum was compared.

use crate::{
    Index, IndexError,
    disk::{
        CURRENT, FORMAT, Lease, MANIFEST, Pointer, Stored, changed, generation_dir, generation_folder,
        marker, pointer,
    },
    segment::Segment,
};
use std::path::Path;
use types::{Damage, Verified};

/// Reads every file of the current generation of the index in `root` and checks that it is what was written.
///
/// # Errors
/// [`IndexError::Missing`] when nothing was ever indexed there, [`IndexError::Format`] when another version of this
/// program wrote it, and when the folder cannot be read.
pub fn verify(root: &Path) -> Result<Verified, IndexError> {
    let mut found = Verified::default();
    if marker::is_damaged(root) {
        let reason = "it does not hold what this version writes".to_owned();
        report(&mut found, types::INDEX_MARKER, reason);
    }
    let (Pointer { number, manifest }, lease) = match current(root) {
        Ok(current) => current,
        Err(IndexError::NoPointer { newest, .. }) => {
            let reason = format!("it is missing, though generation {newest} is there");
            report(&mut found, CURRENT, reason);
            return Ok(found);
        }
        Err(IndexError::Damaged { reason, .. }) => {
            report(&mut found, CURRENT, reason);
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    found.version = Some(number);
    let Some(lease) = lease else {
        if generation_dir(root, number).is_dir() {
            report(&mut found, &below(number, MANIFEST), "it is missing".to_owned());
        } else {
            report(&mut found, CURRENT, format!("it names generation {number}, which is missing"));
        }
        return Ok(found);
    };
    let stored = match Stored::recover(root, number, Some(&manifest)) {
        Err(error @ IndexError::Format { .. }) => return Err(error),
        Err(error) => {
            found.damages.push(error.damage(&below(number, MANIFEST)));
            return Ok(found);
        }
        Ok(stored) if stored.record.format != FORMAT => {
            return Err(IndexError::other_format(stored.dir, stored.record.format.into()));
        }
        Ok(stored) => stored,
    };
    if manifest != stored.hash {
        let reason = format!("it does not hold the SHA-256 {} of {MANIFEST}", stored.hash);
        report(&mut found, CURRENT, reason);
    }
    // With the pointer, the manifest, its hash, and the record of each segment.
    found.files = stored.manifest.files.len() + 3 + stored.record.segments.len();
    found.bytes = stored.manifest.bytes();
    found.damages.extend(stored.damages.iter().cloned());
    found.damages.extend(changed(root, &stored.manifest.files));
    if found.damages.is_empty() {
        let opened = Index::of(root, stored, lease).and_then(|index| {
            index.chunks().try_for_each(|chunk| chunk.map(drop))?;
            let with_graph =
                |segment: &&Segment| segment.record.graph.is_some() && segment.record.counts.windows > 0;
            let mut segments = index.segments.iter().filter(with_graph);
            segments.try_for_each(|segment| segment.graph().map(drop))?;
            index.graph_recall()
        });
        match opened {
            Ok(recall) => found.graph_recall = recall,
            Err(IndexError::Damaged { path, reason }) => {
                let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                report(&mut found, &file, reason);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
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

fn report(found: &mut Verified, file: &str, reason: String) {
    found.damages.push(Damage { file: file.to_owned(), reason });
}
