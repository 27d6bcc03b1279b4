//! Are the passages about the question?

use super::asked::Asked;
use super::wording;
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct RetrievalRelevance;

const SPEC: Spec = Spec {
    key: "retrieval_relevance",
    title: "Retrieval relevance",
    definition: "Share of the passages with a sentence that contains at least half of the question's content terms. It \
         reads no label.",
    edge_cases: "N/a without a passage, without a content term in the question, and for a question and passages in different \
         languages. Retrieval that found nothing has no passage to judge.",
    source: "own definition of LitPath's retrieval relevance: facts contain keywords of the question",
    needs: &[Need::Question, Need::Context],
    ..Spec::SHARE
};

impl Metric for RetrievalRelevance {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let (relevant, all) = relevant(sample)?;
        Ok(relevant as f64 / all as f64)
    }
}

/// The number of relevant passages, and of all, which is not 0.
pub(super) fn relevant(sample: &View<'_>) -> Result<(usize, usize), Score> {
    let question = sample.question()?;
    let passages = sample.passages()?;
    let terms = Asked::new(question).terms;
    if terms.is_empty() {
        return Err(Score::n_a("the question has no content term"));
    }
    if passages.is_empty() {
        return Err(Score::n_a("no passage was retrieved"));
    }
    let language = text::language(question);
    if passages
        .iter()
        .all(|passage| text::language(&passage.text) != language)
    {
        return Err(Score::n_a("question and passages are in different languages"));
    }
    let answers = |passage: &&crate::Passage| !wording::answering(&passage.text, &terms).is_empty();
    Ok((passages.iter().filter(answers).count(), passages.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn passages_with_half_of_the_terms() {
        let question = "How does walking affect blood pressure?";
        let good = "In the trial, brisk walking lowered blood pressure.";
        let bad = "Mice slept for most of the day.";
        check(
            &RetrievalRelevance,
            &row(question, "x", &[("a", good), ("b", bad), ("c", bad), ("d", good)]),
            0.5,
        );
        check_n_a(&RetrievalRelevance, &row(question, "x", &[]), "no passage");
        check_n_a(
            &RetrievalRelevance,
            &row("What is it?", "x", &[("a", good)]),
            "content term",
        );
    }
}
