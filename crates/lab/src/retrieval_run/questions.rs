//! The questions of an evaluation of retrieval, each with the documents that it should find.

use super::RetrievalRequest;
use crate::{benchmark::judged_queries, error::LabError};
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};
use types::SourceId;
use types::words::{NAMED, first_of};

/// Questions, settings and gate of a published evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Ids of its questions.
    pub ids: &'static [&'static str],
    /// Number of results that count.
    pub k: usize,
    /// Lowest grade of a relevant document.
    pub min_grade: i32,
    /// Its gate.
    pub min_recall: f64,
}

/// Every preset. `adr-013`: five questions of NFCorpus with 14 to 21 documents of the highest grade each.
const PRESETS: [Preset; 1] = [Preset {
    name: "adr-013",
    ids: &[
        "PLAIN-2630",
        "PLAIN-2660",
        "PLAIN-2510",
        "PLAIN-2430",
        "PLAIN-2690",
    ],
    k: 10,
    min_grade: 2,
    min_recall: 0.8,
}];

impl Preset {
    /// The preset of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<&'static Self, LabError> {
        let found = PRESETS.iter().find(|preset| preset.name == name);
        found.ok_or_else(|| {
            LabError::Message(format!(
                "no preset is called {name:?}; --preset takes {}",
                PRESETS.map(|p| p.name).join(", ")
            ))
        })
    }

    /// The ids of its questions.
    pub fn ids(&self) -> Vec<String> {
        self.ids.iter().map(|id| (*id).to_owned()).collect()
    }
}

/// A question with at least one expected document.
pub(crate) struct Expecting {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Ids of documents as the benchmark writes them, or source ids for a query set.
    pub(crate) expected: BTreeSet<String>,
    /// The same, those of the highest grade first, then by id; for a query set in its order.
    pub(crate) by_grade: Vec<String>,
}

/// What the files hold.
pub(crate) struct Questions {
    pub(crate) questions: Vec<Expecting>,
    /// Questions for which no document is expected.
    pub(crate) without_expected: usize,
}

impl Questions {
    /// Expected documents that are not in the index.
    pub(crate) fn not_indexed(&self, documents: &HashMap<SourceId, String>) -> usize {
        let known: BTreeSet<&str> = documents.values().map(String::as_str).collect();
        let expected = self.questions.iter().flat_map(|question| &question.expected);
        expected.filter(|id| !known.contains(id.as_str())).count()
    }
}

/// Reads the questions that the request asks for.
///
/// # Errors
/// When a file is wrong, an id is unknown, or no question is left that expects a document.
pub(crate) fn read(request: &RetrievalRequest) -> Result<Questions, LabError> {
    let mut all = match &request.qrels {
        Some(qrels) => benchmark(request, qrels)?,
        None => query_set(request)?,
    };
    if !request.ids.is_empty() {
        let known: BTreeSet<&str> = all.iter().map(|question| question.id.as_str()).collect();
        let unknown: Vec<&str> = request
            .ids
            .iter()
            .map(String::as_str)
            .filter(|id| !known.contains(id))
            .collect();
        if !unknown.is_empty() {
            let what = match request.qrels {
                Some(_) => "judged question",
                None => "question",
            };
            return Err(wrong(
                request,
                format!("contains no {what} {}", first_of(unknown, NAMED)),
                "ids are case-sensitive",
            ));
        }
        let place = |id: &str| request.ids.iter().position(|wanted| wanted == id);
        all.retain(|question| place(&question.id).is_some());
        all.sort_by_key(|question| place(&question.id));
    }
    all.truncate(request.limit.unwrap_or(usize::MAX));
    let asked = all.len();
    all.retain(|question| !question.expected.is_empty());
    if all.is_empty() {
        return Err(match &request.qrels {
            Some(qrels) => LabError::Benchmark {
                path: qrels.clone(),
                reason: format!(
                    "gives none of {asked} questions a document of grade {} or higher",
                    request.min_grade
                ),
                hint: "lower --min-grade, or name the judgements of these questions".to_owned(),
            },
            None => wrong(
                request,
                "names no target_papers".to_owned(),
                "add them to the questions, or name judgements with --qrels",
            ),
        });
    }
    Ok(Questions {
        without_expected: asked - all.len(),
        questions: all,
    })
}

/// Judged questions in the order of the file.
fn benchmark(request: &RetrievalRequest, qrels: &Path) -> Result<Vec<Expecting>, LabError> {
    let judged = judged_queries(&request.queries, qrels)?.into_iter();
    let expecting = judged.map(|(query, grades)| {
        let relevant = grades
            .into_iter()
            .filter(|(_, grade)| *grade >= request.min_grade);
        let mut relevant: Vec<(String, i32)> = relevant.collect();
        // Stable: documents of one grade stay in the order of their ids.
        relevant.sort_by_key(|(_, grade)| std::cmp::Reverse(*grade));
        let by_grade: Vec<String> = relevant.into_iter().map(|(id, _)| id).collect();
        Expecting {
            id: query.id,
            text: query.text,
            expected: by_grade.iter().cloned().collect(),
            by_grade,
        }
    });
    Ok(expecting.collect())
}

fn query_set(request: &RetrievalRequest) -> Result<Vec<Expecting>, LabError> {
    let set = crate::query_set::load(&request.queries)?;
    let expecting = |query: eval::Query| {
        let by_grade: Vec<String> = if query.expected_no_evidence {
            Vec::new()
        } else {
            query.target_papers.iter().map(ToString::to_string).collect()
        };
        Expecting {
            expected: by_grade.iter().cloned().collect(),
            by_grade,
            id: query.id,
            text: query.query,
        }
    };
    Ok(set.queries.into_iter().map(expecting).collect())
}

fn wrong(request: &RetrievalRequest, reason: String, hint: &str) -> LabError {
    LabError::Benchmark {
        path: request.queries.clone(),
        reason,
        hint: hint.to_owned(),
    }
}
