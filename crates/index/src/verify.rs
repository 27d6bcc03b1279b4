//! Checks that an index on disk is what was written.
//!
//! First the pointer, the manifest, the records of the segments and all that a search reads as a whole; then every file against
//! its checksum; then every chunk is decoded and the graphs are loaded. A step runs only if the one before found nothing: no file
//! is decoded before its checksum was compared.

use crate::{
    Index, IndexError,
    disk::{changed, pointer},
    segment::Segment,
};
use std::{io::ErrorKind, path::Path};
use types::{Damage, Verified};

/// Reads every file of the current generation of the index in `root` and checks that it is what was written.
///
/// # Errors
/// [`IndexError::Missing`] when nothing was ever indexed there, [`IndexError::Format`] when another version of this
/// program wrote it, and when the folder cannot be read.
pub fn verify(root: &Path) -> Result<Verified, IndexError> {
    let mut found =
        Verified { version: pointer(root).ok().map(|pointer| pointer.number), ..Verified::default() };
    match Index::open(root).and_then(|index| read_all(&index, &mut found)) {
        Err(IndexError::Damaged { path, reason }) => found.damages.push(damage(root, &path, reason)),
        // A file that went after its segment was recorded.
        Err(IndexError::Io { path, source, .. }) if source.kind() == ErrorKind::NotFound => {
            found.damages.push(damage(root, &path, "it is missing".to_owned()));
        }
        outcome => outcome?,
    }
    Ok(found)
}

fn damage(root: &Path, path: &Path, reason: String) -> Damage {
    Damage { file: path.strip_prefix(root).unwrap_or(path).display().to_string(), reason, hint: None }
}

fn read_all(index: &Index, found: &mut Verified) -> Result<(), IndexError> {
    let manifest = index.manifest();
    found.version = Some(manifest.generation);
    // With the pointer, the manifest, and the record of each segment.
    found.files = manifest.files.len() + 2 + index.segments.len();
    found.bytes = manifest.bytes();
    found.damages = changed(&index.root, &manifest.files);
    if found.damages.is_empty() {
        index.chunks().try_for_each(|chunk| chunk.map(drop))?;
        let with_graph =
            |segment: &&Segment| segment.record.graph.is_some() && segment.record.counts.windows > 0;
        let mut segments = index.segments.iter().filter(with_graph);
        segments.try_for_each(|segment| segment.graph().map(drop))?;
        found.graph_recall = index.graph_recall()?;
    }
    Ok(())
}
