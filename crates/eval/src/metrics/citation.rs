//! Citations: do they point at what the generator saw, and do they quote it?

use super::QUOTE_WORDS;
use crate::Score;
use std::collections::BTreeSet;
use types::{ContextRecord, ResponseRecord, ReturnedChunk};

/// Reason given wherever a refusal has nothing to measure.
pub(crate) const REFUSAL: &str = "the answer is a refusal";
/// Reason given where a log holds no context.
pub(crate) const NO_CONTEXT: &str = "the log holds no context";

/// One reference of an answer to a chunk.
struct Reference<'a> {
    source: &'a str,
    chunk: &'a str,
}

/// Citation precision. `context` is what the generator saw. A log of the earlier system holds no context but
/// the list of returned chunks, and that system counted its citations against the list: so does this.
pub fn precision(
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

/// Quote accuracy. Parts around an ellipsis are looked for in order within the one cited chunk.
pub fn quote_accuracy(response: &ResponseRecord, context: Option<&[ContextRecord]>) -> Score {
    if response.no_evidence {
        return Score::n_a(REFUSAL);
    }
    let Some(context) = context else {
        return Score::n_a(NO_CONTEXT);
    };
    if response.citations.is_empty() {
        return Score::value(0.0);
    }
    let verbatim = response
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
    Score::share(verbatim, response.citations.len())
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
        assert_eq!(quote_accuracy(&answer, None), Score::n_a(NO_CONTEXT));
    }

    #[test]
    fn quotes_by_hand() {
        let context = [chunk("a__body__000", TEXT), chunk("b__body__000", "Other text.")];
        let check = |quotes: &[(&str, &str)], expect: f64| {
            let citations: Vec<_> = quotes.iter().map(|(id, quote)| cite(id, quote)).collect();
            close(
                &quote_accuracy(&response("x", &citations), Some(&context)),
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
        assert_eq!(quote_accuracy(&refusal(), Some(&context)), Score::n_a(REFUSAL));
    }

    #[test]
    fn a_quote_has_at_most_forty_words() {
        let long: Vec<String> = (0..41).map(|n| format!("word{n}")).collect();
        let context = [chunk("a__body__000", &long.join(" "))];
        let check = |quote: &str, expect: f64| {
            let answer = response("x", &[cite("a__body__000", quote)]);
            close(&quote_accuracy(&answer, Some(&context)), expect, quote);
        };
        check(&long[..40].join(" "), 1.0);
        check(&long.join(" "), 0.0);
    }
}
