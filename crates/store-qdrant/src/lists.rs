//! The two lists of a search.

use crate::{
    QdrantError,
    error::Result,
    meta::{Item, look_up},
    reader::Reader,
    wire::{between, is_any, live, text_of},
};
use qdrant_client::qdrant::{
    Condition, PayloadIncludeSelector, Query, QueryPointsBuilder, ScoredPoint, SearchParamsBuilder,
};
use std::cmp::Ordering;
use types::{Filter, LexicalQuery, Scored, SourceId, Tokenizer};

/// How many more chunks are asked for than are wanted: some may have the score of the last one.
const TIES: usize = 16;

/// The numbers of the terms of a query, and how many chunks hold them.
pub(crate) struct Terms {
    /// Of each term, its number in the sparse vectors; `None` if no chunk holds it.
    pub(crate) numbers: Vec<Option<u32>>,
    /// Of each term, how many chunks hold it in a field that counts.
    pub(crate) frequencies: Vec<usize>,
    /// Of each counted stem, how many chunks hold it in their text.
    pub(crate) counted: Vec<usize>,
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
        for (at, (slot, history)) in look_up(&self.collections.meta, &items).await?.into_iter().enumerate() {
            let [text, title, both] = self.counts_of(&history.unwrap_or_default())?;
            if at >= query.terms.len() {
                terms.counted.push(text);
                continue;
            }
            let titles = if own > 0.0 { title.saturating_sub(both) } else { 0 };
            terms.frequencies.push(text + titles);
            terms.numbers.push(u32::try_from(slot).ok().filter(|_| text + titles > 0));
        }
        Ok(terms)
    }

    /// The best chunks by a vector of this name, equal scores in the order of ids.
    pub(crate) async fn best(
        &self,
        (vector, using): (Query, &str),
        params: SearchParamsBuilder,
        filter: &Filter,
        k: usize,
    ) -> Result<Vec<Scored>> {
        let Some(conditions) =
            conditions(filter, true).filter(|_| k > 0 && self.generation.counts.chunks() > 0)
        else {
            return Ok(Vec::new());
        };
        let search = QueryPointsBuilder::new("")
            .query(vector)
            .using(using)
            .filter(live(self.generation.number, conditions))
            .params(params)
            .with_payload(PayloadIncludeSelector::from(vec!["chunk".to_owned()]));
        let mut limit = k + TIES;
        loop {
            let found = self.collections.chunks.query(search.clone().limit(limit as u64)).await?;
            let whole = found.len() < limit;
            let one = |point: ScoredPoint| {
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
    pub(crate) async fn admitted(&self, filter: &Filter) -> Result<[usize; 2]> {
        let counts = &self.generation.counts;
        if filter.is_empty() {
            return Ok([counts.sources(), counts.chunks()]);
        }
        let (Some(of_source), Some(of_chunk)) = (conditions(filter, false), conditions(filter, true)) else {
            return Ok([0, 0]);
        };
        let at = self.generation.number;
        let sources = self.collections.sources.count(live(at, of_source));
        let (sources, chunks) =
            futures::try_join!(sources, self.collections.chunks.count(live(at, of_chunk)))?;
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
    let mut one_of = |key: &str, names: Vec<&str>| {
        all.push(is_any(key, names.iter().copied()));
        (!names.is_empty()).then_some(())
    };
    if let Some(sources) = &filter.sources {
        one_of("source", sources.iter().map(SourceId::as_str).collect())?;
    }
    if let Some(tags) = &filter.tags {
        one_of("tags", tags.iter().map(String::as_str).collect())?;
    }
    if let Some(sections) = filter.sections.as_ref().filter(|_| of_chunks) {
        one_of("section", sections.iter().map(|section| section.as_str()).collect())?;
    }
    if filter.year_from.is_some() || filter.year_to.is_some() {
        all.push(between("year", filter.year_from.map(f64::from), filter.year_to.map(f64::from)));
    }
    Some(all)
}
