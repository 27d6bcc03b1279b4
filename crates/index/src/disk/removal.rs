//! Removes older generations, segments that no generation needs, and what killed writers left.

use super::{
    Lease, MANIFEST, generation_dir,
    generation_file::segments_of,
    layout::{CURRENT_NEW, Folder, GENERATIONS, folders, generations},
};
use crate::{IndexError, steps::Steps};
use std::{collections::BTreeSet, fs, path::Path};
use types::Removed;

/// Bytes of all folders but those of this generation and of these segments.
pub(crate) fn other_bytes(root: &Path, generation: u64, segments: &BTreeSet<u64>) -> Result<u64, IndexError> {
    let is_other = |folder: &&Folder| match folder.number {
        Some(number) if folder.kind == GENERATIONS => number != generation,
        Some(number) => !segments.contains(&number),
        None => true,
    };
    let folders = folders(root)?;
    let others = folders.iter().filter(is_other);
    Ok(others.map(|folder| folder_bytes(&folder.path)).sum())
}

/// Removes what killed writers left: unfinished folders, generations and segments newer than the current generation,
/// which never became current, and files that were not renamed yet. Without a current generation no finished one is
/// removed. Returns what was removed.
pub(crate) fn clear_leftovers(
    root: &Path,
    current: Option<u64>,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    // A segment is made before the generation that needs it, and has its number.
    let newest = match current {
        None if generations(root)?.is_empty() => Some(0),
        current => current,
    };
    let is_left = |folder: &Folder| {
        let number = folder.number;
        number.is_none_or(|number| newest.is_some_and(|newest| number > newest))
    };
    let mut removed = remove_those(folders(root)?, is_left, steps)?;
    let path = root.join(CURRENT_NEW);
    if let Ok(meta) = fs::symlink_metadata(&path) {
        steps.before("removing a file that was not renamed")?;
        fs::remove_file(&path).map_err(IndexError::io("remove", &path))?;
        removed.push(Removed { name: CURRENT_NEW.to_owned(), bytes: meta.len() });
    }
    Ok(removed)
}

/// Which generations before the current one are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepOlder {
    /// The previous one, for readers that are about to open it, and those that readers have open.
    Previous,
    /// Only those that readers have open.
    Nothing,
}

/// Removes the generations before `current` that `past` does not keep, and the segments that no remaining generation
/// needs. Returns what was removed.
pub(crate) fn prune(
    root: &Path,
    current: u64,
    past: KeepOlder,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    let older = generations(root)?.into_iter().filter(|number| *number < current);
    let previous = older.max().filter(|_| past == KeepOlder::Previous);
    let (of_generations, of_segments): (Vec<Folder>, Vec<Folder>) =
        folders(root)?.into_iter().partition(|folder| folder.kind == GENERATIONS);
    let is_older = |folder: &Folder| {
        let number = folder.number;
        number.is_none_or(|number| {
            number < current && Some(number) != previous && !Lease::held(&folder.path.join(MANIFEST))
        })
    };
    let mut removed = remove_those(of_generations, is_older, steps)?;
    let mut needed = BTreeSet::new();
    for number in generations(root)? {
        // What a generation needs is unknown if its manifest cannot be read.
        let Ok(segments) = segments_of(&generation_dir(root, number)) else {
            return Ok(removed);
        };
        needed.extend(segments);
    }
    let is_unneeded = |folder: &Folder| folder.number.is_none_or(|number| !needed.contains(&number));
    removed.extend(remove_those(of_segments, is_unneeded, steps)?);
    Ok(removed)
}

/// Removes the folders of which that is true. A finished one is renamed first, so that a reader finds it complete or not at
/// all.
fn remove_those(
    folders: Vec<Folder>,
    goes: impl Fn(&Folder) -> bool,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    let mut removed = Vec::new();
    for Folder { kind, mut path, number } in folders.into_iter().filter(goes) {
        let leaf = path.file_name().unwrap_or_default().to_string_lossy();
        removed.push(Removed { name: format!("{kind}/{leaf}"), bytes: folder_bytes(&path) });
        if number.is_some() {
            steps.before("renaming a folder to remove")?;
            let doomed = path.with_extension("removed");
            fs::rename(&path, &doomed).map_err(IndexError::io("rename", &path))?;
            path = doomed;
        }
        steps.before("removing a folder")?;
        fs::remove_dir_all(&path).map_err(IndexError::io("remove", &path))?;
    }
    Ok(removed)
}

/// Bytes of the files below `folder`; a file that disappears meanwhile or cannot be read counts as 0.
fn folder_bytes(folder: &Path) -> u64 {
    let mut open = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => open.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pruning_keeps_the_current_and_the_previous_generation() -> Result<(), IndexError> {
        let check_past = |past, have: &[&str], current, keep: &[&str]| -> Result<(), IndexError> {
            let dir = tempfile::tempdir().expect("a folder");
            let folder = dir.path().join(GENERATIONS);
            for name in have {
                fs::create_dir_all(folder.join(name).join("x")).expect("creates");
            }
            prune(dir.path(), current, past, &Steps::default())?;
            let mut left: Vec<_> = fs::read_dir(&folder)
                .expect("lists")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            left.sort();
            assert_eq!(left, keep, "{have:?}");
            Ok(())
        };
        check_past(KeepOlder::Nothing, &["1", "2", "3", "4.building"], 3, &["3"])?;
        let check =
            |have: &[&str], current, keep: &[&str]| check_past(KeepOlder::Previous, have, current, keep);
        check(&["1"], 1, &["1"])?;
        check(&["1", "2"], 2, &["1", "2"])?;
        check(&["1", "2", "3"], 3, &["2", "3"])?;
        check(&["2", "9", "10"], 10, &["10", "9"])?;
        check(&["1", "1.removed", "2", "3", "4.building", "mine"], 3, &["2", "3", "mine"])
    }
}
