//! One draft: passages, the language model, and what the whole pipeline finds for the question.

use super::{
    DraftRequest,
    excerpt::Excerpt,
    plan::Slot,
    writer::{Dropped, Kind, Writer, Written},
};
use crate::error::LabError;
use engine::{EngineError, Pipeline, chat_models::ChatModels, record, settings::Settings};
use eval::{
    Judge, Query,
    judge::{Basis, JudgeError, JudgeInput, Passage},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use text::entities::entities;
use types::{ChatFailure, Chunk, FailureKind, Filter, Mode, SourceId, SourceQuery, Spent};

/// Passages that are looked at to find related papers.
const RELATED_HITS: usize = 60;

/// Labels of every drafted query.
const TAGS: [&str; 2] = ["synthetic", "unreviewed"];

const NO_DOCUMENT: Dropped = "no relevant document of the question is in the index";
const ANSWERED: Dropped = "a passage of the index answers a question that no paper should answer";
const NOT_JUDGED: Dropped = "the judge could not say whether a passage answers the question";

/// What came of a draft: a row, or why there is none.
pub(super) type Outcome = Result<Query, Dropped>;

/// Why a draft could not be tried.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// Why.
    pub(super) reason: String,
    /// Whether another try can help.
    pub(super) kind: FailureKind,
}

impl From<ChatFailure> for Failure {
    fn from(failure: ChatFailure) -> Self {
        Self { kind: failure.error.kind(), reason: failure.error.to_string() }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { kind: error.kind(), reason: error.to_string() }
    }
}

/// What every draft needs.
pub(super) struct Drafter<'a> {
    /// With the settings as they are: the near misses are asked of it.
    pipeline: &'a Pipeline,
    /// The same without filters out of the words of a question: a sentence of a paper is no question.
    plain: Pipeline,
    judge: &'a dyn Judge,
    writer: Writer,
    mode: Mode,
    titles: HashMap<SourceId, String>,
    /// The most documents of a synthesis question.
    documents: usize,
}

impl<'a> Drafter<'a> {
    /// # Errors
    /// When no language model is configured, or the store cannot be read.
    pub(super) async fn new(
        settings: &Settings,
        request: &DraftRequest,
        models: &ChatModels,
        pipeline: &'a Pipeline,
        judge: &'a dyn Judge,
    ) -> Result<Self, LabError> {
        let name = &settings.generate.model;
        let Some(chat) = models.get(name)? else {
            return Err(LabError::Message(
                "drafts are written by a language model, and llm.provider is \"none\"; set llm.provider and llm.model"
                    .to_owned(),
            ));
        };
        let max_tokens = settings.llm.model(name).map(|model| model.max_tokens);
        let mut plain = settings.clone();
        plain.question.filters = false;
        let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
        let titles = sources.into_iter().filter_map(|source| {
            let title = source.meta.title.clone()?;
            Some((source.meta.source_id.clone(), title))
        });
        Ok(Self {
            pipeline,
            plain: pipeline.with(&plain)?,
            judge,
            writer: Writer::new(Arc::new(llm::Metered::new(chat, Spent::GENERATE)), max_tokens),
            mode: settings.retrieve.mode,
            titles: titles.collect(),
            documents: request.per_question,
        })
    }

    /// The passage as the language model sees it.
    pub(super) fn excerpt(&self, chunk: &Arc<Chunk>) -> Excerpt {
        Excerpt { chunk: Arc::clone(chunk), title: self.titles.get(&chunk.source_id).cloned() }
    }

    /// Tries one draft. The row has no id yet, unless its question is given.
    pub(super) async fn draft(&self, kind: Kind, slot: &Slot) -> Result<Outcome, Failure> {
        let mut excerpts = slot.excerpts.clone();
        let Some(first) = excerpts.first() else {
            return Ok(Err(NO_DOCUMENT));
        };
        if kind == Kind::Synthesis {
            excerpts = self.related(&first.chunk).await?;
        }
        let given = slot.given.as_ref().map(|given| given.question.as_str());
        let written = match self.writer.write(kind, given, &excerpts).await? {
            Ok(written) => written,
            Err(reason) => return Ok(Err(reason)),
        };
        if kind == Kind::Unanswerable
            && let Some(reason) = self.answered(&written).await?
        {
            return Ok(Err(reason));
        }
        Ok(Ok(row(kind, slot, written)))
    }

