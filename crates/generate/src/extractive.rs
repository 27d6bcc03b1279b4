//! An answer from verbatim sentences, without a language model.
//!
//! The sentences of the context come ranked by how likely they answer the question; a few are picked ([`select`]), and
//! the answer is put together ([`compose`]).

pub(crate) mod compose;
pub(crate) mod select;
mod table;

use crate::{EXTRACTIVE_VERSION, ExtractiveSettings};
use evidence::Asked;
use types::{BoxFuture, Generated, GenerationFailure, GenerationInput, Generator, RagResponse};

/// Answers with sentences of the context.
#[derive(Clone, Debug, Default)]
pub struct Extractive {
    settings: ExtractiveSettings,
}

impl Extractive {
    /// With these settings.
    pub fn new(settings: ExtractiveSettings) -> Self {
        Self { settings }
    }
}

impl Generator for Extractive {
    fn id(&self) -> &'static str {
        "extractive"
    }

    fn version(&self) -> &'static str {
        EXTRACTIVE_VERSION
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        true
    }

    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>> {
        Box::pin(async move {
            Ok(Generated {
                response: extractive(input, &self.settings),
                ..Generated::default()
            })
        })
    }
}

/// Answers the question with sentences of its context.
///
/// The most likely sentence comes first. Others follow until one of them answers with the probability
/// [`ExtractiveSettings::enough`], and as long as they are as likely as [`ExtractiveSettings::likely`]; at most
/// [`ExtractiveSettings::max_sentences`] in all, or [`ExtractiveSettings::max_sentences_across`]. Sentences that announce an
/// aim are left out, unless the question asks for it. Each is followed by its mark `(source_id, chunk_id)` and backed by one
/// citation. When no sentence can be quoted, it is a refusal. The answer depends on nothing but the arguments.
///
/// ```
/// use generate::{ExtractiveSettings, extractive};
/// use types::{Context, Evidence, GenerationInput, Question, Ranking, TermStatistics};
/// let question = Question { text: "What helps?".to_owned(), ..Question::default() };
/// let input = GenerationInput {
///     question: &question,
///     context: &Context::default(),
///     ranking: &Ranking::default(),
///     statistics: &TermStatistics::default(),
///     evidence: Evidence::Sufficient,
/// };
/// assert!(extractive(input, &ExtractiveSettings::default()).no_evidence);
/// ```
pub fn extractive(input: GenerationInput<'_>, settings: &ExtractiveSettings) -> RagResponse {
    let asked = Asked::new(input.question, input.context, input.statistics);
    let chosen = select::select(input.ranking, input.context, &asked, settings);
    if chosen.is_empty() {
        return compose::refusal(input.context);
    }
    let parts: Vec<compose::Part<'_>> = chosen
        .into_iter()
        .map(|picked| compose::Part {
            lead: String::new(),
            picked,
        })
        .collect();
    compose::answer(
        &parts,
        &asked,
        input.ranking.probability,
        settings.high_confidence,
        input.evidence,
    )
}
