//! A question becomes a ranking.

use crate::{
    Filter, Index, IndexError, SearchSettings, Tokenizer, VectorIndex,
    fusion::{Candidate, Fused, Scale, fuse},
    lexical::{QueryTerm, WhitespaceIndex, query_terms},
    vectors::{norm, top, unit},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, PoisonError},
};
use types::{Hit, Mode, Retrieval};

/// Rows with their scores, best first.
type List = Vec<(u32, f32)>;

/// The outcome of a search before chunks are decoded.
#[derive(Default)]
pub(crate) struct Ranking {
    pub(crate) terms: Vec<QueryTerm>,
    pub(crate) query_vector: Vec<f32>,
    pub(crate) total_candidates: usize,
    pub(crate) above_threshold: usize,
    pub(crate) hits: Vec<Fused>,
}

impl Index {
    /// Searches for `query`, whose vector is `query_vector`.
    ///
    /// A blank question, one without a term in mode bm25, and an empty index give an empty result. A question
    /// is a bag of stems: no character of it is an operator. In mode bm25 the vector is optional; with it, hits
    /// carry their `vector_score` all the same.
    ///
    /// # Errors
    /// A setting outside its range; a vector that is missing, of the wrong length or not finite; approximate
    /// search without a graph; a damaged file.
    pub fn search(
        &self,
        query: &str,
        query_vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<Retrieval, IndexError> {
        let ranking = self.rank(query, query_vector, mode, settings, filter)?;
        self.retrieval(mode, ranking)
    }

    pub(crate) fn retrieval(&self, mode: Mode, ranking: Ranking) -> Result<Retrieval, IndexError> {
        let hit = |fused: &Fused| {
            Ok(Hit {
                chunk: self.chunks.chunk(fused.row as usize)?,
                vector_score: fused.vector.score,
                bm25_score: fused.bm25.score,
                combined_score: fused.combined,
                above_threshold: fused.passed,
            })
        };
        Ok(Retrieval {
            mode,
            hits: ranking.hits.iter().map(hit).collect::<Result<_, IndexError>>()?,
            total_candidates: ranking.total_candidates,
            above_threshold: ranking.above_threshold,
            query_vector: ranking.query_vector,
        })
    }

    pub(crate) fn rank(
        &self,
        query: &str,
        query_vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<Ranking, IndexError> {
        settings.validate()?;
        let vector = query_vector.map(|vector| self.unit_query(vector)).transpose()?;
        if vector.is_none() && mode != Mode::Bm25 {
            return Err(IndexError::NoQueryVector { mode });
        }
        let rows = self.chunks.rows();
        let query_vector = vector.unwrap_or_default();
        if query.trim().is_empty() || rows.is_empty() {
            return Ok(Ranking {
                query_vector,
                ..Ranking::default()
            });
        }
        let allowed = filter
            .filter(|f| !f.is_empty())
            .map(|f| f.allowed(rows, &self.manifest.sources));
        let (terms, bm25) = match settings.tokenizer {
            Tokenizer::Stems => {
                let terms = query_terms(query);
                let scores = self.lexical.scores(&terms, rows, settings.bm25)?;
                (terms, scores)
            }
            // Explanations are by stem; of words there are none.
            Tokenizer::Whitespace => (Vec::new(), self.whitespace()?.scores(query, settings.bm25)),
        };
        let bm25_list = match mode {
            Mode::Vector => List::new(),
            Mode::Hybrid | Mode::Bm25 => self.bm25_list(&bm25, allowed.as_deref(), settings.depth),
        };
        let vector_list = match mode {
            Mode::Bm25 => List::new(),
            Mode::Hybrid | Mode::Vector => self.vector_list(&query_vector, allowed.as_deref(), settings)?,
        };

        let candidates = self.candidates(&vector_list, &bm25_list, &bm25, &query_vector, settings);
        let permitted = allowed
            .as_ref()
            .map_or(rows.len(), |flags| flags.iter().filter(|flag| **flag).count());
        let reach = permitted.min(settings.depth);
        let scales = (
            Scale::of(vector_list.iter().map(|(_, cosine)| cosine.max(0.0)), reach),
            Scale::of(bm25_list.iter().map(|(_, score)| *score), reach),
        );
        let mut hits = fuse(&candidates, scales, mode, settings);
        hits.retain(|hit| hit.passed);
        let above_threshold = hits.len();
        hits.truncate(settings.candidates);
        Ok(Ranking {
            terms,
            query_vector,
            total_candidates: candidates.len(),
            above_threshold,
            hits,
        })
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

    fn unit_query(&self, vector: &[f32]) -> Result<Vec<f32>, IndexError> {
        let wrong = |reason: String| IndexError::Vector {
            what: "vector of the question".to_owned(),
            reason,
        };
        if vector.len() != self.manifest.dimension {
            let reason = format!(
                "it has {} numbers, those of the index {}",
                vector.len(),
                self.manifest.dimension
            );
            return Err(wrong(reason));
        }
        unit(vector).ok_or_else(|| wrong("it holds a number that is not finite".to_owned()))
    }

    /// Every chunk that holds a stem of the question, down to `depth`.
    fn bm25_list(&self, scores: &[f32], allowed: Option<&[bool]>, depth: usize) -> List {
        let may = |row: usize| allowed.is_none_or(|allowed| allowed.get(row).copied().unwrap_or(false));
        let scored = scores
            .iter()
            .enumerate()
            .filter(|(row, score)| **score > 0.0 && may(*row));
        top(
            depth,
            self.chunks.ranks(),
            scored.map(|(row, score)| (row as u32, *score)),
        )
    }

    /// The nearest chunks down to `depth`, with their cosines.
    fn vector_list(
        &self,
        query: &[f32],
        allowed: Option<&[bool]>,
        settings: &SearchSettings,
    ) -> Result<List, IndexError> {
        // A vector without direction is near to nothing.
        if norm(query) <= 0.0 {
            return Ok(List::new());
        }
        if let (VectorIndex::Hnsw { ef }, None) = (settings.vector_index, allowed)
            && let Some(list) = self.graph_list(query, settings.depth, ef)?
        {
            return Ok(list);
        }
        let cosines = self.windows.cosines(self.chunks.rows(), query, allowed);
        let scored = cosines
            .iter()
            .enumerate()
            .filter_map(|(row, cosine)| Some((row as u32, (*cosine)?)));
        Ok(top(settings.depth, self.chunks.ranks(), scored))
    }

    /// The vector list by the graph; `None` when the exact scan does less work.
    fn graph_list(&self, query: &[f32], depth: usize, ef: usize) -> Result<Option<List>, IndexError> {
        if self.manifest.graph.is_none() {
            return Err(IndexError::NoGraph {
                path: self.dir.clone(),
            });
        }
        let (rows, windows) = (self.chunks.rows(), self.windows.len());
        // Lists count chunks, the graph counts windows, of which several may be of one chunk: ask for more until
        // the list is full.
        let mut wanted = depth.saturating_mul(windows.div_ceil(rows.len().max(1)));
        while wanted.saturating_mul(2) < windows {
            let mut found: BTreeMap<u32, f32> = BTreeMap::new();
            for window in self.graph()?.nearest(query, wanted, ef) {
                let Some(row) = self.windows.row(window).map(|w| w.chunk) else {
                    continue;
                };
                let Some(chunk) = rows.get(row as usize) else {
                    continue;
                };
                if let (false, Some((_, cosine))) =
                    (found.contains_key(&row), self.windows.best(chunk, query))
                {
                    found.insert(row, cosine);
                }
            }
            if found.len() >= depth {
                return Ok(Some(top(depth, self.chunks.ranks(), found.into_iter())));
            }
            wanted = wanted.saturating_mul(2);
        }
        Ok(None)
    }

    /// The heads of both lists together, each chunk once, with the scores of both kinds for all of them.
    fn candidates(
        &self,
        vector_list: &List,
        bm25_list: &List,
        bm25: &[f32],
        query: &[f32],
        settings: &SearchSettings,
    ) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        let heads = vector_list
            .iter()
            .take(settings.vector_k)
            .chain(bm25_list.iter().take(settings.bm25_k));
        for (row, _) in heads {
            places.entry(*row).or_insert_with(|| {
                found.push(Candidate {
                    row: *row,
                    ..Candidate::default()
                });
                found.len() - 1
            });
        }
        // Ranks and cosines from the whole depth, also for a chunk that only the other list's head holds.
        let place = |row: &u32| places.get(row).copied();
        for (rank, (row, cosine)) in vector_list.iter().enumerate() {
            if let Some(candidate) = place(row).and_then(|at| found.get_mut(at)) {
                candidate.vector_rank = Some(rank);
                candidate.cosine = *cosine;
            }
        }
        for (rank, (row, _)) in bm25_list.iter().enumerate() {
            if let Some(candidate) = place(row).and_then(|at| found.get_mut(at)) {
                candidate.bm25_rank = Some(rank);
            }
        }
        // And what no list said: every candidate has both scores.
        let (rows, ranks) = (self.chunks.rows(), self.chunks.ranks());
        for candidate in &mut found {
            let row = candidate.row as usize;
            candidate.id_rank = ranks.get(row).copied().unwrap_or(u32::MAX);
            candidate.bm25 = bm25.get(row).copied().unwrap_or(0.0);
            if let (None, Some(chunk), false) = (candidate.vector_rank, rows.get(row), query.is_empty()) {
                candidate.cosine = self.windows.best(chunk, query).map_or(0.0, |(_, cosine)| cosine);
            }
        }
        found
    }
}
