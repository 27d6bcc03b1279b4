//! Do citations point at what the generator saw?

use super::{Direction, Kind, Metric, Need, REFUSAL, Range, Sample, Spec};
use crate::Score;
use std::collections::BTreeSet;
use types::{ContextRecord, ResponseRecord, ReturnedChunk};

/// The metric.
pub(super) struct CitationPrecision;

const SPEC: Spec = Spec {
    key: "citation_precision",
    title: "Citation precision",
    definition: "Citations whose chunk was in the context given to the generator (expanded chunks \
         included), under that chunk's own source, over all citations, inline marks without an \
         entry in the list counted too. N/a on a refusal; 0 for an answer without a citation.",
    source: "Gao et al. 2023 (ALCE), citation precision, counted by chunk instead of judged by entailment",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context],
    staged: true,
    by_construction: true,
};

impl Metric for CitationPrecision {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        let returned = &sample.record.retrieval.returned_chunks;
        precision(sample.response, sample.context(), returned)
    }
}

/// One reference of an answer to a chunk.
struct Reference<'a> {
    source: &'a str,
    chunk: &'a str,
}

/// `context` is what the generator saw. A log of the earlier system has no context, only the list of returned chunks;
/// that system counted its citations against the list, and so does this.
fn precision(
    response: &ResponseRecord,
    context: Option<&[ContextRecord]>,
    returned: &[ReturnedChunk],
) -> Score {
    if response.no_evidence {
        return Score::n_a(REFUSAL);
    }
    let seen: BTreeSet<(&str, &str)> = match context {
        Some(chunks) => chunks
            .iter()
            .map(|c| (c.chunk_id.as_str(), c.source_id.as_str()))
            .collect(),
        None if returned.is_empty() => {
            return Score::n_a("the log holds neither context nor returned chunks");
        }
        None => returned
            .iter()
            .map(|c| (c.chunk_id.as_str(), c.source_id.as_str()))
            .collect(),
    };
    let marks = support::marks(&response.answer);
    let references = references(response, &marks);
    if references.is_empty() {
        return Score::value(0.0);
    }
    let right = references
        .iter()
        .filter(|r| seen.contains(&(r.chunk, r.source)))
        .count();
    Score::share(right, references.len())
}

/// The list of citations, and the inline marks whose chunk is not on it, each chunk once.
fn references<'a>(response: &'a ResponseRecord, marks: &'a [support::Mark]) -> Vec<Reference<'a>> {
    let listed: BTreeSet<&str> = response.citations.iter().map(|c| c.chunk_id.as_str()).collect();
    let mut unlisted = BTreeSet::new();
    let in_list = response.citations.iter().map(|c| Reference {
        source: c.source_id.as_str(),
        chunk: c.chunk_id.as_str(),
    });
    let in_text = marks
        .iter()
        .filter(|m| !listed.contains(m.chunk.as_str()) && unlisted.insert(m.chunk.as_str()))
        .map(|m| Reference {
            source: &m.source,
            chunk: &m.chunk,
        });
    in_list.chain(in_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{chunk, cite, close, refusal, response};

    const TEXT: &str = "Walking raised VO2max by 12 % in 40 adults. No harm was seen.";

    #[test]
    fn precision_by_hand() {
        let context = [chunk("a__body__000", TEXT), chunk("b__body__000", "Other text.")];
        let check = |response: &ResponseRecord, expect: f64| {
            close(
                &precision(response, Some(&context), &[]),
                expect,
                &response.answer,
            );
        };
        let good = cite("a__body__000", "No harm was seen");
        let foreign = cite("z__body__009", "No harm was seen");
        check(
            &response("x (a, a__body__000).", std::slice::from_ref(&good)),
            1.0,
        );
        check(
            &response(
                "x (a, a__body__000) (z, z__body__009).",
                &[good.clone(), foreign.clone()],
            ),
            0.5,
        );
        check(&response("x.", std::slice::from_ref(&foreign)), 0.0);
        check(&response("x without any.", &[]), 0.0);
        check(&response("", &[]), 0.0);
        // A mark that the list leaves out is a citation too, once.
        check(
            &response(
                "x (z, z__body__009). y (z, z__body__009).",
                std::slice::from_ref(&good),
            ),
            0.5,
        );
        // The right chunk under another paper's name is a wrong attribution.
        let mut misnamed = good.clone();
        misnamed.source_id = "b".into();
        check(&response("x.", &[misnamed, good]), 0.5);
        assert_eq!(precision(&refusal(), Some(&context), &[]), Score::n_a(REFUSAL));
        assert_eq!(
            precision(&response("x", &[foreign]), Some(&[]), &[]),
            Score::value(0.0)
        );
    }

    #[test]
    fn logs_without_context_count_against_the_returned_chunks() {
        let returned = [ReturnedChunk {
            chunk_id: "a__body__000".into(),
            source_id: "a".into(),
            ..Default::default()
        }];
        let answer = response("x.", &[cite("a__body__000", "q"), cite("b__body__000", "q")]);
        close(&precision(&answer, None, &returned), 0.5, "returned");
        assert!(matches!(precision(&answer, None, &[]), Score::NotApplicable(_)));
    }
}
