//! The file that marks a folder as an index, without which nothing in the folder is written or removed.

use super::sync_dir;
use crate::IndexError;
use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
};
use types::{INDEX_MARKER, files::create_anew, words::first_of};

/// The marker, until it is renamed to [`INDEX_MARKER`].
const MARKER_NEW: &str = "PIPELINE_INDEX.new";
/// Entries that an error names; the others are counted.
const NAMED: usize = 3;

/// The content of the marker, for people; only the presence of the file decides.
const TEXT: &str = "This folder is an index of the pipeline. Its files are written by the program.\n";

/// Makes `root` an index folder, or fails before anything is changed: a folder that holds anything but an index is
/// refused.
pub(crate) fn claim(root: &Path) -> Result<(), IndexError> {
    match unmarked(root)? {
        None => Ok(()),
        Some(names) if names.is_empty() => {
            fs::create_dir_all(root).map_err(IndexError::io("create", root))?;
            write_marker(root)
        }
        Some(names) => Err(IndexError::NotAnIndex { path: root.to_owned(), holds: first_of(names, NAMED) }),
    }
}

/// Like [`claim`], for commands that need an index: one that does not exist is [`IndexError::Missing`].
pub(crate) fn require(root: &Path) -> Result<(), IndexError> {
    match unmarked(root)? {
        Some(names) if names.is_empty() => Err(IndexError::Missing { path: root.to_owned() }),
        _ => claim(root),
    }
}

/// What is in a folder without a marker, by name; `None` for one that has the marker.
fn unmarked(root: &Path) -> Result<Option<Vec<String>>, IndexError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(Vec::new())),
        Err(error) => return Err(IndexError::io("list", root)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(IndexError::io("list", root))?.file_name();
        if name == INDEX_MARKER {
            return Ok(None);
        }
        // A writer was killed just before it renamed the marker.
        if name != MARKER_NEW {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(Some(names))
}

fn write_marker(root: &Path) -> Result<(), IndexError> {
    let (new, path) = (root.join(MARKER_NEW), root.join(INDEX_MARKER));
    let mut file = create_anew(&new).map_err(IndexError::io("create", &new))?;
    file.write_all(TEXT.as_bytes()).map_err(IndexError::io("write", &new))?;
    file.sync_all().map_err(IndexError::io("flush", &new))?;
    match fs::rename(&new, &path) {
        // Another process made the same folder an index at the same time.
        Err(error) if error.kind() == ErrorKind::NotFound && path.exists() => {}
        outcome => outcome.map_err(IndexError::io("rename", &new))?,
    }
    sync_dir(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, "mine").expect("written");
        }
        dir
    }

    #[test]
    fn only_free_and_marked_folders_are_claimed() {
        let dir = folder(&[]);
        for path in [dir.path().to_owned(), dir.path().join("new/deep")] {
            assert_eq!(unmarked(&path).expect("listed"), Some(Vec::new()));
            claim(&path).expect("free");
            assert_eq!(unmarked(&path).expect("listed"), None);
            claim(&path).expect("its own");
        }
        let killed = folder(&[MARKER_NEW]);
        claim(killed.path()).expect("a writer was killed here");
        assert!(!killed.path().join(MARKER_NEW).exists());
    }

    #[test]
    fn a_folder_of_something_else_is_refused_and_left_as_it_is() {
        let check = |files: &[&str], holds: &str| {
            let dir = folder(files);
            for outcome in [claim(dir.path()), require(dir.path())] {
                let error = outcome.expect_err("refused").to_string();
                assert!(error.contains(holds), "{error}");
            }
            assert!(!dir.path().join(INDEX_MARKER).exists());
            for file in files {
                assert_eq!(fs::read(dir.path().join(file)).expect("there"), b"mine");
            }
        };
        check(&["thesis.tex"], "thesis.tex");
        check(&["generations/1/photo.jpg", "cache/vectors/x", ".tmpAbCdEf"], "generations");
        check(&["a", "b", "c", "d", "e"], "a, b, c and 2 more");
        // A pointer alone is no index.
        let dir = folder(&["generations/1/manifest.json"]);
        fs::write(dir.path().join("CURRENT"), "1\n").expect("written");
        assert!(matches!(claim(dir.path()), Err(IndexError::NotAnIndex { .. })));
    }
}