    /// The passage, then those that the index finds for the sentence of it with the most numbers and names: one of each other
    /// paper, then the rest, as many as documents are asked for.
    async fn related(&self, chunk: &Arc<Chunk>) -> Result<Vec<Excerpt>, EngineError> {
        let sentences = text::sentences(&chunk.text).into_iter().map(|range| &chunk.text[range]);
        let sentence = sentences.rev().max_by_key(|sentence| entities(sentence).len()).unwrap_or(&chunk.text);
        let mut papers = BTreeSet::from([&chunk.source_id]);
        let found = self.found(sentence, None, RELATED_HITS).await?;
        let found = found.iter().filter(|found| found.chunk_id != chunk.chunk_id);
        let (first, rest): (Vec<_>, Vec<_>) = found.partition(|found| papers.insert(&found.source_id));
        let all = std::iter::once(chunk).chain(first).chain(rest);
        Ok(all.take(self.documents.max(2)).map(|chunk| self.excerpt(chunk)).collect())
    }

    /// The passages that the index finds, best first; only of one source, if one is named.
    pub(super) async fn found(
        &self,
        text: &str,
        source: Option<&SourceId>,
        hits: usize,
    ) -> Result<Vec<Arc<Chunk>>, EngineError> {
        let filter = Filter { sources: source.map(|source| vec![source.clone()]), ..Filter::default() };
        let found = self.plain.search(text, self.mode, &filter, hits, false).await?;
        let hits = found.retrieved.retrieval.hits;
        Ok(hits.iter().map(|hit| Arc::clone(hit.chunk())).collect())
    }

    /// Whether the index answers the question after all: whether a passage of the context that the pipeline, with its
    /// settings, finds for it supports the statement that would answer it. The judge is that of the evaluation. That the
    /// topic check refuses a question is no proof, so the judge sees the context of such a question too.
    async fn answered(&self, drafted: &Written) -> Result<Option<Dropped>, Failure> {
        let context = self.pipeline.trace(&drafted.question, self.mode, &Filter::default()).await?.context;
        if context.chunks.is_empty() {
            return Ok(None);
        }
        let passages = record::context(&context);
        let input = JudgeInput::new(
            drafted.question.clone(),
            passages.iter().map(Passage::from).collect(),
            drafted.answer.clone(),
            Basis::BestPassage,
        );
        match self.judge.judge(&input).await {
            Ok(output) if output.claims.is_empty() => Ok(Some(NOT_JUDGED)),
            Ok(output) => {
                let supported = output.claims.iter().any(|claim| claim.supported);
                Ok(supported.then_some(ANSWERED))
            }
            Err(JudgeError::NotApplicable(_) | JudgeError::Malformed { .. } | JudgeError::TooLong { .. }) => {
                Ok(Some(NOT_JUDGED))
            }
            Err(error) => Err(Failure { kind: error.kind(), reason: error.to_string() }),
        }
    }
}

/// The row of a draft.
fn row(kind: Kind, slot: &Slot, written: Written) -> Query {
    let mut papers: Vec<SourceId> = Vec::new();
    for gold in &written.gold {
        if !papers.contains(&gold.source_id) {
            papers.push(gold.source_id.clone());
        }
    }
    let blank = Query {
        kind: kind.as_str().to_owned(),
        query: written.question,
        target_papers: papers,
        tags: TAGS.map(str::to_owned).to_vec(),
        ..Query::default()
    };
    let reference_answer = Some(written.answer);
    match (&slot.given, kind) {
        (Some(given), _) => Query {
            id: given.id.clone(),
            kind: if given.targets.len() > 1 { "synthesis" } else { "direct" }.to_owned(),
            target_papers: given.targets.clone(),
            reference_answer,
            written_from: written.gold,
            ..blank
        },
        (None, Kind::Unanswerable) => Query {
            kind: "edge".to_owned(),
            expected_no_evidence: true,
            nearest: serde_json::to_value(&written.gold).ok(),
            ..blank
        },
        (None, _) => Query { reference_answer, gold_evidence: written.gold, ..blank },
    }
}
