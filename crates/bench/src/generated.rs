//! Generated papers: text, vectors and questions from a fixed seed, in the proportions of real papers.
//!
//! Words have the frequencies of real text ([`words`]). Vectors are clustered like those of an embedding model: papers of
//! a topic are alike, and the chunks of a paper more so. The same seed and number give the same paper, whichever papers
//! were generated before.

use crate::words;
use question::analyse;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::{SourceEntry, WriterSettings};
use types::{Chunk, ChunkId, Filter, Mode, Question, SectionKind, SentenceSpan, SourceId, SourceMeta, Span};

/// Dimension of the vectors, as in the default embedding model.
pub(crate) const DIMENSION: usize = 384;
/// Chunks of a paper.
pub(crate) const CHUNKS: usize = 20;
/// Words of a title, of a heading and of a question.
const TITLE_WORDS: usize = 12;
const HEADING_WORDS: usize = 3;
const QUESTION_WORDS: usize = 6;
/// Papers are about one of so many topics.
const TOPICS: u64 = 1000;
/// Shares of the topic and of the paper in the vector of a window; the rest is its own. Windows of one paper then have a
/// cosine of about 0.5, papers of one topic of 0.25.
const TOPIC: f32 = 0.5;
const PAPER: f32 = 0.5;
const OWN: f32 = 0.707;

/// What a generated paper is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Sentences of a chunk; each has a vector if windows have.
    pub(crate) sentences: usize,
    /// Words of a sentence.
    pub(crate) words: usize,
    /// Embedding windows of a chunk; 0 leaves out all vectors.
    pub(crate) windows: usize,
}

impl Shape {
    /// A chunk as long as the default settings allow: 288 words in two windows.
    pub(crate) const LONG: Self = Self {
        sentences: 12,
        words: 24,
        windows: 2,
    };
    /// The same without vectors.
    pub(crate) const TEXT: Self = Self {
        windows: 0,
        ..Self::LONG
    };
    /// A paragraph of 120 words in one window.
    pub(crate) const PARAGRAPH: Self = Self {
        sentences: 5,
        words: 24,
        windows: 1,
    };

    /// Numbers in a vector; 1 where there are no vectors, because an index needs one.
    pub(crate) fn dimension(self) -> usize {
        if self.windows > 0 { DIMENSION } else { 1 }
    }

    /// For the writer of an index of such papers.
    pub(crate) fn writer(self) -> WriterSettings {
        WriterSettings {
            embedder_id: "seeded".to_owned(),
            dimension: self.dimension(),
            parser: "none".to_owned(),
            chunker: "none".to_owned(),
            ..WriterSettings::default()
        }
    }

    /// The paper with this number: [`CHUNKS`] chunks.
    pub(crate) fn paper(self, seed: u64, number: usize) -> SourceEntry {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ ((number as u64) << 20));
        let source_id = SourceId::from(format!("paper_{number:07}"));
        let mut entry = SourceEntry {
            meta: SourceMeta {
                source_id: source_id.clone(),
                title: Some(text(&mut rng, TITLE_WORDS)),
                year: Some(2000),
                ..SourceMeta::default()
            },
            key: format!("key of {number}"),
            path: format!("papers/{source_id}.pdf"),
            root: "papers".to_owned(),
            ..SourceEntry::default()
        };
        entry.window_vectors = self.window_vectors(seed, number);
        for own in entry.window_vectors.chunks_exact(self.windows.max(1)) {
            for sentence in 0..self.sentences {
                // Near its window, at no cost: without a half of its numbers, another one for each sentence.
                let mut vector = own[sentence * own.len() / self.sentences].clone();
                vector[sentence * DIMENSION / 2 / self.sentences..][..DIMENSION / 2].fill(0.0);
                entry.sentence_vectors.push(vector);
            }
        }
        let mut at = 0;
        for ordinal in 0..CHUNKS {
            let chunk = self.chunk(&mut rng, &source_id, ordinal, at);
            at = chunk.span.end + 1;
            entry.windows.push(self.window_spans(&chunk));
            entry.chunks.push(chunk);
        }
        entry
    }

    /// The vectors of the windows of a paper alone, in the order of its chunks.
    pub(crate) fn window_vectors(self, seed: u64, number: usize) -> Vec<Vec<f32>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xc0de ^ ((number as u64) << 20));
        let centre = centre(seed, number);
        (0..CHUNKS * self.windows)
            .map(|_| unit(&mix(&centre, &direction(&mut rng), OWN)))
            .collect()
    }

    fn chunk(self, rng: &mut ChaCha8Rng, source_id: &SourceId, ordinal: usize, at: usize) -> Chunk {
        let heading = text(rng, HEADING_WORDS);
        let mut text = String::new();
        let mut sentences = Vec::new();
        for sentence in 0..self.sentences {
            let start = text.len();
            push_words(&mut text, rng, self.words);
            text.push('.');
            sentences.push(SentenceSpan {
                span: Span::new(start, text.len()),
                number: (ordinal * self.sentences + sentence) as u32,
                page: 1,
            });
            text.push(' ');
        }
        text.pop();
        if self.windows == 0 {
            sentences.clear();
        }
        Chunk {
            chunk_id: ChunkId::from_parts(source_id, SectionKind::Body, ordinal),
            source_id: source_id.clone(),
            section: SectionKind::Body,
            heading,
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 1,
            span: Span::new(at, at + text.len()),
            prefix: format!("[Source: {source_id}]"),
            tokens: (self.sentences * self.words) as u32,
            sentences,
            text,
        }
    }

    /// The windows of a chunk: as many sentences in each.
    fn window_spans(self, chunk: &Chunk) -> Vec<Span> {
        let edge = |window: usize| window * chunk.sentences.len() / self.windows;
        (0..self.windows)
            .map(|window| {
                let (from, to) = (edge(window), edge(window + 1));
                Span::new(chunk.sentences[from].span.start, chunk.sentences[to - 1].span.end)
            })
            .collect()
    }
}

