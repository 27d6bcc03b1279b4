//! Scores the rows of a segment by BM25, a window of rows at a time, so that all sums stay in the first cache.
//!
//! Every posting of the terms is read: it costs less than leaving some out. MaxScore (Turtle and Flood 1995) with the bounds
//! of the formula read a third of the postings of an index of a million chunks and took longer, because a list of a thousand
//! has a low last score, and each of the many rows that could still reach it is looked up in the other lists.

use super::{Postings, SEARCHED};
use crate::vectors::Top;
use retrieve::stored::Bm25;
use types::ChunkField;

/// Rows that are scored at a time.
const WINDOW: usize = 2048;
/// Rows of a window that are passed over together.
const STEP: usize = 16;

/// For each searched field, where a term occurs in a segment; `None` where it does not, or where the field does not count.
pub(crate) type TermPostings = [Option<Postings>; SEARCHED.len()];

/// For each searched field, the norms of the rows of a segment: infinite for a chunk that is not in the index, which then
/// weighs 0.
pub(crate) type Norms = [Vec<f32>; SEARCHED.len()];

/// A search for some terms, segment by segment.
pub(crate) struct Scorer {
    bm25: Bm25,
    /// Of each term, in the order of the question.
    weights: Vec<f32>,
    /// What titles add to the frequency of the term at hand; 0 between terms.
    titles: Box<[f32; WINDOW]>,
    /// The places of these.
    titled: Vec<usize>,
    /// The scores of the window; 0 between windows.
    totals: Box<[f32; WINDOW]>,
}

impl Scorer {
    /// `weights` are those of [`Bm25::saturate`].
    pub(crate) fn new(bm25: Bm25, weights: Vec<f32>) -> Self {
        Self {
            bm25,
            weights,
            titles: Box::new([0.0; WINDOW]),
            titled: Vec::new(),
            totals: Box::new([0.0; WINDOW]),
        }
    }

    /// Adds the rows of a segment that `may` be in the list, with `first` added to their numbers. `terms` are their postings in
    /// the order of the question.
    pub(crate) fn search(
        &mut self,
        terms: &mut [TermPostings],
        norms: &Norms,
        first: u32,
        may: impl Fn(usize) -> bool,
        top: &mut Top,
    ) {
        let end = norms[0].len() as u32;
        loop {
            let rows = terms.iter().flatten().flatten().map(Postings::row);
            let Some(start) = rows.min().filter(|start| *start < end) else {
                return;
            };
            // Term by term, in the order of the question, so that sums are bit-identical on every run.
            for (at, postings) in terms.iter_mut().enumerate() {
                self.add(self.weights[at], postings, start, norms);
            }
            for (step, totals) in self.totals.chunks_exact_mut(STEP).enumerate() {
                let larger = |most: f32, total: &f32| if *total > most { *total } else { most };
                let most = totals.iter().fold(0.0, larger);
                if most > 0.0 && most >= top.least() {
                    for (row, score) in (start as usize + step * STEP..).zip(&*totals) {
                        if *score > 0.0 && *score >= top.least() && may(row) {
                            top.push(first + row as u32, *score);
                        }
                    }
                }
                totals.fill(0.0);
            }
        }
    }

