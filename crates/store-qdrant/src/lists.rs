//! The two lists of a search.

use crate::{
    QdrantError,
    collections::{WINDOWS, WORDS},
    error::Result,
    meta::{Item, count_at, look_up},
    reader::Reader,
    settings::{OVERSAMPLING, Quantisation},
    wire::{between, fields, is_any, live, text_of, vectors},
};
use qdrant_client::qdrant::{
    Condition, DenseVector, MultiDenseVector, QuantizationSearchParams, Query, QueryPoints, SearchParams,
    SparseVector, VectorInput, query, vector_input,
};
use std::cmp::Ordering;
use types::{DenseList, Filter, LexicalList, LexicalQuery, QueryTerm, Scored, Tokenizer, idf, vector::dot};

/// How many more chunks are asked for than are wanted: some may have the score of the last one.
const TIES: usize = 16;

/// The numbers of the terms of a query, and how many chunks hold them.
pub(crate) struct Terms {
    /// Of each term, its number in the sparse vectors; `None` if no chunk holds it.
    pub(crate) numbers: Vec<Option<u32>>,
    /// Of each term, how many chunks hold it in a field that counts.
    frequencies: Vec<usize>,
    /// Of each counted stem, how many chunks hold it in their text.
    counted: Vec<usize>,
}

impl Reader {
    /// What the table says of a query.
    ///
    /// # Errors
    /// When the store cannot answer such a query, or the table cannot be read.
    pub(crate) async fn terms(&self, query: &LexicalQuery) -> Result<Terms> {
        let own = self.generation.title_weight;
        if query.tokenizer == Tokenizer::Whitespace {
            return Err(QdrantError::Whitespace);
        }
        if (query.title_weight - own).abs() > f32::EPSILON && !query.terms.is_empty() {
            let collection = self.collections.settings.collection.clone();
            return Err(QdrantError::Titles { collection, stored: own, asked: query.title_weight });
        }
        let stems = query.terms.iter().map(|term| &term.key).chain(&query.counted);
        let items: Vec<Item> = stems.map(|stem| Item::Stem(stem.clone())).collect();
        let mut terms = Terms { numbers: Vec::new(), frequencies: Vec::new(), counted: Vec::new() };
        for (at, place) in look_up(&self.collections.meta, &items).await?.into_iter().enumerate() {
            let history = place.history.unwrap_or_default();
            let [text, title, both] =
                count_at(&history, self.generation.number, &self.collections.settings.collection)?;
            if at >= query.terms.len() {
                terms.counted.push(text);
                continue;
            }
            let titles = if own > 0.0 { title.saturating_sub(both) } else { 0 };
            terms.frequencies.push(text + titles);
            terms.numbers.push(u32::try_from(place.slot).ok().filter(|_| text + titles > 0));
        }
        Ok(terms)
    }

    /// As [`types::Store::lexical`].
    pub(crate) async fn lexical_list(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        k: usize,
    ) -> Result<LexicalList> {
        let terms = async {
            let terms = self.terms(query).await?;
            let chunks = self.lexical_best(query, &terms, filter, k).await?;
            Ok((terms, chunks))
        };
        let ((terms, chunks), [sources, admitted]) = futures::try_join!(terms, self.admitted(filter))?;
        Ok(LexicalList { chunks, frequencies: terms.frequencies, counted: terms.counted, sources, admitted })
    }

    async fn lexical_best(
        &self,
        query: &LexicalQuery,
        terms: &Terms,
        filter: &Filter,
        k: usize,
    ) -> Result<Vec<Scored>> {
        let weight = |((term, number), held): ((&QueryTerm, &Option<u32>), &usize)| {
            Some(((*number)?, idf(self.generation.counts.chunks, *held) * term.weight))
        };
        let weights = query.terms.iter().zip(&terms.numbers).zip(&terms.frequencies).filter_map(weight);
        let mut weights: Vec<(u32, f32)> = weights.collect();
        weights.sort_unstable_by_key(|(number, _)| *number);
        if weights.is_empty() {
            return Ok(Vec::new());
        }
        let (indices, values) = weights.into_iter().unzip();
        let vector = vector_input::Variant::Sparse(SparseVector { indices, values });
        self.best(vector, WORDS[self.generation.words], SearchParams::default(), filter, k).await
    }

