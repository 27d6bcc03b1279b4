//! BM25 over words as they are written, the way of the earlier system.

use std::collections::HashMap;
use types::QueryTerm;

/// Share of the mean idf that stands in for a negative one.
const EPSILON: f64 = 0.25;
/// Saturation of term frequency.
const K1: f64 = 1.5;
/// Strength of length normalisation.
const B: f64 = 0.75;

/// Words of all chunks, in memory.
#[derive(Debug, Default)]
pub(crate) struct WhitespaceIndex {
    /// For each word the rows that hold it, with the number of times.
    postings: HashMap<String, Vec<(u32, u32)>>,
    /// Words of each row.
    lengths: Vec<u32>,
    average: f64,
    mean_idf: f64,
}

impl WhitespaceIndex {
    /// Counts the words of the chunks, in the order of rows.
    pub(crate) fn new<S: AsRef<str>, E>(texts: impl Iterator<Item = Result<S, E>>) -> Result<Self, E> {
        let mut out = Self::default();
        for (row, text) in texts.enumerate() {
            let mut counts: HashMap<&str, u32> = HashMap::new();
            let text = text?;
            for word in text.as_ref().split_whitespace() {
                *counts.entry(word).or_default() += 1;
            }
            out.lengths.push(counts.values().sum());
            for (word, count) in counts {
                let own = match out.postings.get_mut(word) {
                    Some(own) => own,
                    None => out.postings.entry(word.to_owned()).or_default(),
                };
                own.push((row as u32, count));
            }
        }
        let chunks = out.lengths.len();
        let words: u64 = out.lengths.iter().map(|n| u64::from(*n)).sum();
        out.average = words as f64 / chunks.max(1) as f64;
        let mut idfs: Vec<f64> = out.postings.values().map(|own| raw_idf(chunks, own.len())).collect();
        // The order of a hash map is chance; a sum of floats depends on it.
        idfs.sort_by(f64::total_cmp);
        out.mean_idf = idfs.iter().sum::<f64>() / idfs.len().max(1) as f64;
        Ok(out)
    }

    /// The score of every row; each occurrence of a word in the question counts.
    pub(crate) fn scores(&self, words: &[QueryTerm]) -> Vec<f32> {
        let mut scores = vec![0.0_f64; self.lengths.len()];
        for word in words {
            let Some(own) = self.postings.get(&word.key) else {
                continue;
            };
            let raw = raw_idf(self.lengths.len(), own.len());
            let idf = if raw < 0.0 { EPSILON * self.mean_idf } else { raw };
            for (row, count) in own {
                let row = *row as usize;
                let (tf, length) = (f64::from(*count), f64::from(self.lengths[row]));
                let damping = K1 * (1.0 - B + B * length / self.average.max(1.0));
                scores[row] += idf * tf * (K1 + 1.0) / (tf + damping);
            }
        }
        scores.into_iter().map(|score| score as f32).collect()
    }
}

/// `ln((N - n + 0.5) / (n + 0.5))`, below 0 for a word that more than half of the chunks hold.
fn raw_idf(chunks: usize, n: usize) -> f64 {
    let (chunks, n) = (chunks as f64, n as f64);
    ((chunks - n + 0.5) / (n + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> WhitespaceIndex {
        WhitespaceIndex::new(texts.iter().map(|text| Ok::<_, ()>(*text))).expect("texts")
    }

    fn scores(index: &WhitespaceIndex, query: &str) -> Vec<f32> {
        let term = |word: &str| QueryTerm { word: word.to_owned(), key: word.to_owned(), weight: 1.0 };
        index.scores(&query.split_whitespace().map(term).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_case_sensitive_and_unstemmed() {
        let index = index(&["Walking helps mice.", "walking helps", "other words", "more of them"]);
        let found = |query: &str| -> Vec<usize> {
            let scores = scores(&index, query);
            (0..scores.len()).filter(|row| scores[*row] > 0.0).collect()
        };
        assert_eq!(found("Walking"), [0]);
        assert_eq!(found("walking"), [1]);
        assert_eq!(found("mice"), [0_usize; 0]);
        assert_eq!(found("mice."), [0]);
        assert_eq!(found("walk"), [0_usize; 0]);
    }

    #[test]
    fn scores_worked_by_hand() {
        let index = index(&["a b", "b b c d", "c", "d e f g"]);
        // a: 1 of 4 chunks, ln(3.5 / 1.5) = 0.847298; length 2, average 11 / 4 = 2.75;
        // damping 1.5 (0.25 + 0.75 · 2 / 2.75) = 1.193182; 0.847298 · 2.5 / 2.193182 = 0.965832
        let alone = scores(&index, "a");
        assert!((alone[0] - 0.965_832).abs() < 1e-5, "{alone:?}");
        // b: 2 of 4 chunks, ln(2.5 / 2.5) = 0.
        assert!(scores(&index, "b").iter().all(|s| s.abs() < 1e-9));
        // Twice in the question counts twice.
        assert!((scores(&index, "a a")[0] - 2.0 * alone[0]).abs() < 1e-5);
    }

    #[test]
    fn a_word_of_most_chunks_weighs_little_but_not_less_than_nothing() {
        let index = index(&["the x", "the y", "the z", "w"]);
        let most = scores(&index, "the");
        assert!(most[..3].iter().all(|s| *s > 0.0), "{most:?}");
        assert!(most[0] < scores(&index, "x")[0]);
        let empty = WhitespaceIndex::new(std::iter::empty::<Result<&str, ()>>()).expect("nothing");
        assert!(scores(&empty, "x").is_empty());
    }
}
