//! The pipeline: stages, store and models, ready to use.

use crate::indexer::{IndexerError, IngestRequest, IngestSummary};
use crate::natives::Natives;
use crate::{
    Answer, Retrieved, SearchResult, Trace,
    base::{Base, Pipeline},
    chat_models::ChatModels,
    clock::StageSink,
    drafts::DraftSink,
    error::EngineError,
    per_paper::{Cell, Column, PaperRow, stated},
    pool::ComputePool,
    pooled::PooledSearcher,
    settings::{Settings, StoreKind},
    show::{self, Reference, References},
    stages,
    store::{LocalIndex, StoreProvider, open_store},
};
use retrieve::SearchSettings;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Semaphore;
use types::{
    BoxFuture, ChatModel, Embedder, FailureKind, Filter, Mode, Reader, Reporter, RetrievalPlan, RunRecord,
    SourceId, SourceQuery, StoreError, StoredSource, SupportScorer,
};

impl Pipeline {
    /// Brings the index of the settings up to date with the papers of a request. Unlike the other jobs it computes all the
    /// time: in an async program, call it where threads may block.
    ///
    /// # Errors
    /// As [`crate::indexer::Indexer::ingest`]. A file that cannot be read is not an error: the summary names it.
    pub fn ingest(
        settings: &Settings,
        request: &IngestRequest,
        reporter: &dyn Reporter,
    ) -> Result<IngestSummary, IndexerError> {
        crate::indexer(settings).ingest(request, reporter)
    }

