//! The two lists of a search, and the scores of chunks that they found. Scores count only chunks that are in the index,
//! whichever segment contains them.

use crate::{
    Index, IndexError,
    lexical::{Bm25, Field, Form, SEARCHED, WhitespaceIndex},
    live::LiveRow,
    nearest::SMALL,
    vectors::top,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError},
};
use types::{
    ChunkId, ChunkScores, DenseList, Filter, LexicalList, LexicalQuery, ScoreQuery, Scored, SectionKind,
    Span, TermScore, Tokenizer, WindowMatch, idf, vector::dot,
};

/// Live rows with their scores, best first.
type List = Vec<(u32, f32)>;

/// What a filter admits.
pub(crate) struct Admitted {
    /// One flag for each live row; `None` if it admits all.
    rows: Option<Vec<bool>>,
    sources: usize,
    chunks: usize,
}

impl Index {
    /// What a filter admits.
    pub(crate) fn admitted(&self, filter: &Filter) -> Admitted {
        let (sources, rows) = (&self.manifest.sources, self.live.rows());
        if filter.is_empty() {
            return Admitted {
                rows: None,
                sources: sources.len(),
                chunks: rows.len(),
            };
        }
        let sources: Vec<bool> = sources.iter().map(|s| filter.admits(&s.meta)).collect();
        let sections: Vec<bool> = SectionKind::ALL
            .iter()
            .map(|kind| filter.admits_section(*kind))
            .collect();
        let flag = |flags: &[bool], at: u32| flags.get(at as usize).copied().unwrap_or(false);
        let row = |row: &LiveRow| flag(&sources, row.source) && flag(&sections, row.section);
        let rows: Vec<bool> = rows.iter().map(row).collect();
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        Admitted {
            sources: count(&sources),
            chunks: count(&rows),
            rows: Some(rows),
        }
    }

    /// Whether both lists together are enough work for two threads.
    pub(crate) fn is_large(&self) -> bool {
        self.live.rows().len() > SMALL
    }

    /// As [`types::Store::dense`]; by the graph, walked as broad as `graph_ef`, where that is given.
    pub(crate) fn dense(
        &self,
        vector: &[f32],
        admitted: &Admitted,
        k: usize,
        graph_ef: Option<usize>,
    ) -> Result<DenseList, IndexError> {
        // A vector without direction is near to nothing.
        if dot(vector, vector) <= 0.0 || self.live.rows().is_empty() {
            return Ok(DenseList::default());
        }
        let why_exact = match (graph_ef, &admitted.rows) {
            (None, _) => None,
            (Some(_), Some(_)) => Some("the question has a filter, and the graph holds all papers"),
            (Some(ef), None) => {
                if let Some(list) = self.graph_list(vector, k, ef)? {
                    return Ok(DenseList {
                        chunks: self.named(list)?,
                        note: None,
                    });
                }
                Some("so many of the passages are asked for that comparing all of them is less work")
            }
        };
        let scored = self.nearest(vector, admitted.rows.as_deref(), k);
        Ok(DenseList {
            chunks: self.named(self.top(k, scored.into_iter()))?,
            note: why_exact.map(|why| format!("the approximate vector index was not used: {why}")),
        })
    }

    /// The nearest chunks by the graph; `None` when the exact scan does less work.
    pub(crate) fn graph_list(
        &self,
        query: &[f32],
        depth: usize,
        ef: usize,
    ) -> Result<Option<List>, IndexError> {
        if self.manifest.graph.is_none() {
            return Err(IndexError::NoGraph {
                path: self.dir.clone(),
            });
        }
        let (rows, windows) = (self.live.rows().len(), self.windows());
        // Lists count chunks, the graph counts windows, of which several may be of one chunk: ask for more until
        // the list is full.
        let mut wanted = depth.saturating_mul(windows.div_ceil(rows.max(1)));
        while wanted.saturating_mul(2) < windows {
            let mut near: BTreeMap<u32, f32> = BTreeMap::new();
            for window in self.graph()?.nearest(query, wanted, ef) {
                let Some(row) = self.chunk_of_window(window) else {
                    continue;
                };
                if let (false, Some((_, cosine))) = (near.contains_key(&row), self.best_window(row, query)) {
                    near.insert(row, cosine);
                }
            }
            if near.len() >= depth {
                return Ok(Some(self.top(depth, near.into_iter())));
            }
            wanted = wanted.saturating_mul(2);
        }
        Ok(None)
    }

