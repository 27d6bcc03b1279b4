//! An answer from verbatim sentences, without a language model.
//!
//! The sentences of the context come ranked by how likely they answer the question; a few are picked ([`select`]), and
//! the answer is put together ([`compose`]).

pub(crate) mod compose;
pub(crate) mod select;
mod table;

use crate::{EXTRACTIVE_VERSION, ExtractiveSettings};
use evidence::Asked;
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
            Ok(Generated {
                response: extractive(input, &self.settings),
                ..Generated::default()
            })
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
    let asked = Asked::new(input.question, input.context, input.statistics);
    let papers = &input.question.papers;
    let (mut heads, mut silent) = (Vec::new(), Vec::new());
    let blocks = if !papers.is_empty() {
        let blocks = select::by_paper(papers, input.ranking, input.context, &asked);
        for (name, block) in compose::names(papers, input.context).into_iter().zip(&blocks) {
            if block.is_empty() {
                silent.push(format!("No answer found in {name}."));
            }
            heads.push(format!("{name}:"));
        }
        blocks
    } else if input.evidence == Evidence::Partial && !asked.across {
        let blocks = select::passages(input.ranking, input.context, &asked);
        heads.push(
            if blocks.len() == 1 {
                compose::PASSAGE
            } else {
                compose::PASSAGES
            }
            .to_owned(),
        );
        blocks
    } else {
        vec![select::select(input.ranking, input.context, &asked, settings)]
    };
    let mut heads = heads.into_iter();
    let mut parts: Vec<compose::Part<'_>> = Vec::new();
    for block in blocks {
        let mut head = Some(heads.next().unwrap_or_default());
        parts.extend(block.into_iter().map(|picked| compose::Part {
            head: head.take(),
            lead: String::new(),
            picked,
        }));
    }
    if parts.is_empty() {
        return compose::refusal(input.context);
    }
    let mut answer = compose::answer(
        &parts,
        &asked,
        input.ranking.probability,
        settings.high_confidence,
        input.evidence,
    );
    answer.caveats.extend(silent);
    answer
}
