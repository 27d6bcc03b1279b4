//! Draws the sentences of the index that answers are made from.

use eval::planted::Fact;
use std::{collections::BTreeMap, sync::Arc};
use types::{Chunk, Context, ContextChunk, Origin, SectionKind, SourceId, SourceMeta, StoredSource};

/// Number of sentences in an answer, each from a different paper.
const SENTENCES: usize = 3;
/// Papers that a sample needs: those of the answer, the decoy and the foreign one.
pub(super) const LEAST_PAPERS: usize = SENTENCES + 2;
/// How many words a sentence of an answer may have.
const WORDS: std::ops::RangeInclusive<usize> = 8..=45;

/// What one answer is made from.
pub(super) struct Sample {
    /// Its sentences.
    pub(super) facts: Vec<Fact>,
    /// A sentence of another paper. Its passage is in the context, too.
    pub(super) decoy: Fact,
    /// A sentence of yet another paper. Its passage is not in the context.
    pub(super) foreign: Fact,
    /// The passages of the facts and of the decoy.
    pub(super) context: Context,
}

/// A passage: its place in the seeded order, the chunk, and the indices of the sentences that an answer may contain.
type Usable<'a> = (u64, &'a Arc<Chunk>, Vec<usize>);

/// The samples, and what they were drawn from.
pub(super) struct Samples {
    pub(super) samples: Vec<Sample>,
    /// Papers with a sentence that an answer may contain.
    pub(super) papers: usize,
}

/// Draws `count` samples, or none if there are fewer than [`LEAST_PAPERS`]. The papers take turns in a seeded order, and in
/// each round one place later, so that each paper comes to every place of a sample. In a small index, sentences are drawn more
/// than once.
pub(super) fn samples(chunks: &[Arc<Chunk>], sources: &[StoredSource], count: usize, seed: u64) -> Samples {
    let metas: BTreeMap<&SourceId, &Arc<SourceMeta>> = sources
        .iter()
        .map(|source| (&source.meta.source_id, &source.meta))
        .collect();
    let mut of: BTreeMap<&SourceId, Vec<Usable<'_>>> = BTreeMap::new();
    for chunk in chunks {
        let usable = usable(chunk);
        if !usable.is_empty() && metas.contains_key(&chunk.source_id) {
            let key = order(seed, chunk.chunk_id.as_str());
            of.entry(&chunk.source_id).or_default().push((key, chunk, usable));
        }
    }
    let mut papers: Vec<_> = of.into_iter().collect();
    papers.sort_by_key(|(source, _)| order(seed, source.as_str()));
    for (_, chunks) in &mut papers {
        chunks.sort_by_key(|(key, _, _)| *key);
    }
    if papers.len() < LEAST_PAPERS {
        return Samples {
            samples: Vec::new(),
            papers: papers.len(),
        };
    }
    let take = |number: usize| {
        let round = number / papers.len();
        let (_, chunks) = &papers[(number + round) % papers.len()];
        let (key, chunk, usable) = &chunks[round % chunks.len()];
        let at = usable[(*key as usize).wrapping_add(round / chunks.len()) % usable.len()];
        let meta = metas[&chunk.source_id];
        (fact(chunk, at, meta), *chunk, meta)
    };
    let sample = |number: usize| {
        let first = number * LEAST_PAPERS;
        let mut taken: Vec<_> = (first..=first + SENTENCES).map(take).collect();
        Sample {
            foreign: take(first + SENTENCES + 1).0,
            context: Context {
                chunks: taken.iter().map(|(_, chunk, meta)| place(chunk, meta)).collect(),
            },
            decoy: taken.remove(SENTENCES).0,
            facts: taken.into_iter().map(|(fact, _, _)| fact).collect(),
        }
    };
    Samples {
        samples: (0..count).map(sample).collect(),
        papers: papers.len(),
    }
}

/// Returns the indices of the sentences that an answer may contain: those that state something, end in a full stop, and
/// have no bracket or table.
fn usable(chunk: &Chunk) -> Vec<usize> {
    if chunk.section == SectionKind::References {
        return Vec::new();
    }
    let fits = |text: &str| {
        WORDS.contains(&text.split_whitespace().count())
            && text.ends_with('.')
            && text.starts_with(char::is_uppercase)
            && !text.contains(['|', '(', '[', '\n'])
            && !evidence::points_back(text)
            && matches!(evidence::form(text), evidence::Form::Usable(factor) if factor >= 1.0)
    };
    let all = chunk.sentences.iter().enumerate();
    all.filter(|(_, sentence)| fits(chunk.sentence(sentence)))
        .map(|(at, _)| at)
        .collect()
}

fn fact(chunk: &Chunk, at: usize, meta: &SourceMeta) -> Fact {
    let surname = meta.authors.first().and_then(|author| types::surname(author));
    Fact {
        sentence: chunk.sentence(&chunk.sentences[at]).to_owned(),
        passage: chunk.text.clone(),
        chunk_id: chunk.chunk_id.clone(),
        source_id: chunk.source_id.clone(),
        author: surname.unwrap_or_default().to_owned(),
    }
}

fn place(chunk: &Arc<Chunk>, meta: &Arc<SourceMeta>) -> ContextChunk {
    ContextChunk {
        chunk: Arc::clone(chunk),
        source: Arc::clone(meta),
        sentences: Arc::default(),
        origin: Origin::Reranked,
        vector_score: 1.0,
        bm25_score: 0.0,
        combined_score: 1.0,
        rerank_score: None,
    }
}

/// Returns a key that puts names in a seeded order: FNV-1a of seed and name.
fn order(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
