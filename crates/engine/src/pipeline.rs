//! The pipeline: stages, store and models, ready to use.

use crate::{
    ask::SharedVerifier,
    chat_models::ChatModels,
    clock::Clock,
    drafts::DraftSink,
    error::EngineError,
    memo::{Memoised, Stage},
    natives::Natives,
    pool::ComputePool,
    pooled::PooledStore,
    settings::{AnswerMethod, RerankMethod, ReturnedChunks, Settings, VerifyChoice},
    stages,
    store::{LocalIndex, StoreProvider},
    understand::Understanding,
};
use expand::ExpandSettings;
use generate::Planner;
use guardrail::{GuardrailSettings, TopicSettings, Verifier};
use rerank::Reranker;
use retrieve::SearchSettings;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use types::{
    ChatModel, Embedder, Filter, Generator, MAX_QUESTION_CHARS, Mode, Question, RetrievalPlan, Retriever,
    SourceId, SourceQuery, Spent, StoreError, StoredSource, SupportScorer, check_chars,
};

/// Answers questions from a store: every stage is built. A clone shares store and models.
#[derive(Clone)]
pub struct Pipeline {
    pub store: Arc<dyn Retriever>,
    /// Makes `store`, and stores with other search settings for [`Self::with`].
    stores: Arc<dyn StoreProvider>,
    pub embedder: Arc<dyn Embedder>,
    /// Judges claims offline, for the guardrails and for evaluation.
    pub support: Arc<dyn SupportScorer>,
    /// One question is embedded at a time, on all cores; the others wait here and not on the pool.
    embedding: Arc<Semaphore>,
    pub reranker: Reranker,
    chat_models: Arc<ChatModels>,
    pub generator: Arc<dyn Generator>,
    /// Is shown answers while a language model writes them.
    pub drafts: Option<DraftSink>,
    /// Checks the claims of written answers; `None` if no language model does.
    pub verifier: SharedVerifier,
    /// Asks for further searches; `None` if none are allowed.
    pub planner: Option<Planner>,
    pub pool: ComputePool,
    pub search: SearchSettings,
    pub understanding: Understanding,
    pub expand: ExpandSettings,
    pub question_limit: Duration,
    pub checks: Checks,
    pub returned_context: bool,
    pub topic: TopicSettings,
    pub guardrails: GuardrailSettings,
    pub config_hash: String,
    /// Results of stages that are used again; only in a sweep over settings.
    pub memo: Option<Memoised>,
    models: BTreeMap<String, String>,
}

/// Which checks of a question and its answer are on.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    /// Whether the context is checked before generation.
    pub topic: bool,
    /// Whether unsupported sentences go back to the language model.
    pub repair: bool,
    /// Whether passages are searched for text that addresses the language model.
    pub injection: bool,
}

impl Checks {
    fn of(settings: &Settings) -> Self {
        let section = &settings.guardrail;
        Self {
            topic: section.topic,
            repair: section.repair,
            injection: section.injection,
        }
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
        Self::over_with(Arc::new(index), settings, models).await
    }

    /// Builds the stages over any store.
    ///
    /// # Errors
    /// When the store cannot be read, a model is missing, or the store was filled with another model.
    pub async fn over(stores: Arc<dyn StoreProvider>, settings: &Settings) -> Result<Self, EngineError> {
        Self::over_with(stores, settings, Arc::new(ChatModels::new(settings)?)).await
    }

    async fn over_with(
        stores: Arc<dyn StoreProvider>,
        settings: &Settings,
        chat_models: Arc<ChatModels>,
    ) -> Result<Self, EngineError> {
        let natives = Natives::find(settings);
        let search = stages::search_settings(settings);
        let pool = ComputePool::new();
        let store = open_store(&*stores, search, &pool);
        let embedder = stages::embedder(settings, &natives)?;
        let indexed = store.info().await?.embedder_id;
        if indexed != embedder.id() {
            return Err(EngineError::OtherModel {
                indexed,
                configured: embedder.id().to_owned(),
            });
        }
        let reranks = counted(reranks(&chat_models, settings)?, Spent::RERANK);
        let reranker = stages::reranker(settings, &natives, reranks)?;
        let generator = stages::generator(
            settings,
            counted(generates(&chat_models, settings)?, Spent::GENERATE),
        );
        let verifier = verifies(&chat_models, settings, &*generator)?;
        let mut models = BTreeMap::from([
            ("embedding".to_owned(), embedder.id().to_owned()),
            ("reranker".to_owned(), reranker.method()),
            ("generator".to_owned(), generator.id().to_owned()),
        ]);
        name_verifier(&mut models, &verifier);
        Ok(Self {
            store,
            stores,
            support: stages::support(&embedder),
            embedder,
            embedding: Arc::new(Semaphore::new(1)),
            reranker,
            planner: planner(&chat_models, settings)?,
            chat_models,
            generator,
            drafts: None,
            verifier,
            pool,
            search,
            understanding: Understanding::new(settings),
            expand: stages::expand_settings(settings),
            question_limit: Duration::from_secs(settings.llm.question_seconds),
            checks: Checks::of(settings),
            returned_context: settings.log.returned_chunks == ReturnedChunks::Context,
            topic: stages::topic_settings(settings),
            guardrails: stages::guardrail_settings(settings),
            config_hash: settings.config_hash(),
            memo: None,
            models,
        })
    }

