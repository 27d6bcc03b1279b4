//! Questions that expect documents: BEIR's queries and judgements, or a query set with its target papers.

use crate::error::LabError;
use eval::{
    QuerySet,
    ranking::{BenchmarkQuery, Grades, Qrels, load_queries},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::words::{NAMED, first_of};

/// A question. Documents are named as the labels name them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Judged documents; none for a question of a query set.
    pub(crate) grades: Grades,
}

/// Which questions a user asks for.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// A query set, or the queries of a benchmark if `qrels` is given.
    pub queries: PathBuf,
    /// Judgements in BEIR's layout.
    pub qrels: Option<PathBuf>,
    /// Only the questions with these ids, in this order; all if empty.
    pub ids: Vec<String>,
    /// Only the first questions.
    pub limit: Option<usize>,
    /// A judged document is relevant from this grade on, from 1.
    pub min_grade: i32,
}

/// Questions, each with at least one expected document.
pub(crate) struct Expecting {
    pub(crate) questions: Vec<(Question, Vec<String>)>,
    /// Questions for which no document is expected.
    pub(crate) without_expected: usize,
}

/// Reads the questions that expect documents.
///
/// # Errors
/// When a file is wrong, an id is unknown, or no question is left that expects a document.
pub(crate) fn expecting(wanted: &Questions) -> Result<Expecting, LabError> {
    let mut all = match &wanted.qrels {
        Some(qrels) => judged(&wanted.queries, qrels, wanted.min_grade)?,
        None => of_set(crate::query_set::load(&wanted.queries)?),
    };
    if !wanted.ids.is_empty() {
        let known: BTreeSet<&str> = all.iter().map(|(question, _)| question.id.as_str()).collect();
        let ids = wanted.ids.iter().map(String::as_str);
        let unknown: Vec<&str> = ids.filter(|id| !known.contains(id)).collect();
        if !unknown.is_empty() {
            let what = wanted.qrels.as_ref().map_or("question", |_| "judged question");
            let reason = format!("contains no {what} {}", first_of(unknown, NAMED));
            return Err(LabError::unusable(&wanted.queries, reason, "ids are case-sensitive"));
        }
        let place = |id: &str| wanted.ids.iter().position(|wanted| wanted == id);
        all.retain(|(question, _)| place(&question.id).is_some());
        all.sort_by_key(|(question, _)| place(&question.id));
    }
    all.truncate(wanted.limit.unwrap_or(usize::MAX));
    let asked = all.len();
    all.retain(|(_, expected)| !expected.is_empty());
    if all.is_empty() {
        return Err(match &wanted.qrels {
            Some(qrels) => LabError::unusable(
                qrels,
                format!("gives none of {asked} questions a document of grade {} or higher", wanted.min_grade),
                "name the judgements of these questions, or lower --min-grade",
            ),
            None => LabError::unusable(
                &wanted.queries,
                "names no target_papers",
                "add them to the questions, or name judgements with --qrels",
            ),
        });
    }
    Ok(Expecting { without_expected: asked - all.len(), questions: all })
}

/// The judged queries of a benchmark in the order of its queries file, with their relevant documents: those of the highest
/// grade first, then by id. Queries of other splits, which have no judgements, are not among them.
fn judged(queries: &Path, qrels: &Path, min_grade: i32) -> Result<Vec<(Question, Vec<String>)>, LabError> {
    let judged = Qrels::load(qrels)?;
    let all = load_queries(queries)?;
    let known: BTreeSet<&str> = all.iter().map(|query| query.id.as_str()).collect();
    let unknown: Vec<&str> = judged.iter().map(|(id, _)| id).filter(|id| !known.contains(id)).collect();
    if let Some(first) = unknown.first() {
        let file = queries.file_name().unwrap_or(queries.as_os_str()).display();
        let reason =
            format!("judges {} queries that are not in {file}, the first is {first:?}", unknown.len());
        return Err(LabError::unusable(qrels, reason, "use queries and judgements of the same benchmark"));
    }
    let question = |query: BenchmarkQuery| {
        let grades = judged.get(&query.id)?.clone();
        let mut relevant: Vec<(&String, &i32)> =
            grades.iter().filter(|(_, grade)| **grade >= min_grade).collect();
        // Stable: documents of one grade stay in the order of their ids.
        relevant.sort_by_key(|(_, grade)| std::cmp::Reverse(**grade));
        let relevant = relevant.into_iter().map(|(id, _)| id.clone()).collect();
        Some((Question { id: query.id, text: query.text, grades }, relevant))
    };
    Ok(all.into_iter().filter_map(question).collect())
}

/// The queries of a set with their target papers, which are named by their source ids.
fn of_set(set: QuerySet) -> Vec<(Question, Vec<String>)> {
    let question = |query: eval::Query| {
        let papers = query.target_papers.iter().filter(|_| !query.expected_no_evidence);
        let papers = papers.map(ToString::to_string).collect();
        (Question { id: query.id, text: query.query, grades: Grades::new() }, papers)
    };
    set.queries.into_iter().map(question).collect()
}
