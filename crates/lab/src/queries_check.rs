//! Checks a query set against the index that it is to be asked of.

use crate::{error::LabError, query_set};
use engine::{open_store, settings::Settings};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use types::{
    Chunk, ChunkQuery, SourceId, SourceQuery,
    files::{DATA_BYTES, read_bounded},
};

/// Something about one line of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Line in the file, from 1.
    pub line: usize,
    /// The query.
    pub query_id: String,
    /// What is wrong, and what to do.
    pub remark: String,
}

/// What a check found in a set that could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueriesChecked {
    /// Queries in the set.
    pub queries: usize,
    /// Those that should be refused.
    pub unanswerable: usize,
    /// Gold quotes that stand in a chunk of their source, of all.
    pub quotes_found: usize,
    /// Gold quotes.
    pub quotes: usize,
    /// Errors: papers that the index does not hold.
    pub refused: Vec<Remark>,
    /// Warnings: what lowers scores, such as gold quotes that are in no chunk.
    pub warnings: Vec<Remark>,
}

/// The text of a chunk, table rows as they are printed: without marks between cells.
fn without_cell_marks(chunk: &Chunk) -> String {
    chunk.text.replace(" | ", " ")
}

/// Checks form (with line numbers), targets and gold quotes.
///
/// # Errors
/// When the file cannot be read or is no query set, or there is no index.
pub async fn check(settings: &Settings, file: &Path) -> Result<QueriesChecked, LabError> {
    // Read once: the file may be a pipe.
    let bytes = read_bounded(file, DATA_BYTES).map_err(LabError::io("read", file))?;
    let (set, text) = query_set::parse(&file.display().to_string(), &bytes)?;
    let index = open_store(settings).await?;
    let store = index.searcher(settings.retrieve.search);
    let filled = |(_, line): &(usize, &str)| !line.trim_start_matches('\u{feff}').trim().is_empty();
    // A list has no line for each query.
    let lines = text.lines().enumerate().filter(filled).map(|(at, _)| at + 1).chain(std::iter::repeat(0));

    let mut chunks: BTreeMap<SourceId, Vec<Arc<Chunk>>> = BTreeMap::new();
    for chunk in store.chunks(&ChunkQuery::All).await? {
        chunks.entry(chunk.source_id.clone()).or_default().push(chunk);
    }
    let sources = store.store.sources(&SourceQuery::All).await?;
    let indexed: BTreeSet<&SourceId> = sources.iter().map(|source| &source.meta.source_id).collect();
    let mut checked = QueriesChecked { queries: set.queries.len(), ..QueriesChecked::default() };
    for problem in &set.warnings {
        checked.warnings.push(Remark {
            line: problem.line,
            query_id: String::new(),
            remark: problem.reason.clone(),
        });
    }
    for (query, line) in set.queries.iter().zip(lines) {
        let remark = |remark: String| Remark { line, query_id: query.id.clone(), remark };
        checked.unanswerable += usize::from(query.expected_no_evidence);
        let gold = query.gold_evidence.iter().map(|gold| &gold.source_id);
        let unknown: BTreeSet<_> =
            query.target_papers.iter().chain(gold).filter(|id| !indexed.contains(id)).collect();
        for id in unknown {
            checked
                .refused
                .push(remark(format!("{id} is not in the index: ingest the paper, or correct the id")));
        }
        for gold in &query.gold_evidence {
            checked.quotes += 1;
            let own = chunks.get(&gold.source_id).map(Vec::as_slice).unwrap_or_default();
            if own
                .iter()
                .any(|chunk| text::quote::find_quote(&without_cell_marks(chunk), &gold.quote).is_some())
            {
                checked.quotes_found += 1;
            } else if indexed.contains(&gold.source_id) {
                let start: String = gold.quote.chars().take(60).collect();
                checked.warnings.push(remark(format!(
                    "the quote {start:?} is not in any chunk of {}: copy it from the output of `pipeline parse`",
                    gold.source_id
                )));
            }
        }
    }
    checked.warnings.sort_by_key(|remark| remark.line);
    Ok(checked)
}
