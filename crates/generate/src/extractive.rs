//! An answer from verbatim sentences, without a language model.
//!
//! The sentences of the context come ranked by how likely they answer the question; a few are picked ([`select`]), and
//! the answer is put together ([`compose`]).

pub(crate) mod compose;
pub(crate) mod select;
mod table;

use crate::{EXTRACTIVE_VERSION, ExtractiveSettings};
use compose::Part;
use evidence::AskedTerms;
use select::Picked;
use types::{BoxFuture, Evidence, Generated, GenerationFailure, GenerationInput, Generator, RagResponse};

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
            Ok(Generated { response: extractive(input, &self.settings), ..Generated::default() })
        })
    }
}

/// Answers the question with sentences of its context.
///
/// From partial evidence, the passages around the two likeliest sentences are shown whole, the likeliest cited first. A question that
/// compares papers gets a block for each, with its most likely sentences.
///
/// For any other, the most likely sentence comes first. Others follow until one of them answers with the probability
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
    let asked = AskedTerms::new(input.question, input.context, input.statistics);
    let papers = &input.question.papers;
    let mut silent = Vec::new();
    // What stands above each block, and its sentences.
    let blocks: Vec<(String, Vec<Picked<'_>>)> = if !papers.is_empty() {
        let names = compose::names(papers, input.context);
        let blocks = select::by_paper(papers, input.ranking, input.context, &asked);
        let unanswered = names.iter().zip(&blocks).filter(|(_, block)| block.is_empty());
        silent.extend(unanswered.map(|(name, _)| format!("No answer found in {name}.")));
        let heads = names.into_iter().map(|name| format!("{name}:"));
        heads.zip(blocks).collect()
    } else if input.evidence == Evidence::Partial && !asked.across {
        let passages = select::passages(input.ranking, input.context, &asked);
        let mut head = if passages.len() == 1 { compose::PASSAGE } else { compose::PASSAGES };
        let headed = |passage| (std::mem::take(&mut head).to_owned(), passage);
        passages.into_iter().map(headed).collect()
    } else {
        let chosen = select::select(input.ranking, input.context, &asked, settings);
        vec![(String::new(), chosen)]
    };
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (head, block) in blocks {
        let mut head = Some(head);
        parts.extend(block.into_iter().map(|picked| Part { head: head.take(), picked }));
    }
    if parts.is_empty() {
        return compose::refusal(input.context);
    }
    let mut answer =
        compose::answer(&parts, &asked, input.ranking.probability, settings.high_confidence, input.evidence);
    answer.caveats.extend(silent);
    answer
}
