//! Passages spread over papers and sections.

use crate::draft::{
    Excerpt, Reason,
    reasons::{best_sentence, reasons},
};
use eval::GoldEvidence;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};
use types::{Chunk, SectionKind, SourceId, digest::sha256_of_parts};

/// Fewest words of a passage that is worth a question.
const WORDS: usize = 30;

/// A passage that a question could be written for.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The passage.
    pub chunk: Arc<Chunk>,
    /// Why it was chosen: what it has. Not empty.
    pub reasons: Vec<Reason>,
    /// A sentence of it with the most of that, as gold evidence.
    pub gold: GoldEvidence,
}

/// The passages that are worth a question, in an order that any number can be taken from: papers take turns, and within a
/// paper sections take turns; of a section, the passages with the most reasons come first. Papers, sections and equal
/// passages are shuffled by `seed`. Reference lists and supplements are left out.
pub fn spread(chunks: &[Arc<Chunk>], seed: u64) -> Vec<Candidate> {
    let mut papers: BTreeMap<&SourceId, BTreeMap<SectionKind, Vec<Candidate>>> = BTreeMap::new();
    for chunk in chunks.iter().filter(|chunk| chunk.section.indexed()) {
        if let Some(found) = candidate(chunk) {
            let sections = papers.entry(&chunk.source_id).or_default();
            sections.entry(chunk.section).or_default().push(found);
        }
    }
    let key = |parts: &[&str]| {
        let seed = seed.to_le_bytes();
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        sha256_of_parts(&[&[&seed[..]], &parts[..]].concat())
    };
    let mut queues: Vec<(String, VecDeque<Candidate>)> = Vec::new();
    for (paper, sections) in papers {
        let mut own: Vec<(String, VecDeque<Candidate>)> = Vec::new();
        for (section, mut found) in sections {
            found.sort_by_cached_key(|candidate| {
                let id = candidate.chunk.chunk_id.as_str();
                (std::cmp::Reverse(candidate.reasons.len()), key(&[id]))
            });
            own.push((key(&[paper.as_str(), section.as_str()]), found.into()));
        }
        queues.push((key(&[paper.as_str()]), in_turns(own).into()));
    }
    in_turns(queues)
}

/// One of each queue, in the order of their keys, then the next of each, until all are empty.
fn in_turns(mut queues: Vec<(String, VecDeque<Candidate>)>) -> Vec<Candidate> {
    queues.sort_by(|a, b| a.0.cmp(&b.0));
    let mut out = Vec::new();
    loop {
        let before = out.len();
        out.extend(queues.iter_mut().filter_map(|(_, queue)| queue.pop_front()));
        if out.len() == before {
            return out;
        }
    }
}

fn candidate(chunk: &Arc<Chunk>) -> Option<Candidate> {
    if text::word_count(&chunk.text) < WORDS {
        return None;
    }
    let reasons = reasons(&chunk.text);
    let (range, _) = best_sentence(&chunk.text)?;
    if reasons.is_empty() {
        return None;
    }
    let excerpt = Excerpt { chunk: Arc::clone(chunk), title: None };
    Some(Candidate { gold: excerpt.gold(&chunk.text[range])?, chunk: excerpt.chunk, reasons })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::excerpt::tests::excerpt;
    use types::ChunkId;

    fn chunk(source: &str, section: SectionKind, number: usize, sentence: &str) -> Arc<Chunk> {
        let filler =
            "The volunteers of the clinic walked along the harbour in the morning and in the evening. ";
        let text = format!("{}{sentence}", filler.repeat(3));
        let mut chunk = (*excerpt(source, &text).chunk).clone();
        chunk.chunk_id = ChunkId::from_parts(&chunk.source_id, section, number);
        chunk.section = section;
        Arc::new(chunk)
    }

    fn ids(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|c| c.chunk.chunk_id.as_str()).collect()
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
        let of = |range: std::ops::Range<usize>, what: fn(&Candidate) -> String| {
            let mut all: Vec<String> = found[range].iter().map(what).collect();
            all.sort();
            all.dedup();
            all.len()
        };
        assert_eq!(of(0..3, |c| c.chunk.source_id.to_string()), 3, "each paper once");
        assert_eq!(of(0..6, |c| c.chunk.chunk_id.to_string().replace("__000", "")), 6, "both sections");
        assert!(!ids(&found).iter().any(|id| id.contains("references") || id.contains("discussion")));
        assert_eq!(ids(&spread(&chunks, 1)), ids(&found), "same seed, same order");
        assert!((2..9).any(|seed| ids(&spread(&chunks, seed)) != ids(&found)));
        chunks.reverse();
        assert_eq!(ids(&spread(&chunks, 1)), ids(&found), "whatever the order of chunks");
    }

    #[test]
    fn passages_with_more_to_ask_come_first() {
        let numbers = "Walking lowered systolic blood pressure by 12 mmHg in the group.";
        let both = "Walking lowered systolic blood pressure by 12 mmHg more than rest.";
        let chunks =
            [chunk("a", SectionKind::Results, 0, numbers), chunk("a", SectionKind::Results, 1, both)];
        for seed in 0..4 {
            let found = spread(&chunks, seed);
            assert_eq!(found[0].reasons, [Reason::Comparison, Reason::Numbers]);
            assert!(found[0].gold.quote.starts_with("Walking lowered"));
        }
    }
}
