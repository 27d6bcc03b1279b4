//! The interface for writing a store of passages.

use crate::{BoxFuture, SourceEntry, SourceId, StoreError};

/// The next version of a store, while it is written. Keep or add each source once, in any order; a source that is
/// neither kept nor added is not in the next version. Readers see the current version until [`Self::commit`] has
/// succeeded; if the sink is dropped before, the store stays as it was.
pub trait IndexSink: Send {
    /// Keeps sources of the current version as they are.
    ///
    /// # Errors
    /// When one is not in the current version, was kept or added before, is damaged, or has vectors of another embedder;
    /// or when the store cannot be written.
    fn keep<'a>(&'a mut self, sources: &'a [SourceId]) -> BoxFuture<'a, Result<(), StoreError>>;
    /// Adds a new source, or the new content of one. [`SourceEntry::key`] must change whenever the content does: a store's
    /// identity is made of the keys of its sources.
    ///
    /// # Errors
    /// When the parts of the source are inconsistent, it was kept or added before, or the store cannot be written.
    fn add(&mut self, source: SourceEntry) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Makes the new version current.
    ///
    /// # Errors
    /// When an earlier call failed in the middle of a source, or the store cannot be written. The store then is as it
    /// was, unless only the last steps failed: the new version is then already current. Open the store again to see.
    fn commit<'a>(self: Box<Self>) -> BoxFuture<'a, Result<(), StoreError>>
    where
        Self: 'a;
}
