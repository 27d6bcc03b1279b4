//! From a question to an answer: the stages in their order.

use crate::{COMMIT, error::EngineError, natives::Natives, record, refusal, settings::Settings, stages};
use expand::ExpandSettings;
use generate::{Evidence, ExtractiveSettings};
use guardrail::{GuardrailSettings, RefusalCitations, TopicSettings, Verdict};
use rerank::Reranker;
use retrieve::{Explanation, Filter, Index, SearchSettings};
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use types::{
    AnswerFailure, Answerer, BoxFuture, ChatModel, ChunkStore, Context, Embedder, GuardrailAction, Mode,
    RagResponse, Retrieval, RunRecord, SourceId, SourceMeta, Spent,
};

/// An opened index with every stage built: answers questions. A clone shares index and models.
#[derive(Clone)]
pub struct Pipeline {
    index: Arc<Index>,
    embedder: Arc<dyn Embedder>,
    reranker: Reranker,
    chat: Option<Arc<llm::OpenAiChat>>,
    generate_with_llm: bool,
    search: SearchSettings,
    expand: ExpandSettings,
    extractive: ExtractiveSettings,
    max_context_chars: usize,
    max_tokens: u32,
    question_limit: Duration,
    check_topic: bool,
    returned_context: bool,
    topic: TopicSettings,
    guardrails: GuardrailSettings,
    config_hash: String,
    models: BTreeMap<String, String>,
    filter: Option<Filter>,
}

/// What retrieval found, with the time it took.
pub struct Found {
    /// The hits.
    pub retrieval: Retrieval,
    /// Milliseconds: `embed`, `retrieve`.
    pub timings_ms: BTreeMap<String, f64>,
}

impl Pipeline {
    /// Opens the index and builds the stages.
    ///
    /// # Errors
    /// When there is no index, a model is missing, or the index was made with another model.
    pub fn open(settings: &Settings) -> Result<Self, EngineError> {
        let natives = Natives::find(settings);
        let index = Arc::new(Index::open(&settings.index.dir)?);
        let embedder = stages::embedder(settings, &natives)?;
        let indexed = &index.manifest().embedder_id;
        if indexed != embedder.id() {
            return Err(EngineError::OtherModel {
                indexed: indexed.clone(),
                configured: embedder.id().to_owned(),
            });
        }
        let chat = stages::chat(&settings.llm)?;
        let as_model = chat.clone().map(|chat| chat as Arc<dyn ChatModel>);
        let reranker = stages::reranker(settings, &natives, as_model)?;
        let generate_with_llm = match settings.generate.method.as_str() {
            "extractive" => false,
            _ => chat.is_some(),
        };
        let generator = match &chat {
            Some(chat) if generate_with_llm => chat.id().to_owned(),
            _ => "extractive".to_owned(),
        };
        let models = BTreeMap::from([
            ("embedding".to_owned(), embedder.id().to_owned()),
            ("reranker".to_owned(), reranker.method()),
            ("generator".to_owned(), generator),
        ]);
        Ok(Self {
            index,
            embedder,
            reranker,
            chat,
            generate_with_llm,
            search: stages::search_settings(settings),
            expand: stages::expand_settings(settings),
            extractive: stages::extractive_settings(settings),
            max_context_chars: settings.generate.max_context_chars,
            max_tokens: settings.llm.max_tokens,
            question_limit: Duration::from_secs(settings.llm.question_seconds),
            check_topic: settings.guardrail.topic,
            returned_context: settings.log.returned_chunks == "context",
            topic: stages::topic_settings(settings),
            guardrails: stages::guardrail_settings(settings),
            config_hash: settings.config_hash(),
            models,
            filter: None,
        })
    }

    /// The same index and models under other settings of retrieval, expansion, generation and guardrails; what
    /// is built once (embedding, reranker, language model) stays.
    pub(crate) fn with(&self, settings: &Settings) -> Self {
        Self {
            search: stages::search_settings(settings),
            expand: stages::expand_settings(settings),
            extractive: stages::extractive_settings(settings),
            check_topic: settings.guardrail.topic,
            topic: stages::topic_settings(settings),
            guardrails: stages::guardrail_settings(settings),
            config_hash: settings.config_hash(),
            ..self.clone()
        }
    }

    /// The index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Models by role: `embedding`, `reranker`, `generator`.
    pub fn models(&self) -> &BTreeMap<String, String> {
        &self.models
    }

    /// The language model, where one is configured.
    pub fn chat(&self) -> Option<Arc<dyn ChatModel>> {
        self.chat.clone().map(|chat| chat as Arc<dyn ChatModel>)
    }

