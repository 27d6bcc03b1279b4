//! Finds the passages for a question.

use crate::{
    Candidate, Fused, Fusion, Scale, SearchSettings, Weights, candidates, explain, fuse, lexical_query,
    weights,
};
use std::sync::Arc;
use types::{
    Chunk, ChunkId, ChunkQuery, ChunkScores, DenseList, Detail, Explain, FailureKind, Hit, LexicalList,
    LexicalQuery, Mode, Passage, Question, Retrieval, RetrievalOutcome, RetrievalPlan, Scope, ScoreQuery,
    Store, StoreError, TermScore, TermStatistics, TermWeight, Vocabulary, vector::unit,
};

/// Why a question cannot be searched.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "index", values(mode, id))]
enum SearchError {
    /// The mode needs the vector of the question.
    #[error("mode {mode} needs the vector of the question; give one, or search in mode bm25")]
    NoQueryVector { mode: Mode },
    /// The vector of the question is unusable.
    #[error("vector of the question: {reason}; embed the question with the model of the index")]
    Vector { reason: String },
    /// The store listed a chunk and did not give it.
    #[error("the store lists chunk {id} and does not give it; run `pipeline index verify`")]
    Missing { id: String },
}

impl From<SearchError> for StoreError {
    fn from(error: SearchError) -> Self {
        Self::from_error(&error, FailureKind::Permanent)
    }
}

/// A store with search settings. What is asked of the store or its vocabulary is asked before [`Self::retrieve`], which returns
/// everything that answering a question needs: no later stage reads the store. A clone shares the store.
#[derive(Clone)]
pub struct Searcher {
    /// The passages.
    pub store: Arc<dyn Store>,
    /// Its words.
    pub vocabulary: Arc<dyn Vocabulary>,
    settings: SearchSettings,
}

impl Searcher {
    /// Searches a store, whose words are in `vocabulary`, with these settings.
    pub fn new(store: Arc<dyn Store>, vocabulary: Arc<dyn Vocabulary>, settings: SearchSettings) -> Self {
        Self { store, vocabulary, settings }
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
        let depth = if question.text.trim().is_empty() || info.chunks == 0 { 0 } else { settings.depth };
        let lists = self.lists(question, &vector, &query, depth).await?;
        let terms = weights(&query, &lists.1.frequencies, info.chunks);
        let mut candidates = candidates(&lists.0.chunks, &lists.1.chunks, settings.vector_k, settings.bm25_k);
        // A list of BM25 alone says all that is asked.
        let scores = if mode == Mode::Bm25 && vector.is_empty() && !plan.explain {
            for (candidate, scored) in candidates.iter_mut().zip(&lists.1.chunks) {
                candidate.bm25 = scored.score;
            }
            Vec::new()
        } else {
            let by = ScoreQuery { vector: &vector, lexical: &query, frequencies: &lists.1.frequencies };
            self.score(&mut candidates, by).await?
        };
        // A symbol is nothing that vectors know of.
        if mode == Mode::Hybrid && settings.fusion != Fusion::Phase2 {
            mark_rare(&mut candidates, &scores, &terms, info.chunks);
        }
        let mut fused = passing(&candidates, &lists, mode, &settings);
        let (dense, lexical) = lists;
        let above_threshold = fused.len();
        fused.truncate(settings.top_k);
        let retrieval = Retrieval {
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
        };
        if !plan.explain {
            return Ok(RetrievalOutcome { retrieval, ..RetrievalOutcome::default() });
        }
        let of = |hit: &Fused| {
            let at = candidates.iter().position(|candidate| candidate.id == hit.id)?;
            Some(explain(hit, scores.get(at)?, &terms))
        };
        let explanations = fused.iter().filter_map(of).collect();
        Ok(RetrievalOutcome { retrieval, explanations, terms, notes: dense.note.into_iter().collect() })
    }

    /// Puts the scores of candidates into them, whichever list found them.
    async fn score(
        &self,
        candidates: &mut [Candidate],
        by: ScoreQuery<'_>,
    ) -> Result<Vec<ChunkScores>, StoreError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.id.clone()).collect();
        let scores = self.store.score(&ids, by).await?;
        for (candidate, scores) in candidates.iter_mut().zip(&scores) {
            candidate.cosine = scores.window.map_or(0.0, |window| window.cosine);
            candidate.bm25 = scores.bm25;
        }
        Ok(scores)
    }

    /// The lists of a mode; a list that the mode does not use is empty, and so is each of depth 0.
    async fn lists(
        &self,
        question: &Question,
        vector: &[f32],
        query: &LexicalQuery,
        depth: usize,
    ) -> Result<(DenseList, LexicalList), StoreError> {
        let (store, filter) = (&self.store, &question.filter);
        if depth == 0 {
            let nothing = LexicalQuery { terms: Vec::new(), ..query.clone() };
            return Ok((DenseList::default(), store.lexical(&nothing, filter, 0).await?));
        }
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
}

/// The candidates that pass the threshold, best first.
fn passing(
    candidates: &[Candidate],
    (dense, lexical): &(DenseList, LexicalList),
    mode: Mode,
    settings: &SearchSettings,
) -> Vec<Fused> {
    let reach = lexical.admitted.min(settings.depth);
    let scales = (
        Scale::of(dense.chunks.iter().map(|chunk| chunk.score.max(0.0)), reach),
        Scale::of(lexical.chunks.iter().map(|chunk| chunk.score), reach),
    );
    let mut fused = fuse(candidates, scales, Weights::of(mode, settings), mode, settings);
    fused.retain(|hit| hit.passed);
    fused
}

/// Marks the candidates that hold a rare term of the question.
fn mark_rare(candidates: &mut [Candidate], scores: &[ChunkScores], terms: &[TermWeight], chunks: usize) {
    let most = (chunks / 200).max(3);
    let is_rare = |held: &TermScore| {
        let term = terms.get(held.term);
        term.is_some_and(|term| term.chunks <= most && !text::is_stop_word(&term.word))
    };
    for (candidate, scores) in candidates.iter_mut().zip(scores) {
        candidate.holds_rare_term = scores.terms.iter().any(is_rare);
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
        settings.top_k = hits.max(1);
        for length in [&mut settings.depth, &mut settings.vector_k, &mut settings.bm25_k] {
            *length = hits.max(*length);
        }
    }
    if question.asks_for_whole_sections() {
        settings.min_similarity = 0.0;
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
