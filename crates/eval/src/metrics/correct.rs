//! Does the answer state the facts of the reference answer?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::{Query, Score};
use types::ResponseRecord;

/// The metric.
pub(super) struct Correct;

const SPEC: Spec = Spec {
    key: "correct",
    title: "Correct",
    definition: "Whether the answer (citation marks removed) states every fact of the reference answer and \
         contradicts none. Offline: it supports every claim of the reference with a probability of at least τ, and no claim \
         of it is contradicted by the reference; a reference in note form is stated if its terms, numbers and names are. \
         With a language model as judge, the model decides in one call. 0 on a refusal; n/a without a reference, and where \
         a refusal is expected.",
    source: "ADR-013, answer correctness: true or false; offline, entailment of each claim after Honovich et al. 2022 (TRUE)",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[
        Need::Answer,
        Need::ExpectedRefusal,
        Need::ReferenceAnswer,
        Need::Verdict,
    ],
    // Only for the answer that the user gets: a comparison can cost a call.
    staged: false,
    by_construction: false,
};

impl Metric for Correct {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        match owed(sample.response, sample.query) {
            Ok(_) => sample.compared.score(|compared| Score::flag(compared.same_facts)),
            Err(score) => score,
        }
    }
}

/// The reference that the answer must be compared with, or the score that needs no comparison.
pub(crate) fn owed<'q>(response: &ResponseRecord, query: Option<&'q Query>) -> Result<&'q str, Score> {
    let Some(query) = query else {
        return Err(Score::n_a("no query set gives a reference answer"));
    };
    if query.expected_no_evidence {
        return Err(Score::n_a(
            "a refusal is expected: no_evidence_accuracy scores it",
        ));
    }
    let Some(reference) = &query.reference_answer else {
        return Err(Score::n_a("the query has no reference answer"));
    };
    if response.no_evidence || response.answer.trim().is_empty() {
        return Err(Score::value(0.0));
    }
    Ok(reference)
}
