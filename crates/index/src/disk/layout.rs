//! Folders of generations and segments, and the pointer to the current generation.
//!
//! ```text
//! index/
//!   PIPELINE_INDEX        marks the folder as an index; nothing is written to a folder without it
//!   CURRENT               the current generation's number and the hash of its manifest; replaced by renaming, never
//!                         written in place
//!   writer.lock           held by the one writer
//!   segments/
//!     4/                  chunks, vectors and postings of some sources, and the segment's record; written by
//!                         generation 4, immutable, shared by generations
//!     7/
//!   generations/
//!     7/                  the manifest: which segments, and which of their sources are dead; immutable once it has
//!                         this name
//!     8.building/         being written, or left by a killed writer (segments too)
//!     5.removed/          being removed (segments too)
//! ```

use crate::{IndexError, steps::Steps};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};
use types::{
    digest::is_sha256,
    files::{SETTINGS_BYTES, create_anew, read_bounded},
};

/// Names the current generation.
pub(crate) const CURRENT: &str = "CURRENT";
/// The next pointer, until it is renamed to [`CURRENT`].
pub(super) const CURRENT_NEW: &str = "CURRENT.new";
/// Folder of generations.
pub(crate) const GENERATIONS: &str = "generations";
/// Folder of segments.
pub(crate) const SEGMENTS: &str = "segments";

/// Folder of a finished generation.
pub(crate) fn generation_dir(root: &Path, number: u64) -> PathBuf {
    root.join(GENERATIONS).join(number.to_string())
}

/// Folder of a finished segment, relative to the index folder.
pub(crate) fn segment_folder(number: u64) -> String {
    format!("{SEGMENTS}/{number}")
}

/// Folder of a generation or segment under construction; `kind` is [`GENERATIONS`] or [`SEGMENTS`].
pub(crate) fn building_dir(root: &Path, kind: &str, number: u64) -> PathBuf {
    root.join(kind).join(format!("{number}.building"))
}

/// The folder of a generation or a segment.
pub(super) struct Folder {
    /// [`GENERATIONS`] or [`SEGMENTS`].
    pub(super) kind: &'static str,
    pub(super) path: PathBuf,
    /// Its number; `None` if a writer left it unfinished or half removed.
    pub(super) number: Option<u64>,
}

/// The folders of generations, then those of segments. Anything else there is not ours and is left alone.
pub(super) fn folders(root: &Path) -> Result<Vec<Folder>, IndexError> {
    let mut folders = Vec::new();
    for kind in [GENERATIONS, SEGMENTS] {
        let parent = root.join(kind);
        let listed = match fs::read_dir(&parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            listed => listed.map_err(IndexError::io("list", &parent))?,
        };
        for entry in listed {
            let path = entry.map_err(IndexError::io("list", &parent))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let mut ends = [".building", ".removed"].into_iter();
            let unfinished = ends.find_map(|end| name.strip_suffix(end));
            let stem = unfinished.unwrap_or(name);
            if let Ok(number) = stem.parse::<u64>()
                && number.to_string() == stem
            {
                let number = unfinished.is_none().then_some(number);
                folders.push(Folder { kind, path, number });
            }
        }
    }
    // Leftovers first: a half-removed folder must be gone before another one takes its name.
    folders.sort_by_key(|folder| (folder.kind, folder.number.is_some(), folder.path.clone()));
    Ok(folders)
}

