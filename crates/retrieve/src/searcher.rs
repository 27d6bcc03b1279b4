//! Finds the passages for a question.

use crate::{
    Fused, Fusion, Scale, SearchSettings, Weights, candidates, explain, fuse, lexical_query, weights,
};
use std::sync::Arc;
use types::{
    Abbreviation, Chunk, ChunkId, ChunkQuery, DenseList, Detail, Explain, FailureKind, Hit, LexicalList,
    LexicalQuery, Mode, Neighbour, Passage, Question, Retrieval, RetrievalOutcome, RetrievalPlan, Scope,
    ScoreQuery, SourceQuery, Store, StoreError, StoreInfo, StoredSource, TermStatistics, Vocabulary,
    vector::unit,
};

/// Why a question cannot be searched.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "index", values(mode, id))]
enum SearchError {
    /// The mode needs the vector of the question.
    #[error("mode {mode} needs the vector of the question; give one, or search in mode bm25")]
    NoQueryVector {
        /// The mode asked for.
        mode: Mode,
    },
    /// The vector of the question is unusable.
    #[error("vector of the question: {reason}; embed the question with the model of the index")]
    Vector {
        /// What is wrong with it.
        reason: String,
    },
    /// The store listed a chunk and did not give it.
    #[error("the store lists chunk {id} and does not give it; run `pipeline index verify`")]
    Missing {
        /// The chunk.
        id: String,
    },
}

impl From<SearchError> for StoreError {
    fn from(error: SearchError) -> Self {
        Self::from_error(&error, FailureKind::Permanent)
    }
}

/// A store with search settings. [`Self::neighbours`], [`Self::abbreviations`] and [`Self::find_sources`] are called before
/// [`Self::retrieve`], which returns everything that answering a question needs: no later stage reads the store. A clone
/// shares the store.
#[derive(Clone)]
pub struct Searcher {
    store: Arc<dyn Store>,
    vocabulary: Arc<dyn Vocabulary>,
    settings: SearchSettings,
}

impl Searcher {
    /// Searches a store, whose words are in `vocabulary`, with these settings.
    pub fn new(store: Arc<dyn Store>, vocabulary: Arc<dyn Vocabulary>, settings: SearchSettings) -> Self {
        Self { store, vocabulary, settings }
    }

