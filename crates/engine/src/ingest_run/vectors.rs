//! Vectors by text: what a source needs, what is there already, and how it is stored between runs.

mod log;

use crate::error::EngineError;
use retrieve::HeldSource;
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};
use types::{Chunk, Embedder, ModelError, Span};

/// Bytes of text that are embedded between two saves: about what goes through the model at once, a second of work on a
/// slow machine.
const SAVED_BYTES: usize = 16 << 10;

/// Names a text by what is embedded. Windows and sentences have different keys: the index keeps sentences in 8 bits a
/// number, so the vector of a sentence must not stand in for that of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ingest_run) struct TextKey([u8; 32]);

impl TextKey {
    fn window(text: &str) -> Self {
        Self(
            Sha256::new()
                .chain_update(b"w")
                .chain_update(text)
                .finalize()
                .into(),
        )
    }

    fn sentence(text: &str) -> Self {
        Self(
            Sha256::new()
                .chain_update(b"s")
                .chain_update(text)
                .finalize()
                .into(),
        )
    }
}

/// Vectors of one embedder, by text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Vectors(BTreeMap<TextKey, Vec<f32>>);

impl Vectors {
    /// The intact vectors that an index holds of a source.
    pub(super) fn held(source: HeldSource) -> Self {
        let mut vectors = BTreeMap::new();
        let mut sentences = source.sentences;
        for (chunk, windows) in source.chunks.iter().zip(source.windows) {
            let Some(chunk) = chunk else { continue };
            for (span, vector) in windows {
                vectors.insert(TextKey::window(&window_text(chunk, span)), vector);
            }
            for sentence in &chunk.sentences {
                if let Some(vector) = sentences.get_mut(sentence.number as usize).and_then(Option::take) {
                    vectors.insert(TextKey::sentence(chunk.sentence(sentence)), vector);
                }
            }
        }
        Self(vectors)
    }

    fn get(&self, key: &TextKey) -> Option<&Vec<f32>> {
        self.0.get(key)
    }

    /// The vectors that runs have saved in a file; those that are not what was written are left out.
    pub(super) fn load(path: &Path, dimension: usize) -> Self {
        log::read(path, dimension)
    }

    /// Appends vectors to such a file.
    pub(super) fn save(path: &Path, dimension: usize, vectors: &[(TextKey, Vec<f32>)]) -> io::Result<()> {
        log::append(path, dimension, vectors)
    }

    /// Whether such a file is not what was written.
    pub(super) fn is_damaged(path: &Path) -> bool {
        log::is_damaged(path)
    }
}

/// What is embedded of a window.
fn window_text(chunk: &Chunk, window: Span) -> String {
    let text = window.slice(&chunk.text).unwrap_or_default();
    format!("{}\n{text}", chunk.prefix)
}

/// The texts that a source needs vectors for.
pub(super) struct Wanted<'a> {
    /// For each chunk its windows.
    windows: Vec<Vec<Span>>,
    /// Their texts, in order.
    window_texts: Vec<(TextKey, String)>,
    /// The sentences by number.
    sentences: Vec<(TextKey, &'a str)>,
}

/// What embedding took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Embedded {
    /// Windows and sentences that had no vector.
    pub(super) texts: u64,
    /// Texts that the model was given: equal ones once, over-long sentences in parts.
    pub(super) inputs: u64,
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

/// What the index takes of a source beside its chunks: windows of each chunk, one vector for each window, one for
/// each sentence.
pub(super) type Made = (Vec<Vec<Span>>, Vec<Vec<f32>>, Vec<Vec<f32>>);

impl<'a> Wanted<'a> {
    /// Cuts chunks into windows and lists what is to be embedded. `sentences` is how many the source has; each
    /// stands in a chunk.
    pub(super) fn of(
        chunks: &'a [Chunk],
        sentences: usize,
        embedder: &dyn Embedder,
    ) -> Result<Self, ModelError> {
        let mut wanted = Self {
            windows: Vec::new(),
            window_texts: Vec::new(),
            sentences: vec![(TextKey::sentence(""), ""); sentences],
        };
        for chunk in chunks {
            let spans: Vec<Span> = chunk.sentences.iter().map(|s| s.span).collect();
            let windows = embedder.windows(&chunk.prefix, &chunk.text, &spans)?;
            wanted.window_texts.extend(windows.iter().map(|window| {
                let text = window_text(chunk, *window);
                (TextKey::window(&text), text)
            }));
            wanted.windows.push(windows);
            for sentence in &chunk.sentences {
                if let Some(slot) = wanted.sentences.get_mut(sentence.number as usize)
                    && slot.1.is_empty()
                {
                    let text = chunk.sentence(sentence);
                    *slot = (TextKey::sentence(text), text);
                }
            }
        }
        Ok(wanted)
    }

