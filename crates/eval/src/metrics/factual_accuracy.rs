//! Do the answer's keywords, numbers and names stand in the context?

use super::wording;
use super::{Metric, Need, Spec, View};
use crate::Score;
use std::collections::BTreeMap;
use text::entities::{Ground, entities};

/// The metric.
pub(super) struct FactualAccuracy;

const SPEC: Spec = Spec {
    key: "factual_accuracy",
    title: "Factual accuracy",
    definition: "Share of the distinct keywords (stems of content words), numbers and names of the answer that stand in a \
         passage.",
    edge_cases: "N/a on a refusal and for an answer without any; 0 without a passage. Words in another order, or about \
         something else, count: read it beside faithfulness.",
    source: "LitPath, keyword-based factual accuracy",
    needs: &[Need::Answer, Need::Context],
    ..Spec::SHARE
};

impl Metric for FactualAccuracy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reading = sample.given()?;
        let mut ground = Ground::default();
        let mut stems = std::collections::BTreeSet::new();
        for passage in sample.passages()? {
            ground.add(&passage.text);
            stems.extend(wording::stems(&passage.text));
        }
        let named = entities(&reading.text);
        // Words inside a number or a name count once, as that.
        let inside = |span: &std::ops::Range<usize>| {
            named
                .iter()
                .any(|entity| entity.span.start <= span.start && span.end <= entity.span.end)
        };
        let terms = text::terms(&reading.text).into_iter();
        let keywords: BTreeMap<String, bool> = terms
            .filter(|term| !inside(&term.span))
            .map(|term| (term.stem.clone(), stems.contains(&term.stem)))
            .collect();
        let facts: BTreeMap<&str, bool> = named
            .iter()
            .map(|entity| (entity.text.as_str(), ground.holds(entity)))
            .collect();
        let all = keywords.len() + facts.len();
        if all == 0 {
            return Err(Score::n_a("the answer has no keyword, number or name"));
        }
        let found = keywords
            .values()
            .chain(facts.values())
            .filter(|found| **found)
            .count();
        Ok(found as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn keywords_and_numbers_by_hand() {
        let passages = [("a", "Walking lowered blood pressure by 6 mmHg.")];
        let accuracy = |answer: &str, want: f64| check(&FactualAccuracy, &row("q", answer, &passages), want);
        // Walking, blood, pressure, lowered; "12 mmHg" is one number, and it is not there.
        accuracy("Walking lowered blood pressure by 12 mmHg.", 4.0 / 5.0);
        accuracy("Walking lowered blood pressure by 6 mmHg.", 1.0);
        accuracy("Mice slept.", 0.0);
        check_n_a(&FactualAccuracy, &row("q", "", &passages), "no keyword");
        check(&FactualAccuracy, &row("q", "Mice ran.", &[]), 0.0);
    }
}
