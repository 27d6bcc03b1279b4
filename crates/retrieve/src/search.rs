//! Ranks the chunks of an index for a question.

use crate::{
    Fusion, Index, IndexError, SearchSettings, SourceRecord, Tokenizer, VectorIndex,
    fusion::{Candidate, Fused, Scale, Weights, fuse, shift},
    lexical::{WhitespaceIndex, query_terms},
    live::LiveRow,
    nearest::SMALL,
    stems::WeightedTerm,
    vectors::{norm, top, unit},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, PoisonError},
};
use types::{Chunk, Filter, Mode, Question, SectionKind, TermWeight};

/// A chunk that a search found. Its scores do not depend on which other chunks were found, except `combined_score`,
/// which only orders.
#[derive(Clone, Debug)]
pub struct ScoredChunk {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// `max(0, cosine)` of the question and the chunk's best window.
    pub vector_score: f32,
    /// Raw BM25 score, 0 when no term matches.
    pub bm25_score: f32,
    /// The fused score that orders the list.
    pub combined_score: f32,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// Which lists were used.
    pub mode: Mode,
    /// Candidates that passed the threshold, best first, at most as many as were asked for.
    pub hits: Vec<ScoredChunk>,
    /// Distinct candidates before the threshold and the cut.
    pub total_candidates: usize,
    /// Candidates that passed the threshold, before the cut.
    pub above_threshold: usize,
    /// The terms of the question that BM25 looked up, in the question's order, then those of other forms of its words.
    pub terms: Vec<TermWeight>,
    /// The unit vector of the question; empty when no vectors were used.
    pub query_vector: Vec<f32>,
    /// Why the vectors were compared one by one though the settings ask for the graph; `None` where they do not, or it was
    /// used.
    pub exact_because: Option<&'static str>,
}

/// Live rows with their scores, best first.
type List = Vec<(u32, f32)>;

/// The outcome of a search before chunks are decoded.
#[derive(Default)]
pub(crate) struct Ranking {
    pub(crate) terms: Vec<WeightedTerm>,
    pub(crate) query_vector: Vec<f32>,
    pub(crate) total_candidates: usize,
    pub(crate) above_threshold: usize,
    pub(crate) hits: Vec<Fused>,
    /// See [`SearchOutcome::exact_because`].
    pub(crate) exact_because: Option<&'static str>,
}

impl Index {
    /// Searches for a question.
    ///
    /// A blank question, one without a term in mode bm25, and an empty index give an empty result. A question
    /// is a bag of words: no character of it is an operator. In mode bm25 the vector is optional; with it, hits
    /// carry their `vector_score` all the same.
    ///
    /// # Errors
    /// A vector that is missing, of the wrong length or not finite; approximate
    /// search without a graph; a damaged file.
    pub fn search(
        &self,
        question: &Question,
        settings: &SearchSettings,
    ) -> Result<SearchOutcome, IndexError> {
        let ranking = self.rank(question, settings)?;
        self.outcome(question.mode, ranking)
    }

    pub(crate) fn outcome(&self, mode: Mode, ranking: Ranking) -> Result<SearchOutcome, IndexError> {
        let hit = |fused: &Fused| {
            Ok(ScoredChunk {
                chunk: self.chunk_at(fused.row)?,
                vector_score: fused.vector.score,
                bm25_score: fused.bm25.score,
                combined_score: fused.combined,
            })
        };
        Ok(SearchOutcome {
            mode,
            hits: ranking.hits.iter().map(hit).collect::<Result<_, IndexError>>()?,
            total_candidates: ranking.total_candidates,
            above_threshold: ranking.above_threshold,
            terms: ranking.terms.iter().map(WeightedTerm::outcome).collect(),
            query_vector: ranking.query_vector,
            exact_because: ranking.exact_because,
        })
    }

