//! Vectors by text: what a source needs, what the cache has already, and how it is stored there.

use crate::indexer::IndexerError;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};
use types::{
    Chunk, Embedder, ModelError, Span,
    vector::{mean_direction, quantise},
};

/// Bytes of text that are embedded between two saves: half a second of work on two cores.
const SAVED_BYTES: usize = 32 << 10;
/// Bytes of a [`TextKey`].
const KEY: usize = 32;

/// Names a text by what is embedded: one byte for its kind, then its digest. Windows and sentences have different keys:
/// sentences are kept in 8 bits a number, so the vector of a sentence must not stand in for that of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextKey([u8; KEY]);

impl TextKey {
    const WINDOW: u8 = b'w';
    const SENTENCE: u8 = b's';

    fn window(text: &str) -> Self {
        Self::of(Self::WINDOW, Sha256::new().chain_update(text))
    }

    pub(crate) fn sentence(text: &str) -> Self {
        Self::of(Self::SENTENCE, Sha256::new().chain_update(text))
    }

    fn of(kind: u8, digest: Sha256) -> Self {
        let mut key: [u8; KEY] = digest.finalize().into();
        key[0] = kind;
        Self(key)
    }

    fn is_window(self) -> bool {
        self.0[0] == Self::WINDOW
    }
}

/// Vectors of one embedder, by text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Vectors(BTreeMap<TextKey, Vec<f32>>);

impl Vectors {
    fn get(&self, key: &TextKey) -> Option<&Vec<f32>> {
        self.0.get(key)
    }

    fn has(&self, key: &TextKey) -> bool {
        self.0.contains_key(key)
    }

    /// The vectors that runs have saved with [`encode`].
    pub(crate) fn decode(saved: &[Vec<u8>], dimension: usize) -> Self {
        let mut vectors = BTreeMap::new();
        for mut bytes in saved.iter().map(Vec::as_slice) {
            while let Some((key, rest)) = bytes.split_first_chunk() {
                let key = TextKey(*key);
                let length = 4 + dimension * if key.is_window() { 4 } else { 1 };
                let Some((numbers, rest)) = rest.split_at_checked(length) else {
                    break;
                };
                bytes = rest;
                if let Some((scale, numbers)) = numbers.split_first_chunk() {
                    let scale = f32::from_le_bytes(*scale);
                    let vector = if key.is_window() {
                        let (numbers, _) = numbers.as_chunks();
                        numbers.iter().copied().map(f32::from_le_bytes).collect()
                    } else {
                        numbers.iter().map(|q| f32::from(q.cast_signed()) * scale).collect()
                    };
                    vectors.insert(key, vector);
                }
            }
        }
        Self(vectors)
    }
}

/// Vectors in bytes: for each text its key, a factor, and its numbers in little-endian order. Those of windows have 32 bits;
/// those of sentences have 8 and the factor scales them, as in the index.
pub(crate) fn encode(vectors: &[(TextKey, Vec<f32>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, vector) in vectors {
        bytes.extend(key.0);
        if key.is_window() {
            bytes.extend(1.0_f32.to_le_bytes());
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        } else {
            let (integers, scale) = quantise(vector);
            bytes.extend(scale.to_le_bytes());
            bytes.extend(integers.into_iter().map(i8::cast_unsigned));
        }
    }
    bytes
}

/// The text of a window that is embedded: the chunk's prefix and the window's own text.
fn window_text(chunk: &Chunk, window: Span) -> String {
    let text = window.slice(&chunk.text).unwrap_or_default();
    format!("{}\n{text}", chunk.prefix)
}

/// The text of a sentence that is embedded: the row of a table with its caption and header, any other as it is.
fn sentence_text(chunk: &Chunk, index: usize) -> Cow<'_, str> {
    match chunk.table_row(index) {
        Some(row) => Cow::Owned(row.with_context()),
        None => Cow::Borrowed(chunk.sentences.get(index).map_or("", |sentence| chunk.sentence(sentence))),
    }
}

