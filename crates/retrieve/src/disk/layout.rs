//! Folders of generations, and the pointer to the current one.
//!
//! ```text
//! index/
//!   CURRENT               the current generation's number; replaced by renaming, never written in place
//!   writer.lock           held by the one writer
//!   generations/
//!     7/                  immutable once it bears this name
//!     8.building/         a writer at work, or what a killed one left
//!     5.removed/          on its way out
//! ```

use super::{Lease, MANIFEST};
use crate::{IndexError, steps::Steps};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

/// Names the current generation.
pub(crate) const CURRENT: &str = "CURRENT";
/// Folder of generations.
pub(crate) const GENERATIONS: &str = "generations";

/// Folder of a finished generation.
pub(crate) fn generation_dir(root: &Path, number: u64) -> PathBuf {
    root.join(GENERATIONS).join(number.to_string())
}

/// Folder of a generation under construction.
pub(crate) fn building_dir(root: &Path, number: u64) -> PathBuf {
    root.join(GENERATIONS).join(format!("{number}.building"))
}

/// The number in `CURRENT`; `None` when there is no such file.
pub(crate) fn read_current(root: &Path) -> Result<Option<u64>, IndexError> {
    let path = root.join(CURRENT);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(IndexError::io("read", &path)(e)),
    };
    let parsed = text.trim().parse().map(Some);
    parsed.map_err(|_| IndexError::damaged(path, format!("it holds {:?}, not a number", preview(&text))))
}

/// Gives a built generation its final name.
pub(crate) fn publish(root: &Path, number: u64, steps: &Steps) -> Result<(), IndexError> {
    let (from, to) = (building_dir(root, number), generation_dir(root, number));
    sync_dir(&from)?;
    steps.before("naming the generation")?;
    fs::rename(&from, &to).map_err(IndexError::io("rename", &from))?;
    sync_dir(&root.join(GENERATIONS))
}

/// Makes `number` the current generation: from here on every reader that opens the index sees it.
pub(crate) fn switch_current(root: &Path, number: u64, steps: &Steps) -> Result<(), IndexError> {
    let (new, path) = (root.join("CURRENT.new"), root.join(CURRENT));
    steps.before("writing the pointer")?;
    let mut file = File::create(&new).map_err(IndexError::io("create", &new))?;
    file.write_all(format!("{number}\n").as_bytes())
        .map_err(IndexError::io("write", &new))?;
    file.sync_all().map_err(IndexError::io("flush", &new))?;
    steps.before("replacing the pointer")?;
    fs::rename(&new, &path).map_err(IndexError::io("rename", &new))?;
    sync_dir(root)
}

/// Removes what killed writers left: unfinished folders, and generations that never became current.
pub(crate) fn clear_leftovers(root: &Path, current: Option<u64>, steps: &Steps) -> Result<(), IndexError> {
    for (path, number) in entries(root)? {
        if number.is_none_or(|n| current.is_none_or(|current| n > current)) {
            remove(&path, number.is_some(), steps)?;
        }
    }
    Ok(())
}

/// Removes every generation before the one that precedes `current`, unless a reader still holds it.
pub(crate) fn prune(root: &Path, current: u64, steps: &Steps) -> Result<(), IndexError> {
    let entries = entries(root)?;
    let previous = entries
        .iter()
        .filter_map(|(_, number)| *number)
        .filter(|n| *n < current)
        .max();
    for (path, number) in entries {
        if number.is_none_or(|n| n < current && Some(n) != previous && !Lease::held(&path.join(MANIFEST))) {
            remove(&path, number.is_some(), steps)?;
        }
    }
    Ok(())
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_dir(path: &Path) -> Result<(), IndexError> {
    // Only Unix can flush a folder; elsewhere its entries are durable with the files.
    if cfg!(unix) {
        let dir = File::open(path).map_err(IndexError::io("open", path))?;
        dir.sync_all().map_err(IndexError::io("flush", path))?;
    }
    Ok(())
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
        let number = name.parse().ok();
        if number.is_some() || name.ends_with(".building") || name.ends_with(".removed") {
            found.push((path, number));
        }
    }
    // Leftovers first: a folder that is already on its way out must be gone before another takes its name.
    found.sort_by_key(|(path, number)| (number.is_some(), path.clone()));
    Ok(found)
}

/// Removes a folder. A generation is renamed first, so that a reader finds it whole or not at all.
fn remove(path: &Path, generation: bool, steps: &Steps) -> Result<(), IndexError> {
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
    fs::remove_dir_all(&doomed).map_err(IndexError::io("remove", &doomed))
}

fn preview(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointer_is_absent_valid_or_refused() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(read_current(dir.path())?, None);
        switch_current(dir.path(), 12, &Steps::default())?;
        assert_eq!(read_current(dir.path())?, Some(12));
        for bad in ["", "twelve", "-1", "1 2", "\u{0}"] {
            fs::write(dir.path().join(CURRENT), bad).expect("writes");
            assert!(
                matches!(read_current(dir.path()), Err(IndexError::Damaged { .. })),
                "{bad:?}"
            );
        }
        Ok(())
    }

    #[test]
    fn pruning_keeps_the_current_and_the_previous_generation() -> Result<(), IndexError> {
        let check = |have: &[&str], current, keep: &[&str]| -> Result<(), IndexError> {
            let dir = tempfile::tempdir().expect("a folder");
            let folder = dir.path().join(GENERATIONS);
            for name in have {
                fs::create_dir_all(folder.join(name).join("x")).expect("creates");
            }
            prune(dir.path(), current, &Steps::default())?;
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
