//! Generated papers: words and vectors from a fixed seed, in the proportions of real papers.

use crate::words;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::SourceEntry;
use types::{Chunk, ChunkId, SectionKind, SentenceSpan, SourceId, SourceMeta, Span};

/// Dimension of the vectors, as in the default embedding model.
pub(super) const DIMENSION: usize = 384;
/// Chunks of a paper.
pub(super) const CHUNKS: usize = 20;
/// Sentences of a chunk.
const SENTENCES: usize = 12;
/// Words of a sentence.
const WORDS: usize = 24;
/// Embedding windows of a chunk.
const WINDOWS: usize = 2;

/// The paper with this number: [`CHUNKS`] chunks, the same for the same seed.
pub(super) fn paper(seed: u64, number: usize) -> SourceEntry {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ ((number as u64) << 20));
    let source_id = SourceId::from(format!("paper_{number:07}"));
    let mut entry = SourceEntry {
        meta: SourceMeta {
            source_id: source_id.clone(),
            title: Some(format!("Paper {number}")),
            year: Some(2000),
            ..SourceMeta::default()
        },
        key: format!("key of {number}"),
        path: format!("papers/{source_id}.pdf"),
        root: "papers".to_owned(),
        ..SourceEntry::default()
    };
    let mut at = 0;
    for ordinal in 0..CHUNKS {
        let mut text = String::new();
        let mut sentences = Vec::new();
        for sentence in 0..SENTENCES {
            let start = text.len();
            for place in 0..WORDS {
                text.push_str(if place == 0 { "" } else { " " });
                text.push_str(&words::draw(&mut rng));
            }
            text.push('.');
            sentences.push(SentenceSpan {
                span: Span::new(start, text.len()),
                number: (ordinal * SENTENCES + sentence) as u32,
                page: 1,
            });
            text.push(' ');
        }
        text.pop();
        let middle = sentences[SENTENCES / 2].span.start;
        entry
            .windows
            .push(vec![Span::new(0, middle - 1), Span::new(middle, text.len())]);
        entry
            .window_vectors
            .extend((0..WINDOWS).map(|_| vector(&mut rng)));
        entry
            .sentence_vectors
            .extend((0..SENTENCES).map(|_| vector(&mut rng)));
        entry.chunks.push(Chunk {
            chunk_id: ChunkId::from_parts(&source_id, SectionKind::Body, ordinal),
            source_id: source_id.clone(),
            section: SectionKind::Body,
            heading: String::new(),
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 1,
            span: Span::new(at, at + text.len()),
            prefix: format!("[Source: {source_id}]"),
            tokens: (SENTENCES * WORDS) as u32,
            sentences,
            text,
        });
        at += entry.chunks[ordinal].text.len() + 1;
    }
    entry
}

fn vector(rng: &mut ChaCha8Rng) -> Vec<f32> {
    (0..DIMENSION).map(|_| rng.random_range(-1.0_f32..1.0)).collect()
}