/// The numbers of the finished generations, in order.
pub(crate) fn generations(root: &Path) -> Result<Vec<u64>, IndexError> {
    let folders = folders(root)?.into_iter();
    let of_generations = folders.filter(|folder| folder.kind == GENERATIONS);
    let mut numbers: Vec<u64> = of_generations.filter_map(|folder| folder.number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// A number that no generation and no segment has, and that is higher than theirs.
pub(crate) fn next_number(root: &Path) -> Result<u64, IndexError> {
    let folders = folders(root)?;
    let numbers = folders.iter().filter_map(|folder| folder.number);
    Ok(numbers.max().unwrap_or(0) + 1)
}

/// What `CURRENT` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    /// The current generation.
    pub(crate) number: u64,
    /// SHA-256 of its manifest.
    pub(crate) manifest: String,
}

/// What `CURRENT` says of an index that readers can open.
pub(crate) fn pointer(root: &Path) -> Result<Pointer, IndexError> {
    if let Some(pointer) = read_pointer(root)? {
        return Ok(pointer);
    }
    if root.join(types::INDEX_MARKER).exists() && !generations(root).unwrap_or_default().is_empty() {
        return Err(IndexError::damaged(root.join(CURRENT), "it is missing"));
    }
    Err(IndexError::Missing { path: root.to_owned() })
}

/// What `CURRENT` says; `None` when there is no such file.
pub(crate) fn read_pointer(root: &Path) -> Result<Option<Pointer>, IndexError> {
    let path = root.join(CURRENT);
    let bytes = match read_bounded(&path, SETTINGS_BYTES) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(IndexError::io("read", &path)(e)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [number, manifest] = words[..]
        && let Ok(number) = number.parse()
        && is_sha256(manifest)
    {
        let manifest = manifest.to_owned();
        return Ok(Some(Pointer { number, manifest }));
    }
    let start: String = text.chars().take(40).collect();
    let reason = format!("it holds {start:?}, not the number of a generation and the hash of its manifest");
    Err(IndexError::damaged(&path, reason))
}

/// Gives a built generation or segment its final name; `kind` is [`GENERATIONS`] or [`SEGMENTS`].
pub(crate) fn publish(root: &Path, kind: &str, number: u64, steps: &Steps) -> Result<(), IndexError> {
    let from = building_dir(root, kind, number);
    sync_dir(&from)?;
    steps.before(if kind == SEGMENTS { "naming the segment" } else { "naming the generation" })?;
    let to = root.join(kind).join(number.to_string());
    fs::rename(&from, &to).map_err(IndexError::io("rename", &from))?;
    sync_dir(&root.join(kind))
}

/// Makes `number` the current generation: from here on every reader that opens the index sees it. `manifest` is the
/// hash of its manifest.
pub(crate) fn switch_current(
    root: &Path,
    number: u64,
    manifest: &str,
    steps: &Steps,
) -> Result<(), IndexError> {
    let (new, path) = (root.join(CURRENT_NEW), root.join(CURRENT));
    steps.before("writing the pointer")?;
    let mut file = create_anew(&new).map_err(IndexError::io("create", &new))?;
    file.write_all(format!("{number} {manifest}\n").as_bytes()).map_err(IndexError::io("write", &new))?;
    file.sync_all().map_err(IndexError::io("flush", &new))?;
    steps.before("replacing the pointer")?;
    fs::rename(&new, &path).map_err(IndexError::io("rename", &new))?;
    sync_dir(root)
}

/// Refuses an index in whose folders a symbolic link leads elsewhere: writers write and delete below them.
pub(super) fn refuse_links(root: &Path) -> Result<(), IndexError> {
    let folders = [GENERATIONS, SEGMENTS, "cache", "cache.sqlite"];
    let mut level = folders.map(|name| root.join(name)).to_vec();
    // The files of segments lie below these.
    for _ in 0..3 {
        if let Some(path) = level.iter().find(|path| path.is_symlink()) {
            let path = path.clone();
            return Err(IndexError::Link { path });
        }
        let below = level.iter().flat_map(fs::read_dir).flatten().flatten();
        let folders = below.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_file()));
        level = folders.map(|entry| entry.path()).collect();
    }
    Ok(())
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_dir(path: &Path) -> Result<(), IndexError> {
    let dir = File::open(path).map_err(IndexError::io("open", path))?;
    dir.sync_all().map_err(IndexError::io("flush", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_is_absent_valid_or_refused() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(read_pointer(dir.path())?, None);
        let hash = "0123456789abcdef".repeat(4);
        switch_current(dir.path(), 12, &hash, &Steps::default())?;
        let pointer = read_pointer(dir.path())?.expect("a pointer");
        assert_eq!((pointer.number, pointer.manifest), (12, hash.clone()));
        let long = format!("1 {hash} x");
        for bad in ["", "twelve", "-1", "7", "1 2", "\u{0}", &long] {
            fs::write(dir.path().join(CURRENT), bad).expect("writes");
            assert!(matches!(read_pointer(dir.path()), Err(IndexError::Damaged { .. })), "{bad:?}");
        }
        Ok(())
    }
}