    /// As [`types::Store::dense`].
    pub(crate) async fn dense_list(&self, vector: &[f32], filter: &Filter, k: usize) -> Result<DenseList> {
        if dot(vector, vector) <= 0.0 {
            return Ok(DenseList::default());
        }
        let settings = &self.collections.settings;
        // An exact search takes no notice of quantised vectors. There is no graph: all are compared either way.
        let params = if settings.quantisation == Quantisation::None {
            SearchParams { exact: Some(true), ..SearchParams::default() }
        } else {
            let quantization = QuantizationSearchParams {
                rescore: Some(true),
                oversampling: Some(OVERSAMPLING),
                ..QuantizationSearchParams::default()
            };
            SearchParams { quantization: Some(quantization), ..SearchParams::default() }
        };
        let row = DenseVector { data: vector.to_vec() };
        let vector = vector_input::Variant::MultiDense(MultiDenseVector { vectors: vec![row] });
        let mut chunks = self.best(vector, WINDOWS, params, filter, k).await?;
        for chunk in &mut chunks {
            chunk.score = chunk.score.clamp(-1.0, 1.0);
        }
        Ok(DenseList { chunks, note: None })
    }

    /// The best chunks by one vector, equal scores in the order of ids.
    async fn best(
        &self,
        vector: vector_input::Variant,
        using: &str,
        params: SearchParams,
        filter: &Filter,
        k: usize,
    ) -> Result<Vec<Scored>> {
        let Some(conditions) = conditions(filter, true) else {
            return Ok(Vec::new());
        };
        if k == 0 || self.generation.counts.chunks == 0 {
            return Ok(Vec::new());
        }
        let mut limit = k + TIES;
        loop {
            let found = self.collections.chunks.query(QueryPoints {
                query: Some(Query {
                    variant: Some(query::Variant::Nearest(VectorInput { variant: Some(vector.clone()) })),
                }),
                using: Some(using.to_owned()),
                filter: Some(live(self.generation.number, conditions.clone())),
                params: Some(params.clone()),
                limit: Some(limit as u64),
                with_payload: Some(fields(&["chunk"])),
                with_vectors: Some(vectors(&[])),
                ..QueryPoints::default()
            });
            let found = found.await?;
            let whole = found.len() < limit;
            let one = |point: qdrant_client::qdrant::ScoredPoint| {
                Ok(Scored { id: text_of(&point.payload, "chunk")?.into(), score: point.score })
            };
            let mut list: Vec<Scored> = found.into_iter().map(one).collect::<Result<_>>()?;
            list.sort_by(in_order);
            let last = |at: usize| list.get(at).map(|chunk| chunk.score);
            // Which of equal ones the server returns is chance: all of them are needed.
            if whole || last(k - 1) != last(limit - 1) {
                list.truncate(k);
                return Ok(list);
            }
            limit *= 2;
        }
    }

    /// How many sources and chunks a filter admits.
    async fn admitted(&self, filter: &Filter) -> Result<[usize; 2]> {
        let counts = &self.generation.counts;
        if filter.is_empty() {
            return Ok([counts.sources, counts.chunks]);
        }
        let (Some(of_source), Some(of_chunk)) = (conditions(filter, false), conditions(filter, true)) else {
            return Ok([0, 0]);
        };
        let count = |conditions| live(self.generation.number, conditions);
        let (sources, chunks) = (count(of_source), count(of_chunk));
        let (sources, chunks) = futures::try_join!(
            self.collections.sources.count(sources),
            self.collections.chunks.count(chunks)
        )?;
        Ok([sources, chunks])
    }
}

/// Best first; equal scores in the order of ids.
fn in_order(one: &Scored, other: &Scored) -> Ordering {
    other.score.total_cmp(&one.score).then_with(|| one.id.cmp(&other.id))
}

/// A filter as the server reads it, for chunks or, without its sections, for sources; `None` if it admits nothing.
fn conditions(filter: &Filter, of_chunks: bool) -> Option<Vec<Condition>> {
    let mut all = Vec::new();
    if let Some(sources) = &filter.sources {
        all.push(is_any("source", names(sources.iter().map(types::SourceId::as_str))?));
    }
    if let Some(tags) = &filter.tags {
        all.push(is_any("tags", names(tags.iter().map(String::as_str))?));
    }
    let sections =
        filter.sections.as_ref().map(|sections| names(sections.iter().map(|section| section.as_str())));
    if let Some(sections) = sections.filter(|_| of_chunks) {
        all.push(is_any("section", sections?));
    }
    if filter.year_from.is_some() || filter.year_to.is_some() {
        all.push(between("year", filter.year_from.map(f64::from), filter.year_to.map(f64::from)));
    }
    Some(all)
}

/// Names of which one must fit; `None` without any.
fn names<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<String>> {
    let names: Vec<String> = names.map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}