    /// What is known of a source.
    pub fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        self.index.source(id)
    }

    /// Restricts what may be found.
    ///
    /// # Errors
    /// When a source is named that the index does not hold.
    pub fn set_filter(&mut self, filter: Filter) -> Result<(), EngineError> {
        for source in filter.sources.iter().flatten() {
            if self.index.manifest().source(source).is_none() {
                return Err(EngineError::Filter(format!(
                    "no source {:?} is in the index; `pipeline search --format json` shows source ids",
                    source.as_str()
                )));
            }
        }
        self.filter = (!filter.is_empty()).then_some(filter);
        Ok(())
    }

    /// The filter in force.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Retrieval alone, with at most `count` hits.
    ///
    /// # Errors
    /// When the question is empty, or the model or the index fails.
    pub fn search(&self, query: &str, mode: Mode, count: usize) -> Result<Found, EngineError> {
        let settings = self.deep_enough(count);
        self.find(query, mode, &settings)
    }

    /// Retrieval alone, with an explanation of every hit's scores, in the order of the hits.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn explain(
        &self,
        query: &str,
        mode: Mode,
        count: usize,
    ) -> Result<(Found, Vec<Explanation>), EngineError> {
        let settings = self.deep_enough(count);
        let (vector, mut clock) = self.embed(query)?;
        let (retrieval, explanations) =
            self.index
                .explain(query, Some(&vector), mode, &settings, self.filter.as_ref())?;
        clock.lap("retrieve");
        Ok((
            Found {
                retrieval,
                timings_ms: clock.laps,
            },
            explanations,
        ))
    }

    /// The settings, with lists deep enough for `count` hits.
    fn deep_enough(&self, count: usize) -> SearchSettings {
        let own = self.search;
        SearchSettings {
            candidates: count.max(1),
            depth: own.depth.max(count),
            vector_k: own.vector_k.max(count),
            bm25_k: own.bm25_k.max(count),
            ..own
        }
    }

    /// The question's unit vector.
    ///
    /// # Errors
    /// When the question is empty or the model fails.
    pub(crate) fn embed_query(&self, query: &str) -> Result<Vec<f32>, EngineError> {
        self.embed(query).map(|(vector, _)| vector)
    }

    /// Chunks that retrieval hands on at most.
    pub(crate) fn candidates(&self) -> usize {
        self.search.candidates
    }

    /// How candidates are found, scored and cut.
    pub fn search_settings(&self) -> &SearchSettings {
        &self.search
    }

    fn embed(&self, query: &str) -> Result<(Vec<f32>, Clock), EngineError> {
        if query.trim().is_empty() {
            return Err(EngineError::EmptyQuestion);
        }
        let mut clock = Clock::default();
        let vector = self.embedder.embed_query(query)?;
        clock.lap("embed");
        Ok((vector, clock))
    }

    fn find(&self, query: &str, mode: Mode, settings: &SearchSettings) -> Result<Found, EngineError> {
        let (vector, mut clock) = self.embed(query)?;
        let retrieval = self
            .index
            .search(query, Some(&vector), mode, settings, self.filter.as_ref())?;
        clock.lap("retrieve");
        Ok(Found {
            retrieval,
            timings_ms: clock.laps,
        })
    }

    /// Answers one question and returns the record of it, not yet logged.
    ///
    /// # Errors
    /// When the question is empty, or a model or the index fails. A question that the papers do not answer is no error.
    pub async fn ask(&self, query: &str, mode: Mode) -> Result<RunRecord, EngineError> {
        let started = Instant::now();
        let found = self.find(query, mode, &self.search)?;
        self.answer_from(query, found, started).await
    }

    /// The stages after retrieval; `started` is when the question came in. Calls to a language model together take at
    /// most `llm.question_seconds`.
    ///
    /// # Errors
    /// As [`Self::ask`]; with what was spent, where that is something.
    pub(crate) async fn answer_from(
        &self,
        query: &str,
        found: Found,
        started: Instant,
    ) -> Result<RunRecord, EngineError> {
        let mut spent = Spent::default();
        let stages = self.run_stages(query, found, started, &mut spent);
        let answered = llm::with_deadline(self.question_limit, stages).await;
        answered.map_err(|error| error.after_spending(spent))
    }

    async fn run_stages(
        &self,
        query: &str,
        found: Found,
        started: Instant,
        spent: &mut Spent,
    ) -> Result<RunRecord, EngineError> {
        let Found {
            retrieval,
            timings_ms,
        } = found;
        let mut clock = Clock {
            laps: timings_ms,
            ..Clock::default()
        };
        let vector = retrieval.query_vector.clone();
        let reranked = self
            .reranker
            .rerank(query, &vector, retrieval.hits.clone(), &*self.index)
            .await
            .inspect_err(|error| spent.add(Spent::RERANK, error.usage().unwrap_or_default()))?;
        spent.add(Spent::RERANK, reranked.usage.unwrap_or_default());
        clock.lap("rerank");
        let context = expand::expand(&reranked.ranked, &*self.index, &self.expand)?;
        clock.lap("expand");
        let topic = self
            .check_topic
            .then(|| guardrail::check_topic(query, &vector, &context, &*self.index, &self.topic))
            .transpose()?;
        clock.lap("topic");

        let verdict = topic.as_ref().map_or(Verdict::Answer, |t| t.verdict);
        let mut actions: Vec<GuardrailAction> = Vec::new();
        let (raw, mut response, prompt_version) = if context.chunks.is_empty() || verdict == Verdict::Refuse {
            let (response, done) = match &topic {
                Some(topic) if !context.chunks.is_empty() => (topic.refusal(), topic.actions.clone()),
                _ => {
                    let sources = self.index.manifest().sources.iter().map(|s| &s.meta);
                    let least = self.search.threshold;
                    refusal::nothing_found(&retrieval, self.filter.as_ref(), sources, least)
                }
            };
            actions.extend(done);
            (None, response, self.prompt_version().to_owned())
        } else {
            let evidence = if verdict == Verdict::Partial {
                Evidence::Partial
            } else {
                Evidence::Sufficient
            };
            let (raw, prompt_version) = self.generate(query, &vector, &context, evidence, spent).await?;
            clock.lap("generate");
            let own = GuardrailSettings {
                // An extractive answer is verbatim.
                support_check: self.guardrails.support_check && self.generates_with_model(),
                ..self.guardrails
            };
            let guarded = guardrail::verify(query, raw.clone(), &context, &own);
            actions.extend(guarded.actions);
            let mut response = guarded.response;
            if let Some(topic) = &topic {
                let hedged = guardrail::hedge(response, topic);
                actions.extend(hedged.actions);
                response = hedged.response;
            }
            (Some(raw), response, prompt_version)
        };
        clock.lap("guardrails");
        response.caveats.extend(reranked.warnings);
        if let Some(chat) = &self.chat {
            response.caveats.extend(chat.notes());
        }
        clock
            .laps
            .insert("total".to_owned(), milliseconds(started.elapsed()));

        let mut models = self.models.clone();
        models.insert("reranker".to_owned(), reranked.method);
        Ok(RunRecord {
            timestamp: timestamp(),
            query: query.to_owned(),
            prompt_version,
            model: models.get("generator").cloned().unwrap_or_default(),
            retrieval: record::retrieval(
                &retrieval,
                verdict != Verdict::Refuse && !context.chunks.is_empty(),
                self.returned_context.then_some(&context),
            ),
            response: (&response).into(),
            run_id: None,
            query_id: None,
            mode: Some(retrieval.mode),
            context: Some(record::context(&context)),
            response_raw: raw.as_ref().map(Into::into),
            evaluation: None,
            topic: topic
                .as_ref()
                .and_then(|t| serde_json::to_value(&t.features).ok()),
            guardrails: actions,
            timings_ms: clock.laps,
            usage: (!spent.is_empty()).then(|| spent.total()),
            usage_by_stage: spent.clone(),
            config_hash: self.config_hash.clone(),
            git_commit: COMMIT.to_owned(),
            models,
            run: None,
        })
    }

    fn prompt_version(&self) -> &'static str {
        if self.generate_with_llm {
            generate::PROMPT_VERSION
        } else {
            generate::EXTRACTIVE_VERSION
        }
    }

    fn generates_with_model(&self) -> bool {
        self.generate_with_llm && self.chat.is_some()
    }

    async fn generate(
        &self,
        query: &str,
        vector: &[f32],
        context: &Context,
        evidence: Evidence,
        spent: &mut Spent,
    ) -> Result<(RagResponse, String), EngineError> {
        if let Some(chat) = self.chat.as_ref().filter(|_| self.generates_with_model()) {
            let settings = generate::LlmGenerateSettings {
                max_context_chars: self.max_context_chars,
                max_tokens: Some(self.max_tokens),
                accept_refusal_citations: self.guardrails.refusal_citations == RefusalCitations::Keep,
            };
            let (response, usage) = generate::generate_llm(&**chat, query, context, evidence, &settings)
                .await
                .inspect_err(|error| spent.add(Spent::GENERATE, error.usage()))?;
            spent.add(Spent::GENERATE, usage);
            return Ok((response, generate::PROMPT_VERSION.to_owned()));
        }
        let response =
            generate::extractive(query, vector, context, &*self.index, &self.extractive, evidence)?;
        Ok((response, generate::EXTRACTIVE_VERSION.to_owned()))
    }
}

impl Answerer for Pipeline {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move { Ok(self.ask(query, mode).await?) })
    }
}

/// Now, RFC 3339, UTC.
pub(crate) fn timestamp() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .to_string()
}

/// Laps in milliseconds.
struct Clock {
    last: Instant,
    laps: BTreeMap<String, f64>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            laps: BTreeMap::new(),
        }
    }
}

impl Clock {
    fn lap(&mut self, name: &str) {
        let now = Instant::now();
        self.laps.insert(name.to_owned(), milliseconds(now - self.last));
        self.last = now;
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