    /// Adds a term to the scores of the window from `start`.
    fn add(&mut self, weight: f32, [text, title]: &mut TermPostings, start: u32, norms: &Norms) {
        let (bm25, end) = (self.bm25, start.saturating_add(WINDOW as u32));
        let place = |row: u32| row.wrapping_sub(start) as usize % WINDOW;
        let part = |field: ChunkField, row: u32, frequency| {
            // A row that is not there weighs nothing.
            let norm = norms[field.index()].get(row as usize).copied().unwrap_or(f32::INFINITY);
            bm25.part(field, frequency, norm)
        };
        if let Some(title) = title {
            title.read(end, |row, frequency| {
                self.titles[place(row)] = part(ChunkField::Title, row, frequency);
                self.titled.push(place(row));
            });
        }
        if let Some(text) = text {
            text.read(end, |row, frequency| {
                let title = std::mem::take(&mut self.titles[place(row)]);
                let tf = part(ChunkField::Text, row, frequency) + title;
                self.totals[place(row)] += Bm25::saturate(weight, tf);
            });
        }
        // In the title alone.
        for place in self.titled.drain(..) {
            let title = std::mem::take(&mut self.titles[place]);
            self.totals[place] += Bm25::saturate(weight, title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        IndexError,
        lexical::{FieldWords, LexicalIndex, LexicalWriter},
    };
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use retrieve::stored::norm;
    use tempfile::TempDir;

    const VOCABULARY: usize = 400;

    /// Text and title of a chunk.
    type Document = (String, String);

    /// Texts of different lengths whose words are as unevenly frequent as real ones; a title belongs to twenty of them, and
    /// every fourth has none.
    fn documents(seed: u64, count: usize) -> Vec<Document> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut words = |count: usize| {
            let word = |_| {
                let rank = (VOCABULARY as f64).powf(rng.random_range(0.0..1.0));
                format!("w{}x ", rank as usize)
            };
            (0..count).map(word).collect::<String>()
        };
        let titles: Vec<String> =
            (0..=count / 20).map(|n| if n % 4 == 0 { String::new() } else { words(6) }).collect();
        (0..count).map(|n| (words(3 + n * 7 % 40), titles[n / 20].clone())).collect()
    }

    /// What a search of the segments finds: how many chunks hold each term, and the list.
    struct Segments {
        _folder: TempDir,
        parts: Vec<(LexicalIndex, Norms)>,
        /// Norms of all documents.
        norms: Norms,
    }

    impl Segments {
        /// Every seventh document is dead.
        fn is_live(row: usize) -> bool {
            row % 7 != 3
        }

        /// Every fifth is kept out by a filter.
        fn may(row: usize) -> bool {
            row % 5 != 2
        }

        fn new(documents: &[Document], count: usize) -> Result<Self, IndexError> {
            let folder = TempDir::new().expect("a folder");
            let of = |(text, title): &Document| [text, title].map(|words| FieldWords::of(words));
            let words: Vec<[FieldWords; 2]> = documents.iter().map(of).collect();
            let mean = |field: usize| {
                let lengths = words.iter().map(|words| words[field].content as f32);
                lengths.sum::<f32>() / words.len() as f32
            };
            let averages = [mean(0), mean(1)];
            let norms = [0, 1].map(|field| {
                let norm = |(row, words): (usize, &[FieldWords; 2])| {
                    if Self::is_live(row) {
                        norm(words[field].content as u32, averages[field])
                    } else {
                        f32::INFINITY
                    }
                };
                words.iter().enumerate().map(norm).collect::<Vec<f32>>()
            });
            let size = words.len().div_ceil(count).max(1);
            let mut parts = Vec::new();
            for (at, words) in words.chunks(size).enumerate() {
                let rows = at * size..at * size + words.len();
                let dir = folder.path().join(at.to_string());
                std::fs::create_dir(&dir).expect("a folder");
                let mut writer = LexicalWriter::create(&dir)?;
                for (row, [text, title]) in words.iter().enumerate() {
                    writer.add(row, [text, title])?;
                }
                writer.finish()?;
                parts.push((
                    LexicalIndex::open(&dir, words.len())?,
                    [0, 1].map(|field| norms[field][rows.clone()].to_vec()),
                ));
            }
            Ok(Self { _folder: folder, parts, norms })
        }

        fn search(
            &self,
            bm25: Bm25,
            terms: &[(String, f32)],
            k: usize,
        ) -> Result<Vec<(u32, u32)>, IndexError> {
            let weights = terms.iter().map(|(_, weight)| *weight).collect();
            let (mut scorer, mut top) = (Scorer::new(bm25, weights), Top::new(k));
            let mut first = 0;
            for (lexical, norms) in &self.parts {
                let mut found = Vec::new();
                for (key, _) in terms {
                    let mut postings = TermPostings::default();
                    for ((field, counted), postings) in
                        SEARCHED.into_iter().zip(ChunkField::ALL).zip(&mut postings)
                    {
                        if bm25.counts(counted) {
                            *postings = lexical.postings(field, key)?;
                        }
                    }
                    found.push(postings);
                }
                let may = |row: usize| Self::may(first as usize + row);
                scorer.search(&mut found, norms, first, may, &mut top);
                first += norms[0].len() as u32;
            }
            let list = top.finish(|left, right| left.cmp(&right));
            Ok(list.into_iter().map(|(row, score)| (row, score.to_bits())).collect())
        }
    }

    /// The list made by counting the words of all documents.
    fn exhaustive(
        documents: &[Document],
        norms: &Norms,
        bm25: Bm25,
        terms: &[(String, f32)],
        k: usize,
    ) -> Vec<(u32, u32)> {
        let count = |text: &str, key: &str| text.split(' ').filter(|word| *word == key).count() as u32;
        let score = |(row, (text, title)): (usize, &Document)| {
            let mut score = 0.0_f32;
            for (key, weight) in terms {
                let counts = [(ChunkField::Text, count(text, key)), (ChunkField::Title, count(title, key))];
                let counted = counts.into_iter().filter(|(field, _)| bm25.counts(*field));
                let mut tf = 0.0;
                for (field, n) in counted {
                    tf += bm25.part(field, n, norms[field.index()][row]);
                }
                score += Bm25::saturate(*weight, tf);
            }
            (row as u32, score)
        };
        let scored = documents.iter().enumerate().map(score);
        let mut list: Vec<(u32, f32)> =
            scored.filter(|(row, score)| *score > 0.0 && Segments::may(*row as usize)).collect();
        list.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        list.truncate(k);
        list.into_iter().map(|(row, score)| (row, score.to_bits())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3))]
        #[test]
        fn lists_are_those_of_scoring_every_row_however_the_index_is_cut(seed: u64, count in 1_usize..6_000) {
            let documents = documents(seed, count);
            let (one, twenty) = (Segments::new(&documents, 1)?, Segments::new(&documents, 20)?);
            prop_assert!(count < 400 || twenty.parts.len() == 20);
            let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 1);
            for _ in 0..12 {
                let bm25 = Bm25::new([0.0, 0.5, 2.0][rng.random_range(0..3)]);
                let k = [1, 10, 300][rng.random_range(0..3)];
                let mut terms = Vec::new();
                for _ in 0..rng.random_range(1..8) {
                    let key = format!("w{}x", rng.random_range(1..VOCABULARY / 4));
                    // Two terms may weigh the same, and one may be repeated.
                    terms.push((key, rng.random_range(1..20) as f32 / 4.0));
                }
                let wanted = exhaustive(&documents, &one.norms, bm25, &terms, k);
                prop_assert_eq!(&one.search(bm25, &terms, k)?, &wanted, "one segment: {:?}", terms);
                prop_assert_eq!(&twenty.search(bm25, &terms, k)?, &wanted, "twenty segments: {:?}", terms);
            }
        }
    }
}
