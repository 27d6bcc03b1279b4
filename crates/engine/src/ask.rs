//! From a question to an answer: runs the stages in order.

use crate::{
    COMMIT, Pipeline, Retrieved, Trace,
    check::{Checking, evidence_of},
    drafts::{self, DraftPart},
    error::EngineError,
    record, refusal,
    settings::ReturnedChunks,
    show::{Closest, References},
};
use guardrail::{Guarded, Topic, Verdict};
use std::sync::Arc;
use tokio::time::timeout;
use types::{
    AnswerFailure, Answerer, BoxFuture, Filter, Generated, GenerationInput, GuardrailAction, Mode,
    PROMPT_CUT, RagResponse, ResponseRecord, RunRecord, Spent,
};

/// An answer, complete: nothing else has to be read to show it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The record for the run log.
    pub record: RunRecord,
    /// The sources that the answer cites or was written from.
    pub references: References,
    /// For a refusal: the passages that came closest.
    pub closest: Vec<Closest>,
}

impl Answer {
    /// The answer after all checks.
    pub fn response(&self) -> &ResponseRecord {
        &self.record.response
    }
}

impl Pipeline {
    pub(crate) async fn run_stages(&self, retrieved: Retrieved) -> Result<(RunRecord, Trace), EngineError> {
        let mut clock = retrieved.clock;
        let trace = self.examine(retrieved.question, retrieved.retrieval, &mut clock).await?;

        let refused = trace.topic.clone().filter(|topic| topic.verdict == Verdict::Refuse);
        let topic = match trace.topic.clone() {
            Some(topic) if !self.generator.computes() => Some(topic.asking_first()),
            topic => topic,
        };
        let verdict = topic.as_ref().map_or(Verdict::Answer, |topic| topic.verdict);
        let answered = !trace.context.chunks.is_empty() && verdict != Verdict::Refuse;
        let mut fallbacks = Vec::new();
        if trace.kept.fell_back {
            fallbacks.push(Spent::RERANK.to_owned());
        }
        let generated = if answered {
            let generated = self.generate(&trace, verdict).await?;
            clock.lap("generate");
            Some(generated)
        } else {
            None
        };
        if generated.as_ref().is_some_and(|made| made.fell_back) {
            fallbacks.push(Spent::GENERATE.to_owned());
        }
        // What stands in for a language model decides nothing.
        let generated = generated.filter(|made| !made.fell_back || refused.is_none());
        let (raw, mut guarded) = if let Some(generated) = generated {
            let raw = generated.response;
            let checking = Checking {
                pipeline: self,
                trace: &trace,
                verdict,
                // What stands in for a language model is hedged as any offline answer.
                topic: if generated.fell_back { trace.topic.as_ref() } else { topic.as_ref() },
            };
            let guarded = Box::pin(checking.guarded(raw.clone()));
            let limit = self.question_limit();
            let late = |_| EngineError::ChecksTooSlow { limit };
            let checked = timeout(limit, guarded).await.map_err(late)??;
            if checked.unverified {
                fallbacks.push(Spent::VERIFY.to_owned());
            }
            let mut guarded = checked.guarded;
            if self.settings.guardrail.injection && !self.generator.computes() {
                checking.warn_of_instructions(&mut guarded).await;
            }
            (Some(raw), guarded)
        } else {
            (None, self.refuse(&trace, refused.as_ref()))
        };
        clock.lap("guardrails");

        guarded.response.caveats.extend(trace.kept.warnings.iter().cloned());
        let mut models = self.models().clone();
        models.insert("reranker".to_owned(), trace.kept.method.clone());
        let returned_context = self.settings.log.returned_chunks == ReturnedChunks::Context;
        let shown = returned_context.then_some(&*trace.context);
        let record = RunRecord {
            timestamp: timestamp(),
            query: trace.question.text.clone(),
            prompt_version: self.generator.version().to_owned(),
            model: self.generator.id().to_owned(),
            retrieval: record::retrieval(&trace.retrieval, raw.is_some(), shown),
            response: (&guarded.response).into(),
            run_id: None,
            query_id: None,
            mode: Some(trace.retrieval.mode),
            filters: trace.question.filter.clone(),
            understood: trace.question.understood.clone(),
            further_searches: trace.searches.clone(),
            context: Some(record::context(&trace.context)),
            response_raw: raw.as_ref().map(Into::into),
            evaluation: None,
            topic: topic.and_then(|topic| serde_json::to_value(&topic.features).ok()),
            guardrails: guarded.actions,
            claims: guarded.claims,
            claims_probability: guarded.claims_probability,
            timings_ms: clock.stop(),
            usage: None,
            usage_by_stage: Spent::default(),
            config_hash: self.config_hash.clone(),
            git_commit: COMMIT.to_owned(),
            models,
            fallbacks,
            run: None,
        };
        Ok((record, trace))
    }

    async fn generate(&self, trace: &Trace, verdict: Verdict) -> Result<Generated, EngineError> {
        let (generator, trace) = (Arc::clone(&self.generator), trace.clone());
        let computes = generator.computes();
        let generating = async move {
            let input = GenerationInput {
                question: &trace.question,
                context: &trace.context,
                ranking: &trace.ranking,
                statistics: &trace.retrieval.statistics,
                evidence: evidence_of(verdict),
            };
            generator.generate(input).await
        };
        let Some(sink) = self.drafts.as_ref().filter(|_| !computes) else {
            return Ok(self.pool().drive(computes, generating).await?);
        };
        let generated = Box::pin(llm::watched(drafts::watcher(sink), generating)).await;
        sink(DraftPart::End);
        Ok(generated?)
    }

    /// The refusal of a question for which nothing is generated.
    fn refuse(&self, trace: &Trace, topic: Option<&Topic>) -> Guarded {
        let (response, actions): (RagResponse, Vec<GuardrailAction>) = match topic {
            Some(topic) if !trace.context.chunks.is_empty() => (topic.refusal(), topic.actions.clone()),
            _ => refusal::nothing_found(
                &trace.retrieval,
                &trace.question,
                self.settings.retrieve.search.min_similarity,
            ),
        };
        Guarded { response, actions, claims: Vec::new(), claims_probability: None }
    }
}

impl Answerer for Pipeline {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            let retrieved = self.retrieve(query, mode, &Filter::default()).await?;
            let (record, _) = self.answer_from(retrieved).await?;
            let cut = |caveat: &&String| caveat.starts_with(PROMPT_CUT);
            // A reader is warned; a score of such an answer would measure the server's window.
            if let Some(note) = record.response.caveats.iter().find(cut).cloned() {
                return Err(EngineError::Message(note).after_spending(record.usage_by_stage).into());
            }
            Ok(record)
        })
    }
}

/// The current time, RFC 3339 in UTC.
pub fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
