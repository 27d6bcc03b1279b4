//! Generated papers: text, vectors and questions from a fixed seed, in the proportions of real papers.
//!
//! Words have the frequencies of real text: the n-th most frequent is 1 / n as frequent as the first. Vectors are clustered
//! like those of an embedding model: papers of a topic are alike, and the chunks of a paper more so. The same seed and
//! number give the same paper, whichever papers were generated before.

use index::{Index, IndexError, IndexStore, WriterSettings};
use pollster::block_on;
use question::analyse;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use retrieve::{SearchSettings, Searcher, VectorIndex};
use std::{path::Path, sync::Arc, sync::OnceLock};
use types::{
    Chunk, ChunkId, Filter, Hit, MadeBy, Mode, Question, RetrievalPlan, SectionKind, SentenceSpan,
    SourceEntry, SourceId, SourceMeta, Span, StoreError,
};

/// Searches the index in a folder: exactly, or by its graphs where `settings` says so.
pub(crate) fn searcher(folder: &Path, settings: SearchSettings) -> Result<Searcher, IndexError> {
    let graph_ef = (settings.vector_index == VectorIndex::Hnsw).then_some(settings.hnsw.ef);
    let store = Arc::new(IndexStore::new(Arc::new(Index::open(folder)?), graph_ef));
    Ok(Searcher::new(Arc::<IndexStore>::clone(&store), store, settings))
}

/// The hits of a question, without their neighbours and sentences.
pub(crate) fn hits(searcher: &Searcher, question: &Question) -> Result<Vec<Hit>, StoreError> {
    let found = block_on(searcher.retrieve(question, RetrievalPlan::default()))?;
    Ok(found.retrieval.hits)
}

/// Dimension of the vectors, as in the default embedding model.
pub(crate) const DIMENSION: usize = 384;
/// Chunks of a paper; each is one embedding window.
pub(crate) const CHUNKS: usize = 20;
/// Words to choose from.
const VOCABULARY: u32 = 30_000;
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
    /// Sentences of a chunk; each has a vector.
    pub(crate) sentences: usize,
    /// Words of a sentence.
    pub(crate) words: usize,
}

impl Shape {
    /// A paragraph of 120 words.
    pub(crate) const PARAGRAPH: Self = Self { sentences: 5, words: 24 };

    /// For the writer of an index of such papers.
    pub(crate) fn writer() -> WriterSettings {
        WriterSettings {
            made_by: MadeBy { embedder_id: "seeded".to_owned(), dimension: DIMENSION, ..MadeBy::default() },
            ..WriterSettings::default()
        }
    }

    /// The paper with this number: [`CHUNKS`] chunks.
    pub(crate) fn paper(self, seed: u64, number: usize) -> SourceEntry {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ ((number as u64) << 20));
        let source_id = source_id(number);
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
            window_vectors: window_vectors(seed, number),
            ..SourceEntry::default()
        };
        for own in &entry.window_vectors {
            for sentence in 0..self.sentences {
                // Near its window, at no cost: without a half of its numbers, another one for each sentence.
                let mut vector = own.clone();
                vector[sentence * DIMENSION / 2 / self.sentences..][..DIMENSION / 2].fill(0.0);
                entry.sentence_vectors.push(vector);
            }
        }
        let mut at = 0;
        for ordinal in 0..CHUNKS {
            let chunk = self.chunk(&mut rng, &source_id, ordinal, at);
            at = chunk.span.end + 1;
            entry.windows.push(vec![Span::new(0, chunk.text.len())]);
            entry.chunks.push(chunk);
        }
        entry
    }

    fn chunk(self, rng: &mut ChaCha8Rng, source_id: &SourceId, ordinal: usize, at: usize) -> Chunk {
        let heading = text(rng, HEADING_WORDS);
        let (mut whole, mut sentences) = (String::new(), Vec::new());
        for sentence in 0..self.sentences {
            let start = whole.len();
            whole.push_str(&text(rng, self.words));
            whole.push('.');
            sentences.push(SentenceSpan {
                span: Span::new(start, whole.len()),
                number: (ordinal * self.sentences + sentence) as u32,
                page: 1,
            });
            whole.push(' ');
        }
        whole.pop();
        Chunk {
            chunk_id: chunk_id(source_id, ordinal),
            source_id: source_id.clone(),
            section: SectionKind::Body,
            heading,
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 1,
            span: Span::new(at, at + whole.len()),
            prefix: format!("[Source: {source_id}]"),
            tokens: (self.sentences * self.words) as u32,
            sentences,
            text: whole,
            table_head: Vec::new(),
        }
    }
}

/// The name of the paper with this number.
fn source_id(number: usize) -> SourceId {
    SourceId::from(format!("paper_{number:07}"))
}

fn chunk_id(source_id: &SourceId, ordinal: usize) -> ChunkId {
    ChunkId::from_parts(source_id, SectionKind::Body, ordinal)
}

/// The id of a chunk that is numbered through all papers.
pub(crate) fn id_of(chunk: usize) -> ChunkId {
    chunk_id(&source_id(chunk / CHUNKS), chunk % CHUNKS)
}

/// The vectors of the windows of a paper, in the order of its chunks.
pub(crate) fn window_vectors(seed: u64, number: usize) -> Vec<Vec<f32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xc0de ^ ((number as u64) << 20));
    let centre = centre(seed, number);
    (0..CHUNKS).map(|_| unit(&mix(&centre, &direction(&mut rng), OWN))).collect()
}

/// Questions of content words as they come: some of most chunks, some of few; with their vectors.
pub(crate) fn questions(seed: u64, vectors: Vec<Vec<f32>>) -> Vec<Question> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut words = || {
        let words: Vec<&str> = (0..QUESTION_WORDS).map(|_| draw(&mut rng, 0.3)).collect();
        words.join(" ")
    };
    vectors.into_iter().map(|vector| analyse(&words(), vector, Mode::Hybrid, Filter::default())).collect()
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

