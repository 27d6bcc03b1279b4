//! Sentence vectors out of the windows that are embedded anyway: the mean over the sentence's tokens in the window.
//!
//! Pooling the tokens of a passage after the whole passage went through the model follows Günther et al., "Late
//! Chunking" (2024).

use super::{Embedded, EmbeddingRequest, SAVED_BYTES, TextKey, Vectors, spread, unit, window_text};
use crate::IndexerError;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use types::{Chunk, Embedder, Span, TextParts};

/// Where a sentence lies in the windows of its chunk.
pub(super) struct PooledSentence {
    /// Names its vector: the texts of its windows, and its place in them.
    pub(super) key: TextKey,
    /// Windows of the chunk, and the part of the window's text that belongs to the sentence: one, or several when the
    /// sentence is longer than the model takes.
    pub(super) places: Vec<(usize, Span)>,
}

/// The sentences of a chunk.
pub(super) fn sentences(chunk: &Chunk, windows: &[Span]) -> Vec<PooledSentence> {
    let shift = chunk.prefix.len() + 1;
    let texts: Vec<String> = windows.iter().map(|window| window_text(chunk, *window)).collect();
    let place = |sentence: Span, (at, window): (usize, &Span)| {
        let (start, end) = (sentence.start.max(window.start), sentence.end.min(window.end));
        (start < end).then(|| {
            (
                at,
                Span::new(start - window.start + shift, end - window.start + shift),
            )
        })
    };
    let one = |sentence: &types::SentenceSpan| {
        let places: Vec<(usize, Span)> = windows
            .iter()
            .enumerate()
            .filter_map(|window| place(sentence.span, window))
            .collect();
        let mut digest = Sha256::new().chain_update(b"pooled");
        for (window, span) in &places {
            for length in [texts[*window].len(), span.start, span.end] {
                digest.update((length as u64).to_le_bytes());
            }
            digest.update(&texts[*window]);
        }
        PooledSentence {
            key: TextKey::of(TextKey::SENTENCE, digest),
            places,
        }
    };
    chunk.sentences.iter().map(one).collect()
}

/// A window to embed.
struct Input<'a> {
    window: usize,
    text: &'a str,
    /// Sentences by number, and their places.
    parts: &'a [(u32, Span)],
}

impl EmbeddingRequest<'_> {
    /// As [`EmbeddingRequest::embed`], with the sentences pooled: every window runs that lacks its own vector or that of
    /// a sentence. `parts` lists for each window the sentences that lie in it.
    pub(super) fn embed_pooled(
        &self,
        parts: &[Vec<(u32, Span)>],
        embedder: &dyn Embedder,
        cached: &mut Vectors,
        mut save: impl FnMut(&[(TextKey, Vec<f32>)]) -> Result<(), IndexerError>,
    ) -> Result<Embedded, IndexerError> {
        let key = |number: u32| self.sentences.get(number as usize).map(|(key, _)| key);
        let lacks = |cached: &Vectors, number: u32| key(number).is_some_and(|key| !cached.has(key));
        let mut done = Embedded::default();
        let windows = self.window_texts.iter().map(|(key, _)| key);
        let keys = windows.chain(self.sentences.iter().map(|(key, _)| key));
        done.texts = keys.filter(|key| !cached.has(key)).count() as u64;
        let mut inputs: Vec<Input<'_>> = Vec::new();
        // Windows that a sentence still waits for.
        let mut waiting: BTreeMap<u32, usize> = BTreeMap::new();
        for (window, ((own, text), parts)) in self.window_texts.iter().zip(parts).enumerate() {
            if !cached.has(own) || parts.iter().any(|(number, _)| lacks(cached, *number)) {
                inputs.push(Input { window, text, parts });
                for (number, _) in parts {
                    *waiting.entry(*number).or_default() += 1;
                }
            }
        }
        // A sentence with a window that does not run has its vector already.
        waiting.retain(|number, _| lacks(cached, *number));
        done.inputs = inputs.len() as u64;
        // What lies in no window has no meaning.
        let nowhere = (0..).zip(&self.sentences);
        let nowhere: Vec<(TextKey, Vec<f32>)> = nowhere
            .filter(|(number, (key, _))| !waiting.contains_key(number) && !cached.has(key))
            .map(|(_, (key, _))| (*key, vec![0.0; embedder.dimension()]))
            .collect();
        if !nowhere.is_empty() {
            save(&nowhere)?;
            cached.0.extend(nowhere);
        }
        inputs.sort_by_key(|input| std::cmp::Reverse(input.text.len()));

        let mut sums: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
        for group in spread(&inputs, |input| input.text.len(), SAVED_BYTES) {
            let texts: Vec<TextParts> = group
                .iter()
                .map(|input| TextParts {
                    text: input.text.to_owned(),
                    parts: input.parts.iter().map(|(_, span)| *span).collect(),
                })
                .collect();
            let vectors = embedder.embed_parts(&texts, &|_| {})?;
            let mut made = Vec::new();
            for (input, vectors) in group.iter().zip(vectors) {
                let own = self.window_texts[input.window].0;
                if !cached.has(&own) {
                    made.push((own, vectors.text));
                }
                for ((number, _), part) in input.parts.iter().zip(vectors.parts) {
                    let Some(left) = waiting.get_mut(number) else {
                        continue;
                    };
                    let sum = sums.entry(*number).or_insert_with(|| vec![0.0; part.len()]);
                    for (total, value) in sum.iter_mut().zip(part) {
                        *total += value;
                    }
                    *left -= 1;
                    if *left == 0
                        && let (Some(key), Some(sum)) = (key(*number), sums.remove(number))
                    {
                        made.push((*key, unit(sum)));
                    }
                }
            }
            save(&made)?;
            cached.0.extend(made);
        }
        Ok(done)
    }
}
