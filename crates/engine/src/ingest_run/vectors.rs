//! Vectors by text: what a source needs, what is there already, and how it is stored between runs.

use retrieve::HeldSource;
use sha2::{Digest, Sha256};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};
use types::{Chunk, Embedder, ModelError, Span};

/// Names a text by what is embedded. Windows and sentences are told apart: the index keeps sentences in 8 bits a
/// number, so the vector of a sentence must not stand in for that of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextKey([u8; 32]);

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
    /// All vectors that an index holds of a source.
    pub(super) fn held(source: HeldSource) -> Self {
        let mut vectors = BTreeMap::new();
        let mut sentences: Vec<Option<Vec<f32>>> = source.sentences.into_iter().map(Some).collect();
        for (chunk, windows) in source.chunks.iter().zip(source.windows) {
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

    /// Little-endian bytes: length of a vector, then key and vector of each text.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let dimension = self.0.values().next().map_or(0, Vec::len);
        let mut out = Vec::with_capacity(8 + self.0.len() * (32 + 4 * dimension));
        out.extend_from_slice(&(dimension as u64).to_le_bytes());
        for (key, vector) in &self.0 {
            out.extend_from_slice(&key.0);
            for value in vector {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
        out
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` when it does not add up or has another length of vectors.
    pub(super) fn from_bytes(bytes: &[u8], dimension: usize) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(8)?;
        if rest.is_empty() {
            return Some(Self::default());
        }
        let width = 32 + 4 * dimension;
        let stored = u64::from_le_bytes(head.try_into().ok()?);
        if usize::try_from(stored).ok()? != dimension || !rest.len().is_multiple_of(width) {
            return None;
        }
        let one = |entry: &[u8]| {
            let (key, floats) = entry.split_at_checked(32)?;
            let value = |b: &[u8]| b.try_into().ok().map(f32::from_le_bytes);
            let vector = floats.chunks_exact(4).map(value).collect::<Option<_>>()?;
            Some((TextKey(key.try_into().ok()?), vector))
        };
        rest.chunks_exact(width).map(one).collect::<Option<_>>().map(Self)
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

    /// Embeds what neither `kept` nor `held` has, into `kept`. Nothing is cut off: a sentence too long for the model
    /// is embedded in parts, whose mean stands for it.
    pub(super) fn embed(
        &self,
        embedder: &dyn Embedder,
        kept: &mut Vectors,
        held: &Vectors,
    ) -> Result<Embedded, ModelError> {
        let lacking = |key: &TextKey| kept.get(key).is_none() && held.get(key).is_none();
        let mut done = Embedded::default();
        let mut keys = BTreeSet::new();
        let mut inputs: Vec<Cow<'_, str>> = Vec::new();
        let mut parts = Vec::new();
        for (key, text) in self.window_texts.iter().filter(|(key, _)| lacking(key)) {
            done.texts += 1;
            if keys.insert(*key) {
                inputs.push(Cow::Borrowed(text));
                parts.push((*key, 1));
            }
        }
        for (key, text) in self.sentences.iter().filter(|(key, _)| lacking(key)) {
            done.texts += 1;
            if keys.insert(*key) {
                let spans = embedder.windows("", text, &[Span::new(0, text.len())])?;
                parts.push((*key, spans.len()));
                inputs.extend(
                    spans
                        .iter()
                        .filter_map(|span| span.slice(text))
                        .map(Cow::Borrowed),
                );
            }
        }
        done.inputs = inputs.len() as u64;
        let texts: Vec<String> = inputs.into_iter().map(Cow::into_owned).collect();
        let mut vectors = embedder.embed(&texts, &|_| {})?.into_iter();
        for (key, count) in parts {
            let all: Vec<Vec<f32>> = vectors.by_ref().take(count).collect();
            kept.0.insert(key, mean(all, embedder.dimension()));
        }
        Ok(done)
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