/// The numbers of the `k` chunks nearest to each question, best first, by comparison with every vector: to measure recall
/// with. Chunks are numbered through all papers.
pub(crate) fn nearest(seed: u64, papers: usize, questions: &[Vec<f32>], k: usize) -> Vec<Vec<usize>> {
    let of_paper = |paper: usize| -> Vec<Vec<(f64, usize)>> {
        let vectors = window_vectors(seed, paper);
        let best = |question: &Vec<f32>| {
            let cosine = |vector: &Vec<f32>| {
                question.iter().zip(vector).map(|(q, v)| f64::from(*q) * f64::from(*v)).sum()
            };
            let places = (paper * CHUNKS..).zip(&vectors);
            best(places.map(|(chunk, vector)| (cosine(vector), chunk)).collect(), k)
        };
        questions.iter().map(best).collect()
    };
    let join = |left: Vec<Vec<(f64, usize)>>, right: Vec<Vec<(f64, usize)>>| {
        let pairs = left.into_iter().zip(right);
        pairs.map(|(left, right)| best([left, right].concat(), k)).collect()
    };
    let empty = || vec![Vec::new(); questions.len()];
    let found = (0..papers).into_par_iter().map(of_paper).reduce(empty, join);
    found.into_iter().map(|best| best.into_iter().map(|(_, chunk)| chunk).collect()).collect()
}

fn best(mut found: Vec<(f64, usize)>, k: usize) -> Vec<(f64, usize)> {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(k);
    found
}

/// What the windows of a paper have in common.
fn centre(seed: u64, number: usize) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xcafe ^ ((number as u64) << 20));
    let mut topic = ChaCha8Rng::seed_from_u64(seed ^ 0x7091c ^ (rng.random_range(0..TOPICS) << 20));
    let paper: Vec<f32> = direction(&mut rng).iter().map(|v| v * PAPER).collect();
    mix(&paper, &direction(&mut topic), TOPIC)
}

fn mix(to: &[f32], from: &[f32], share: f32) -> Vec<f32> {
    to.iter().zip(from).map(|(to, from)| to + share * from).collect()
}

/// A unit vector in a random direction. Sums of a few uniform numbers are near enough to a normal distribution.
fn direction(rng: &mut ChaCha8Rng) -> Vec<f32> {
    let number = |rng: &mut ChaCha8Rng| -> f32 {
        let bits: u64 = rng.random();
        let parts = [bits, bits >> 16, bits >> 32, bits >> 48];
        parts.iter().map(|part| (part & 0xffff) as f32 - 32_767.5).sum()
    };
    let vector: Vec<f32> = (0..DIMENSION).map(|_| number(rng)).collect();
    unit(&vector)
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.iter().map(|v| v / length).collect()
}

fn text(rng: &mut ChaCha8Rng, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| draw(rng, 0.0)).collect();
    words.join(" ")
}

/// A word drawn by frequency, without the most frequent ones up to a share of the logarithm of the vocabulary's size. Half
/// of all words are among 170.
fn draw(rng: &mut ChaCha8Rng, from: f64) -> &'static str {
    const SYLLABLES: [&str; 16] = [
        "ba", "den", "fi", "gol", "hu", "ker", "la", "mit", "no", "pra", "que", "ros", "sti", "tu", "vel",
        "xan",
    ];
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    let spell = |mut rank: u32| {
        let mut word = String::new();
        while rank > 0 {
            word.push_str(SYLLABLES[rank as usize % SYLLABLES.len()]);
            rank /= SYLLABLES.len() as u32;
        }
        word
    };
    let words = WORDS.get_or_init(|| (0..VOCABULARY).map(spell).collect());
    let rank = f64::from(VOCABULARY).powf(rng.random_range(from..1.0)) as usize;
    words.get(rank).map_or("ba", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(l, r)| l * r).sum()
    }

    #[test]
    fn papers_are_repeated_and_their_parts_fit() {
        let (first, again) = (Shape::PARAGRAPH.paper(7, 3), Shape::PARAGRAPH.paper(7, 3));
        assert_eq!(first.chunks, again.chunks);
        assert_eq!(first.window_vectors, again.window_vectors);
        assert_ne!(first.chunks[0].text, Shape::PARAGRAPH.paper(7, 4).chunks[0].text);
        let sentences: usize = first.chunks.iter().map(|chunk| chunk.sentences.len()).sum();
        assert_eq!((first.window_vectors.len(), first.sentence_vectors.len()), (CHUNKS, sentences));
        assert_eq!(first.chunks[1].chunk_id, id_of(3 * CHUNKS + 1));
    }

    #[test]
    fn chunks_of_a_paper_are_alike_and_the_nearest_are_found() {
        let (one, other) = (window_vectors(7, 1), window_vectors(7, 2));
        let mean = |left: &[Vec<f32>], right: &[Vec<f32>]| {
            let pairs = left.iter().skip(1).zip(right);
            pairs.map(|(l, r)| cosine(l, r)).sum::<f32>() / (CHUNKS - 1) as f32
        };
        assert!((0.4..0.6).contains(&mean(&one, &one)), "{}", mean(&one, &one));
        assert!(mean(&one, &other) < 0.35, "{}", mean(&one, &other));
        let question = question_vectors(7, 1, 1);
        assert!(cosine(&question[0], &window_vectors(7, 0)[0]) > 0.3);
        let found = nearest(7, 9, &[one[4].clone(), other[0].clone()], 3);
        assert_eq!((found[0].len(), found[0][0], found[1][0]), (3, CHUNKS + 4, 2 * CHUNKS));
    }
}
