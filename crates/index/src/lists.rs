//! The two lists of a search, and the scores of chunks that they found. Scores count only chunks that are in the index,
//! whichever segment contains them.

use crate::{
    Index, IndexError,
    lexical::{Field, Postings, SEARCHED, Scorer, TermPostings, WhitespaceIndex},
    live::{LiveRow, Place},
    nearest::SMALL,
    vectors::{Top, top},
};
use retrieve::stored::Bm25;
use std::{
    cmp::Ordering,
    collections::BTreeMap,
    sync::{Arc, PoisonError},
};
use types::{
    ChunkField, ChunkId, ChunkScores, DenseList, Filter, LexicalList, LexicalQuery, QueryTerm, ScoreQuery,
    Scored, SectionKind, Span, TermScore, Tokenizer, WindowMatch, idf, vector::dot,
};

/// Rows with their scores, best first.
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
            return Admitted { rows: None, sources: sources.len(), chunks: rows.len() };
        }
        let sources: Vec<bool> = sources.iter().map(|s| filter.admits(&s.meta)).collect();
        let sections: Vec<bool> = SectionKind::ALL.iter().map(|kind| filter.admits_section(*kind)).collect();
        let flag = |flags: &[bool], at: u32| flags.get(at as usize).copied().unwrap_or(false);
        let row = |row: &LiveRow| flag(&sources, row.source) && flag(&sections, row.section);
        let rows: Vec<bool> = rows.iter().map(row).collect();
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        Admitted { sources: count(&sources), chunks: count(&rows), rows: Some(rows) }
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
                        chunks: self.named(list, None, |row| self.live.place(row))?,
                        note: None,
                    });
                }
                Some("so many of the passages are asked for that comparing all of them is less work")
            }
        };
        let scored = self.nearest(vector, admitted.rows.as_deref(), k);
        Ok(DenseList {
            chunks: self.named(self.top(k, scored.into_iter()), None, |row| self.live.place(row))?,
            note: why_exact.map(|why| format!("the approximate vector index was not used: {why}")),
        })
    }

    /// The nearest chunks by the graphs of the segments, of which small ones are compared as a whole; `None` when the exact
    /// scan does less work.
    pub(crate) fn graph_list(
        &self,
        query: &[f32],
        depth: usize,
        ef: usize,
    ) -> Result<Option<List>, IndexError> {
        if self.manifest.graph.is_none() {
            return Err(IndexError::NoGraph { path: self.dir.clone() });
        }
        let (rows, windows) = (self.live.rows().len(), self.manifest.counts.windows);
        // Lists count chunks, graphs count windows, of which several may be of one chunk, or of one that is not in the
        // index: ask for more until the list is full.
        let mut wanted = depth.saturating_mul(windows.div_ceil(rows.max(1)));
        while wanted.saturating_mul(2) < windows {
            let mut near: BTreeMap<u32, f32> = BTreeMap::new();
            for (at, segment) in self.segments.iter().enumerate() {
                let own = segment.record.counts.windows;
                let found = if wanted.saturating_mul(2) < own {
                    segment.graph()?.nearest(query, wanted, ef)
                } else {
                    (0..own).collect()
                };
                for window in found {
                    let window = segment.windows.row(window);
                    let Some(row) = window.and_then(|window| self.live.row(at, window.chunk as usize)) else {
                        continue;
                    };
                    if let (false, Some((_, cosine))) =
                        (near.contains_key(&row), self.best_window(row, query))
                    {
                        near.insert(row, cosine);
                    }
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
        let may = |row: u32| {
            let flags = admitted.rows.as_ref();
            flags.is_none_or(|flags| flags.get(row as usize).copied().unwrap_or(false))
        };
        let (frequencies, chunks) = match query.tokenizer {
            Tokenizer::Stems => self.stem_list(query, admitted.rows.as_deref(), k)?,
            Tokenizer::Whitespace => {
                let scores = self.whitespace()?.scores(&query.terms);
                let scored = (0..).zip(scores).filter(|(row, score)| *score > 0.0 && may(*row));
                let list = self.top(k, scored);
                (Vec::new(), self.named(list, query.named, |row| self.live.place(row))?)
            }
        };
        let counted = query.counted.iter().map(|stem| self.document_frequency(stem));
        Ok(LexicalList {
            chunks,
            frequencies,
            counted: counted.collect::<Result<_, _>>()?,
            sources: admitted.sources,
            admitted: admitted.chunks,
        })
    }

    /// How many chunks hold each term in a field that counts, and the `k` best of the rows that are admitted.
    fn stem_list(
        &self,
        query: &LexicalQuery,
        admitted: Option<&[bool]>,
        k: usize,
    ) -> Result<(Vec<usize>, Vec<Scored>), IndexError> {
        let bm25 = Bm25::new(query.title_weight);
        let mut frequencies = vec![0; query.terms.len()];
        let mut found: Vec<Vec<TermPostings>> = Vec::with_capacity(self.segments.len());
        for (at, segment) in self.segments.iter().enumerate() {
            let term = |term: &QueryTerm| segment.term(bm25, &term.key);
            let terms: Vec<TermPostings> = query.terms.iter().map(term).collect::<Result<_, _>>()?;
            for ((term, postings), frequency) in query.terms.iter().zip(&terms).zip(&mut frequencies) {
                *frequency += self.holding(at, &term.key, postings)?;
            }
            found.push(terms);
        }
        if k == 0 {
            return Ok((frequencies, Vec::new()));
        }
        let weights = query.terms.iter().zip(&frequencies);
        let weights = weights.map(|(term, held)| idf(self.live.rows().len(), *held) * term.weight);
        let (mut scorer, mut top) = (Scorer::new(bm25, weights.collect()), Top::new(k));
        // The list numbers the rows of all segments: looking up the live row of each that comes near it costs more.
        let mut firsts = Vec::with_capacity(found.len());
        let mut first = 0;
        for (at, (mut terms, norms)) in found.into_iter().zip(self.live.norms()).enumerate() {
            let may = |row: usize| {
                let live = || self.live.row(at, row);
                admitted.is_none_or(|flags| live().is_some_and(|live| flags[live as usize]))
            };
            scorer.search(&mut terms, norms, first, may, &mut top);
            firsts.push(first);
            first += norms[0].len() as u32;
        }
        let place = |row: u32| {
            let at = firsts.partition_point(|first| *first <= row).saturating_sub(1);
            (at, (row - firsts[at]) as usize)
        };
        let list = top.finish(|left, right| self.by_id(place(left), place(right)));
        Ok((frequencies, self.named(list, query.named, place)?))
    }

    /// How many chunks of a segment hold a term in a field that counts.
    fn holding(&self, at: usize, key: &str, postings: &TermPostings) -> Result<usize, IndexError> {
        let mut held = 0;
        for (field, postings) in SEARCHED.into_iter().zip(postings) {
            held += match postings {
                Some(postings) if self.live.is_whole(at) => postings.len(),
                Some(_) => self.frequency_in_segment(at, field, key)?,
                None => 0,
            };
        }
        if postings.iter().all(Option::is_some) {
            held = held.saturating_sub(self.frequency_in_segment(at, Field::Shared, key)?);
        }
        Ok(held)
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

    /// Adds the terms of chunks, and their BM25 scores, which equal those of [`Self::stem_list`] to the last bit.
    fn score_stems(
        &self,
        rows: &[u32],
        query: ScoreQuery<'_>,
        scores: &mut [ChunkScores],
    ) -> Result<(), IndexError> {
        let bm25 = Bm25::new(query.lexical.title_weight);
        let chunks = self.live.rows().len();
        // For each segment the rows in it, in order, and their places.
        let mut by_segment: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            if let Some(live) = self.live.rows().get(*row as usize) {
                let of_segment = by_segment.entry(live.segment as usize).or_default();
                of_segment.push((live.row, place));
            }
        }
        for (segment, rows) in &mut by_segment {
            rows.sort_unstable();
            let norms = &self.live.norms()[*segment];
            for (at, (term, held)) in query.lexical.terms.iter().zip(query.frequencies).enumerate() {
                let weight = idf(chunks, *held) * term.weight;
                let mut postings = self.segments[*segment].term(bm25, &term.key)?;
                for (row, place) in &*rows {
                    let mut frequency =
                        |list: &mut Option<Postings>| list.as_mut().map_or(0, |list| list.frequency(*row));
                    let occurrences = postings.each_mut().map(&mut frequency);
                    if occurrences == [0; SEARCHED.len()] {
                        continue;
                    }
                    let parts = ChunkField::ALL.into_iter().zip(occurrences).zip(norms);
                    let parts = parts.map(|((field, n), norms)| bm25.part(field, n, norms[*row as usize]));
                    let contribution = Bm25::saturate(weight, parts.sum());
                    scores[*place].bm25 += contribution;
                    scores[*place].terms.push(TermScore { term: at, occurrences, contribution });
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
        Some(WindowMatch { span: Span::new(place.start as usize, place.end as usize), cosine })
    }

    /// The number of chunks whose text contains a stem, as `text::terms` computes it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        self.frequency_in(Field::Text, stem)
    }

    /// The number of chunks of which a field contains a key.
    pub(crate) fn frequency_in(&self, field: Field, key: &str) -> Result<usize, IndexError> {
        let of_segment = |at| self.frequency_in_segment(at, field, key);
        (0..self.segments.len()).map(of_segment).sum()
    }

    fn frequency_in_segment(&self, at: usize, field: Field, key: &str) -> Result<usize, IndexError> {
        let lexical = &self.segments[at].lexical;
        if self.live.is_whole(at) {
            return lexical.document_frequency(field, key);
        }
        let mut total = 0;
        if let Some(mut postings) = lexical.postings(field, key)? {
            let live = |row: u32| self.live.row(at, row as usize).is_some();
            postings.read(u32::MAX, |row, _| total += usize::from(live(row)));
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

    /// The `depth` best live rows, best first; equal scores in the order of chunk ids.
    pub(crate) fn top(&self, depth: usize, scored: impl Iterator<Item = (u32, f32)>) -> List {
        top(depth, scored, |left, right| self.by_id(self.live.place(left), self.live.place(right)))
    }

    /// Compares the ids of two chunks, to break ties.
    fn by_id(&self, left: Place, right: Place) -> Ordering {
        let rank = |(at, row): Place| self.segments.get(at)?.chunks.ranks().get(row);
        let id = |(at, row): Place| self.segments.get(at)?.chunks.id(row);
        if left.0 == right.0 { rank(left).cmp(&rank(right)) } else { id(left).cmp(&id(right)) }
    }

    /// A list by chunk ids, of which the first are needed; `place` says where a row is. Most of the time of a search went into
    /// the names of a list that is a hundred times as long as what is shown of it.
    fn named(
        &self,
        list: List,
        needed: Option<usize>,
        place: impl Fn(u32) -> Place,
    ) -> Result<Vec<Scored>, IndexError> {
        let id = |(at, row): Place| std::str::from_utf8(self.segments.get(at)?.chunks.id(row)?).ok();
        let named = |(rank, (row, score)): (usize, (u32, f32))| {
            if needed.is_some_and(|needed| rank >= needed) {
                return Ok(Scored { id: ChunkId::default(), score });
            }
            let id = id(place(row));
            let id = id.ok_or_else(|| IndexError::damaged(&self.dir, format!("chunk {row} has no id")))?;
            Ok(Scored { id: id.into(), score })
        };
        list.into_iter().enumerate().map(named).collect()
    }
}
