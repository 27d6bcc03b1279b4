//! Generated papers without vectors, and questions about them.

use crate::words;
use question::analyse;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use retrieve::SourceEntry;
use types::{Chunk, ChunkId, Filter, Mode, Question, SectionKind, SourceId, SourceMeta, Span};

/// Chunks of a paper.
pub(super) const CHUNKS: usize = 20;
/// Words of a chunk, a title, a heading and a question.
const WORDS: usize = 300;
const TITLE_WORDS: usize = 12;
const HEADING_WORDS: usize = 3;
const QUESTION_WORDS: usize = 6;

/// The paper with this number, the same for the same seed.
pub(super) fn paper(seed: u64, number: usize) -> SourceEntry {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ ((number as u64) << 20));
    let source_id = SourceId::from(format!("paper_{number:07}"));
    let mut entry = SourceEntry {
        meta: SourceMeta {
            source_id: source_id.clone(),
            title: Some(text(&mut rng, TITLE_WORDS)),
            ..SourceMeta::default()
        },
        key: format!("key of {number}"),
        path: format!("papers/{source_id}.pdf"),
        root: "papers".to_owned(),
        ..SourceEntry::default()
    };
    for ordinal in 0..CHUNKS {
        let (heading, text) = (text(&mut rng, HEADING_WORDS), text(&mut rng, WORDS));
        entry.windows.push(Vec::new());
        entry.chunks.push(Chunk {
            chunk_id: ChunkId::from_parts(&source_id, SectionKind::Body, ordinal),
            source_id: source_id.clone(),
            section: SectionKind::Body,
            heading,
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 1,
            span: Span::new(0, text.len()),
            prefix: String::new(),
            tokens: WORDS as u32,
            sentences: Vec::new(),
            text,
        });
    }
    entry
}

fn text(rng: &mut ChaCha8Rng, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|_| words::draw(rng)).collect();
    words.join(" ")
}

/// Which words a question is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Words that few chunks hold.
    Rare,
    /// Content words as they come: some of most chunks, some of few.
    Mixed,
    /// Words of which most chunks hold several.
    Frequent,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Rare, Self::Mixed, Self::Frequent];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rare => "rare words",
            Self::Mixed => "mixed words",
            Self::Frequent => "frequent words",
        }
    }
}

/// Questions of a kind, to be searched by BM25.
pub(super) fn questions(seed: u64, kind: Kind, count: usize) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [from, to] = match kind {
        Kind::Rare => [0.85, 1.0],
        Kind::Mixed => [0.3, 1.0],
        Kind::Frequent => [0.1, 0.4],
    };
    let mut question = || {
        let words: Vec<String> = (0..QUESTION_WORDS)
            .map(|_| words::draw_between(&mut rng, from, to))
            .collect();
        analyse(&words.join(" "), Vec::new(), Mode::Bm25, Filter::default())
    };
    (0..count).map(|_| question()).collect()
}
