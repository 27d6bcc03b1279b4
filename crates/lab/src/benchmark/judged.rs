//! Queries with their relevance judgements.

use crate::error::LabError;
use eval::ranking::{BenchmarkQuery, Grades, Qrels, load_queries};
use std::{collections::BTreeSet, path::Path};

/// The judged queries of a benchmark in the order of its queries file. Queries of other splits, which have no judgements, are
/// not among them.
///
/// # Errors
/// When a file cannot be read or is wrong, or a judged query has no text.
pub(crate) fn judged_queries(
    queries: &Path,
    qrels: &Path,
) -> Result<Vec<(BenchmarkQuery, Grades)>, LabError> {
    let judged = Qrels::load(qrels)?;
    let all = load_queries(queries)?;
    let known: BTreeSet<&str> = all.iter().map(|query| query.id.as_str()).collect();
    let unknown: Vec<&str> = judged
        .iter()
        .map(|(id, _)| id)
        .filter(|id| !known.contains(id))
        .collect();
    if let Some(first) = unknown.first() {
        return Err(LabError::Benchmark {
            path: qrels.to_path_buf(),
            reason: format!(
                "judges {} queries that are not in {}, the first is {first:?}",
                unknown.len(),
                queries.file_name().unwrap_or(queries.as_os_str()).display()
            ),
            hint: "use queries and judgements of the same benchmark".to_owned(),
        });
    }
    let with_grades = all.into_iter().filter_map(|query| {
        let grades = judged.get(&query.id)?.clone();
        Some((query, grades))
    });
    Ok(with_grades.collect())
}
