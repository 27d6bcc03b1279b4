//! Finds labelled evidence (gold quotes) in chunks, in a context and in an answer.

use super::citations::{passage_id, resolve};
use super::view::lacks;
use super::{Need, QUOTE_WORDS, Tools, View, documents};
use crate::judge::Verdicts;
use crate::{GoldEvidence, GoldPath, GoldQuote, Passage, Query, QuerySet, Sample, Score};
use std::collections::{BTreeSet, HashMap};
use types::{Chunk, ChunkId, ContextRecord, Origin, RunRecord, SourceId};

/// A gold quote counts as found if a run of this share of its words is found: a quote that was cut at the edge of a
/// chunk or by the 40-word limit still shows the evidence.
const RUN_SHARE: f64 = 0.8;

/// The gold quotes of a question, each with the stages that still had it; those of the context are `None` without one.
pub(crate) fn paths(record: &RunRecord, query: Option<&Query>) -> Vec<GoldPath> {
    let shown = shown_in(record);
    let path = |gold: &GoldEvidence| {
        let holds = |chunk: &&ContextRecord| {
            chunk.source_id == gold.source_id && stands_in(&chunk.text, &gold.quote, usize::MAX)
        };
        let context = record.context.as_ref();
        let holding: Option<Vec<_>> = context.map(|context| context.iter().filter(holds).collect());
        let is_kept = |chunk: &&ContextRecord| chunk.origin == Origin::Reranked;
        GoldPath {
            source_id: gold.source_id.clone(),
            quote: gold.quote.clone(),
            reranked: holding.as_ref().map(|chunks| chunks.iter().any(is_kept)),
            in_context: holding.map(|chunks| !chunks.is_empty()),
            in_answer: is_shown(&shown, &GoldQuote::from(gold)),
        }
    };
    let all = query.map(|query| query.gold_evidence.as_slice());
    all.unwrap_or_default().iter().map(path).collect()
}

/// For each gold quote of a query set, the chunks of an index that contain it.
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
                .filter(|chunk| stands_in(&chunk.text, &gold.quote, usize::MAX))
                .map(|chunk| chunk.chunk_id.clone())
                .collect()
        };
        let each = |query: &Query| (query.id.clone(), query.gold_evidence.iter().map(held).collect());
        Self(set.queries.iter().map(each).collect())
    }

    /// For each gold quote of the record's query, the rank, from 1, of the first candidate that contains it.
    pub fn ranks(&self, record: &RunRecord) -> Vec<Option<usize>> {
        let candidates = record.retrieval.candidates();
        let rank = |held: &BTreeSet<ChunkId>| {
            let at = candidates.iter().position(|id| held.contains(*id));
            at.map(|at| at + 1)
        };
        let own = record.query_id.as_ref().and_then(|id| self.0.get(id));
        own.map(|quotes| quotes.iter().map(rank).collect()).unwrap_or_default()
    }
}

/// The gold quotes of a sample; at least one.
pub(super) fn quotes<'a>(sample: &View<'a>) -> Result<&'a [GoldQuote], Score> {
    let quotes = sample.sample.gold_quotes.as_deref();
    let quotes = quotes.filter(|quotes| !quotes.is_empty());
    quotes.ok_or_else(|| lacks(Need::GoldEvidence))
}

/// Whether a passage of the gold quote's own document, where both name one, contains the quote.
pub(super) fn stands_in_passages(passages: &[Passage], gold: &GoldQuote) -> bool {
    let mut own = passages.iter().filter(|passage| of_document(gold, passage.document.as_deref()));
    own.any(|passage| stands_in(&passage.text, &gold.quote, usize::MAX))
}

/// What an answer shows: texts, each with the document that it is from, where that is known. A refusal shows nothing.
pub(crate) type Shown = Vec<(Option<String>, String)>;

/// What the answer of a record shows.
pub(crate) fn shown_in(record: &RunRecord) -> Shown {
    let sample = Sample::of_record(record, &record.response, None);
    let verdicts = Verdicts::default();
    // An answer is there, and whether it is a refusal is known.
    shown_by(&View::new(&sample, Tools::default(), &verdicts)).unwrap_or_default()
}

/// The quotes that the answer cites, and its sentences for each document that they cite.
pub(super) fn shown_by(sample: &View<'_>) -> Result<Shown, Score> {
    let reading = sample.answer()?;
    if sample.refused()? {
        return Ok(Vec::new());
    }
    let passages = sample.sample.passages.as_deref().unwrap_or_default();
    let listed = sample.sample.citations.iter().flatten();
    let mut out: Shown = listed
        .filter_map(|cited| {
            let own = resolve(cited, passages).first().and_then(|at| passages[*at].document.clone());
            Some((cited.document.clone().or(own), cited.quote.clone()?))
        })
        .collect();
    for claim in &reading.claims {
        let of_passage = |id: &ChunkId| {
            let mut own = passages.iter().enumerate();
            own.find(|(at, passage)| passage_id(*at, passage) == id.as_str())
                .and_then(|(_, passage)| passage.document.clone())
        };
        let of_citation = |id: &ChunkId| {
            let mut listed = sample.sample.citations.iter().flatten();
            let own = listed.find(|cited| cited.passage.as_deref() == Some(id.as_str()));
            own.and_then(|cited| cited.document.clone())
        };
        let document = |id: &ChunkId| {
            let known = of_citation(id).or_else(|| of_passage(id));
            known.or_else(|| id.source().map(|source| source.to_string()))
        };
        let mut documents: Vec<Option<String>> = claim.cited.iter().map(document).collect();
        documents.sort();
        documents.dedup();
        if documents.is_empty() && !reading.tells {
            documents.push(None);
        }
        out.extend(documents.into_iter().map(|document| (document, claim.text.clone())));
    }
    Ok(out)
}

/// Whether what an answer shows of the gold quote's document contains the quote.
pub(super) fn is_shown(shown: &Shown, gold: &GoldQuote) -> bool {
    let mut own = shown.iter().filter(|(document, _)| of_document(gold, document.as_deref()));
    own.any(|(_, text)| stands_in(text, &gold.quote, QUOTE_WORDS))
}

/// Whether a text may be of the gold quote's document: it is, or one of the two names none.
fn of_document(gold: &GoldQuote, document: Option<&str>) -> bool {
    match (gold.document.as_deref(), document) {
        (Some(gold), Some(document)) => documents::key(gold) == documents::key(document),
        _ => true,
    }
}

/// Whether `passage` contains the gold quote, or a run of [`RUN_SHARE`] of its words, counting at most `longest` words.
fn stands_in(passage: &str, gold: &str, longest: usize) -> bool {
    if text::quote::find_quote(passage, gold).is_some() {
        return true;
    }
    let (passage, gold) = (words(passage), words(gold));
    let enough = (RUN_SHARE * gold.len().min(longest) as f64).ceil() as usize;
    share_run(&passage, &gold, enough)
}

/// Folded words without the punctuation around them.
pub(crate) fn words(text: &str) -> Vec<String> {
    let folded = text::fold::fold(text);
    folded
        .text()
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether `a` and `b` have `length` words in a row in common. Takes linear time, except for hash collisions, which are
/// checked word by word.
pub(crate) fn share_run(a: &[String], b: &[String], length: usize) -> bool {
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
        starts.get(&hash).is_some_and(|start| a[at..at + length] == b[*start..*start + length])
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
    use proptest::prelude::*;

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
