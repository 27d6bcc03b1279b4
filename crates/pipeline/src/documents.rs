//! The documents that programs read.

use contract::Document;

/// Every document with its schema.
pub(crate) fn documents() -> impl Iterator<Item = Document> {
    contract::DOCUMENTS.into_iter().chain(lab::schemas::DOCUMENTS)
}
