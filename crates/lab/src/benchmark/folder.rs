//! The folder of a benchmark, and the files that a run writes.

use crate::error::LabError;
use std::path::{Path, PathBuf};
use types::written::refuse_foreign;

/// The documents of a benchmark: one file in the layout of BEIR, or a folder of papers.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    /// The name of the folder.
    pub(crate) name: String,
    /// The absolute path of the file, or of a folder of papers.
    pub(crate) file: PathBuf,
}

/// The absolute path of a benchmark's folder, and its name. `layout` says what the folder must hold.
///
/// # Errors
/// When it does not exist.
pub(crate) fn folder_of(folder: &Path, layout: &str) -> Result<(PathBuf, String), LabError> {
    let path = folder.canonicalize().map_err(|_| LabError::Benchmark {
        path: folder.to_path_buf(),
        reason: "does not exist".to_owned(),
        hint: layout.to_owned(),
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    Ok((path, name))
}

/// A file of that folder.
///
/// # Errors
/// When it does not exist.
pub(crate) fn file_of(folder: &Path, name: &str, layout: &str) -> Result<PathBuf, LabError> {
    match folder.join(name) {
        path if path.is_file() => Ok(path),
        path => Err(LabError::Benchmark {
            path,
            reason: "does not exist".to_owned(),
            hint: layout.to_owned(),
        }),
    }
}

/// Makes sure that an output has a folder and replaces nothing of somebody, before anything is computed.
///
/// # Errors
/// When the folder is missing, or the output is a folder itself or a file that this program did not write.
pub(crate) fn check_output(path: &Path) -> Result<(), LabError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) || path.is_dir() {
        return Err(LabError::Benchmark {
            path: path.to_path_buf(),
            reason: "cannot be written".to_owned(),
            hint: "give a file in an existing folder".to_owned(),
        });
    }
    refuse_foreign(path).map_err(LabError::io("write", path))
}
