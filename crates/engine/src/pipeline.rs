//! The pipeline: stages, store and models, ready to use.

use crate::{
    chat_models::ChatModels,
    clock::{Clock, StageSink},
    drafts::DraftSink,
    error::EngineError,
    pool::{ComputePool, apart},
    pooled::PooledSearcher,
    settings::Settings,
    stages,
    store::{LocalIndex, StoreProvider},
};
use guardrail::Verifier;
use natives::Natives;
use rerank::Reranker;
use retrieve::SearchSettings;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::{OnceCell, Semaphore};
use types::{
    Embedder, Filter, Generator, MAX_QUESTION_CHARS, Mode, Question, Reader, RetrievalPlan, SourceId,
    SourceQuery, StoreError, StoredSource, SupportScorer, check_chars,
};

/// Answers questions from a store: every stage is built. A clone shares store and models.
#[derive(Clone)]
pub struct Pipeline {
    base: Base,
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
    stages: Option<StageSink>,
    models: BTreeMap<String, String>,
}

/// What pipelines with other settings share: what costs time or memory to build.
#[derive(Clone)]
struct Base {
    /// Makes stores with other search settings.
    stores: Arc<dyn StoreProvider>,
    embedder: Arc<dyn Embedder>,
    /// Reads the most likely sentences; `None` where set-up has made no reader.
    reader: Option<Arc<dyn Reader>>,
    /// Judges claims offline, for the guardrails and for evaluation.
    support: Arc<dyn SupportScorer>,
    /// One question is embedded at a time, on all cores; the others wait here and not on the pool.
    embedding: Arc<Semaphore>,
    pool: ComputePool,
    chat_models: Arc<ChatModels>,
}

impl Base {
    /// A pipeline with these settings. `reranker` is one that is built already.
    fn pipeline(
        self,
        settings: &Settings,
        tags: Arc<OnceCell<Vec<String>>>,
        reranker: Option<Reranker>,
    ) -> Result<Pipeline, EngineError> {
        let models = &self.chat_models;
        let searcher = self.stores.searcher(settings.retrieve.search);
        let reranker = if let Some(built) = reranker {
            built.with_keep(settings.rerank.keep)
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
    /// Opens the index of the settings and builds the stages.
    ///
    /// # Errors
    /// When there is no index, a model is missing, or the index was made with another model.
    pub async fn open(settings: &Settings) -> Result<Self, EngineError> {
        Self::open_with(settings, Arc::new(ChatModels::new(settings)?)).await
    }

    /// As [`Self::open`], with these language models.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_with(settings: &Settings, models: Arc<ChatModels>) -> Result<Self, EngineError> {
        let index = LocalIndex::open(&settings.index.dir)?;
        Self::over(Arc::new(index), settings, models).await
    }

    /// Builds the stages over any store.
    ///
    /// # Errors
    /// When the store cannot be read, a model is missing, or the store was filled with another model.
    pub async fn over(
        stores: Arc<dyn StoreProvider>,
        settings: &Settings,
        chat_models: Arc<ChatModels>,
    ) -> Result<Self, EngineError> {
        let natives = Natives::find(settings);
        let embedder = stages::embedder(settings, &natives)?;
        let base = Base {
            stores,
            reader: stages::reader(settings, &natives)?,
            support: stages::support(&embedder),
            embedder,
            embedding: Arc::new(Semaphore::new(1)),
            pool: ComputePool::default(),
            chat_models,
        };
        let pipeline = base.pipeline(settings, Arc::default(), None)?;
        pipeline.check_model().await?;
        Ok(pipeline)
    }

    /// The same models over the index of these settings as it is now: another index, or a newer generation of the same. They
    /// differ in nothing but folders.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn over_index(&self, settings: &Settings) -> Result<Self, EngineError> {
        let dir = settings.index.dir.clone();
        let mut base = self.base_for(settings);
        base.stores = Arc::new(self.pool().run(move || LocalIndex::open(&dir)).await?);
        // What asks a language model keeps its replies where these settings say.
        let same = self.reranker.computes() || settings.llm == self.settings.llm;
        let pipeline = base.pipeline(settings, Arc::default(), same.then(|| self.reranker.clone()))?;
        pipeline.check_model().await?;
        Ok(pipeline)
    }

    /// Whether what is searched is still what the store holds.
    ///
    /// # Errors
    /// When that cannot be told, as when the index is gone.
    pub fn is_current(&self) -> Result<bool, EngineError> {
        self.base.stores.is_current()
    }

    /// # Errors
    /// When the store was filled with another model, or cannot be read.
    async fn check_model(&self) -> Result<(), EngineError> {
        let indexed = self.store.info().await?.embedder_id;
        let configured = self.embedder().id().to_owned();
        if indexed != configured {
            return Err(EngineError::OtherModel { indexed, configured });
        }
        Ok(())
    }

    /// The same store with other settings than those of ingestion. A local model that reranks is loaded again only if
    /// another setting of reranking than the number of kept candidates differs.
    ///
    /// # Errors
    /// When a language model cannot be used, or the reranking model cannot be loaded.
    pub fn with(&self, settings: &Settings) -> Result<Self, EngineError> {
        let own = &self.settings;
        let base = self.base_for(settings);
        let mut rerank = settings.rerank.clone();
        rerank.keep = own.rerank.keep;
        let same = rerank == own.rerank && settings.llm == own.llm;
        base.pipeline(settings, Arc::clone(&self.tags), same.then(|| self.reranker.clone()))
    }

    fn base_for(&self, settings: &Settings) -> Base {
        let mut base = self.base.clone();
        if settings.llm != self.settings.llm {
            base.chat_models = Arc::new(base.chat_models.for_section(&settings.llm));
        }
        base
    }

