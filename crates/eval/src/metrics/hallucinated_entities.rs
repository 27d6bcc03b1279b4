//! Names and symbols that the answer makes up.

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec, absent};
use crate::Score;
use text::entities::EntityKind;

/// The metric.
pub(super) struct HallucinatedEntities;

const SPEC: Spec = Spec {
    key: "hallucinated_entities",
    title: "Hallucinated entities",
    definition: "Share of the names and symbols in the answer that appear in neither the context (text, titles, authors, \
         years) nor the question. Names and symbols are recognised by their spelling. N/a on a refusal, and for an \
         answer without any.",
    source: "Nan et al. 2021 (entity-level factual consistency), 1 - precision against the source",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Lower,
    needs: &[Need::Answer, Need::Context],
    staged: true,
    by_construction: true,
};

impl Metric for HallucinatedEntities {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        absent::share(sample, |kind| kind != EntityKind::Number, "name or symbol")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judged;
    use crate::metrics::testing::{chunk, close, refusal, response, score_of};
    use types::RunRecord;

    #[test]
    fn entities_and_numbers_by_hand() {
        let mut held = chunk(
            "a__body__000",
            "AMPK activity rose by 12 % in 40 adults who took metformin.",
        );
        held.authors = vec!["A. Orvel".to_owned()];
        let record = RunRecord {
            query: "What does Tandrik say about SIRT1?".to_owned(),
            context: Some(vec![held]),
            ..RunRecord::default()
        };
        let judged = Judged::NotApplicable("not asked".to_owned());
        let score = |key: &str, answer: &str| score_of(key, &record, &response(answer, &[]), None, &judged);
        let check = |key: &str, answer: &str, want: Option<f64>| match (want, score(key, answer)) {
            (Some(want), score) => close(&score, want, answer),
            (None, score) => assert!(matches!(score, Score::NotApplicable(_)), "{answer}: {score:?}"),
        };
        let entities = "hallucinated_entities";
        check(entities, "In adults, AMPK activity rose.", Some(0.0));
        check(entities, "In adults, PGC1 activity rose.", Some(1.0));
        check(
            entities,
            "In adults, AMPK and PGC1 activity rose, and AMPK fell.",
            Some(0.5),
        );
        check(entities, "As Orvel reports, SIRT1 rose.", Some(0.0));
        check(entities, "Activity rose in adults.", None);
        let numbers = "hallucinated_numbers";
        check(
            numbers,
            "Activity rose by 12 % in 40 adults (a, a__body__000).",
            Some(0.0),
        );
        check(numbers, "Activity rose by 14 % in 40 adults.", Some(0.5));
        check(numbers, "Activity rose.", None);
        for key in [entities, numbers] {
            let refused = score_of(key, &record, &refusal(), None, &judged);
            assert!(matches!(refused, Score::NotApplicable(_)), "{key}");
        }
    }
}
