//! Where the document goes.

use super::EvaluateRequest;
use crate::{benchmark::check_output, error::LabError};
use std::path::{Path, PathBuf};

/// Whether the document can be written there.
///
/// # Errors
/// When the folder does not exist, or the file is one of those that are read or was not written
/// by this program.
pub(super) fn check(output: &Path, request: &EvaluateRequest) -> Result<(), LabError> {
    // What is no file yet overwrites nothing.
    let own = output.canonicalize().ok();
    let read = [&request.input, &request.ground_truth, &request.queries, &request.qrels];
    let same = |path: &&PathBuf| own.is_some() && path.canonicalize().ok() == own;
    if let Some(path) = read.into_iter().flatten().find(same) {
        return Err(LabError::Message(format!(
            "--output would overwrite {}, which is read\nhint: name another file",
            path.display()
        )));
    }
    check_output(output)
}
