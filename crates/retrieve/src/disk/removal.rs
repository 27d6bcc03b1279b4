//! Removes older generations, segments that no generation needs, and what killed writers left.

use super::{
    Lease, MANIFEST, generation_dir,
    generation_file::segments_of,
    layout::{CURRENT_NEW, GENERATIONS, SEGMENTS},
};
use crate::{IndexError, steps::Steps};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Removes what killed writers left: unfinished folders, generations and segments newer than the current generation,
/// which never became current, and files that were not renamed yet. Without a current generation no finished one is
/// removed. Returns what was removed.
pub(crate) fn clear_leftovers(
    root: &Path,
    current: Option<u64>,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    let mut gone = Vec::new();
    for (path, number) in entries(root, GENERATIONS)? {
        if number.is_none_or(|n| current.is_some_and(|current| n > current)) {
            gone.push(remove(&path, GENERATIONS, number.is_some(), steps)?);
        }
    }
    // A segment is made before the generation that needs it, and has its number.
    let newest = match current {
        None if generations(root)?.0.is_empty() => Some(0),
        current => current,
    };
    for (path, number) in entries(root, SEGMENTS)? {
        if number.is_none_or(|n| newest.is_some_and(|newest| n > newest)) {
            gone.push(remove(&path, SEGMENTS, number.is_some(), steps)?);
        }
    }
    let path = root.join(CURRENT_NEW);
    if let Ok(meta) = fs::symlink_metadata(&path) {
        steps.before("removing a file that was not renamed")?;
        fs::remove_file(&path).map_err(IndexError::io("remove", &path))?;
        gone.push(Removed {
            name: CURRENT_NEW.to_owned(),
            bytes: meta.len(),
        });
    }
    Ok(gone)
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
    let entries_of = |kind| entries(root, kind);
    let found = entries_of(GENERATIONS)?;
    let previous = found
        .iter()
        .filter_map(|(_, number)| *number)
        .filter(|n| *n < current)
        .max()
        .filter(|_| past == KeepOlder::Previous);
    let mut gone = Vec::new();
    for (path, number) in found {
        if number.is_none_or(|n| n < current && Some(n) != previous && !Lease::held(&path.join(MANIFEST))) {
            gone.push(remove(&path, GENERATIONS, number.is_some(), steps)?);
        }
    }
    let Some(needed) = needed_segments(root)? else {
        return Ok(gone);
    };
    for (path, number) in entries_of(SEGMENTS)? {
        if number.is_none_or(|n| !needed.contains(&n)) {
            gone.push(remove(&path, SEGMENTS, number.is_some(), steps)?);
        }
    }
    Ok(gone)
}

/// The segments of all generations that are there; `None` if the manifest of one cannot be read.
fn needed_segments(root: &Path) -> Result<Option<BTreeSet<u64>>, IndexError> {
    let mut needed = BTreeSet::new();
    for number in generations(root)?.0 {
        let Ok(segments) = segments_of(&generation_dir(root, number)) else {
            return Ok(None);
        };
        needed.extend(segments);
    }
    Ok(Some(needed))
}

/// Something that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its path relative to the index folder.
    pub name: String,
    /// Bytes of its files.
    pub bytes: u64,
}

/// The numbers of the finished generations, in order; and the folders that writers left unfinished or half removed.
pub(crate) fn generations(root: &Path) -> Result<(Vec<u64>, Vec<PathBuf>), IndexError> {
    let (mut numbers, mut unfinished) = (Vec::new(), Vec::new());
    for (path, number) in entries(root, GENERATIONS)? {
        match number {
            Some(number) => numbers.push(number),
            None => unfinished.push(path),
        }
    }
    numbers.sort_unstable();
    Ok((numbers, unfinished))
}

/// A number that no generation and no segment has, and that is higher than theirs.
pub(crate) fn next_number(root: &Path) -> Result<u64, IndexError> {
    let found = [entries(root, GENERATIONS)?, entries(root, SEGMENTS)?];
    let numbers = found.iter().flatten().filter_map(|(_, number)| *number);
    Ok(numbers.max().unwrap_or(0) + 1)
}

/// Bytes of the files below `folder`; a file that disappears meanwhile or cannot be read counts as 0.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
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

/// Folders of segments that are not in `needed`, and folders that writers left unfinished or half removed.
pub(crate) fn other_segments(root: &Path, needed: &BTreeSet<u64>) -> Result<Vec<PathBuf>, IndexError> {
    let found = entries(root, SEGMENTS)?.into_iter();
    let other = |number: &Option<u64>| number.is_none_or(|number| !needed.contains(&number));
    Ok(found
        .filter_map(|(path, number)| other(&number).then_some(path))
        .collect())
}

/// The entries of the folder of generations or segments: with a number if finished, without if a writer left it
/// unfinished or half removed. Anything else there is not ours and is left alone.
fn entries(root: &Path, kind: &str) -> Result<Vec<(PathBuf, Option<u64>)>, IndexError> {
    let folder = root.join(kind);
    let mut found = Vec::new();
    let listed = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        listed => listed.map_err(IndexError::io("list", &folder))?,
    };
    for entry in listed {
        let path = entry.map_err(IndexError::io("list", &folder))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let (stem, unfinished) = [".building", ".removed"]
            .into_iter()
            .find_map(|end| Some((name.strip_suffix(end)?, true)))
            .unwrap_or((name, false));
        let number = stem
            .parse()
            .ok()
            .filter(|number: &u64| number.to_string() == stem);
        if number.is_some() {
            found.push((path, number.filter(|_| !unfinished)));
        }
    }
    // Leftovers first: a half-removed folder must be gone before another one takes its name.
    found.sort_by_key(|(path, number)| (number.is_some(), path.clone()));
    Ok(found)
}

/// Removes a folder. A finished one is renamed first, so that a reader finds it complete or not at all.
fn remove(path: &Path, kind: &str, finished: bool, steps: &Steps) -> Result<Removed, IndexError> {
    let leaf = path.file_name().unwrap_or_default().to_string_lossy();
    let removed = Removed {
        name: format!("{kind}/{leaf}"),
        bytes: folder_bytes(path),
    };
    let doomed = if finished {
        path.with_extension("removed")
    } else {
        path.to_owned()
    };
    if finished {
        steps.before(if kind == SEGMENTS {
            "renaming a segment to remove"
        } else {
            "renaming a generation to remove"
        })?;
        fs::rename(path, &doomed).map_err(IndexError::io("rename", path))?;
    }
    steps.before("removing a folder")?;
    fs::remove_dir_all(&doomed).map_err(IndexError::io("remove", &doomed))?;
    Ok(removed)
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
                .map(|entry| {
                    entry
                        .expect("an entry")
                        .file_name()
                        .to_string_lossy()
                        .into_owned()
                })
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
        check(
            &["1", "1.removed", "2", "3", "4.building", "mine"],
            3,
            &["2", "3", "mine"],
        )
    }
}
