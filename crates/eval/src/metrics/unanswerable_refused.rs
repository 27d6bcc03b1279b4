//! Are unanswerable questions refused?

use super::no_evidence_accuracy::decided;
use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct UnanswerableRefused;

const SPEC: Spec = Spec {
    key: "unanswerable_refused",
    title: "Refusal rate",
    definition: "Share of the unanswerable questions that were refused. N/a where an answer is expected.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of unanswerable questions that are left unanswered",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::ExpectedRefusal],
    staged: false,
    by_construction: false,
};

impl Metric for UnanswerableRefused {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        match sample.query {
            Some(query) if !query.expected_no_evidence => Score::n_a("an answer is expected"),
            query => decided(sample.response, query),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Score;
    use crate::judge::Judged;
    use crate::metrics::testing::{close, refusal, response, score_of};
    use crate::queries::QuerySet;
    use types::{ResponseRecord, RunRecord};

    #[test]
    fn a_refusal_is_right_where_it_is_expected() {
        let set = QuerySet::parse(
            "set",
            "{\"id\":\"A\",\"type\":\"direct\",\"query\":\"q\",\"expected_no_evidence\":false}\n\
             {\"id\":\"B\",\"type\":\"edge\",\"query\":\"r\",\"expected_no_evidence\":true}",
        )
        .expect("loads");
        let (record, unjudged) = (RunRecord::default(), Judged::NotApplicable(String::new()));
        let score = |key: &str, response: &ResponseRecord, id: &str| {
            score_of(key, &record, response, set.get(id), &unjudged)
        };
        let check = |key: &str, response: &ResponseRecord, id: &str, expect: f64| {
            close(&score(key, response, id), expect, &format!("{key} {id}"));
        };
        let answer = response("x", &[]);
        check("no_evidence_accuracy", &answer, "A", 1.0);
        check("no_evidence_accuracy", &refusal(), "A", 0.0);
        check("no_evidence_accuracy", &answer, "B", 0.0);
        check("no_evidence_accuracy", &refusal(), "B", 1.0);
        check("answerable_answered", &refusal(), "A", 0.0);
        check("answerable_answered", &answer, "A", 1.0);
        check("unanswerable_refused", &refusal(), "B", 1.0);
        check("unanswerable_refused", &answer, "B", 0.0);
        for (key, id, says) in [
            ("answerable_answered", "B", "a refusal is expected"),
            ("unanswerable_refused", "A", "an answer is expected"),
            ("no_evidence_accuracy", "none", "no query set"),
            ("answerable_answered", "none", "no query set"),
            ("unanswerable_refused", "none", "no query set"),
        ] {
            let got = score(key, &refusal(), id);
            assert!(
                matches!(&got, Score::NotApplicable(reason) if reason.starts_with(says)),
                "{key} {id}: {got:?}"
            );
        }
    }
}
