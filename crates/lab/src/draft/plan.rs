//! Which drafts are tried, in which order.

use super::{excerpt::Excerpt, writer::Kind};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};
use text::entities::entities;
use types::{Chunk, SectionKind, SourceId, digest::sha256_of_parts};

/// Fewest words of a passage that is worth a question.
const WORDS: usize = 30;
/// Of the answerable questions, every third is a synthesis question.
const SYNTHESIS: usize = 3;
/// Drafts that are tried for each question that is wanted.
const TRIES: usize = 4;

/// A draft.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Its name, unique in a run.
    pub(super) name: String,
    /// The index of its quota.
    pub(super) quota: usize,
    /// What it is about; none if a given question has no document in the index.
    pub(super) excerpts: Vec<Excerpt>,
    /// The question, if it is given.
    pub(super) given: Option<Given>,
}

/// A question that is given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Its id, as the file writes it.
    pub(super) id: String,
    /// The question.
    pub(super) question: String,
    /// All of its relevant documents that are in the index.
    pub(super) targets: Vec<SourceId>,
}

/// How many questions of a kind are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    /// The kind.
    pub(super) kind: Kind,
    /// How many.
    pub(super) wanted: usize,
}

/// Direct, synthesis and unanswerable questions that make `count` together.
pub(super) fn quotas(count: usize, unanswerable: f64) -> Vec<Quota> {
    let none = (count as f64 * unanswerable).round() as usize;
    let none = none.min(count);
    let synthesis = (count - none) / SYNTHESIS;
    let quota = |kind, wanted| Quota { kind, wanted };
    vec![
        quota(Kind::Direct, count - none - synthesis),
        quota(Kind::Synthesis, synthesis),
        quota(Kind::Unanswerable, none),
    ]
}

/// The drafts: at most [`TRIES`] for each question, as far as there are passages. Each passage is used once. The kinds take
/// turns, so that none gets only what the others left.
pub(super) fn slots(mut passages: impl Iterator<Item = Excerpt>, quotas: &[Quota]) -> Vec<Slot> {
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); quotas.len()];
    loop {
        let before: usize = slots.iter().map(Vec::len).sum();
        for (at, quota) in quotas.iter().enumerate() {
            if slots[at].len() >= quota.wanted * TRIES {
                continue;
            }
            let Some(excerpt) = passages.next() else { break };
            let name = format!("{}-{}", quota.kind.as_str(), slots[at].len() + 1);
            slots[at].push(Slot { name, quota: at, excerpts: vec![excerpt], given: None });
        }
        if slots.iter().map(Vec::len).sum::<usize>() == before {
            return slots.concat();
        }
    }
}

/// The passages that are worth a question, because they have numbers or names, in an order that any number can be taken from:
/// papers take turns, and within a paper sections take turns. Papers, sections and passages are shuffled by `seed`. Reference
/// lists and supplements are left out.
pub(super) fn spread(chunks: &[Arc<Chunk>], seed: u64) -> Vec<Arc<Chunk>> {
    let key = |parts: &[&str]| {
        let seed = seed.to_le_bytes();
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        sha256_of_parts(&[&[&seed[..]], &parts[..]].concat())
    };
    let mut papers: BTreeMap<&SourceId, BTreeMap<SectionKind, Vec<Arc<Chunk>>>> = BTreeMap::new();
    let worth =
        |chunk: &&Arc<Chunk>| text::word_count(&chunk.text) >= WORDS && !entities(&chunk.text).is_empty();
    for chunk in chunks.iter().filter(|chunk| chunk.section.indexed()).filter(worth) {
        papers.entry(&chunk.source_id).or_default().entry(chunk.section).or_default().push(Arc::clone(chunk));
    }
    let papers = papers.into_iter().map(|(paper, sections)| {
        let sections = sections.into_iter().map(|(section, mut found)| {
            found.sort_by_cached_key(|chunk| key(&[chunk.chunk_id.as_str()]));
            (key(&[paper.as_str(), section.as_str()]), found)
        });
        (key(&[paper.as_str()]), in_turns(sections.collect()))
    });
    in_turns(papers.collect())
}

/// One of each list, in the order of their keys, then the next of each, until all are empty.
fn in_turns(mut lists: Vec<(String, Vec<Arc<Chunk>>)>) -> Vec<Arc<Chunk>> {
    lists.sort_by(|a, b| a.0.cmp(&b.0));
    let mut queues: Vec<VecDeque<Arc<Chunk>>> = lists.into_iter().map(|(_, list)| list.into()).collect();
    let mut out = Vec::new();
    loop {
        let before = out.len();
        out.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
        if out.len() == before {
            return out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::excerpt::tests::excerpt;
    use types::ChunkId;

    #[test]
    fn shares_make_the_count() {
        let wanted = |count, share| {
            let quotas = quotas(count, share);
            quotas.iter().map(|quota| quota.wanted).collect::<Vec<_>>()
        };
        assert_eq!(wanted(20, 0.25), [10, 5, 5]);
        assert_eq!(wanted(1, 0.25), [1, 0, 0]);
        assert_eq!(wanted(3, 1.0), [0, 0, 3]);
        assert_eq!(wanted(4, 0.0), [3, 1, 0]);
        for count in 1..40 {
            assert_eq!(wanted(count, 0.3).iter().sum::<usize>(), count);
        }
    }

    fn chunk(source: &str, section: SectionKind, number: usize, sentence: &str) -> Arc<Chunk> {
        let filler =
            "The volunteers of the clinic walked along the harbour in the morning and in the evening. ";
        let text = format!("{}{sentence}", filler.repeat(3));
        let mut chunk = (*excerpt(source, &text).chunk).clone();
        chunk.chunk_id = ChunkId::from_parts(&chunk.source_id, section, number);
        chunk.section = section;
        Arc::new(chunk)
    }

    fn ids(chunks: &[Arc<Chunk>]) -> Vec<&str> {
        chunks.iter().map(|chunk| chunk.chunk_id.as_str()).collect()
    }

    #[test]
    fn papers_and_sections_take_turns() {
        let number = "Walking lowered systolic blood pressure by 12 mmHg in the group.";
        let plain = "Nothing of note happened to the group in all of these weeks.";
        let mut chunks = Vec::new();
        for paper in ["a", "b", "c"] {
            for at in 0..3 {
                chunks.push(chunk(paper, SectionKind::Results, at, number));
            }
            chunks.push(chunk(paper, SectionKind::Methods, 0, number));
            chunks.push(chunk(paper, SectionKind::Discussion, 0, plain));
            chunks.push(chunk(paper, SectionKind::References, 0, number));
        }
        let found = spread(&chunks, 1);
        assert_eq!(found.len(), 12, "{:?}", ids(&found));
        let of = |range: std::ops::Range<usize>, what: fn(&Chunk) -> String| {
            let mut all: Vec<String> = found[range].iter().map(|chunk| what(chunk)).collect();
            all.sort();
            all.dedup();
            all.len()
        };
        assert_eq!(of(0..3, |c| c.source_id.to_string()), 3, "each paper once");
        assert_eq!(of(0..6, |c| format!("{} {}", c.source_id, c.section)), 6, "both sections");
        assert!(!ids(&found).iter().any(|id| id.contains("references") || id.contains("discussion")));
        assert_eq!(ids(&spread(&chunks, 1)), ids(&found), "same seed, same order");
        assert!((2..9).any(|seed| ids(&spread(&chunks, seed)) != ids(&found)));
        chunks.reverse();
        assert_eq!(ids(&spread(&chunks, 1)), ids(&found), "whatever the order of chunks");
    }
}