    /// The same store and models with other settings of retrieval, expansion, generation and guardrails. Embedder,
    /// reranker and language models are not built again: their settings must be the same.
    ///
    /// # Errors
    /// When a language model cannot be used.
    pub fn with(&self, settings: &Settings) -> Result<Self, EngineError> {
        let search = stages::search_settings(settings);
        let generates = generates(&self.chat_models, settings)?;
        let generator = stages::generator(settings, counted(generates, Spent::GENERATE));
        let mut models = self.models.clone();
        models.insert("generator".to_owned(), generator.id().to_owned());
        let verifier = verifies(&self.chat_models, settings, &*generator)?;
        name_verifier(&mut models, &verifier);
        Ok(Self {
            store: open_store(&*self.stores, search, &self.pool),
            generator,
            verifier,
            planner: planner(&self.chat_models, settings)?,
            models,
            question_limit: Duration::from_secs(settings.llm.question_seconds),
            returned_context: settings.log.returned_chunks == ReturnedChunks::Context,
            search,
            understanding: self.understanding.with(settings),
            expand: stages::expand_settings(settings),
            checks: Checks::of(settings),
            topic: stages::topic_settings(settings),
            guardrails: stages::guardrail_settings(settings),
            config_hash: settings.config_hash(),
            ..self.clone()
        })
    }

    /// As [`Self::with`], with other settings of reranking and of language models too. `own` are the settings of this
    /// pipeline, and `models` the language models of `settings`. A local model that reranks is loaded again only if another
    /// setting of reranking than the number of kept candidates or their minimum score differs.
    ///
    /// # Errors
    /// When a language model cannot be used, or the reranking model cannot be loaded.
    pub fn with_all(
        &self,
        own: &Settings,
        settings: &Settings,
        models: Arc<ChatModels>,
    ) -> Result<Self, EngineError> {
        let same_methods = {
            let mut rerank = settings.rerank.clone();
            (rerank.keep, rerank.min_score) = (own.rerank.keep, own.rerank.min_score);
            rerank == own.rerank && settings.llm == own.llm
        };
        let reranker = if same_methods {
            let kept = self.reranker.clone().with_keep(settings.rerank.keep);
            kept.with_min_score(settings.rerank.min_score)
        } else {
            stages::reranker(
                settings,
                &Natives::find(settings),
                counted(reranks(&models, settings)?, Spent::RERANK),
            )?
        };
        let mut base = self.clone();
        base.models.insert("reranker".to_owned(), reranker.method());
        base.reranker = reranker;
        base.chat_models = models;
        base.with(settings)
    }

    /// The store.
    pub fn store(&self) -> &dyn Retriever {
        &*self.store
    }

    /// Models by role: `embedding`, `reranker`, `generator`, and `verifier` if a language model verifies answers.
    pub fn models(&self) -> &BTreeMap<String, String> {
        &self.models
    }

    /// Whether answers are verified by the model that writes them.
    pub fn verifies_itself(&self) -> bool {
        self.verifier
            .as_ref()
            .is_some_and(|verifier| verifier.id() == self.generator.id())
    }

    /// Shows `sink` answers while a language model writes them, before they are checked.
    #[must_use]
    pub fn showing_drafts(mut self, sink: DraftSink) -> Self {
        self.drafts = Some(sink);
        self
    }

    /// The language models of the settings.
    pub fn chat_models(&self) -> &ChatModels {
        &self.chat_models
    }

    /// How candidates are found, scored and cut.
    pub fn search_settings(&self) -> &SearchSettings {
        &self.search
    }

    /// What retrieval returns for an answer.
    pub fn plan(&self) -> RetrievalPlan {
        RetrievalPlan {
            neighbours: self.expand.reach,
            sentences: true,
            ..RetrievalPlan::default()
        }
    }

