//! An answer from verbatim sentences, without a language model.
//!
//! The sentences of the context are weighed against what the question asks ([`asked`], [`candidate`], with
//! [`fitness`] for their form and [`cue`] for their wording), a few are picked ([`select`]), and the answer is put
//! together ([`compose`]).

mod asked;
mod candidate;
mod compose;
mod cue;
mod fitness;
mod select;

use crate::{EXTRACTIVE_VERSION, ExtractiveSettings};
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
/// When the question has no vector, terms alone decide. The answer quotes at most
/// [`ExtractiveSettings::max_sentences`] whole sentences, the most relevant source first, each followed by its mark
/// `(source_id, chunk_id)` and backed by one citation. When no sentence qualifies, it is a refusal that names the
/// nearest passage. The answer depends on nothing but the arguments.
///
/// ```
/// use generate::{ExtractiveSettings, extractive};
/// use types::{Context, Evidence, GenerationInput, Question, TermStatistics};
/// let question = Question { text: "What helps?".to_owned(), ..Question::default() };
/// let input = GenerationInput {
///     question: &question,
///     context: &Context::default(),
///     statistics: &TermStatistics::default(),
///     evidence: Evidence::Sufficient,
/// };
/// assert!(extractive(input, &ExtractiveSettings::default()).no_evidence);
/// ```
pub fn extractive(input: GenerationInput<'_>, settings: &ExtractiveSettings) -> RagResponse {
    let has_vector = !input.question.vector.is_empty();
    let asked = asked::Asked::new(input);
    let candidates = candidate::weigh(&asked, has_vector, input.context, settings);
    let chosen = select::select(&candidates, &asked, settings);
    if chosen.is_empty() {
        return compose::refusal(&candidates, input.context, settings);
    }
    compose::answer(&chosen, &asked, !has_vector, settings, input.evidence)
}