/// The texts that a source needs vectors for.
pub(crate) struct EmbeddingRequest<'a> {
    /// For each chunk its windows.
    windows: Vec<Vec<Span>>,
    /// Their texts, in order.
    window_texts: Vec<(TextKey, String)>,
    /// The sentences by number.
    sentences: Vec<(TextKey, Cow<'a, str>)>,
}

/// What embedding took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// Windows and sentences that had no vector.
    pub(crate) texts: u64,
    /// Texts that the model was given: equal ones once, over-long sentences in parts.
    pub(crate) inputs: u64,
    /// Texts that the model refused, and why.
    pub(crate) refused: Vec<(TextKey, String)>,
}

/// A text to embed, in the parts that the model can take.
struct Input {
    key: TextKey,
    parts: Vec<String>,
}

impl Input {
    fn bytes(&self) -> usize {
        self.parts.iter().map(String::len).sum()
    }
}

/// What the index holds of a source beside its chunks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceVectors {
    /// The windows of each chunk.
    pub(crate) windows: Vec<Vec<Span>>,
    /// One vector for each window, in order.
    pub(crate) window_vectors: Vec<Vec<f32>>,
    /// One vector for each sentence, by number.
    pub(crate) sentence_vectors: Vec<Vec<f32>>,
}

impl<'a> EmbeddingRequest<'a> {
    /// Splits chunks into windows and lists what is to be embedded. `sentences` is how many the source has; each is part
    /// of a chunk.
    pub(crate) fn new(
        chunks: &'a [Chunk],
        sentences: usize,
        embedder: &dyn Embedder,
    ) -> Result<Self, ModelError> {
        let mut request = Self {
            windows: Vec::new(),
            window_texts: Vec::new(),
            sentences: vec![(TextKey::sentence(""), Cow::Borrowed("")); sentences],
        };
        let windows = |chunk: &Chunk| {
            let spans: Vec<Span> = chunk.sentences.iter().map(|s| s.span).collect();
            embedder.windows(&chunk.prefix, &chunk.text, &spans)
        };
        let windows: Vec<Vec<Span>> = chunks.par_iter().map(windows).collect::<Result<_, _>>()?;
        for (chunk, windows) in chunks.iter().zip(windows) {
            request.window_texts.extend(windows.iter().map(|window| {
                let text = window_text(chunk, *window);
                (TextKey::window(&text), text)
            }));
            for (index, sentence) in chunk.sentences.iter().enumerate() {
                // An overlap repeats sentences: the first chunk counts.
                let Some(slot) = request.sentences.get_mut(sentence.number as usize) else {
                    continue;
                };
                if !slot.1.is_empty() {
                    continue;
                }
                let text = sentence_text(chunk, index);
                *slot = (TextKey::sentence(&text), text);
            }
            request.windows.push(windows);
        }
        Ok(request)
    }

    /// Embeds what `cached` has not, into `cached`. `save` gets the new vectors, some at a time; its error
    /// ends the work. Nothing is truncated: a sentence too long for the model is embedded in parts, and their mean is its
    /// vector.
    pub(crate) fn embed(
        &self,
        embedder: &dyn Embedder,
        cached: &mut Vectors,
        mut save: impl FnMut(&[(TextKey, Vec<f32>)]) -> Result<(), IndexerError>,
    ) -> Result<Embedded, IndexerError> {
        let mut done = Embedded::default();
        let mut inputs = self.missing_inputs(embedder, cached, &mut done)?;
        // A stable sort: the same texts in the same order.
        inputs.sort_by_key(|input| std::cmp::Reverse(input.bytes()));
        for group in spread(&inputs, Input::bytes, SAVED_BYTES) {
            let texts: Vec<String> = group.iter().flat_map(|input| input.parts.iter().cloned()).collect();
            let mut vectors = embedder.embed(&texts, &|_| {})?.into_iter();
            let mut made = Vec::with_capacity(group.len());
            for input in group {
                let all: Vec<Vec<f32>> = vectors.by_ref().take(input.parts.len()).collect();
                match all.iter().position(Vec::is_empty) {
                    Some(at) => {
                        let why = embedder.refused(&input.parts[at]).unwrap_or_default();
                        done.refused.push((input.key, why));
                    }
                    None => made.push((input.key, mean(all, embedder.dimension()))),
                }
            }
            save(&made)?;
            cached.0.extend(made);
        }
        Ok(done)
    }