    pub(crate) fn rank(&self, question: &Question, settings: &SearchSettings) -> Result<Ranking, IndexError> {
        // Without a topic, no passage is similar to the question: its filter says which are meant.
        let lifted = SearchSettings {
            threshold: 0.0,
            ..*settings
        };
        let settings = if question.asks_for_whole_sections() {
            &lifted
        } else {
            settings
        };
        let mode = question.mode;
        let query_vector = match question.vector.as_slice() {
            [] if mode == Mode::Bm25 => Vec::new(),
            [] => return Err(IndexError::NoQueryVector { mode }),
            vector => self.unit_query(vector)?,
        };
        let rows = self.live.rows();
        if question.text.trim().is_empty() || rows.is_empty() {
            return Ok(Ranking {
                query_vector,
                ..Ranking::default()
            });
        }
        let filter = &question.filter;
        let allowed = (!filter.is_empty()).then(|| allowed(filter, rows, &self.manifest.sources));
        let by_words = || -> Result<_, IndexError> {
            let (terms, bm25) = match settings.tokenizer {
                Tokenizer::Stems => self.bm25_scores(query_terms(question, &settings.bm25), settings.bm25)?,
                // Explanations are by stem, so there are none for words.
                Tokenizer::Whitespace => {
                    let words = self.whitespace()?;
                    (Vec::new(), words.scores(&question.text, settings.bm25))
                }
            };
            let list = match mode {
                Mode::Vector => List::new(),
                Mode::Hybrid | Mode::Bm25 => self.bm25_list(&bm25, allowed.as_deref(), settings.depth),
            };
            Ok((terms, bm25, list))
        };
        let by_vectors = || match mode {
            Mode::Bm25 => Ok((List::new(), None)),
            Mode::Hybrid | Mode::Vector => self.vector_list(&query_vector, allowed.as_deref(), settings),
        };
        let (by_words, by_vectors) = match mode {
            Mode::Hybrid if rows.len() > SMALL => rayon::join(by_words, by_vectors),
            // Short work is not worth another thread.
            _ => (by_words(), by_vectors()),
        };
        let ((terms, bm25, bm25_list), (vector_list, exact_because)) = (by_words?, by_vectors?);

        let mut candidates = self.candidates(&vector_list, &bm25_list, &bm25, &query_vector, settings);
        if mode == Mode::Hybrid && settings.fusion != Fusion::Phase2 {
            self.mark_rare_terms(&mut candidates, &terms, settings)?;
        }
        let permitted = allowed
            .as_ref()
            .map_or(rows.len(), |flags| flags.iter().filter(|flag| **flag).count());
        let reach = permitted.min(settings.depth);
        let scales = (
            Scale::of(vector_list.iter().map(|(_, cosine)| cosine.max(0.0)), reach),
            Scale::of(bm25_list.iter().map(|(_, score)| *score), reach),
        );
        let shift = shift(question, &terms, rows.len(), settings.adaptive_weight);
        let weights = Weights::of(mode, settings, shift);
        let mut hits = fuse(&candidates, scales, weights, mode, settings, |left, right| {
            self.live.by_id(&self.segments, left, right)
        });
        hits.retain(|hit| hit.passed);
        let above_threshold = hits.len();
        hits.truncate(settings.candidates);
        Ok(Ranking {
            terms,
            query_vector,
            total_candidates: candidates.len(),
            above_threshold,
            hits,
            exact_because,
        })
    }

