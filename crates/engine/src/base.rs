//! A pipeline: what it holds, what pipelines with other settings share, and how one is built on that.

use crate::natives::Natives;
use crate::{
    chat_models::ChatModels, clock::StageSink, drafts::DraftSink, error::EngineError, pool::ComputePool,
    pooled::PooledSearcher, settings::Settings, stages, store::StoreProvider,
};
use guardrail::Verifier;
use rerank::Reranker;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::{OnceCell, Semaphore};
use types::{Embedder, Generator, Reader, SupportScorer};

/// Answers questions from a store: every stage is built. A clone shares store and models.
#[derive(Clone)]
pub struct Pipeline {
    pub(crate) base: Base,
    pub(crate) settings: Arc<Settings>,
    pub(crate) config_hash: String,
    pub(crate) store: PooledSearcher,
    /// The tags of the store, read when a question first speaks of publications.
    pub(crate) tags: Arc<OnceCell<Vec<String>>>,
    pub(crate) reranker: Reranker,
    pub(crate) generator: Arc<dyn Generator>,
    /// Checks the claims of written answers; `None` if no language model does.
    pub(crate) verifier: Option<Arc<Verifier>>,
    /// Is shown answers while a language model writes them.
    pub(crate) drafts: Option<DraftSink>,
    /// Is told of each stage that ended.
    pub(crate) stages: Option<StageSink>,
    pub(crate) models: BTreeMap<String, String>,
}

/// What pipelines with other settings share: what costs time or memory to build.
#[derive(Clone)]
pub(crate) struct Base {
    /// Makes stores with other search settings.
    pub(crate) stores: Arc<dyn StoreProvider>,
    pub(crate) embedder: Arc<dyn Embedder>,
    /// Reads the most likely sentences; `None` where set-up has made no reader.
    pub(crate) reader: Option<Arc<dyn Reader>>,
    /// Judges claims offline, for the guardrails and for evaluation.
    pub(crate) support: Arc<dyn SupportScorer>,
    /// One question is embedded at a time, on all cores; the others wait here and not on the pool.
    pub(crate) embedding: Arc<Semaphore>,
    pub(crate) pool: ComputePool,
    pub(crate) chat_models: Arc<ChatModels>,
}

impl Base {
    /// A pipeline with these settings. `reranker` is one that is built already.
    pub(crate) fn pipeline(
        self,
        settings: &Settings,
        tags: Arc<OnceCell<Vec<String>>>,
        reranker: Option<Reranker>,
    ) -> Result<Pipeline, EngineError> {
        let models = &self.chat_models;
        let searcher = self.stores.searcher(settings.retrieve.search);
        let reranker = if let Some(built) = reranker {
            built.with_keep(settings.rerank.top_n)
        } else {
            stages::reranker(settings, &Natives::find(settings), models)?
        };
        let generator = stages::generator(settings, models)?;
        let verifier = stages::verifier(settings, models, &*generator)?;
        let mut names = BTreeMap::from([
            ("embedding".to_owned(), self.embedder.id().to_owned()),
            ("reranker".to_owned(), reranker.method()),
            ("generator".to_owned(), generator.id().to_owned()),
        ]);
        if let Some(reader) = &self.reader {
            names.insert("reader".to_owned(), reader.id().to_owned());
        }
        if let Some(verifier) = &verifier {
            names.insert("verifier".to_owned(), verifier.id().to_owned());
        }
        Ok(Pipeline {
            store: PooledSearcher::new(searcher, self.pool.clone(), self.stores.computes()),
            config_hash: settings.config_hash(),
            settings: Arc::new(settings.clone()),
            tags,
            reranker,
            generator,
            verifier,
            drafts: None,
            stages: None,
            models: names,
            base: self,
        })
    }
}

impl Pipeline {
    /// # Errors
    /// When the store was filled with another model, or cannot be read.
    pub(crate) async fn check_model(&self) -> Result<(), EngineError> {
        let indexed = self.store.info().await?.embedder_id;
        let configured = self.embedder().id().to_owned();
        if indexed != configured {
            return Err(EngineError::OtherModel { indexed, configured });
        }
        Ok(())
    }

    pub(crate) fn base_for(&self, settings: &Settings) -> Base {
        let mut base = self.base.clone();
        if settings.llm != self.settings.llm {
            base.chat_models = Arc::new(base.chat_models.for_section(&settings.llm));
        }
        base
    }
}
