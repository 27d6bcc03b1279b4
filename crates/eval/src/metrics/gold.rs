//! Was the labelled evidence put before the generator, and did it reach the answer?

use super::QUOTE_WORDS;
use super::citation::NO_CONTEXT;
use crate::{GoldEvidence, MissedGold, Query, QuerySet, Score};
use std::collections::{BTreeSet, HashMap};
use types::{Chunk, ChunkId, ContextRecord, ResponseRecord, RunRecord, SourceId};

/// The share of a gold quote's words that a common run must reach to count as found: quotes cut by a chunk's
/// edge or by the 40-word limit still show the evidence.
pub const RUN_SHARE: f64 = 0.8;

/// Gold-evidence recall of the context.
pub fn context_recall(context: Option<&[ContextRecord]>, query: Option<&Query>) -> Score {
    recall(query, |gold| in_context(context, gold))
}

/// Whether a chunk of the gold quote's source holds it.
fn in_context(context: Option<&[ContextRecord]>, gold: &GoldEvidence) -> Option<bool> {
    let mut own = context?.iter().filter(|c| c.source_id == gold.source_id);
    Some(own.any(|c| stands_in(&c.text, gold, usize::MAX)))
}

/// The gold quotes that the answer does not show.
pub(crate) fn missed(
    response: &ResponseRecord,
    context: Option<&[ContextRecord]>,
    query: Option<&Query>,
) -> Vec<MissedGold> {
    let passages = if response.no_evidence {
        Vec::new()
    } else {
        passages(response)
    };
    let all = query
        .map(|query| query.gold_evidence.as_slice())
        .unwrap_or_default();
    all.iter()
        .filter(|gold| !shown(&passages, gold))
        .map(|gold| MissedGold {
            source_id: gold.source_id.clone(),
            quote: gold.quote.clone(),
            in_context: in_context(context, gold),
        })
        .collect()
}

/// Gold-evidence recall of the answer: of its cited quotes and of its sentences, each counted for the sources
/// that it cites.
pub fn answer_recall(response: &ResponseRecord, query: Option<&Query>) -> Score {
    let passages = if response.no_evidence {
        Vec::new()
    } else {
        passages(response)
    };
    recall(query, |gold| Some(shown(&passages, gold)))
}

fn shown(passages: &[(SourceId, String)], gold: &GoldEvidence) -> bool {
    let mut own = passages.iter().filter(|(source, _)| *source == gold.source_id);
    own.any(|(_, passage)| stands_in(passage, gold, QUOTE_WORDS))
}

/// The chunks of an index that hold each gold quote of a query set.
#[derive(Clone, Debug, Default)]
pub struct GoldChunks(HashMap<String, Vec<BTreeSet<ChunkId>>>);

impl GoldChunks {
    /// Looks for every gold quote in the chunks of its source; `chunks_of` gives these.
    pub fn find<'a, C>(set: &QuerySet, chunks_of: impl Fn(&SourceId) -> C) -> Self
    where
        C: IntoIterator<Item = &'a Chunk>,
    {
        let held = |gold: &GoldEvidence| {
            chunks_of(&gold.source_id)
                .into_iter()
                .filter(|chunk| stands_in(&chunk.text, gold, usize::MAX))
                .map(|chunk| chunk.chunk_id.clone())
                .collect()
        };
        let each = |query: &Query| (query.id.clone(), query.gold_evidence.iter().map(held).collect());
        Self(set.queries.iter().map(each).collect())
    }

    /// For each gold quote of the record's query, the rank from 1 of the first candidate that holds it.
    pub fn ranks(&self, record: &RunRecord) -> Vec<Option<usize>> {
        let candidates = record.retrieval.candidates();
        let rank = |held: &BTreeSet<ChunkId>| {
            let at = candidates.iter().position(|id| held.contains(*id));
            at.map(|at| at + 1)
        };
        let own = record.query_id.as_ref().and_then(|id| self.0.get(id));
        own.map(|quotes| quotes.iter().map(rank).collect())
            .unwrap_or_default()
    }
}

/// Scores each gold quote by `found`; `None` means that the log cannot tell.
fn recall(query: Option<&Query>, found: impl Fn(&GoldEvidence) -> Option<bool>) -> Score {
    let Some(query) = query else {
        return Score::n_a("no query set gives gold evidence");
    };
    if query.gold_evidence.is_empty() {
        return Score::n_a("the query has no gold evidence");
    }
    let hits: Option<Vec<bool>> = query.gold_evidence.iter().map(found).collect();
    match hits {
        Some(hits) => Score::share(hits.iter().filter(|hit| **hit).count(), hits.len()),
        None => Score::n_a(NO_CONTEXT),
    }
}

/// What the answer shows of each source.
fn passages(response: &ResponseRecord) -> Vec<(SourceId, String)> {
    let listed: HashMap<&ChunkId, &SourceId> = response
        .citations
        .iter()
        .map(|c| (&c.chunk_id, &c.source_id))
        .collect();
    let mut out: Vec<(SourceId, String)> = response
        .citations
        .iter()
        .map(|c| (c.source_id.clone(), c.relevant_quote.clone()))
        .collect();
    for claim in support::claims(&response.answer) {
        let mut sources: Vec<SourceId> = claim
            .cited
            .iter()
            .filter_map(|chunk| listed.get(chunk).map(|s| (*s).clone()).or_else(|| chunk.source()))
            .collect();
        sources.sort();
        sources.dedup();
        out.extend(sources.into_iter().map(|source| (source, claim.text.clone())));
    }
    out
}