    /// How many texts `cached` has no vector for, equal ones counted once.
    pub(crate) fn missing(&self, cached: &Vectors) -> usize {
        let windows = self.window_texts.iter().map(|(key, _)| key);
        let keys: BTreeSet<&TextKey> = windows.chain(self.sentences.iter().map(|(key, _)| key)).collect();
        keys.into_iter().filter(|key| !cached.has(key)).count()
    }

    /// The texts that `cached` has no vector for, each once.
    fn missing_inputs(
        &self,
        embedder: &dyn Embedder,
        cached: &Vectors,
        done: &mut Embedded,
    ) -> Result<Vec<Input>, ModelError> {
        let mut keys = BTreeSet::new();
        let mut inputs = Vec::new();
        for (key, text) in self.window_texts.iter().filter(|(key, _)| !cached.has(key)) {
            done.texts += 1;
            if keys.insert(*key) {
                let parts = vec![text.clone()];
                inputs.push(Input { key: *key, parts });
            }
        }
        for (key, text) in self.sentences.iter().filter(|(key, _)| !cached.has(key)) {
            done.texts += 1;
            if keys.insert(*key) {
                let spans = embedder.windows("", text, &[Span::new(0, text.len())])?;
                let parts = spans.iter().filter_map(|span| span.slice(text));
                let parts = parts.map(str::to_owned).collect();
                inputs.push(Input { key: *key, parts });
            }
        }
        done.inputs = inputs.iter().map(|input| input.parts.len() as u64).sum();
        Ok(inputs)
    }

    /// The first of `chunks`, those of the request, that has this text as a window or a sentence.
    pub(crate) fn chunk_of<'c>(&self, key: &TextKey, chunks: &'c [Chunk]) -> Option<&'c Chunk> {
        let has = |(chunk, windows): &(&Chunk, &Vec<Span>)| {
            let mut sentences = 0..chunk.sentences.len();
            windows.iter().any(|window| TextKey::window(&window_text(chunk, *window)) == *key)
                || sentences.any(|index| TextKey::sentence(&sentence_text(chunk, index)) == *key)
        };
        chunks.iter().zip(&self.windows).find(has).map(|(chunk, _)| chunk)
    }

    /// Puts the vectors of `dimension` numbers in order, zeros for a text without one.
    pub(crate) fn assemble(self, cached: &Vectors, dimension: usize) -> SourceVectors {
        let find = |key: &TextKey| cached.get(key).cloned().unwrap_or_else(|| vec![0.0; dimension]);
        SourceVectors {
            window_vectors: self.window_texts.iter().map(|(key, _)| find(key)).collect(),
            sentence_vectors: self.sentences.iter().map(|(key, _)| find(key)).collect(),
            windows: self.windows,
        }
    }
}

/// Deals `items`, which are sorted by size, into groups of about `bytes`. Each group has long and short ones: with the
/// short ones at its end, all cores finish it at the same time.
fn spread<T>(items: &[T], size: impl Fn(&T) -> usize, bytes: usize) -> impl Iterator<Item = Vec<&T>> {
    let total: usize = items.iter().map(size).sum();
    let groups = total.div_ceil(bytes).clamp(1, items.len().max(1));
    let group = move |first| items.iter().skip(first).step_by(groups).collect();
    (0..groups).map(group).filter(|group: &Vec<&T>| !group.is_empty())
}

/// The unit vector in the direction of the mean; zeros for nothing.
fn mean(mut vectors: Vec<Vec<f32>>, dimension: usize) -> Vec<f32> {
    match vectors.len() {
        0 => vec![0.0; dimension],
        1 => vectors.swap_remove(0),
        _ => mean_direction(vectors),
    }
}

#[cfg(test)]
mod tests;
