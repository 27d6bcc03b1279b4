//! What benchmarks of retrieval share: the folder, the index of its corpus, the files that they write.

mod deep;
mod folder;
mod index;
mod judged;
mod rows;

pub(crate) use deep::DeepSearch;
pub(crate) use folder::{Corpus, check_output, file_of, folder_of};
pub use index::Indexed;
pub(crate) use index::{documents, settings_of, update};
pub(crate) use judged::judged_queries;
pub(crate) use rows::{Earlier, row, write_rows};

use crate::error::LabError;
use eval::Ordered;
use serde::{Serialize, de::DeserializeOwned};

/// The type of `contract` with the same fields.
///
/// # Errors
/// When a number cannot be written as JSON.
pub(crate) fn converted<T: DeserializeOwned>(value: &Ordered<impl Serialize>) -> Result<T, LabError> {
    as_contract(value)
}

/// A value as the type of the contract with the same keys.
///
/// # Errors
/// When it has no JSON form.
pub(crate) fn as_contract<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, LabError> {
    let json = serde_json::to_value(value).and_then(serde_json::from_value);
    json.map_err(|error| LabError::Message(format!("cannot write the results as JSON: {error}")))
}