/// Whether `passage` holds the gold quote, or shares with it a run of [`RUN_SHARE`] of its words (of
/// `longest` words where it has more).
fn stands_in(passage: &str, gold: &GoldEvidence, longest: usize) -> bool {
    if text::quote::find_quote(passage, &gold.quote).is_some() {
        return true;
    }
    let (passage, gold) = (words(passage), words(&gold.quote));
    let enough = (RUN_SHARE * gold.len().min(longest) as f64).ceil() as usize;
    share_run(&passage, &gold, enough)
}

/// Folded words without the punctuation around them.
fn words(text: &str) -> Vec<String> {
    let folded = text::fold::fold(text);
    folded
        .text()
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether `a` and `b` have `length` words in a row in common. Linear but for hash collisions, which are
/// checked word by word.
fn share_run(a: &[String], b: &[String], length: usize) -> bool {
    if length == 0 || a.len() < length || b.len() < length {
        return false;
    }
    let mut numbers: HashMap<&str, u64> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u64 + 1;
        *numbers.entry(word).or_insert(next)
    };
    let a: Vec<u64> = a.iter().map(|w| number(w.as_str())).collect();
    let b: Vec<u64> = b.iter().map(|w| number(w.as_str())).collect();
    let mut starts: HashMap<u64, usize> = HashMap::new();
    for (start, hash) in run_hashes(&b, length) {
        starts.entry(hash).or_insert(start);
    }
    run_hashes(&a, length).any(|(at, hash)| {
        starts
            .get(&hash)
            .is_some_and(|start| a[at..at + length] == b[*start..*start + length])
    })
}

/// A rolling hash of every run of `length` numbers, with its start; `length` is between 1 and the number of
/// items.
fn run_hashes(items: &[u64], length: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let leading = (1..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0u64;
    items.iter().enumerate().filter_map(move |(at, item)| {
        if at >= length {
            hash = hash.wrapping_sub(items[at - length].wrapping_mul(leading));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(*item);
        (at + 1 >= length).then(|| (at + 1 - length, hash))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{chunk, cite, close, refusal, response};
    use crate::queries::QuerySet;
    use proptest::prelude::*;

    const GOLD: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";

    fn query(gold: &[(&str, &str)]) -> Query {
        let gold: Vec<_> = gold
            .iter()
            .map(|(s, q)| serde_json::json!({"source_id": s, "quote": q}))
            .collect();
        let line = serde_json::json!({"id": "A", "type": "direct", "query": "q", "expected_no_evidence": false,
            "gold_evidence": gold});
        QuerySet::parse("set", &line.to_string())
            .expect("loads")
            .queries
            .remove(0)
    }

    #[test]
    fn context_by_hand() {
        let query = query(&[("a", GOLD), ("b", "Mice lived longer.")]);
        let check = |chunks: &[ContextRecord], expect: f64| {
            close(
                &context_recall(Some(chunks), Some(&query)),
                expect,
                &format!("{chunks:?}"),
            );
        };
        check(&[], 0.0);
        check(&[chunk("a__body__000", &format!("Before. {GOLD} After."))], 0.5);
        check(
            &[
                chunk("a__body__000", GOLD),
                chunk("b__results__001", "So mice lived longer. Yes."),
            ],
            1.0,
        );
        // The right words in another paper are not that evidence.
        check(&[chunk("c__body__000", GOLD)], 0.0);
        // 12 words (a lone sign is none): a run of 10 is enough (0.8 × 12 = 9.6), one of 9 is not.
        let words: Vec<&str> = GOLD.split(' ').filter(|w| *w != "%").collect();
        assert_eq!(words.len(), 12);
        check(&[chunk("a__body__000", &words[2..].join(" "))], 0.5);
        check(&[chunk("a__body__000", &words[3..].join(" "))], 0.0);
        assert_eq!(context_recall(None, Some(&query)), Score::n_a(NO_CONTEXT));
        assert!(matches!(context_recall(Some(&[]), None), Score::NotApplicable(_)));
    }

    #[test]
    fn answer_by_hand() {
        let query = query(&[("a", GOLD), ("b", "Mice lived longer.")]);
        let check = |response: &ResponseRecord, expect: f64| {
            close(&answer_recall(response, Some(&query)), expect, &response.answer);
        };
        check(
            &response("Short (a, a__body__000).", &[cite("a__body__000", GOLD)]),
            0.5,
        );
        check(
            &response(&format!("{} (a, a__body__000).", GOLD.trim_end_matches('.')), &[]),
            0.5,
        );
        check(
            &response(
                "In short, mice lived longer (b, b__body__004).",
                &[cite("a__body__000", GOLD)],
            ),
            1.0,
        );
        check(&response("Mice lived longer.", &[]), 0.0);
        check(&response("Mice lived longer (a, a__body__000).", &[]), 0.0);
        check(&refusal(), 0.0);
    }

    #[test]
    fn a_gold_quote_longer_than_a_quote_may_be() {
        let long: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
        let query = query(&[("a", &long.join(" "))]);
        let score = |words: usize| {
            answer_recall(
                &response("x", &[cite("a__body__000", &long[..words].join(" "))]),
                Some(&query),
            )
        };
        close(&score(32), 1.0, "0.8 of 40");
        close(&score(31), 0.0, "less");
    }

    fn slow_share_run(a: &[String], b: &[String], length: usize) -> bool {
        length > 0 && a.windows(length).any(|x| b.windows(length).any(|y| x == y))
    }

    proptest! {
        #[test]
        fn runs_as_by_brute_force(a in prop::collection::vec("[ab]", 0..14), b in prop::collection::vec("[ab]", 0..14), length in 0usize..8) {
            prop_assert_eq!(share_run(&a, &b, length), slow_share_run(&a, &b, length));
        }
    }
}
