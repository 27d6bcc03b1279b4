//! The switch of the earlier system, and the values that follow from others.

use super::{RefusalScores, ReturnedChunks, Settings};
use expand::Order;
use guardrail::{RefusalCitations, SuffixMatch, TopicRule, Uncited, Verification};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::num::NonZeroUsize;
use types::{Tokenizer, words::decimal};

/// The earlier system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct Phase2Section {
    /// Reproduce the rules of the earlier system that have no setting of their own, including its faults; --config phase2 sets
    /// the others too. For example: the prefix does not count towards chunk size; BM25 compares words as written; the reranker
    /// reads 400 characters of a candidate; a question is answered if the context contains a third of its words (two are
    /// always enough); only the chunk id of a citation is checked. After a change, run `pipeline ingest` again.
    pub rules: bool,
}

/// How many more sentences an extractive answer may have about several papers.
const MORE_ACROSS: usize = 2;
/// What the earlier system showed of a candidate, in characters.
const SHOWN: Option<NonZeroUsize> = NonZeroUsize::new(400);

impl Settings {
    /// These settings with all that follows from them.
    pub(crate) fn completed(mut self) -> Self {
        let search = &mut self.retrieve.search;
        // In decimals: what is left of 0.6 is 0.4.
        search.bm25_weight = (1.0 - decimal(search.vector_weight)) as f32;
        let answer = &mut self.generate.extractive;
        answer.max_sentences_across = answer.max_sentences.saturating_add(MORE_ACROSS);
        self.evaluate.limits.support = decimal(self.eval.support_threshold);
        if self.phase2.rules {
            self.follow_the_earlier_system();
        }
        self
    }

    fn follow_the_earlier_system(&mut self) {
        self.chunk.count_prefix = false;
        self.retrieve.search.tokenizer = Tokenizer::Whitespace;
        self.rerank.max_chars = SHOWN;
        self.rerank.show_prefix = true;
        self.rerank.prior_weight = 0.0;
        self.expand.order = Order::End;
        let topic = &mut self.guardrail.topic_check;
        topic.rule = TopicRule::Keywords;
        topic.refuse_unknown_sources = false;
        topic.refuse_absent_entities = false;
        let checks = &mut self.guardrail.verification;
        checks.verification = Verification::IdOnly;
        checks.suffix_match = SuffixMatch::First;
        checks.refusal_citations = RefusalCitations::Keep;
        checks.uncited = Uncited::Flag;
        checks.check_confidence = false;
        checks.removal_lowers_confidence = true;
        self.guardrail.injection = false;
        self.eval.refusals = RefusalScores::Perfect;
        self.log.returned_chunks = ReturnedChunks::Context;
    }
}
