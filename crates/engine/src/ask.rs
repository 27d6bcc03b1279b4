//! From a question to an answer: runs the stages in order.

mod examined;
mod further;
mod repair;
mod verify;

use crate::{
    COMMIT, Pipeline,
    clock::Clock,
    drafts::{self, DraftPart},
    error::EngineError,
    memo::Stage,
    record, refusal,
};
use guardrail::{Guarded, GuardrailSettings, ModelVerdict, Topic, Verdict};
use repair::Checking;
use rerank::Reranked;
use std::sync::Arc;
use tokio::time::timeout;
use types::{
    AnswerFailure, Answerer, BoxFuture, Context, Evidence, Filter, Generated, GenerationInput,
    GuardrailAction, GuardrailKind, Mode, PROMPT_CUT, Question, RagResponse, Ranking, Retrieval, RunRecord,
    Spent,
};
pub(crate) use verify::SharedVerifier;

/// A question with what was retrieved for it.
pub struct Searched {
    pub question: Question,
    pub retrieval: Retrieval,
    pub clock: Clock,
}

/// What the stages after retrieval share. It has no store, because none of them may read one.
struct StageInput {
    question: Question,
    retrieval: Retrieval,
}

/// What the stages from reranking to the topic check make of what was retrieved.
#[derive(Clone)]
struct Round {
    asked: Arc<StageInput>,
    reranked: Reranked,
    context: Arc<Context>,
    ranking: Arc<Ranking>,
    /// The topic check; `None` if the settings switch it off.
    topic: Option<Topic>,
}

impl Pipeline {
    /// Answers one question and returns its record, without logging it.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or a model or the store fails. A question that
    /// the papers do not answer is not an error.
    pub async fn ask(&self, query: &str, mode: Mode, filter: &Filter) -> Result<RunRecord, EngineError> {
        let (question, mut clock) = self.analyse(query, mode, filter).await?;
        let retrieve = async { Ok(self.store.retrieve(&question, self.plan()).await?.retrieval) };
        let retrieval = self.stage(Stage::Retrieve, query, &mut clock, retrieve).await?;
        self.answer_from(Searched {
            question,
            retrieval,
            clock,
        })
        .await
    }

    /// Runs the stages after retrieval. All calls to a language model together take at most `llm.question_seconds`.
    ///
    /// # Errors
    /// As [`Self::ask`]; the error carries what was spent, if anything.
    pub async fn answer_from(&self, searched: Searched) -> Result<RunRecord, EngineError> {
        let stages = Box::pin(self.run_stages(searched));
        let (answered, calls) = llm::metered(llm::with_deadline(self.question_limit, stages)).await;
        let llm::Calls { spent, notes } = calls;
        let mut record = match answered {
            Ok(record) => record,
            Err(error) => return Err(error.after_spending(spent)),
        };
        record.response.caveats.extend(notes);
        record.usage = (!spent.is_empty()).then(|| spent.total());
        record.usage_by_stage = spent;
        Ok(record)
    }

    /// Reranks what was retrieved, and runs no other stage. Calls to a language model together take at most
    /// `llm.question_seconds`.
    ///
    /// # Errors
    /// When the reranker fails and there is no fallback; the error carries what was spent, if anything.
    pub async fn reranked(&self, question: Question, retrieval: Retrieval) -> Result<Reranked, EngineError> {
        let asked = Arc::new(StageInput { question, retrieval });
        let (reranked, calls) =
            llm::metered(llm::with_deadline(self.question_limit, self.rerank(&asked))).await;
        let mut reranked = reranked.map_err(|error| error.after_spending(calls.spent))?;
        reranked.warnings.extend(calls.notes);
        Ok(reranked)
    }

    async fn run_stages(&self, searched: Searched) -> Result<RunRecord, EngineError> {
        let mut clock = searched.clock;
        let asked = StageInput {
            question: searched.question,
            retrieval: searched.retrieval,
        };
        let first = self.round(Arc::new(asked), &mut clock).await?;
        let searched = Box::pin(self.further(first, &mut clock)).await?;
        let Round {
            asked,
            reranked,
            context,
            ranking,
            topic,
        } = searched.round;

        let refused = topic.clone().filter(|topic| topic.verdict == Verdict::Refuse);
        let topic = match topic {
            Some(topic) if !self.generator.computes() => Some(topic.asking_first()),
            topic => topic,
        };
        let verdict = topic.as_ref().map_or(Verdict::Answer, |topic| topic.verdict);
        let answered = !context.chunks.is_empty() && verdict != Verdict::Refuse;
        let mut fallbacks = Vec::new();
        if reranked.fell_back {
            fallbacks.push(Spent::RERANK.to_owned());
        }
        if searched.failure.is_some() {
            fallbacks.push(Spent::PLAN.to_owned());
        }
        let generated = if answered {
            let generate = self.generate(&asked, &context, &ranking, verdict);
            let question = &asked.question.text;
            let stage = self.stage_if(Stage::Generate, question, &mut clock, generate, |made| {
                !made.fell_back
            });
            Some(stage.await?)
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
                asked: &asked,
                context: &context,
                ranking: &ranking,
                verdict,
                topic: topic.as_ref(),
            };
            let guarded = Box::pin(repair::guarded(self, &checking, raw.clone()));
            let limit = self.question_limit;
            let late = |_| EngineError::ChecksTooSlow { limit };
            let checked = timeout(limit, guarded).await.map_err(late)??;
            if checked.unverified {
                fallbacks.push(Spent::VERIFY.to_owned());
            }
            let mut guarded = checked.guarded;
            if self.checks.injection && !self.generator.computes() {
                self.warn_of_instructions(&context, &mut guarded).await;
            }
            (Some(raw), guarded)
        } else {
            (
                None,
                self.refuse(&asked, &context, refused.as_ref(), &reranked.method),
            )
        };
        clock.lap("guardrails");

