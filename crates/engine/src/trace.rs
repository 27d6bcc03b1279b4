//! What the stages see of a question: from its words to the decision whether it is answered.

use crate::{Pipeline, clock::Clock, error::EngineError};
use guardrail::Topic;
use rerank::Reranked;
use std::sync::Arc;
use types::{ChunkQuery, Context, FurtherSearch, Hit, Question, Ranked, Ranking, Retrieval, StudyItem};

/// A question and what was retrieved for it.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The question, with its vector and with the filters of its words.
    pub question: Arc<Question>,
    /// The candidates, best first.
    pub retrieval: Arc<Retrieval>,
    /// The time of each stage so far.
    pub clock: Clock,
}

/// What the stages made of a question, up to the topic check. No stage after retrieval reads the store, and none changes what
/// an earlier one made.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The question, with its vector and with the filters of its words.
    pub question: Arc<Question>,
    /// The candidates, best first.
    pub retrieval: Arc<Retrieval>,
    /// The candidates that reranking kept.
    pub kept: Reranked,
    /// What is read: the kept candidates with their neighbours.
    pub context: Arc<Context>,
    /// The sentences of the context, by how likely they answer the question.
    pub ranking: Arc<Ranking>,
    /// Whether the question is answered; `None` if the settings switch the topic check off.
    pub topic: Option<Topic>,
    /// The searches that were made besides that of the question, in their order.
    pub searches: Vec<FurtherSearch>,
}

impl Pipeline {
    /// What retrieval finds. For a question that is asked of every study, also the passages of its paper that state what is asked
    /// for, which may share no word with it. No list has found these: their similarity is that of their best sentence, and their
    /// other scores are 0.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn find(&self, question: &Question) -> Result<Retrieval, EngineError> {
        let mut retrieval = self.store.retrieve(question, self.plan()).await?.retrieval;
        let (Some(item), Some(sources)) = (question.study_item, &question.filter.sources) else {
            return Ok(retrieval);
        };
        let chunks = self.store.chunks(&ChunkQuery::Sources(sources.clone())).await?;
        let stating = move || evidence::chunks_stating(item, chunks.iter().map(|chunk| &**chunk));
        let mut ids = self.pool().run(stating).await;
        ids.retain(|id| retrieval.hits.iter().all(|hit| hit.chunk().chunk_id != *id));
        retrieval.total_candidates += ids.len();
        retrieval.above_threshold += ids.len();
        let found = self.store.passages(&ids, question, self.plan()).await?;
        retrieval.hits.extend(found.into_iter().map(|passage| Hit {
            vector_score: passage.sentences.similarities.iter().copied().fold(0.0, f32::max),
            passage,
            bm25_score: 0.0,
            combined_score: 0.0,
        }));
        Ok(retrieval)
    }

    /// Reranks what was retrieved and keeps all of it.
    ///
    /// # Errors
    /// When the reranker fails and there is no fallback.
    pub(crate) async fn reranked(
        &self,
        question: Arc<Question>,
        retrieval: Arc<Retrieval>,
    ) -> Result<Reranked, EngineError> {
        let limited = llm::with_deadline(self.question_limit(), self.score(&question, &retrieval));
        let (scored, calls) = llm::metered(limited).await;
        scored.map_err(|error| error.after_spending(calls.spent))
    }

    /// Reranking, expansion, ranking of sentences and topic check of the question as a whole.
    pub(crate) async fn examine_once(
        &self,
        question: Arc<Question>,
        retrieval: Arc<Retrieval>,
        clock: &mut Clock,
    ) -> Result<Trace, EngineError> {
        let mut scored = self.score(&question, &retrieval).await?;
        if let Some(item) = question.study_item {
            let ranked = std::mem::take(&mut scored.ranked);
            scored.ranked = self.pool().run(move || stating_first(item, ranked)).await;
        }
        clock.lap("rerank");
        let mut kept = scored;
        kept.ranked.truncate(self.reranker.keep());
        let context = Arc::new(expand::expand(&kept.ranked, &self.settings.expand));
        clock.lap("expand");
        let rank = {
            let (question, retrieval, context) =
                (Arc::clone(&question), Arc::clone(&retrieval), Arc::clone(&context));
            let reader = self.reader();
            move || evidence::rank(&question, &context, &retrieval.statistics, reader.as_deref())
        };
        let ranking = Arc::new(self.pool().run(rank).await?);
        clock.lap("sentences");
        let mut trace = Trace {
            question: Arc::clone(&question),
            retrieval,
            kept,
            context,
            ranking,
            topic: None,
            searches: Vec::new(),
        };
        trace.topic = self.topic(&trace).await;
        clock.lap("topic");
        Ok(trace)
    }

    /// All candidates with their scores, most relevant first.
    async fn score(
        &self,
        question: &Arc<Question>,
        retrieval: &Arc<Retrieval>,
    ) -> Result<Reranked, EngineError> {
        let reranker = self.reranker.clone().with_keep(usize::MAX);
        let (question, retrieval) = (Arc::clone(question), Arc::clone(retrieval));
        let computes = reranker.computes();
        let reranking = async move {
            let hits = retrieval.hits.clone();
            reranker.rerank(&question, hits, &retrieval.statistics).await
        };
        Ok(self.pool().drive(computes, reranking).await?)
    }

    /// The topic check; `None` if the settings switch it off.
    pub(crate) async fn topic(&self, trace: &Trace) -> Option<Topic> {
        if !self.settings.guardrail.topic {
            return None;
        }
        let settings = self.settings.guardrail.topic_check;
        let (question, retrieval) = (Arc::clone(&trace.question), Arc::clone(&trace.retrieval));
        let (context, ranking) = (Arc::clone(&trace.context), Arc::clone(&trace.ranking));
        let check = move || {
            let (statistics, mentioned) = (&retrieval.statistics, &retrieval.mentioned);
            guardrail::check_topic(&question, &context, statistics, mentioned, &ranking, &settings)
        };
        Some(self.pool().run(check).await)
    }
}

/// Puts the chunks that state an item before the others.
fn stating_first(item: StudyItem, mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    let stating = evidence::chunks_stating(item, ranked.iter().map(|ranked| &**ranked.hit.chunk()));
    let place = |ranked: &Ranked| stating.iter().position(|id| *id == ranked.hit.chunk().chunk_id);
    ranked.sort_by_key(|ranked| place(ranked).unwrap_or(usize::MAX));
    ranked
}