    /// As [`types::Store::lexical`].
    pub(crate) fn lexical(
        &self,
        query: &LexicalQuery,
        admitted: &Admitted,
        k: usize,
    ) -> Result<LexicalList, IndexError> {
        let (frequencies, scores) = match query.tokenizer {
            Tokenizer::Stems => self.stem_scores(query)?,
            Tokenizer::Whitespace => (Vec::new(), self.whitespace()?.scores(&query.terms)),
        };
        let may = |row: u32| {
            let flags = admitted.rows.as_ref();
            flags.is_none_or(|flags| flags.get(row as usize).copied().unwrap_or(false))
        };
        let scored = (0..).zip(&scores).map(|(row, score)| (row, *score));
        let best = self.top(k, scored.filter(|(row, score)| *score > 0.0 && may(*row)));
        let counted = query.counted.iter().map(|stem| self.document_frequency(stem));
        Ok(LexicalList {
            chunks: self.named(best)?,
            frequencies,
            counted: counted.collect::<Result<_, _>>()?,
            sources: admitted.sources,
            admitted: admitted.chunks,
        })
    }

    /// How many chunks hold each term in a field that counts, and the BM25 score of each live row.
    fn stem_scores(&self, query: &LexicalQuery) -> Result<(Vec<usize>, Vec<f32>), IndexError> {
        let bm25 = Bm25::new(query.title_weight, self.live.average_lengths());
        let rows = self.live.rows().len();
        let mut scores = vec![0.0_f32; rows];
        // Of one term: its weighted frequency in each row, added up over fields, and the rows that have one.
        let (mut sums, mut holding) = (vec![0.0_f32; rows], Vec::new());
        let mut frequencies = Vec::with_capacity(query.terms.len());
        // Term by term, in the order of the question, so that sums are bit-identical on every run.
        for term in &query.terms {
            for field in SEARCHED.into_iter().filter(|field| bm25.counts(*field)) {
                let lengths = self.live.lengths(field);
                for (at, segment) in self.segments.iter().enumerate() {
                    let live = self.live.of_segment(at);
                    let visit = |row: usize, frequency| {
                        // A dead chunk has no length.
                        let row = live.get(row).copied().unwrap_or(u32::MAX);
                        let Some(length) = lengths.get(row as usize) else {
                            return;
                        };
                        let part = bm25.part(field, frequency, *length);
                        let sum = &mut sums[row as usize];
                        if part > 0.0 {
                            if *sum == 0.0 {
                                holding.push(row);
                            }
                            *sum += part;
                        }
                    };
                    segment.lexical.postings(Form::Stem, field, &term.key, visit)?;
                }
            }
            frequencies.push(holding.len());
            let idf = idf(rows, holding.len());
            for row in holding.drain(..) {
                let tf = std::mem::take(&mut sums[row as usize]);
                scores[row as usize] += Bm25::saturate(idf * term.weight, tf);
            }
        }
        Ok((frequencies, scores))
    }

    /// As [`types::Store::score`].
    pub(crate) fn score(
        &self,
        ids: &[ChunkId],
        query: ScoreQuery<'_>,
    ) -> Result<Vec<ChunkScores>, IndexError> {
        let row = |id: &ChunkId| {
            let (segment, row) = self.find(id)?;
            self.live.row(segment, row)
        };
        let rows: Vec<u32> = ids
            .iter()
            .map(|id| {
                row(id).ok_or_else(|| IndexError::damaged(&self.dir, format!("there is no chunk {id}")))
            })
            .collect::<Result<_, _>>()?;
        let mut scores: Vec<ChunkScores> = rows
            .iter()
            .map(|row| ChunkScores {
                window: self.window_match(*row, query.vector),
                ..ChunkScores::default()
            })
            .collect();
        match query.lexical.tokenizer {
            Tokenizer::Stems => self.score_stems(&rows, query, &mut scores)?,
            Tokenizer::Whitespace => {
                let all = self.whitespace()?.scores(&query.lexical.terms);
                for (row, scores) in rows.iter().zip(&mut scores) {
                    scores.bm25 = all.get(*row as usize).copied().unwrap_or(0.0);
                }
            }
        }
        Ok(scores)
    }