    /// What the store contains.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn info(&self) -> Result<StoreInfo, StoreError> {
        self.store.info().await
    }

    /// Finds passages for a question: a bag of words, no character of which is an operator. There are no hits for a blank
    /// question, for one without a known term in mode `bm25`, and in an empty store. In mode `bm25` the vector is optional;
    /// with it, hits have their `vector_score` all the same.
    ///
    /// # Errors
    /// When the mode needs a vector and the question has none, the vector has another dimension than the store's or is not
    /// finite, or the store cannot be read.
    pub async fn retrieve(
        &self,
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<RetrievalOutcome, StoreError> {
        let (mode, settings) = (question.mode, settings_for(self.settings, question, plan));
        let info = self.store.info().await?;
        let vector = match question.vector.as_slice() {
            [] if mode == Mode::Bm25 => Vec::new(),
            [] => return Err(SearchError::NoQueryVector { mode }.into()),
            vector => unit_query(vector, info.dimension)?,
        };
        let query = lexical_query(question, &settings);
        let (dense, lexical) = if question.text.trim().is_empty() || info.chunks == 0 {
            let nothing = LexicalQuery { terms: Vec::new(), ..query.clone() };
            let lexical = self.store.lexical(&nothing, &question.filter, 0).await?;
            (DenseList::default(), lexical)
        } else {
            self.lists(question, &vector, &query, settings.depth).await?
        };
        let terms = weights(&query, &lexical.frequencies, info.chunks);

        let mut candidates = candidates(&dense.chunks, &lexical.chunks, settings.vector_k, settings.bm25_k);
        let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.id.clone()).collect();
        let by = ScoreQuery { vector: &vector, lexical: &query, frequencies: &lexical.frequencies };
        // A list of BM25 alone says all that is asked.
        let is_known = mode == Mode::Bm25 && vector.is_empty() && !plan.explain;
        let scores = if ids.is_empty() || is_known { Vec::new() } else { self.store.score(&ids, by).await? };
        // A symbol is nothing that vectors know of.
        let rare_passes = mode == Mode::Hybrid && settings.fusion != Fusion::Phase2;
        let most = (info.chunks / 200).max(3);
        if is_known {
            for (candidate, scored) in candidates.iter_mut().zip(&lexical.chunks) {
                candidate.bm25 = scored.score;
            }
        }
        for (candidate, scores) in candidates.iter_mut().zip(&scores) {
            candidate.cosine = scores.window.map_or(0.0, |window| window.cosine);
            candidate.bm25 = scores.bm25;
            let is_rare = |at: usize| {
                let term = terms.get(at);
                term.is_some_and(|term| term.chunks <= most && !text::is_stop_word(&term.word))
            };
            candidate.holds_rare_term = rare_passes && scores.terms.iter().any(|held| is_rare(held.term));
        }
        let reach = lexical.admitted.min(settings.depth);
        let scales = (
            Scale::of(dense.chunks.iter().map(|chunk| chunk.score.max(0.0)), reach),
            Scale::of(lexical.chunks.iter().map(|chunk| chunk.score), reach),
        );
        let weights = Weights::of(mode, &settings);
        let mut fused = fuse(&candidates, scales, weights, mode, &settings);
        fused.retain(|hit| hit.passed);
        let above_threshold = fused.len();
        fused.truncate(settings.candidates);
        let mut outcome = RetrievalOutcome {
            retrieval: Retrieval {
                mode,
                hits: self.hits(&fused, &vector, plan).await?,
                total_candidates: candidates.len(),
                above_threshold,
                statistics: TermStatistics {
                    chunks: info.chunks,
                    frequencies: query.counted.iter().cloned().zip(lexical.counted).collect(),
                },
                scope: Scope { sources: info.sources, admitted: lexical.sources },
                mentioned: match question::mentions(question) {
                    Some(query) => self.store.sources(&query).await?,
                    None => Vec::new(),
                },
            },
            ..RetrievalOutcome::default()
        };
        if plan.explain {
            let of = |hit: &Fused| {
                let at = ids.iter().position(|id| *id == hit.id)?;
                Some(explain(hit, scores.get(at)?, &terms))
            };
            outcome.explanations = fused.iter().filter_map(of).collect();
            outcome.terms = terms;
            outcome.notes = dense.note.into_iter().collect();
        }
        Ok(outcome)
    }

    /// The lists of a mode; a list that the mode does not use is empty.
    async fn lists(
        &self,
        question: &Question,
        vector: &[f32],
        query: &LexicalQuery,
        depth: usize,
    ) -> Result<(DenseList, LexicalList), StoreError> {
        let (store, filter) = (&self.store, &question.filter);
        Ok(match question.mode {
            Mode::Hybrid => store.both(vector, query, filter, depth).await?,
            Mode::Vector => {
                let lexical = store.lexical(query, filter, 0).await?;
                (store.dense(vector, filter, depth).await?, lexical)
            }
            Mode::Bm25 => (DenseList::default(), store.lexical(query, filter, depth).await?),
        })
    }

    async fn hits(
        &self,
        fused: &[Fused],
        vector: &[f32],
        plan: RetrievalPlan,
    ) -> Result<Vec<Hit>, StoreError> {
        let ids = ChunkQuery::Ids(fused.iter().map(|hit| hit.id.clone()).collect());
        let passages = self.store.fetch(&ids, detail(vector, plan)).await?;
        let mut passages = passages.into_iter().peekable();
        let hit = |fused: &Fused| {
            let passage = passages.next_if(|passage| passage.chunk.chunk_id == fused.id);
            let passage = passage.ok_or_else(|| SearchError::Missing { id: fused.id.to_string() })?;
            Ok(Hit {
                passage,
                vector_score: fused.vector.score,
                bm25_score: fused.bm25.score,
                combined_score: fused.combined,
            })
        };
        fused.iter().map(hit).collect()
    }

    /// The passages of these chunks, as [`Self::retrieve`] would return them; unknown ids are skipped.
    ///
    /// # Errors
    /// When the vector of the question is unusable, or the store cannot be read.
    pub async fn passages(
        &self,
        ids: &[ChunkId],
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<Vec<Passage>, StoreError> {
        let vector = match question.vector.as_slice() {
            [] => Vec::new(),
            vector => unit_query(vector, self.store.info().await?.dimension)?,
        };
        let ids = ChunkQuery::Ids(ids.to_vec());
        self.store.fetch(&ids, detail(&vector, plan)).await
    }

    /// Chunks by source id, then in reading order; with [`ChunkQuery::Ids`], in the order of the ids asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn chunks(&self, query: &ChunkQuery) -> Result<Vec<Arc<Chunk>>, StoreError> {
        let passages = self.store.fetch(query, Detail::default()).await?;
        Ok(passages.into_iter().map(|passage| passage.chunk).collect())
    }

    /// Sources, as [`Store::sources`] returns them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find_sources(&self, query: &SourceQuery) -> Result<Vec<StoredSource>, StoreError> {
        self.store.sources(query).await
    }

    /// As [`Vocabulary::neighbours`].
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn neighbours(&self, words: &[String]) -> Result<Vec<Vec<Neighbour>>, StoreError> {
        self.vocabulary.neighbours(words).await
    }

    /// As [`Vocabulary::abbreviations`].
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn abbreviations(&self, keys: &[String]) -> Result<Vec<Vec<Abbreviation>>, StoreError> {
        self.vocabulary.abbreviations(keys).await
    }
}

fn detail(vector: &[f32], plan: RetrievalPlan) -> Detail<'_> {
    Detail { neighbours: plan.neighbours, sentences: plan.sentences, vector }
}

/// The settings, with lists deep enough for the hits of the plan, and without a threshold for a question without a topic:
/// no passage is similar to it, and its filter says which are meant.
fn settings_for(own: SearchSettings, question: &Question, plan: RetrievalPlan) -> SearchSettings {
    let mut settings = own;
    if let Some(hits) = plan.hits {
        settings.candidates = hits.max(1);
        for length in [&mut settings.depth, &mut settings.vector_k, &mut settings.bm25_k] {
            *length = hits.max(*length);
        }
    }
    if question.asks_for_whole_sections() {
        settings.threshold = 0.0;
    }
    settings
}

fn unit_query(vector: &[f32], dimension: usize) -> Result<Vec<f32>, SearchError> {
    let wrong = |reason: String| SearchError::Vector { reason };
    if vector.len() != dimension {
        let numbers = vector.len();
        return Err(wrong(format!("it has {numbers} dimensions, and the index {dimension}")));
    }
    unit(vector).ok_or_else(|| wrong("it holds a number that is not finite".to_owned()))
}
