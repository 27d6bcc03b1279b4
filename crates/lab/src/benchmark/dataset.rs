//! Labelled questions of any layout: BEIR's queries and judgements, and query sets.

use super::index::Documents;
use crate::error::LabError;
use eval::{
    GoldEvidence, QuerySet,
    ranking::{Grades, Qrels, load_queries},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::{
    Filter,
    words::{NAMED, first_of},
};

/// A question with its labels. Documents are named as the labels name them.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) text: String,
    /// What it was asked about: the cluster of its observations.
    pub(crate) cluster: String,
    /// The documents that it was asked about.
    pub(crate) papers: Vec<String>,
    /// Judged documents.
    pub(crate) grades: Grades,
    /// The evidence that answers it.
    pub(crate) gold: Vec<GoldEvidence>,
    /// Whether it is known that the documents do not answer it.
    pub(crate) unanswerable: bool,
}

impl Question {
    /// Whether it is known what answers it, or that nothing does.
    pub(crate) fn is_labelled(&self) -> bool {
        self.unanswerable || !self.gold.is_empty()
    }

    /// The documents without those that answer it; `None` if nothing answers it, or no document would be left.
    pub(crate) fn without_its_papers(&self, documents: &Documents) -> Option<Filter> {
        let others = documents.sources(|name| {
            let papers = self.papers.iter();
            let gold = self.gold.iter().map(|gold| gold.source_id.as_str());
            papers.map(String::as_str).chain(gold).all(|paper| paper != name)
        });
        (!self.gold.is_empty() && !others.is_empty())
            .then(|| Filter { sources: Some(others), ..Filter::default() })
    }

    /// The documents that should be found: judged ones from this grade on, those of the highest grade first, then by id; else
    /// those that it was asked about, in their order.
    fn expected(&self, min_grade: i32) -> Vec<String> {
        if self.grades.is_empty() {
            let papers = if self.unanswerable { &[][..] } else { &self.papers };
            return papers.to_vec();
        }
        let relevant = self.grades.iter().filter(|(_, grade)| **grade >= min_grade);
        let mut relevant: Vec<(&String, &i32)> = relevant.collect();
        // Stable: documents of one grade stay in the order of their ids.
        relevant.sort_by_key(|(_, grade)| std::cmp::Reverse(**grade));
        relevant.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

fn wrong(path: &Path, reason: impl Into<String>, hint: impl Into<String>) -> LabError {
    LabError::Benchmark { path: path.to_path_buf(), reason: reason.into(), hint: hint.into() }
}

/// The absolute path of a benchmark's folder, and its name. `layout` says what the folder must contain.
///
/// # Errors
/// When it does not exist.
pub(super) fn folder_of(folder: &Path, layout: &str) -> Result<(PathBuf, String), LabError> {
    let path = folder.canonicalize().map_err(|_| wrong(folder, "does not exist", layout))?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy().into_owned();
    Ok((path, name))
}

/// A file of that folder.
///
/// # Errors
/// When it does not exist.
pub(super) fn file_of(folder: &Path, name: &str, layout: &str) -> Result<PathBuf, LabError> {
    match folder.join(name) {
        path if path.is_file() => Ok(path),
        path => Err(wrong(&path, "does not exist", layout)),
    }
}

/// The judged queries of a benchmark in the order of its queries file. Queries of other splits, which have no judgements, are
/// not among them.
///
/// # Errors
/// When a file cannot be read or is wrong, or a judged query has no text.
pub(super) fn judged(queries: &Path, qrels: &Path) -> Result<Vec<Question>, LabError> {
    let judged = Qrels::load(qrels)?;
    let all = load_queries(queries)?;
    let known: BTreeSet<&str> = all.iter().map(|query| query.id.as_str()).collect();
    let unknown: Vec<&str> = judged.iter().map(|(id, _)| id).filter(|id| !known.contains(id)).collect();
    if let Some(first) = unknown.first() {
        let file = queries.file_name().unwrap_or(queries.as_os_str()).display();
        let reason =
            format!("judges {} queries that are not in {file}, the first is {first:?}", unknown.len());
        return Err(wrong(qrels, reason, "use queries and judgements of the same benchmark"));
    }
    let question = |query: eval::ranking::BenchmarkQuery| {
        Some(Question {
            grades: judged.get(&query.id)?.clone(),
            cluster: query.id.clone(),
            id: query.id,
            text: query.text,
            papers: Vec::new(),
            gold: Vec::new(),
            unanswerable: false,
        })
    };
    Ok(all.into_iter().filter_map(question).collect())
}

/// The queries of a set; papers are named by their source ids.
pub(crate) fn of_set(set: &QuerySet) -> Vec<Question> {
    let question = |query: &eval::Query| {
        let papers: Vec<String> = query.target_papers.iter().map(ToString::to_string).collect();
        let gold = query.gold_evidence.iter().filter(|_| !query.expected_no_evidence);
        Question {
            id: query.id.clone(),
            text: query.query.clone(),
            cluster: papers.first().unwrap_or(&query.id).clone(),
            papers,
            grades: Grades::new(),
            gold: gold.cloned().collect(),
            unanswerable: query.expected_no_evidence,
        }
    };
    set.queries.iter().map(question).collect()
}

/// Which questions a user asks for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// A query set, or the queries of a benchmark if `qrels` is given.
    pub(crate) queries: &'a Path,
    pub(crate) qrels: Option<&'a Path>,
    /// Only the questions with these ids, in this order; all if empty.
    pub(crate) ids: &'a [String],
    /// Only the first questions.
    pub(crate) limit: Option<usize>,
    /// A judged document is relevant from this grade on.
    pub(crate) min_grade: i32,
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
pub(crate) fn expecting(wanted: &Wanted<'_>) -> Result<Expecting, LabError> {
    let mut all = match wanted.qrels {
        Some(qrels) => judged(wanted.queries, qrels)?,
        None => of_set(&crate::query_set::load(wanted.queries)?),
    };
    if !wanted.ids.is_empty() {
        let known: BTreeSet<&str> = all.iter().map(|question| question.id.as_str()).collect();
        let ids = wanted.ids.iter().map(String::as_str);
        let unknown: Vec<&str> = ids.filter(|id| !known.contains(id)).collect();
        if !unknown.is_empty() {
            let what = wanted.qrels.map_or("question", |_| "judged question");
            let reason = format!("contains no {what} {}", first_of(unknown, NAMED));
            return Err(wrong(wanted.queries, reason, "ids are case-sensitive"));
        }
        let place = |id: &str| wanted.ids.iter().position(|wanted| wanted == id);
        all.retain(|question| place(&question.id).is_some());
        all.sort_by_key(|question| place(&question.id));
    }
    all.truncate(wanted.limit.unwrap_or(usize::MAX));
    let asked = all.len();
    let with_expected = all.into_iter().map(|question| {
        let expected = question.expected(wanted.min_grade);
        (question, expected)
    });
    let questions: Vec<_> = with_expected.filter(|(_, expected)| !expected.is_empty()).collect();
    if questions.is_empty() {
        return Err(match wanted.qrels {
            Some(qrels) => wrong(
                qrels,
                format!("gives none of {asked} questions a document of grade {} or higher", wanted.min_grade),
                "lower --min-grade, or name the judgements of these questions",
            ),
            None => wrong(
                wanted.queries,
                "names no target_papers",
                "add them to the questions, or name judgements with --qrels",
            ),
        });
    }
    Ok(Expecting { without_expected: asked - questions.len(), questions })
}
