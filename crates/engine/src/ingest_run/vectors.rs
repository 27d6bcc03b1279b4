//! The vectors of one document: what is embedded, how it is stored between runs.

use ingest::chunk::Chunked;
use types::{Document, Embedder, ModelError, Span};

/// Vectors of a document's windows and sentences.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vectors {
    /// For each chunk, its windows (bytes of the chunk's text), each with a unit vector.
    pub(super) windows: Vec<Vec<(Span, Vec<f32>)>>,
    /// For each sentence of the source, a unit vector.
    pub(super) sentences: Vec<Vec<f32>>,
}

/// Texts that a document needs vectors for.
pub(super) struct Wanted {
    texts: Vec<String>,
    /// For each chunk, its windows; their texts come first, in order.
    windows: Vec<Vec<Span>>,
    /// For each sentence, how many texts it takes: one, or several when it is longer than the model.
    sentences: Vec<usize>,
}

impl Wanted {
    /// Cuts chunks into windows and lists what is to be embedded. Nothing is cut off: a sentence too long for
    /// the model is embedded in parts, whose mean stands for it.
    pub(super) fn of(
        document: &Document,
        chunked: &Chunked,
        embedder: &dyn Embedder,
    ) -> Result<Self, ModelError> {
        let mut wanted = Self {
            texts: Vec::new(),
            windows: Vec::new(),
            sentences: Vec::new(),
        };
        for chunk in &chunked.chunks {
            let spans: Vec<Span> = chunk.sentences.iter().map(|s| s.span).collect();
            let windows = embedder.windows(&chunk.prefix, &chunk.text, &spans)?;
            for window in &windows {
                let text = window.slice(&chunk.text).unwrap_or_default();
                wanted.texts.push(format!("{}\n{text}", chunk.prefix));
            }
            wanted.windows.push(windows);
        }
        for sentence in &chunked.sentences {
            let text = sentence.span.slice(&document.text).unwrap_or_default();
            let parts = embedder.windows("", text, &[Span::new(0, text.len())])?;
            wanted.sentences.push(parts.len());
            wanted
                .texts
                .extend(parts.iter().map(|p| p.slice(text).unwrap_or_default().to_owned()));
        }
        Ok(wanted)
    }

    /// How many texts.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Embeds them.
    pub(super) fn embed(
        self,
        embedder: &dyn Embedder,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vectors, ModelError> {
        let mut vectors = embedder.embed(&self.texts, done)?.into_iter();
        let mut next = || vectors.next().unwrap_or_default();
        let windows = self
            .windows
            .into_iter()
            .map(|spans| spans.into_iter().map(|span| (span, next())).collect())
            .collect();
        let sentences = self
            .sentences
            .into_iter()
            .map(|parts| mean((0..parts).map(|_| next()).collect(), embedder.dimension()))
            .collect();
        Ok(Vectors { windows, sentences })
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

impl Vectors {
    /// Whether there is a list of windows for each chunk and a vector for each sentence.
    pub(super) fn fits(&self, chunked: &Chunked) -> bool {
        self.windows.len() == chunked.chunks.len() && self.sentences.len() == chunked.sentences.len()
    }

    /// Little-endian bytes: counts, spans, then floats.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut number = |n: usize| out.extend_from_slice(&(n as u64).to_le_bytes());
        number(
            self.sentences
                .first()
                .or(self.windows.iter().flatten().map(|(_, v)| v).next())
                .map_or(0, Vec::len),
        );
        number(self.windows.len());
        for chunk in &self.windows {
            number(chunk.len());
            for (span, _) in chunk {
                number(span.start);
                number(span.end);
            }
        }
        number(self.sentences.len());
        let all = self
            .windows
            .iter()
            .flatten()
            .map(|(_, v)| v)
            .chain(&self.sentences);
        for value in all.flatten() {
            out.extend_from_slice(&value.to_le_bytes());
        }
        out
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` when it does not add up.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut number = || -> Option<usize> {
            let (head, tail) = rest.split_at_checked(8)?;
            rest = tail;
            usize::try_from(u64::from_le_bytes(head.try_into().ok()?)).ok()
        };
        let dimension = number()?;
        let mut spans = Vec::new();
        for _ in 0..number()? {
            let mut chunk = Vec::new();
            for _ in 0..number()? {
                chunk.push(Span::new(number()?, number()?));
            }
            spans.push(chunk);
        }
        let sentence_count = number()?;
        let vectors = spans
            .iter()
            .map(Vec::len)
            .sum::<usize>()
            .checked_add(sentence_count)?;
        if rest.len() != vectors.checked_mul(dimension)?.checked_mul(4)? {
            return None;
        }
        let mut floats = rest
            .chunks_exact(4)
            .filter_map(|b| Some(f32::from_le_bytes(b.try_into().ok()?)));
        let mut vector = || -> Vec<f32> { floats.by_ref().take(dimension).collect() };
        let windows = spans
            .into_iter()
            .map(|chunk| chunk.into_iter().map(|span| (span, vector())).collect())
            .collect();
        let sentences = (0..sentence_count).map(|_| vector()).collect();
        Some(Self { windows, sentences })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_damage_is_seen() {
        let vectors = Vectors {
            windows: vec![
                vec![(Span::new(0, 5), vec![1.0, 0.0])],
                vec![],
                vec![(Span::new(2, 3), vec![0.0, 1.0])],
            ],
            sentences: vec![vec![0.6, 0.8]],
        };
        let bytes = vectors.to_bytes();
        assert_eq!(Vectors::from_bytes(&bytes), Some(vectors));
        assert_eq!(Vectors::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Vectors::from_bytes(&[]), None);
    }

    #[test]
    fn a_mean_has_unit_length() {
        let m = mean(vec![vec![1.0, 0.0], vec![0.0, 1.0]], 2);
        assert!((m.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-6, "{m:?}");
        assert_eq!(mean(vec![], 2), vec![0.0, 0.0]);
    }
}
