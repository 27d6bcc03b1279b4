//! Which drafts are tried, in which order.

use crate::draft::{Candidate, Dropped, Excerpt, Kind};
use eval::Query;
use std::{collections::VecDeque, ops::RangeInclusive};
use types::{SourceId, digest::sha256_of_parts};

/// Of the answerable questions, every third is a synthesis question.
const SYNTHESIS: usize = 3;
/// Drafts that are tried for each question that is wanted.
const TRIES: usize = 4;

/// What a draft is about.
#[derive(Clone, Debug)]
pub(super) enum Task {
    /// A question about the passage and, for a synthesis question, about passages of this many documents in all.
    Answerable {
        /// The kind.
        kind: Kind,
        /// The passage.
        candidate: Candidate,
        /// Documents.
        documents: usize,
        /// Fewest documents; passages of the same paper fill up.
        at_least: usize,
    },
    /// A question that is close to the passage, without an answer in the papers.
    NearMiss(Candidate),
    /// An answer to a question.
    Given {
        /// Its id, as the file writes it.
        id: String,
        /// The question.
        question: String,
        /// Passages of the best of its relevant documents.
        excerpts: Vec<Excerpt>,
        /// All of its relevant documents that are in the index.
        targets: Vec<SourceId>,
    },
}

/// What came of a draft: a row, or why there is none.
pub(super) type Outcome = Result<Query, Dropped>;

/// A draft.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// Its name, unique in a run.
    pub(super) name: String,
    /// The index of its quota.
    pub(super) quota: usize,
    /// What it is about.
    pub(super) task: Task,
}

/// How many questions of a kind are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    /// `direct`, `synthesis`, `unanswerable` or `given`.
    pub(super) name: &'static str,
    /// What ids of its rows begin with; empty where ids are given.
    pub(super) prefix: &'static str,
    /// How many.
    pub(super) wanted: usize,
}

/// Direct, synthesis and unanswerable questions that make `count` together.
pub(super) fn quotas(count: usize, unanswerable: f64) -> Vec<Quota> {
    let none = (count as f64 * unanswerable).round() as usize;
    let none = none.min(count);
    let synthesis = (count - none) / SYNTHESIS;
    let quota = |name, prefix, wanted| Quota { name, prefix, wanted };
    vec![
        quota("direct", "G-D", count - none - synthesis),
        quota("synthesis", "G-S", synthesis),
        quota("unanswerable", "G-E", none),
    ]
}

/// The drafts: at most [`TRIES`] for each question, as far as there are passages. Each passage is used once. The kinds take
/// turns, so that none gets only what the others left.
pub(super) fn slots(
    candidates: Vec<Candidate>,
    quotas: &[Quota],
    per_question: &RangeInclusive<usize>,
    seed: u64,
) -> Vec<Slot> {
    let mut candidates: VecDeque<Candidate> = candidates.into();
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); quotas.len()];
    loop {
        let before: usize = slots.iter().map(Vec::len).sum();
        for (at, quota) in quotas.iter().enumerate() {
            if slots[at].len() >= quota.wanted * TRIES {
                continue;
            }
            let Some(candidate) = candidates.pop_front() else {
                break;
            };
            let documents = documents(per_question, &candidate, seed);
            let task = match quota.name {
                "direct" => Task::Answerable { kind: Kind::Direct, candidate, documents: 1, at_least: 1 },
                "synthesis" => Task::Answerable {
                    kind: Kind::Synthesis,
                    candidate,
                    documents,
                    at_least: (*per_question.start()).max(2),
                },
                _ => Task::NearMiss(candidate),
            };
            let number = slots[at].len() + 1;
            slots[at].push(Slot { name: format!("{}-{number}", quota.name), quota: at, task });
        }
        if slots.iter().map(Vec::len).sum::<usize>() == before {
            return slots.concat();
        }
    }
}

/// Documents of a synthesis question about this passage.
fn documents(per_question: &RangeInclusive<usize>, candidate: &Candidate, seed: u64) -> usize {
    let (low, high) = (*per_question.start(), *per_question.end());
    let key = sha256_of_parts(&[&seed.to_le_bytes(), candidate.chunk.chunk_id.as_str().as_bytes()]);
    let number = usize::from_str_radix(&key[..6], 16).unwrap_or_default();
    (low + number % (high.saturating_sub(low) + 1)).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