    /// Embeds what neither `kept` nor `held` has, into `kept`. `save` gets the new vectors, some at a time; its error
    /// ends the work. Nothing is cut off: a sentence too long for the model is embedded in parts, whose mean stands for
    /// it.
    pub(super) fn embed(
        &self,
        embedder: &dyn Embedder,
        kept: &mut Vectors,
        held: &Vectors,
        mut save: impl FnMut(&[(TextKey, Vec<f32>)]) -> Result<(), EngineError>,
    ) -> Result<Embedded, EngineError> {
        let mut done = Embedded::default();
        let mut inputs = self.lacking(embedder, kept, held, &mut done)?;
        // Texts of like length go through the model together. A stable sort: the same texts in the same order.
        inputs.sort_by_key(|input| std::cmp::Reverse(input.bytes()));
        let mut rest = inputs.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let count = rest.iter().take_while(|input| {
                let first = bytes == 0;
                bytes += input.bytes();
                first || bytes <= SAVED_BYTES
            });
            let (now, later) = rest.split_at(count.count());
            let texts: Vec<String> = now.iter().flat_map(|input| input.parts.iter().cloned()).collect();
            let mut vectors = embedder.embed(&texts, &|_| {})?.into_iter();
            let mut made = Vec::with_capacity(now.len());
            for input in now {
                let all: Vec<Vec<f32>> = vectors.by_ref().take(input.parts.len()).collect();
                made.push((input.key, mean(all, embedder.dimension())));
            }
            save(&made)?;
            kept.0.extend(made);
            rest = later;
        }
        Ok(done)
    }

    /// How many texts neither `kept` nor `held` has a vector for, equal ones counted once.
    pub(super) fn missing(&self, kept: &Vectors, held: &Vectors) -> usize {
        let windows = self.window_texts.iter().map(|(key, _)| key);
        let keys: BTreeSet<&TextKey> = windows.chain(self.sentences.iter().map(|(key, _)| key)).collect();
        let missing = |key: &&&TextKey| kept.get(key).is_none() && held.get(key).is_none();
        keys.iter().filter(missing).count()
    }

    /// The texts that neither `kept` nor `held` has a vector for, each once.
    fn lacking(
        &self,
        embedder: &dyn Embedder,
        kept: &Vectors,
        held: &Vectors,
        done: &mut Embedded,
    ) -> Result<Vec<Input>, ModelError> {
        let lacking = |key: &TextKey| kept.get(key).is_none() && held.get(key).is_none();
        let mut keys = BTreeSet::new();
        let mut inputs = Vec::new();
        for (key, text) in self.window_texts.iter().filter(|(key, _)| lacking(key)) {
            done.texts += 1;
            if keys.insert(*key) {
                let parts = vec![text.clone()];
                inputs.push(Input { key: *key, parts });
            }
        }
        for (key, text) in self.sentences.iter().filter(|(key, _)| lacking(key)) {
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

    /// Puts the vectors in their places, and forgets in `kept` what is not wanted.
    pub(super) fn assemble(self, kept: &mut Vectors, held: &Vectors) -> Made {
        let find = |key: &TextKey| {
            kept.get(key)
                .or_else(|| held.get(key))
                .cloned()
                .unwrap_or_default()
        };
        let windows = self.window_texts.iter().map(|(key, _)| find(key)).collect();
        let sentences = self.sentences.iter().map(|(key, _)| find(key)).collect();
        let wanted: BTreeSet<TextKey> = self
            .window_texts
            .iter()
            .map(|(key, _)| *key)
            .chain(self.sentences.iter().map(|(key, _)| *key))
            .collect();
        kept.0.retain(|key, _| wanted.contains(key));
        (self.windows, windows, sentences)
    }
}

/// The unit vector in the direction of the mean; zeros for nothing.
fn mean(mut vectors: Vec<Vec<f32>>, dimension: usize) -> Vec<f32> {
    if vectors.len() == 1 {
        return vectors.swap_remove(0);
    }
    let mut sum = vec![0.0_f32; dimension];
    for vector in &vectors {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value;
        }
    }
    let norm = sum.iter().map(|v| v * v).sum::<f32>().sqrt();
    if norm > 0.0 {
        for value in &mut sum {
            *value /= norm;
        }
    }
    sum
}

#[cfg(test)]
mod tests;