/// Which words a question is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Words that few chunks hold.
    Rare,
    /// Content words as they come: some of most chunks, some of few.
    Mixed,
    /// Words of which most chunks hold several.
    Frequent,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Rare, Self::Mixed, Self::Frequent];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rare => "rare words",
            Self::Mixed => "mixed words",
            Self::Frequent => "frequent words",
        }
    }
}

/// Questions of a kind without vectors, to be searched by BM25.
pub(crate) fn questions(seed: u64, kind: Kind, count: usize) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [from, to] = match kind {
        Kind::Rare => [0.85, 1.0],
        Kind::Mixed => [0.3, 1.0],
        Kind::Frequent => [0.1, 0.4],
    };
    let mut question = || {
        let words: Vec<&str> = (0..QUESTION_WORDS)
            .map(|_| words::draw_between(&mut rng, from, to))
            .collect();
        analyse(&words.join(" "), Vec::new(), Mode::Bm25, Filter::default())
    };
    (0..count).map(|_| question()).collect()
}

/// Unit vectors of questions about papers of the first `papers`: as near to the chunks of a paper as these are to each
/// other.
pub(crate) fn question_vectors(seed: u64, papers: usize, count: usize) -> Vec<Vec<f32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
    let mut vector = || {
        let centre = centre(seed, rng.random_range(0..papers.max(1)));
        unit(&mix(&centre, &direction(&mut rng), OWN))
    };
    (0..count).map(|_| vector()).collect()
}

/// What the windows of a paper have in common.
fn centre(seed: u64, number: usize) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xcafe ^ ((number as u64) << 20));
    let mut topic = ChaCha8Rng::seed_from_u64(seed ^ 0x7091c ^ (rng.random_range(0..TOPICS) << 20));
    let paper = direction(&mut rng)
        .iter()
        .map(|v| v * PAPER)
        .collect::<Vec<f32>>();
    mix(&paper, &direction(&mut topic), TOPIC)
}

fn mix(to: &[f32], from: &[f32], share: f32) -> Vec<f32> {
    to.iter().zip(from).map(|(to, from)| to + share * from).collect()
}

/// A unit vector in a random direction. Sums of a few uniform numbers are near enough to a normal distribution.
fn direction(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let number = |rng: &mut ChaCha8Rng| {
        let bits: u64 = rng.random();
        let parts = [bits, bits >> 16, bits >> 32, bits >> 48];
        parts
            .iter()
            .map(|part| (part & 0xffff) as f32 - 32_767.5)
            .sum::<f32>()
    };
    let vector: Vec<f32> = (0..DIMENSION).map(|_| number(rng)).collect();
    unit(&vector)
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.iter().map(|v| v / length).collect()
}

fn text(rng: &mut ChaCha8Rng, words: usize) -> String {
    let mut text = String::new();
    push_words(&mut text, rng, words);
    text
}

fn push_words(text: &mut String, rng: &mut ChaCha8Rng, words: usize) {
    for place in 0..words {
        text.push_str(if place == 0 { "" } else { " " });
        text.push_str(words::draw(rng));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(l, r)| l * r).sum()
    }

    #[test]
    fn papers_are_repeated_and_their_parts_fit() {
        for shape in [Shape::LONG, Shape::TEXT, Shape::PARAGRAPH] {
            let (first, again) = (shape.paper(7, 3), shape.paper(7, 3));
            assert_eq!(first.chunks, again.chunks);
            assert_eq!(first.window_vectors, again.window_vectors);
            assert_ne!(first.chunks[0].text, shape.paper(7, 4).chunks[0].text);
            assert_eq!(first.window_vectors.len(), CHUNKS * shape.windows);
            let sentences = first
                .chunks
                .iter()
                .map(|chunk| chunk.sentences.len())
                .sum::<usize>();
            assert_eq!(first.sentence_vectors.len(), sentences);
            for (chunk, windows) in first.chunks.iter().zip(&first.windows) {
                assert!(windows.iter().all(|window| window.slice(&chunk.text).is_some()));
            }
        }
    }

    #[test]
    fn chunks_of_a_paper_are_alike() {
        let (one, other) = (Shape::PARAGRAPH.paper(7, 1), Shape::PARAGRAPH.paper(7, 2));
        let mean = |left: &SourceEntry, right: &SourceEntry| {
            let pairs = left.window_vectors.iter().skip(1).zip(&right.window_vectors);
            pairs.map(|(l, r)| cosine(l, r)).sum::<f32>() / (CHUNKS - 1) as f32
        };
        assert!((0.4..0.6).contains(&mean(&one, &one)), "{}", mean(&one, &one));
        assert!(mean(&one, &other) < 0.35, "{}", mean(&one, &other));
        let question = &question_vectors(7, 1, 1)[0];
        let about = Shape::PARAGRAPH.paper(7, 0);
        assert!(cosine(question, &about.window_vectors[0]) > 0.3);
    }
}