    /// The same, with answers from at most `passages` passages; as many are retrieved.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub fn reading(&self, passages: usize) -> Result<Self, EngineError> {
        let mut settings = (*self.settings).clone();
        settings.rerank.keep = passages;
        let search = &mut settings.retrieve.search;
        let lists = [&mut search.candidates, &mut search.vector_k, &mut search.bm25_k];
        for least in lists.into_iter().chain([&mut settings.expand.cap]) {
            *least = passages.max(*least);
        }
        self.with(&settings)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The store.
    pub fn store(&self) -> &PooledSearcher {
        &self.store
    }

    /// Judges claims offline.
    pub fn support(&self) -> Arc<dyn SupportScorer> {
        Arc::clone(&self.base.support)
    }

    /// Reads the most likely sentences; `None` where set-up has made no reader.
    pub fn reader(&self) -> Option<Arc<dyn Reader>> {
        self.base.reader.clone()
    }

    /// Runs computations, as many at a time as the machine has cores.
    pub fn pool(&self) -> &ComputePool {
        &self.base.pool
    }

    pub(crate) fn embedder(&self) -> &dyn Embedder {
        &*self.base.embedder
    }

    /// The hash of the settings.
    pub fn config_hash(&self) -> &str {
        &self.config_hash
    }

    /// Models by role: `embedding`, `reranker`, `generator`, `reader` if there is one, and `verifier` if a language model verifies answers.
    pub fn models(&self) -> &BTreeMap<String, String> {
        &self.models
    }

    /// Whether answers are verified by the model that writes them.
    pub fn verifies_itself(&self) -> bool {
        self.verifier.as_ref().is_some_and(|verifier| verifier.id() == self.generator.id())
    }

    /// Shows `sink` answers while a language model writes them, before they are checked.
    #[must_use]
    pub fn showing_drafts(mut self, sink: DraftSink) -> Self {
        self.drafts = Some(sink);
        self
    }

    /// Tells `sink` of each stage that ends.
    #[must_use]
    pub fn showing_stages(mut self, sink: StageSink) -> Self {
        self.stages = Some(sink);
        self
    }

    /// The language models of the settings.
    pub fn chat_models(&self) -> &Arc<ChatModels> {
        &self.base.chat_models
    }

    /// How candidates are found, scored and cut.
    pub fn search_settings(&self) -> &SearchSettings {
        &self.settings.retrieve.search
    }

    /// The time that all calls to language models for one question may take.
    pub(crate) fn question_limit(&self) -> Duration {
        Duration::from_secs(self.settings.llm.question_seconds)
    }

    /// What retrieval returns for an answer.
    pub fn plan(&self) -> RetrievalPlan {
        RetrievalPlan { neighbours: self.settings.expand.reach, sentences: true, ..RetrievalPlan::default() }
    }

    /// The sources with these ids.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn sources(&self, ids: Vec<SourceId>) -> Result<Vec<StoredSource>, StoreError> {
        self.store.find_sources(&SourceQuery::Ids(ids)).await
    }

    /// A question with its vector and with what its words ask for, ready for retrieval, and a clock that has timed the
    /// stages `understand` and `embed`.
    ///
    /// # Errors
    /// When the question is empty, the filter names a source that the store does not hold, or the model fails.
    pub(crate) async fn analyse(
        &self,
        query: &str,
        mode: Mode,
        filter: &Filter,
    ) -> Result<(Question, Clock), EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuestion);
        }
        check_chars(query, MAX_QUESTION_CHARS).map_err(|length| EngineError::LongQuestion { length })?;
        let filter = &self.known_sources(filter).await?;
        let mut clock = Clock::start(self.stages.clone());
        let mut question = self.understand(query, mode, filter).await?;
        clock.lap("understand");
        question.vector = self.embed(question::respelt(&question)).await?;
        self.base.embedder.id().clone_into(&mut question.embedder);
        clock.lap("embed");
        Ok((question, clock))
    }

    async fn understand(&self, query: &str, mode: Mode, filter: &Filter) -> Result<Question, EngineError> {
        let (text, filter) = (query.to_owned(), filter.clone());
        let analyse = move || question::analyse(&text, Vec::new(), mode, filter);
        let mut question = self.base.pool.run(analyse).await;
        self.correct_spelling(&mut question).await?;
        self.take_filters(&mut question).await?;
        self.add_abbreviations(&mut question).await?;
        // The earlier system had nothing of the kind.
        if !self.settings.phase2.rules {
            question.study_item = question::study_item(&question);
        }
        Ok(question)
    }

    async fn embed(&self, text: String) -> Result<Vec<f32>, EngineError> {
        let (embedder, pool) = (Arc::clone(&self.base.embedder), self.base.pool.clone());
        let turns = Arc::clone(&self.base.embedding);
        let embed = async move {
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await.ok();
            pool.run(move || embedder.embed_query(&text)).await
        };
        Ok(apart(embed).await?)
    }

    /// The filter with the ids of its sources as the store writes them.
    pub(crate) async fn known_sources(&self, filter: &Filter) -> Result<Filter, EngineError> {
        let mut filter = filter.clone();
        let Some(ids) = &mut filter.sources else {
            return Ok(filter);
        };
        let mut known = self.sources(ids.clone()).await?;
        if known.len() < ids.len() {
            known = self.store.find_sources(&SourceQuery::All).await?;
        }
        for id in ids {
            let meant = id.meant(known.iter().map(|source| &source.meta.source_id));
            let unknown = || {
                EngineError::Filter(format!(
                    "no source {:?} is in the index; `pipeline sources` prints the source ids",
                    id.as_str()
                ))
            };
            *id = meant.ok_or_else(unknown)?.clone();
        }
        Ok(filter)
    }
}
