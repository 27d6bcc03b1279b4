//! The store, as the indexer fills and maintains it.

use crate::{
    QdrantError, QdrantSettings, Reader, client::block_on, collections::Collections, wire::live,
    writer::Writer,
};
use std::sync::Arc;
use types::{Holdings, MadeBy, ManagedStore, Part, Store, StoreError, StoreUsage, StoreWriter, Verified};

/// An index in the collections of a Qdrant server.
#[derive(Clone)]
pub struct QdrantStore(Result<Collections, QdrantError>);

impl QdrantStore {
    /// Reached and set up in this way. Nothing is sent yet. To be called, and used, within an async runtime with several threads;
    /// its methods that block do so only for the thread that calls them. If the address is none, every use says so.
    ///
    /// # Panics
    /// Outside an async runtime.
    pub fn new(settings: QdrantSettings) -> Self {
        Self(Collections::new(settings))
    }

    fn collections(&self) -> Result<&Collections, QdrantError> {
        self.0.as_ref().map_err(Clone::clone)
    }

    /// Opens the current generation for reading.
    ///
    /// # Errors
    /// When there is none, or the server cannot be asked.
    pub async fn reader(&self) -> Result<Reader, QdrantError> {
        let collections = self.collections()?;
        let current = collections.current().await?.ok_or_else(|| collections.missing())?;
        Ok(Reader::new(collections.clone(), current))
    }

    /// The current generation and what it holds; `None` if nothing was ever committed.
    async fn opened(&self) -> Result<Option<(Reader, Holdings)>, QdrantError> {
        let collections = self.collections()?;
        let Some(current) = collections.current().await? else {
            return Ok(None);
        };
        let holdings = current.holdings(&collections.records(live(current.number, [])).await?);
        Ok(Some((Reader::new(collections.clone(), current), holdings)))
    }

    /// What the server says of itself, and the generation that it holds.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub async fn describe(&self) -> Result<(String, Option<types::StoreInfo>), QdrantError> {
        let collections = self.collections()?;
        let (server, current) = (collections.server().await?, collections.current().await?);
        Ok((server, current.map(|current| Reader::new(collections.clone(), current).describe())))
    }
}

impl ManagedStore for QdrantStore {
    fn holdings(&self) -> Result<(Option<Holdings>, Option<String>), StoreError> {
        Ok((block_on(self.opened())?.map(|(_, holdings)| holdings), None))
    }

    fn open(&self) -> Result<(Arc<dyn Store>, Holdings), StoreError> {
        let opened = block_on(self.opened())?;
        let (reader, holdings) = opened.map_or_else(|| Err(self.collections()?.missing()), Ok)?;
        Ok((Arc::new(reader), holdings))
    }

    fn write(&self, made_by: Option<MadeBy>) -> Result<Box<dyn StoreWriter>, StoreError> {
        Ok(Box::new(block_on(Writer::open(self.collections()?.clone(), made_by, None))?))
    }

    fn write_part(&self, made_by: MadeBy, part: Part) -> Result<Box<dyn StoreWriter>, StoreError> {
        let opened = Writer::open(self.collections()?.clone(), Some(made_by), Some(part));
        Ok(Box::new(block_on(opened)?))
    }

    fn verify(&self) -> Result<Verified, StoreError> {
        Ok(block_on(self.collections()?.verify())?)
    }

    fn usage(&self) -> Result<StoreUsage, StoreError> {
        Ok(block_on(self.collections()?.usage())?)
    }
}
