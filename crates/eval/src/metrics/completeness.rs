//! Does the answer contain what there is to say?

use super::asked::Asked;
use super::claims::{Said, says, statements};
use super::wording;
use super::{Metric, Need, Spec, View};
use crate::Score;
use std::collections::BTreeSet;

/// The metric.
pub(super) struct Completeness;

const SPEC: Spec = Spec {
    key: "completeness",
    title: "Completeness",
    definition: "Share of what there is to say that the answer says. With gold quotes: the quotes that stand in the answer, or \
         that the answer supports as a claim. Else with a reference: its claims that the answer supports. Else the sentences \
         of the passages that contain at least half of the question's content terms: those of which the answer has at least \
         half of the content terms.",
    edge_cases: "0 for a refusal and an empty answer; n/a where a refusal is expected, and without quotes and reference if no \
         sentence of the passages answers the question. In the last case a short right answer scores low.",
    source: "own definition of the five-dimension judge's completeness: uses all relevant information",
    needs: &[Need::Answer],
    needs_one_of: &[Need::GoldEvidence, Need::ReferenceAnswer, Need::Context],
    ..Spec::SHARE
};

impl Metric for Completeness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reading = sample.owed()?;
        let answer = reading.map_or("", |reading| reading.text.as_str());
        let quotes = sample
            .sample
            .gold_quotes
            .as_deref()
            .filter(|quotes| !quotes.is_empty());
        if let Some(quotes) = quotes {
            let said = |quote: &str| -> Result<bool, Score> {
                let verbatim = text::quote::find_quote(answer, quote).is_some();
                Ok(verbatim || says(quote, answer, sample.tools)? == Said::Yes)
            };
            return share(quotes.iter().map(|gold| said(&gold.quote)));
        }
        if let Ok(reference) = sample.reference() {
            let said = |claim: &String| Ok(says(claim, answer, sample.tools)? == Said::Yes);
            return share(statements(reference).iter().map(said));
        }
        let (question, passages) = (sample.question()?, sample.passages()?);
        let terms = Asked::new(question).terms;
        let answering = passages
            .iter()
            .flat_map(|passage| wording::answering(&passage.text, &terms));
        let answering: BTreeSet<&str> = answering.collect();
        if answering.is_empty() {
            return Err(Score::n_a(
                "the row has no `gold_quotes` and no `reference`, and no sentence of its passages answers the question",
            ));
        }
        let own = wording::stems(answer);
        share(
            answering
                .iter()
                .map(|sentence| Ok(wording::share(&wording::stems(sentence), &own) >= 0.5)),
        )
    }
}

fn share(said: impl Iterator<Item = Result<bool, Score>>) -> Result<f64, Score> {
    let said: Vec<bool> = said.collect::<Result<_, _>>()?;
    Ok(said.iter().filter(|yes| **yes).count() as f64 / said.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    const QUESTION: &str = "How does walking affect blood pressure and weight?";

    fn quotes(answer: &str) -> crate::Sample {
        let quote = |text: &str| crate::GoldQuote {
            document: None,
            quote: text.to_owned(),
        };
        crate::Sample {
            gold_quotes: Some(vec![
                quote("Walking lowered blood pressure by 6 mmHg."),
                quote("Body weight did not change in either group."),
            ]),
            ..row(QUESTION, answer, &[])
        }
    }

    #[test]
    fn gold_quotes_come_first() {
        check(
            &Completeness,
            &quotes("Walking lowered blood pressure by 6 mmHg."),
            0.5,
        );
        let both = "Walking lowered blood pressure by 6 mmHg. Body weight did not change in either group.";
        check(&Completeness, &quotes(both), 1.0);
        check(
            &Completeness,
            &quotes("Walking lowered blood pressure by 16 mmHg."),
            0.0,
        );
        check(&Completeness, &quotes(""), 0.0);
        let mut expected = quotes("");
        expected.expected_refusal = Some(true);
        check_n_a(&Completeness, &expected, "refusal");
    }

    #[test]
    fn then_the_reference_then_the_passages() {
        let mut row = row(
            QUESTION,
            "Walking lowered blood pressure by 6 mmHg.",
            &[
                (
                    "a",
                    "In the trial, walking lowered blood pressure by 6 mmHg. Mice slept for nine hours.",
                ),
                (
                    "b",
                    "The weight of those who were walking fell slightly in spring.",
                ),
            ],
        );
        check(&Completeness, &row, 0.5);
        row.reference = Some("Walking lowered blood pressure by 6 mmHg.".to_owned());
        check(&Completeness, &row, 1.0);
        row.reference = None;
        row.passages = Some(vec![crate::metrics::testing::passage(
            "c",
            "Mice slept for nine hours.",
        )]);
        check_n_a(&Completeness, &row, "`gold_quotes`");
    }
}
