//! Where the document goes.

use super::EvaluateRequest;
use crate::error::LabError;
use std::path::Path;
use types::written::refuse_foreign;

/// Whether the document can be written there.
///
/// # Errors
/// When the folder does not exist, or the file is one of those that are read or was not written
/// by this program.
pub(super) fn check(output: &Path, request: &EvaluateRequest) -> Result<(), LabError> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(LabError::Message(format!(
            "cannot write {}: the folder {} does not exist\nhint: create it, or name another file with --output",
            output.display(),
            folder.display()
        )));
    }
    // What is no file yet overwrites nothing.
    let Ok(own) = output.canonicalize() else {
        return Ok(());
    };
    let read = [
        &request.input,
        &request.ground_truth,
        &request.queries,
        &request.qrels,
    ];
    let same = |path: &&std::path::PathBuf| path.canonicalize().is_ok_and(|path| path == own);
    if let Some(path) = read.into_iter().flatten().find(same) {
        return Err(LabError::Message(format!(
            "--output would overwrite {}, which is read\nhint: name another file",
            path.display()
        )));
    }
    refuse_foreign(output).map_err(LabError::io("write", output))
}
