//! A key in a file of its own.

use crate::error::EngineError;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};
use types::files::{SETTINGS_BYTES, read_text_bounded};

/// The key in this file, without white space around it.
///
/// # Errors
/// When the file cannot be read, others than its owner may read it, or it is empty. No error holds a part of the key.
pub(super) fn read(path: &Path) -> Result<String, EngineError> {
    let meta = fs::metadata(path).map_err(EngineError::io("read", path))?;
    if meta.permissions().mode() & 0o077 != 0 {
        return Err(EngineError::Message(format!(
            "others may read the key file {path}; run `chmod 600 {path}`",
            path = path.display()
        )));
    }
    let text = read_text_bounded(path, SETTINGS_BYTES).map_err(EngineError::io("read", path))?;
    let key = text.trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err(EngineError::Message(format!(
            "the key file {} must contain the key and nothing else",
            path.display()
        )));
    }
    Ok(key.to_owned())
}