    /// Opens the index of the settings and builds the stages.
    ///
    /// # Errors
    /// When there is no index, a model is missing, or the index was made with another model.
    pub fn open(settings: &Settings) -> BoxFuture<'_, Result<Self, EngineError>> {
        Box::pin(async { Self::open_with(settings, Arc::new(ChatModels::new(settings)?)).await })
    }

    /// As [`Self::open`], with these language models.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(
        settings: &Settings,
        models: Arc<ChatModels>,
    ) -> BoxFuture<'_, Result<Self, EngineError>> {
        Box::pin(async { Self::over(open_store(settings).await?, settings, models).await })
    }

    /// Builds the stages over any store.
    ///
    /// # Errors
    /// When the store cannot be read, a model is missing, or the store was filled with another model.
    pub fn over(
        stores: Arc<dyn StoreProvider>,
        settings: &Settings,
        chat_models: Arc<ChatModels>,
    ) -> BoxFuture<'_, Result<Self, EngineError>> {
        Box::pin(async move {
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
        })
    }

    /// The same models over the index of these settings as it is now: another index, or a newer generation of the same. They
    /// differ in nothing but folders.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn over_index<'a>(&'a self, settings: &'a Settings) -> BoxFuture<'a, Result<Self, EngineError>> {
        Box::pin(async {
            let dir = settings.index.dir.clone();
            let mut base = self.base_for(settings);
            base.stores = match settings.store.kind {
                StoreKind::Embedded => Arc::new(self.pool().run(move || LocalIndex::open(&dir)).await?),
                StoreKind::Qdrant => open_store(settings).await?,
            };
            // What asks a language model keeps its replies where these settings say.
            let same = self.reranker.computes() || settings.llm == self.settings.llm;
            let pipeline = base.pipeline(settings, Arc::default(), same.then(|| self.reranker.clone()))?;
            pipeline.check_model().await?;
            Ok(pipeline)
        })
    }

    /// Whether what is searched is still what the store holds.
    ///
    /// # Errors
    /// When that cannot be told, as when the index is gone.
    pub fn is_current(&self) -> Result<bool, EngineError> {
        self.base.stores.is_current()
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
        rerank.top_n = own.rerank.top_n;
        let same = rerank == own.rerank && settings.llm == own.llm;
        base.pipeline(settings, Arc::clone(&self.tags), same.then(|| self.reranker.clone()))
    }

    /// The same, with answers from at most `passages` passages; as many are retrieved.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub fn reading(&self, passages: usize) -> Result<Self, EngineError> {
        let mut settings = (*self.settings).clone();
        settings.rerank.top_n = passages;
        let search = &mut settings.retrieve.search;
        let lists = [&mut search.top_k, &mut search.vector_k, &mut search.bm25_k];
        for least in lists.into_iter().chain([&mut settings.expand.max_chunks]) {
            *least = passages.max(*least);
        }
        self.with(&settings)
    }

    /// Answers one question, without logging it.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or a model or the store fails. A question that
    /// the papers do not answer is not an error.
    pub fn ask<'a>(
        &'a self,
        query: &'a str,
        mode: Mode,
        filter: &'a Filter,
    ) -> BoxFuture<'a, Result<Answer, EngineError>> {
        Box::pin(async move {
            let (record, trace) = self.answer_from(self.retrieve(query, mode, filter).await?).await?;
            let references = self.references_of(&record).await?;
            let closest = if record.response.no_evidence { show::closest(&trace) } else { Vec::new() };
            Ok(Answer { record, references, closest })
        })
    }

    /// Retrieves at most `count` hits, without answering. With `explain`, they are also reranked, unless that would ask a
    /// language model; their order stays that of retrieval.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or the model or the store fails.
    pub fn search<'a>(
        &'a self,
        query: &'a str,
        mode: Mode,
        filter: &'a Filter,
        count: usize,
        explain: bool,
    ) -> BoxFuture<'a, Result<SearchResult, EngineError>> {
        Box::pin(async move {
            let (question, mut clock) = self.analyse(query, mode, filter).await?;
            // What is reranked is what `ask` would rerank, however few are shown.
            let wanted = if explain { count.max(self.settings.retrieve.search.top_k) } else { count };
            let plan = RetrievalPlan { hits: Some(wanted), neighbours: 0, sentences: true, explain };
            let mut retrieved = self.store.retrieve(&question, plan).await?;
            clock.lap("retrieve");
            let reranking = if explain {
                let reranking = self.reranking(&question, &retrieved.retrieval).await?;
                clock.lap("rerank");
                Some(reranking)
            } else {
                None
            };
            retrieved.retrieval.hits.truncate(count);
            retrieved.explanations.truncate(count);
            Ok(SearchResult { question, retrieved, reranking, timings_ms: clock.laps })
        })
    }

    /// The papers that a filter allows, by id.
    ///
    /// # Errors
    /// When the filter names an unknown source, or the store cannot be read.
    pub fn papers<'a>(&'a self, filter: &'a Filter) -> BoxFuture<'a, Result<Vec<Reference>, EngineError>> {
        Box::pin(async move {
            let filter = self.known_sources(filter).await?;
            let all = self.store.find_sources(&SourceQuery::All).await?;
            let allowed = all.into_iter().filter(|source| filter.admits(&source.meta));
            let mut papers: Vec<Reference> = allowed.map(Reference::from).collect();
            papers.sort_by(|a, b| a.meta.source_id.cmp(&b.meta.source_id));
            Ok(papers)
        })
    }

    /// What one paper states about each of the columns, and the answers that say so, in their order. A question that fails has a
    /// cell that says why: the other cells are not lost.
    ///
    /// # Errors
    /// When no question can succeed, as with a rejected key or once the cost limit is reached.
    pub fn ask_of_paper<'a>(
        &'a self,
        paper: &'a Reference,
        columns: &'a [Column],
        mode: Mode,
        filter: &'a Filter,
    ) -> BoxFuture<'a, Result<(PaperRow, Vec<Answer>), EngineError>> {
        Box::pin(async move {
            let filter = Filter { sources: Some(vec![paper.meta.source_id.clone()]), ..filter.clone() };
            let (mut cells, mut answers) = (Vec::new(), Vec::new());
            for column in columns {
                match self.ask(&column.question, mode, &filter).await {
                    Ok(answer) => {
                        let stated = stated(&column.question, &filter, &answer, self.generator.is_verbatim());
                        cells.push(stated.unwrap_or(Cell::NotFound {}));
                        answers.push(answer);
                    }
                    Err(error) if error.kind() == FailureKind::Fatal => return Err(error),
                    Err(error) => cells.push(Cell::Failed { error: error.to_string() }),
                }
            }
            Ok((PaperRow::new(paper, cells), answers))
        })
    }

    /// Sources as a list of references needs them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn references(&self, ids: BTreeSet<SourceId>) -> BoxFuture<'_, Result<References, EngineError>> {
        Box::pin(async move {
            let sources = self.sources(ids.into_iter().collect()).await?;
            let each = sources.into_iter().map(|source| (source.meta.source_id.clone(), source.into()));
            Ok(References(each.collect()))
        })
    }

    /// Analyses a question, embeds it, and retrieves its candidates.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or a model or the store fails.
    pub fn retrieve<'a>(
        &'a self,
        query: &'a str,
        mode: Mode,
        filter: &'a Filter,
    ) -> BoxFuture<'a, Result<Retrieved, EngineError>> {
        Box::pin(async move {
            let (question, mut clock) = self.analyse(query, mode, filter).await?;
            let retrieval = self.find(&question).await?;
            clock.lap("retrieve");
            Ok(Retrieved { question: Arc::new(question), retrieval: Arc::new(retrieval), clock })
        })
    }

    /// Runs the stages of a question up to the topic check and writes no answer. Calls to language models together take at
    /// most `llm.question_seconds`; what they note is among the warnings of reranking.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or a model or the store fails; the error carries
    /// what was spent, if anything.
    pub fn trace<'a>(
        &'a self,
        query: &'a str,
        mode: Mode,
        filter: &'a Filter,
    ) -> BoxFuture<'a, Result<Trace, EngineError>> {
        Box::pin(async move {
            let retrieved = self.retrieve(query, mode, filter).await?;
            Box::pin(self.trace_from(retrieved)).await
        })
    }

    /// As [`Self::trace`], from what was retrieved.
    ///
    /// # Errors
    /// As [`Self::trace`].
    pub fn trace_from(&self, retrieved: Retrieved) -> BoxFuture<'_, Result<Trace, EngineError>> {
        Box::pin(async move {
            let mut clock = retrieved.clock;
            let stages = Box::pin(self.examine(retrieved.question, retrieved.retrieval, &mut clock));
            let (trace, calls) = llm::metered(llm::with_deadline(self.question_limit(), stages)).await;
            let mut trace = trace.map_err(|error| error.after_spending(calls.spent))?;
            trace.kept.warnings.extend(calls.notes);
            Ok(trace)
        })
    }

    /// Runs the stages after retrieval: the record of the answer, and what the stages saw. All calls to a language model
    /// together take at most `llm.question_seconds`.
    ///
    /// # Errors
    /// As [`Self::ask`]; the error carries what was spent, if anything.
    pub fn answer_from(
        &self,
        retrieved: Retrieved,
    ) -> BoxFuture<'_, Result<(RunRecord, Trace), EngineError>> {
        Box::pin(async move {
            let stages = Box::pin(self.run_stages(retrieved));
            let (answered, calls) = llm::metered(llm::with_deadline(self.question_limit(), stages)).await;
            let llm::Calls { spent, notes } = calls;
            let (mut record, trace) = answered.map_err(|error| error.after_spending(spent.clone()))?;
            record.response.caveats.extend(notes);
            record.usage = (!spent.is_empty()).then(|| spent.total());
            record.usage_by_stage = spent;
            Ok((record, trace))
        })
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

    /// The same, with answers that this language model writes, whatever the settings name. Its replies are not kept, and the
    /// offline checks alone verify them.
    #[must_use]
    pub fn written_by(mut self, chat: Arc<dyn ChatModel>) -> Self {
        self.generator = stages::written_by(&self.settings, chat);
        self.models.insert("generator".to_owned(), self.generator.id().to_owned());
        self.models.remove("verifier");
        self.verifier = None;
        self
    }

    /// Tells `sink` of each stage that ends.
    #[must_use]
    pub fn showing_stages(mut self, sink: StageSink) -> Self {
        self.stages = Some(sink);
        self
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
}
