//! Do citations quote what they cite?

use super::{Direction, Kind, Metric, NO_CONTEXT, Need, QUOTE_WORDS, REFUSAL, Range, Sample, Spec};
use crate::Score;
use types::{ContextRecord, ResponseRecord};

/// The metric.
pub(super) struct QuoteAccuracy;

const SPEC: Spec = Spec {
    key: "quote_accuracy",
    title: "Quote accuracy",
    definition: "Citations whose quote stands verbatim (after folding) in the cited chunk and has at most \
         40 words, over all citations. N/a on a refusal; 0 for an answer without a citation.",
    source: "a convention of this project: a quote is verbatim and short",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context],
    staged: true,
    by_construction: true,
};

impl Metric for QuoteAccuracy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        verbatim(sample.response, sample.context())
    }
}

/// Parts around an ellipsis are looked for in order within the one cited chunk.
fn verbatim(response: &ResponseRecord, context: Option<&[ContextRecord]>) -> Score {
    if response.no_evidence {
        return Score::n_a(REFUSAL);
    }
    let Some(context) = context else {
        return Score::n_a(NO_CONTEXT);
    };
    if response.citations.is_empty() {
        return Score::value(0.0);
    }
    let right = response
        .citations
        .iter()
        .filter(|citation| {
            words(&citation.relevant_quote) <= QUOTE_WORDS
                && context
                    .iter()
                    .filter(|chunk| chunk.chunk_id == citation.chunk_id)
                    .any(|chunk| text::quote::find_quote(&chunk.text, &citation.relevant_quote).is_some())
        })
        .count();
    Score::share(right, response.citations.len())
}

/// Words of a quote; a lone dash or ellipsis is none.
fn words(quote: &str) -> usize {
    quote
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{chunk, cite, close, refusal, response};

    const TEXT: &str = "Walking raised VO2max by 12 % in 40 adults. No harm was seen.";

    #[test]
    fn quotes_by_hand() {
        let context = [chunk("a__body__000", TEXT), chunk("b__body__000", "Other text.")];
        let check = |quotes: &[(&str, &str)], expect: f64| {
            let citations: Vec<_> = quotes.iter().map(|(id, quote)| cite(id, quote)).collect();
            close(
                &verbatim(&response("x", &citations), Some(&context)),
                expect,
                &format!("{quotes:?}"),
            );
        };
        check(&[("a__body__000", "raised VO2max by 12 %")], 1.0);
        check(&[("a__body__000", "raised VO2max by 21 %")], 0.0);
        check(&[("b__body__000", "raised VO2max by 12 %")], 0.0);
        check(&[("z__body__000", "raised VO2max by 12 %")], 0.0);
        check(&[("a__body__000", "No harm was seen"), ("a__body__000", "")], 0.5);
        check(&[], 0.0);
        assert_eq!(verbatim(&refusal(), Some(&context)), Score::n_a(REFUSAL));
    }

    #[test]
    fn a_quote_has_at_most_forty_words() {
        let long: Vec<String> = (0..41).map(|n| format!("word{n}")).collect();
        let context = [chunk("a__body__000", &long.join(" "))];
        let check = |quote: &str, expect: f64| {
            let answer = response("x", &[cite("a__body__000", quote)]);
            close(&verbatim(&answer, Some(&context)), expect, quote);
        };
        check(&long[..40].join(" "), 1.0);
        check(&long.join(" "), 0.0);
    }
}