    /// The sources with these ids.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn sources(&self, ids: Vec<SourceId>) -> Result<Vec<StoredSource>, StoreError> {
        self.store.find_sources(&SourceQuery::Ids(ids)).await
    }

    /// A question with its vector and with what its words ask for, ready for retrieval, and a clock that has timed the
    /// stages `understand` and `embed`.
    ///
    /// # Errors
    /// When the question is empty, the filter names a source that the store does not hold, or the model fails.
    pub async fn analyse(
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
        let mut clock = Clock::start();
        let understand = self.understand(query, mode, filter);
        let mut question = self
            .stage(Stage::Understand, query, &mut clock, understand)
            .await?;
        let embed = self.embed(question::respelt(&question));
        question.vector = self.stage(Stage::Embed, query, &mut clock, embed).await?;
        Ok((question, clock))
    }

    async fn understand(&self, query: &str, mode: Mode, filter: &Filter) -> Result<Question, EngineError> {
        let (text, filter) = (query.to_owned(), filter.clone());
        let analyse = move || question::analyse(&text, Vec::new(), mode, filter);
        let mut question = self.pool.run(analyse).await;
        self.correct_spelling(&mut question).await?;
        self.take_filters(&mut question).await?;
        self.add_abbreviations(&mut question).await?;
        Ok(question)
    }

    async fn embed(&self, text: String) -> Result<Vec<f32>, EngineError> {
        let embedder = Arc::clone(&self.embedder);
        // The semaphore is never closed.
        let _turn = self.embedding.acquire().await.ok();
        Ok(self.pool.run(move || embedder.embed_query(&text)).await?)
    }

    /// The filter with the ids of its sources as the store writes them.
    async fn known_sources(&self, filter: &Filter) -> Result<Filter, EngineError> {
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
                    "no source {:?} is in the index; `pipeline sources list` prints the source ids",
                    id.as_str()
                ))
            };
            *id = meant.ok_or_else(unknown)?.clone();
        }
        Ok(filter)
    }
}

/// The provider's store, run on the pool if it computes.
fn open_store(stores: &dyn StoreProvider, search: SearchSettings, pool: &ComputePool) -> Arc<dyn Retriever> {
    let store = stores.store(search);
    if stores.computes() {
        Arc::new(PooledStore::new(store, pool.clone()))
    } else {
        store
    }
}

/// The model that reranks, if one does.
fn reranks(models: &ChatModels, settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>, EngineError> {
    match settings.rerank.method {
        RerankMethod::Llm | RerankMethod::Auto => models.get(&settings.rerank.model),
        RerankMethod::Sentence | RerankMethod::CrossEncoder | RerankMethod::None => Ok(None),
    }
}

/// The model that generates answers, if one does.
fn generates(models: &ChatModels, settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>, EngineError> {
    match settings.generate.method {
        AnswerMethod::Extractive => Ok(None),
        AnswerMethod::Auto | AnswerMethod::Llm | AnswerMethod::Select => models.get(&settings.generate.model),
    }
}

/// The model that verifies answers, if one does: answers copied from papers need none.
fn verifies(
    models: &ChatModels,
    settings: &Settings,
    generator: &dyn Generator,
) -> Result<SharedVerifier, EngineError> {
    let section = &settings.guardrail;
    if section.verify == VerifyChoice::Off || generator.is_verbatim() || !section.verification.support_check {
        return Ok(None);
    }
    let Some(chat) = counted(models.get(&section.model)?, Spent::VERIFY) else {
        return Ok(None);
    };
    let max_tokens = settings.llm.model(&section.model).map(|model| model.max_tokens);
    let max_chars = settings.generate.max_context_chars;
    Ok(Some(Arc::new(Verifier::new(chat, max_chars, max_tokens))))
}

fn name_verifier(models: &mut BTreeMap<String, String>, verifier: &SharedVerifier) {
    models.remove("verifier");
    if let Some(verifier) = verifier {
        models.insert("verifier".to_owned(), verifier.id().to_owned());
    }
}

/// What asks the model that generates answers for further searches, if any are allowed.
fn planner(models: &ChatModels, settings: &Settings) -> Result<Option<Planner>, EngineError> {
    let plans = counted(generates(models, settings)?, Spent::PLAN);
    Ok(stages::planner(settings, plans))
}

/// The model, with its calls counted for `stage`.
fn counted(chat: Option<Arc<dyn ChatModel>>, stage: &'static str) -> Option<Arc<dyn ChatModel>> {
    Some(Arc::new(llm::Metered::new(chat?, stage)))
}