    /// Adds the terms of chunks, and their BM25 scores, which equal those of [`Self::stem_scores`] to the last bit.
    fn score_stems(
        &self,
        rows: &[u32],
        query: ScoreQuery<'_>,
        scores: &mut [ChunkScores],
    ) -> Result<(), IndexError> {
        let bm25 = Bm25::new(query.lexical.title_weight, self.live.average_lengths());
        let chunks = self.live.rows().len();
        let lengths =
            |row: u32| SEARCHED.map(|field| self.live.lengths(field).get(row as usize).copied().unwrap_or(0));
        // For each segment the rows in it, and their places.
        let mut by_segment: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            if let Some(live) = self.live.rows().get(*row as usize) {
                let of_segment = by_segment.entry(live.segment as usize).or_default();
                of_segment.push((live.row as usize, place));
            }
        }
        for (at, (term, held)) in query.lexical.terms.iter().zip(query.frequencies).enumerate() {
            let mut occurrences = vec![[0_u32; SEARCHED.len()]; rows.len()];
            for (segment, rows) in &by_segment {
                let segment = &self.segments[*segment];
                for field in SEARCHED.into_iter().filter(|field| bm25.counts(*field)) {
                    let visit = |place: usize, frequency| occurrences[place][field.index()] = frequency;
                    segment
                        .lexical
                        .occurrences(Form::Stem, field, &term.key, rows, visit)?;
                }
            }
            let weighted = idf(chunks, *held) * term.weight;
            for ((row, occurrences), scores) in rows.iter().zip(occurrences).zip(scores.iter_mut()) {
                if occurrences.iter().any(|n| *n > 0) {
                    let contribution = bm25.weight(weighted, occurrences, lengths(*row));
                    scores.bm25 += contribution;
                    scores.terms.push(TermScore {
                        term: at,
                        occurrences,
                        contribution,
                    });
                }
            }
        }
        Ok(())
    }

    /// The window of the chunk at a live row that is nearest to a vector; `None` without either.
    fn window_match(&self, row: u32, vector: &[f32]) -> Option<WindowMatch> {
        if vector.is_empty() {
            return None;
        }
        let (segment, _, chunk) = self.live.chunk(&self.segments, row)?;
        let (window, cosine) = segment.windows.best(chunk, vector)?;
        let place = segment.windows.row(window)?;
        Some(WindowMatch {
            span: Span::new(place.start as usize, place.end as usize),
            cosine,
        })
    }

    /// The number of chunks whose text contains a stem, as `text::terms` computes it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        self.frequency_in_text(Form::Stem, stem)
    }

    pub(crate) fn frequency_in_text(&self, form: Form, key: &str) -> Result<usize, IndexError> {
        let mut total = 0;
        for (at, segment) in self.segments.iter().enumerate() {
            if self.live.is_whole(at) {
                total += segment.lexical.document_frequency(form, Field::Text, key)?;
            } else {
                let live = |row| usize::from(self.live.row(at, row).is_some());
                segment
                    .lexical
                    .postings(form, Field::Text, key, |row, _| total += live(row))?;
            }
        }
        Ok(total)
    }

    /// The words of all chunks, counted once.
    fn whitespace(&self) -> Result<Arc<WhitespaceIndex>, IndexError> {
        // A panic while counting leaves nothing behind.
        let mut held = self.whitespace.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*held {
            return Ok(Arc::clone(index));
        }
        let texts = self.chunks().map(|chunk| chunk.map(|chunk| chunk.text.clone()));
        let index = Arc::new(WhitespaceIndex::new(texts)?);
        *held = Some(Arc::clone(&index));
        Ok(index)
    }

    /// The `depth` best rows, best first; equal scores in the order of chunk ids.
    pub(crate) fn top(&self, depth: usize, scored: impl Iterator<Item = (u32, f32)>) -> List {
        top(depth, scored, |left, right| {
            self.live.by_id(&self.segments, left, right)
        })
    }

    /// A list by chunk ids.
    fn named(&self, list: List) -> Result<Vec<Scored>, IndexError> {
        let id = |row: u32| {
            let (segment, local, _) = self.live.chunk(&self.segments, row)?;
            std::str::from_utf8(segment.chunks.id(local)?).ok()
        };
        let named = |(row, score): (u32, f32)| {
            let id =
                id(row).ok_or_else(|| IndexError::damaged(&self.dir, format!("chunk {row} has no id")))?;
            Ok(Scored { id: id.into(), score })
        };
        list.into_iter().map(named).collect()
    }
}
