//! Makes a generation under construction a [`types::IndexSink`].

use crate::{Generation, IndexError};
use types::{BoxFuture, IndexSink, SourceEntry, SourceId, StoreError};

/// The futures are CPU-bound or wait for the disk: they are ready when they return for the first time.
impl IndexSink for Generation<'_> {
    fn keep<'a>(&'a mut self, sources: &'a [SourceId]) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut sources = sources.iter();
            sources.try_for_each(|source| Ok(Generation::keep(self, source)?))
        })
    }

    fn add(&mut self, source: SourceEntry) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { Ok(Generation::add(self, source)?) })
    }

    fn commit<'a>(self: Box<Self>) -> BoxFuture<'a, Result<(), StoreError>>
    where
        Self: 'a,
    {
        Box::pin(async move {
            Generation::commit(*self)?;
            Ok(())
        })
    }
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        Self::from_error(&error, error.kind())
    }
}
