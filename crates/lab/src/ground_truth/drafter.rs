//! One draft: passages, the language model, and what the whole pipeline finds for the question.

use super::plan::{Outcome, Task};
use crate::draft::{Candidate, Dropped, Excerpt, Kind, NearMiss, TAGS, Writer};
use crate::error::LabError;
use engine::{Pipeline, chat_models::ChatModels, record, settings::Settings};
use eval::{
    Judge, Query,
    judge::{Basis, JudgeError, JudgeInput, Passage},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};
use types::{ChatFailure, Chunk, FailureKind, Filter, Mode, SourceId, SourceQuery, Spent, Usage};

/// Passages that are looked at to find related papers.
const RELATED_HITS: usize = 60;

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

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
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
}

impl<'a> Drafter<'a> {
    /// # Errors
    /// When no language model is configured, or the store cannot be read.
    pub(super) async fn new(
        settings: &Settings,
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
        })
    }

    /// The passage as the language model sees it.
    pub(super) fn excerpt(&self, chunk: &Arc<Chunk>) -> Excerpt {
        Excerpt { chunk: Arc::clone(chunk), title: self.titles.get(&chunk.source_id).cloned() }
    }

    /// Tries one draft, and adds what the judge spends to `judged`: it counts its own calls. The row has no id yet, unless its
    /// question is given.
    pub(super) async fn draft(&self, task: &Task, judged: &mut Usage) -> Result<Outcome, Failure> {
        match task {
            Task::Answerable { kind, candidate, documents, at_least } => {
                self.answerable(*kind, candidate, *documents, *at_least).await
            }
            Task::NearMiss(candidate) => self.near_miss(candidate, judged).await,
            Task::Given { id, question, excerpts, targets } => {
                self.given(id, question, excerpts, targets).await
            }
        }
    }

    async fn answerable(
        &self,
        kind: Kind,
        candidate: &Candidate,
        documents: usize,
        at_least: usize,
    ) -> Result<Outcome, Failure> {
        let excerpts = match kind {
            Kind::Direct => vec![self.excerpt(&candidate.chunk)],
            Kind::Synthesis => self.related(candidate, documents, at_least).await?,
        };
        if kind == Kind::Synthesis && excerpts.len() < 2 {
            return Ok(Err(Dropped::OnePassage));
        }
        let drafted = self.writer.question(kind, &excerpts).await?;
        Ok(drafted.map(|drafted| {
            let mut targets: Vec<SourceId> = Vec::new();
            for gold in &drafted.gold {
                if !targets.contains(&gold.source_id) {
                    targets.push(gold.source_id.clone());
                }
            }
            Query {
                kind: kind.as_str().to_owned(),
                query: drafted.question,
                target_papers: targets,
                reference_answer: Some(drafted.reference_answer),
                gold_evidence: drafted.gold,
                ..blank()
            }
        }))
    }

    /// The passage and those of other papers that the index finds for its best sentence, one of each paper, `documents` in
    /// all. Other passages of its own paper fill up to `at_least`.
    async fn related(
        &self,
        candidate: &Candidate,
        documents: usize,
        at_least: usize,
    ) -> Result<Vec<Excerpt>, LabError> {
        let found = self.found(&candidate.gold.quote, None, RELATED_HITS).await?;
        let mut chunks = vec![Arc::clone(&candidate.chunk)];
        let mut papers = BTreeSet::from([candidate.chunk.source_id.clone()]);
        for chunk in &found {
            if chunks.len() < documents && papers.insert(chunk.source_id.clone()) {
                chunks.push(Arc::clone(chunk));
            }
        }
        for chunk in found {
            if chunks.len() < at_least && chunks.iter().all(|held| held.chunk_id != chunk.chunk_id) {
                chunks.push(chunk);
            }
        }
        Ok(chunks.iter().map(|chunk| self.excerpt(chunk)).collect())
    }

    /// The passages that the index finds, best first; only of one source, if one is named.
    pub(super) async fn found(
        &self,
        text: &str,
        source: Option<&SourceId>,
        hits: usize,
    ) -> Result<Vec<Arc<Chunk>>, LabError> {
        let filter = Filter { sources: source.map(|source| vec![source.clone()]), ..Filter::default() };
        let found = self.plain.search(text, self.mode, &filter, hits, false).await?;
        let hits = found.retrieved.retrieval.hits;
        Ok(hits.iter().map(|hit| Arc::clone(hit.chunk())).collect())
    }

    async fn near_miss(&self, candidate: &Candidate, judged: &mut Usage) -> Result<Outcome, Failure> {
        let excerpt = self.excerpt(&candidate.chunk);
        let drafted = match self.writer.near_miss(&excerpt).await? {
            Ok(drafted) => drafted,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Some(reason) = self.answered(&drafted, judged).await? {
            return Ok(Err(reason));
        }
        let nearest = serde_json::to_value([&drafted.nearest]).ok();
        Ok(Ok(Query {
            kind: "edge".to_owned(),
            query: drafted.question,
            target_papers: vec![drafted.nearest.source_id.clone()],
            expected_no_evidence: true,
            nearest,
            ..blank()
        }))
    }

    /// Whether the index answers the question after all: whether a passage of the context that the pipeline, with its
    /// settings, finds for it supports the statement that would answer it. The judge is that of the evaluation. That the
    /// topic check refuses a question is no proof, so the judge sees the context of such a question too.
    async fn answered(&self, drafted: &NearMiss, judged: &mut Usage) -> Result<Option<Dropped>, Failure> {
        let context = self
            .pipeline
            .trace(&drafted.question, self.mode, &Filter::default())
            .await
            .map_err(LabError::from)?
            .context;
        if context.chunks.is_empty() {
            return Ok(None);
        }
        let passages = record::context(&context);
        let input = JudgeInput::new(
            drafted.question.clone(),
            passages.iter().map(Passage::from).collect(),
            drafted.statement.clone(),
            Basis::BestPassage,
        );
        let verdict = self.judge.judge(&input).await;
        judged.add(match &verdict {
            Ok(output) => output.usage,
            Err(error) => error.usage(),
        });
        match verdict {
            Ok(output) if output.claims.is_empty() => Ok(Some(Dropped::NotJudged)),
            Ok(output) => {
                let supported = output.claims.iter().any(|claim| claim.supported);
                Ok(supported.then_some(Dropped::Answered))
            }
            Err(JudgeError::NotApplicable(_) | JudgeError::Malformed { .. } | JudgeError::TooLong { .. }) => {
                Ok(Some(Dropped::NotJudged))
            }
            Err(error) => Err(Failure { kind: error.kind(), reason: error.to_string() }),
        }
    }

    async fn given(
        &self,
        id: &str,
        question: &str,
        excerpts: &[Excerpt],
        targets: &[SourceId],
    ) -> Result<Outcome, Failure> {
        if excerpts.is_empty() {
            return Ok(Err(Dropped::NoDocument));
        }
        let written = self.writer.reference(question, excerpts).await?;
        Ok(written.map(|written| Query {
            id: id.to_owned(),
            kind: if targets.len() > 1 { "synthesis" } else { "direct" }.to_owned(),
            query: question.to_owned(),
            target_papers: targets.to_vec(),
            reference_answer: Some(written.reference_answer),
            written_from: written.gold,
            ..blank()
        }))
    }
}

/// A query with the labels of every draft and nothing else.
fn blank() -> Query {
    Query {
        id: String::new(),
        kind: String::new(),
        query: String::new(),
        target_papers: Vec::new(),
        expected_no_evidence: false,
        reference_answer: None,
        gold_evidence: Vec::new(),
        written_from: Vec::new(),
        tags: TAGS.map(str::to_owned).to_vec(),
        nearest: None,
        absent: None,
        extra: BTreeMap::new(),
    }
}