    /// Marks the candidates below the threshold that hold a rare term: a symbol is nothing that vectors know of.
    fn mark_rare_terms(
        &self,
        candidates: &mut [Candidate],
        terms: &[WeightedTerm],
        settings: &SearchSettings,
    ) -> Result<(), IndexError> {
        let mut below: Vec<&mut Candidate> = candidates
            .iter_mut()
            .filter(|candidate| candidate.bm25 > 0.0 && candidate.cosine < settings.threshold)
            .collect();
        if below.is_empty() {
            return Ok(());
        }
        let rows = self.rows_of_rare_terms(terms, settings.bm25)?;
        for candidate in &mut below {
            candidate.holds_rare_term = rows.contains(&candidate.row);
        }
        Ok(())
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

    pub(crate) fn unit_query(&self, vector: &[f32]) -> Result<Vec<f32>, IndexError> {
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

    /// Every chunk that holds a term of the question, down to `depth`.
    fn bm25_list(&self, scores: &[f32], allowed: Option<&[bool]>, depth: usize) -> List {
        let may =
            |row: u32| allowed.is_none_or(|allowed| allowed.get(row as usize).copied().unwrap_or(false));
        let scored = (0..).zip(scores).map(|(row, score)| (row, *score));
        self.top(depth, scored.filter(|(row, score)| *score > 0.0 && may(*row)))
    }

    /// The `depth` best rows, best first; equal scores in the order of chunk ids.
    pub(crate) fn top(&self, depth: usize, scored: impl Iterator<Item = (u32, f32)>) -> List {
        top(depth, scored, |left, right| {
            self.live.by_id(&self.segments, left, right)
        })
    }

    /// The nearest chunks down to `depth`, with their cosines, and why the graph was not used though the settings ask for
    /// it.
    fn vector_list(
        &self,
        query: &[f32],
        allowed: Option<&[bool]>,
        settings: &SearchSettings,
    ) -> Result<(List, Option<&'static str>), IndexError> {
        // A vector without direction is near to nothing.
        if norm(query) <= 0.0 {
            return Ok((List::new(), None));
        }
        let exact_because = match (settings.vector_index, allowed) {
            (VectorIndex::Exact, _) => None,
            (VectorIndex::Hnsw, Some(_)) => Some("the question has a filter, and the graph holds all papers"),
            (VectorIndex::Hnsw, None) => {
                if let Some(list) = self.graph_list(query, settings.depth, settings.hnsw.ef)? {
                    return Ok((list, None));
                }
                Some("so many of the passages are asked for that comparing all of them is less work")
            }
        };
        let scored = self.nearest(query, allowed, settings.depth);
        Ok((self.top(settings.depth, scored.into_iter()), exact_because))
    }

    /// The vector list by the graph; `None` when the exact scan does less work.
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

    /// The heads of both lists together, each chunk once, with the scores of both kinds for all of them.
    fn candidates(
        &self,
        vector_list: &List,
        bm25_list: &List,
        bm25: &[f32],
        query: &[f32],
        settings: &SearchSettings,
    ) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        let heads = vector_list
            .iter()
            .take(settings.vector_k)
            .chain(bm25_list.iter().take(settings.bm25_k));
        for (row, _) in heads {
            places.entry(*row).or_insert_with(|| {
                candidates.push(Candidate {
                    row: *row,
                    ..Candidate::default()
                });
                candidates.len() - 1
            });
        }
        // Ranks and cosines from the whole depth, also for a chunk that only the other list's head holds.
        let place = |row: &u32| places.get(row).copied();
        for (rank, (row, cosine)) in vector_list.iter().enumerate() {
            if let Some(candidate) = place(row).and_then(|at| candidates.get_mut(at)) {
                candidate.vector_rank = Some(rank);
                candidate.cosine = *cosine;
            }
        }
        for (rank, (row, _)) in bm25_list.iter().enumerate() {
            if let Some(candidate) = place(row).and_then(|at| candidates.get_mut(at)) {
                candidate.bm25_rank = Some(rank);
            }
        }
        // And what no list said: every candidate has both scores.
        for candidate in &mut candidates {
            candidate.bm25 = bm25.get(candidate.row as usize).copied().unwrap_or(0.0);
            if candidate.vector_rank.is_none() && !query.is_empty() {
                let best = self.best_window(candidate.row, query);
                candidate.cosine = best.map_or(0.0, |(_, cosine)| cosine);
            }
        }
        candidates
    }
}

/// One flag for each chunk: whether the filter lets it pass.
fn allowed(filter: &Filter, rows: &[LiveRow], sources: &[SourceRecord]) -> Vec<bool> {
    let sources: Vec<bool> = sources.iter().map(|s| filter.admits(&s.meta)).collect();
    let sections: Vec<bool> = SectionKind::ALL
        .iter()
        .map(|kind| filter.admits_section(*kind))
        .collect();
    let flag = |flags: &[bool], at: u32| flags.get(at as usize).copied().unwrap_or(false);
    rows.iter()
        .map(|row| flag(&sources, row.source) && flag(&sections, row.section))
        .collect()
}
