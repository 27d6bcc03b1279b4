//! What is wrong with a file of an index.

use crate::{IndexError, disk::SEGMENT};
use serde::Serialize;

/// A file that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The file's path inside the index folder.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Damage {
    /// What an error says of a file.
    pub(crate) fn of(file: &str, error: IndexError) -> Self {
        Self {
            file: file.to_owned(),
            reason: match error {
                IndexError::Damaged { reason, .. } => reason,
                other => other.to_string(),
            },
        }
    }

    /// Whether it is of the record of a segment.
    pub(crate) fn is_record(&self) -> bool {
        self.file.ends_with(SEGMENT)
    }
}
