//! What is removed from an index folder, and when: older generations, and what killed writers left.

use super::{
    Lease, MANIFEST,
    layout::{CURRENT_NEW, GENERATIONS},
};
use crate::{IndexError, steps::Steps};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Removes what killed writers left: unfinished folders, generations newer than the current one, which never became
/// current, and a pointer that was not renamed yet. Without a current generation no finished one is removed. Returns
/// what was removed.
pub(crate) fn clear_leftovers(
    root: &Path,
    current: Option<u64>,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    let mut gone = Vec::new();
    for (path, number) in entries(root)? {
        if number.is_none_or(|n| current.is_some_and(|current| n > current)) {
            gone.push(remove(&path, number.is_some(), steps)?);
        }
    }
    let pointer = root.join(CURRENT_NEW);
    if let Ok(meta) = fs::symlink_metadata(&pointer) {
        steps.before("removing a pointer")?;
        fs::remove_file(&pointer).map_err(IndexError::io("remove", &pointer))?;
        gone.push(Removed {
            name: CURRENT_NEW.to_owned(),
            bytes: meta.len(),
        });
    }
    Ok(gone)
}

/// Which older generations are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// The generation before the current one, for readers that are about to open it, and those that readers have open.
    Previous,
    /// Those that readers have open.
    Nothing,
}

/// Removes the generations before `current` that neither `past` nor a reader keeps. Returns what was removed.
pub(crate) fn prune(
    root: &Path,
    current: u64,
    past: Past,
    steps: &Steps,
) -> Result<Vec<Removed>, IndexError> {
    let entries = entries(root)?;
    let previous = entries
        .iter()
        .filter_map(|(_, number)| *number)
        .filter(|n| *n < current)
        .max()
        .filter(|_| past == Past::Previous);
    let mut gone = Vec::new();
    for (path, number) in entries {
        if number.is_none_or(|n| n < current && Some(n) != previous && !Lease::held(&path.join(MANIFEST))) {
            gone.push(remove(&path, number.is_some(), steps)?);
        }
    }
    Ok(gone)
}

/// Something that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its path below the index folder.
    pub name: String,
    /// Bytes of its files.
    pub bytes: u64,
}

/// The generations in the folder of generations, in the order of their numbers, with their folders; and what
/// writers left unfinished or unremoved.
pub(crate) fn generations(root: &Path) -> Result<(Vec<u64>, Vec<PathBuf>), IndexError> {
    let (mut numbers, mut unfinished) = (Vec::new(), Vec::new());
    for (path, number) in entries(root)? {
        match number {
            Some(number) => numbers.push(number),
            None => unfinished.push(path),
        }
    }
    numbers.sort_unstable();
    Ok((numbers, unfinished))
}

/// Bytes of the files below `folder`; what vanishes meanwhile or cannot be read counts nothing.
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

/// The entries of the folder of generations: a number for a finished generation, none for what a writer left
/// unfinished or unremoved. Anything else there is not ours and is left alone.
fn entries(root: &Path) -> Result<Vec<(PathBuf, Option<u64>)>, IndexError> {
    let folder = root.join(GENERATIONS);
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(IndexError::io("list", &folder))? {
        let path = entry.map_err(IndexError::io("list", &folder))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let number = name
            .parse()
            .ok()
            .filter(|number: &u64| number.to_string() == name);
        if number.is_some() || name.ends_with(".building") || name.ends_with(".removed") {
            found.push((path, number));
        }
    }
    // Leftovers first: a folder that is already on its way out must be gone before another takes its name.
    found.sort_by_key(|(path, number)| (number.is_some(), path.clone()));
    Ok(found)
}

/// Removes a folder. A generation is renamed first, so that a reader finds it whole or not at all.
fn remove(path: &Path, generation: bool, steps: &Steps) -> Result<Removed, IndexError> {
    let leaf = path.file_name().unwrap_or_default().to_string_lossy();
    let removed = Removed {
        name: format!("{GENERATIONS}/{leaf}"),
        bytes: folder_bytes(path),
    };
    let doomed = if generation {
        path.with_extension("removed")
    } else {
        path.to_owned()
    };
    if generation {
        steps.before("renaming a generation to remove")?;
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
        check_past(Past::Nothing, &["1", "2", "3", "4.building"], 3, &["3"])?;
        let check = |have: &[&str], current, keep: &[&str]| check_past(Past::Previous, have, current, keep);
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