        guarded.response.caveats.extend(reranked.warnings);
        guarded.response.caveats.extend(searched.failure);
        let mut models = self.models().clone();
        models.insert("reranker".to_owned(), reranked.method);
        let shown = self.returned_context.then_some(&*context);
        Ok(RunRecord {
            timestamp: timestamp(),
            query: asked.question.text.clone(),
            prompt_version: self.prompt_version(),
            model: self.generator.id().to_owned(),
            retrieval: record::retrieval(&asked.retrieval, raw.is_some(), shown),
            response: (&guarded.response).into(),
            run_id: None,
            query_id: None,
            mode: Some(asked.retrieval.mode),
            filters: asked.question.filter.clone(),
            understood: asked.question.understood.clone(),
            further_searches: searched.searches,
            context: Some(record::context(&context)),
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
        })
    }

    /// Reranking, expansion, ranking of sentences and topic check.
    async fn round(&self, asked: Arc<StageInput>, clock: &mut Clock) -> Result<Round, EngineError> {
        let question = &asked.question.text;
        let rerank = self.score(&asked);
        let scored = self
            .stage_if(Stage::Rerank, question, clock, rerank, |made| !made.fell_back)
            .await?;
        let reranked = self.reranker.cut(scored);
        let expand = async { Ok(Arc::new(expand::expand(&reranked.ranked, &self.expand))) };
        let context = self.stage(Stage::Expand, question, clock, expand).await?;
        let rank = async { Ok(Arc::new(self.ranking(&asked, &context).await)) };
        let ranking = self.stage(Stage::Sentences, question, clock, rank).await?;
        let check = async { Ok(self.topic(&asked, &context, &ranking).await) };
        let topic = self.stage(Stage::Topic, question, clock, check).await?;
        Ok(Round {
            asked,
            reranked,
            context,
            ranking,
            topic,
        })
    }

    /// The version of the generator, and that of the planner's prompts if there is a planner.
    fn prompt_version(&self) -> String {
        let own = self.generator.version();
        if self.planner.is_some() {
            format!("{own}+{}", generate::FURTHER_VERSION)
        } else {
            own.to_owned()
        }
    }

    /// Further searches, if the settings allow them.
    async fn further(&self, first: Round, clock: &mut Clock) -> Result<further::Searched, EngineError> {
        if self.memo.is_none() || self.planner.is_none() {
            return further::search(self, first, clock).await;
        }
        let question = first.asked.question.text.clone();
        // Its searches, and the stages after them, are not those of the question itself.
        let own = self.unmemoised();
        let search = async move { Box::pin(further::search(&own, first, &mut Clock::start())).await };
        self.stage_if(Stage::Plan, &question, clock, search, |made| {
            made.failure.is_none()
        })
        .await
    }

    async fn rerank(&self, asked: &Arc<StageInput>) -> Result<Reranked, EngineError> {
        Ok(self.reranker.cut(self.score(asked).await?))
    }

    /// All candidates with their scores, most relevant first.
    async fn score(&self, asked: &Arc<StageInput>) -> Result<Reranked, EngineError> {
        let (reranker, asked) = (self.reranker.clone().keeping_all(), Arc::clone(asked));
        let computes = reranker.computes();
        let reranking = async move {
            let StageInput { question, retrieval } = &*asked;
            let hits = retrieval.hits.clone();
            reranker.rerank(question, hits, &retrieval.statistics).await
        };
        Ok(self.pool.drive(computes, reranking).await?)
    }

    /// The sentences of the context, by how likely they answer the question.
    async fn ranking(&self, asked: &Arc<StageInput>, context: &Arc<Context>) -> Ranking {
        let (asked, context) = (Arc::clone(asked), Arc::clone(context));
        let rank = move || {
            let StageInput { question, retrieval } = &*asked;
            evidence::rank(question, &context, &retrieval.statistics)
        };
        self.pool.run(rank).await
    }

    /// The topic check; `None` if the settings switch it off.
    async fn topic(
        &self,
        asked: &Arc<StageInput>,
        context: &Arc<Context>,
        ranking: &Arc<Ranking>,
    ) -> Option<Topic> {
        if !self.checks.topic {
            return None;
        }
        let (asked, context, settings) = (Arc::clone(asked), Arc::clone(context), self.topic);
        let ranking = Arc::clone(ranking);
        let check = move || {
            let StageInput { question, retrieval } = &*asked;
            let (statistics, mentioned) = (&retrieval.statistics, &retrieval.mentioned);
            guardrail::check_topic(question, &context, statistics, mentioned, &ranking, &settings)
        };
        Some(self.pool.run(check).await)
    }

    async fn generate(
        &self,
        asked: &Arc<StageInput>,
        context: &Arc<Context>,
        ranking: &Arc<Ranking>,
        verdict: Verdict,
    ) -> Result<Generated, EngineError> {
        let generator = Arc::clone(&self.generator);
        let (asked, context, ranking) = (Arc::clone(asked), Arc::clone(context), Arc::clone(ranking));
        let evidence = evidence_of(verdict);
        let computes = generator.computes();
        let generating = async move {
            let input = GenerationInput {
                question: &asked.question,
                context: &context,
                ranking: &ranking,
                statistics: &asked.retrieval.statistics,
                evidence,
            };
            generator.generate(input).await
        };
        let Some(sink) = self.drafts.as_ref().filter(|_| !computes) else {
            return Ok(self.pool.drive(computes, generating).await?);
        };
        let generated = Box::pin(llm::watched(drafts::watcher(sink), generating)).await;
        sink(DraftPart::End);
        Ok(generated?)
    }

    /// The answer after all guardrails.
    async fn guard(
        &self,
        asked: &Arc<StageInput>,
        context: &Arc<Context>,
        raw: RagResponse,
        topic: Option<&Topic>,
        verdicts: Vec<(String, ModelVerdict)>,
    ) -> Guarded {
        let settings = GuardrailSettings {
            // A verbatim answer is supported by what it copies, and its confidence comes from the ranking.
            support_check: self.guardrails.support_check && !self.generator.is_verbatim(),
            check_confidence: self.guardrails.check_confidence && !self.generator.is_verbatim(),
            ..self.guardrails
        };
        let (asked, context) = (Arc::clone(asked), Arc::clone(context));
        let (support, generator) = (Arc::clone(&self.support), Arc::clone(&self.generator));
        let verify = move || {
            guardrail::verify_with(
                &asked.question.text,
                raw,
                &context,
                generator.instructions(),
                &settings,
                &*support,
                &verdicts,
            )
        };
        let mut guarded = self.pool.run(verify).await;
        if let Some(topic) = topic {
            let hedged = guardrail::hedge(guarded.response, topic);
            guarded.actions.extend(hedged.actions);
            guarded.response = hedged.response;
        }
        guarded
    }

    /// Adds a caveat for each text of a paper that addresses the language model.
    async fn warn_of_instructions(&self, context: &Arc<Context>, guarded: &mut Guarded) {
        let context = Arc::clone(context);
        let caveats = self
            .pool
            .run(move || guardrail::injection_caveats(&context))
            .await;
        for caveat in caveats {
            guarded.actions.push(GuardrailAction {
                guardrail: GuardrailKind::Injection,
                action: "flagged".to_owned(),
                subject: caveat.clone(),
                reason: "a text of a paper addresses the language model".to_owned(),
                sentence: false,
            });
            guarded.response.caveats.push(caveat);
        }
    }

    /// The refusal of a question for which nothing is generated.
    fn refuse(
        &self,
        asked: &StageInput,
        context: &Context,
        topic: Option<&Topic>,
        reranker: &str,
    ) -> Guarded {
        let found = asked.retrieval.hits.len();
        let (response, actions): (RagResponse, Vec<GuardrailAction>) = match topic {
            Some(topic) if !context.chunks.is_empty() => (topic.refusal(), topic.actions.clone()),
            _ if found > 0 => refusal::nothing_relevant(found, reranker, self.reranker.min_score()),
            _ => refusal::nothing_found(&asked.retrieval, &asked.question, self.search.threshold),
        };
        Guarded {
            response,
            actions,
            claims: Vec::new(),
            claims_probability: None,
        }
    }
}

impl Answerer for Pipeline {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            let record = self.ask(query, mode, &Filter::default()).await?;
            let cut = |caveat: &&String| caveat.starts_with(PROMPT_CUT);
            // A reader is warned; a score of such an answer would measure the server's window.
            if let Some(note) = record.response.caveats.iter().find(cut).cloned() {
                return Err(EngineError::Message(note)
                    .after_spending(record.usage_by_stage)
                    .into());
            }
            Ok(record)
        })
    }
}

/// What the generator is told of the topic check.
fn evidence_of(verdict: Verdict) -> Evidence {
    match verdict {
        Verdict::Partial => Evidence::Partial,
        Verdict::Answer | Verdict::Refuse => Evidence::Sufficient,
    }
}

/// The current time, RFC 3339 in UTC.
pub fn timestamp() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .to_string()
}
