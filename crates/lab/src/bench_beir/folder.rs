//! The folder of a benchmark: its files, and the queries to measure.

use super::BeirRequest;
use crate::{
    benchmark::{Corpus, file_of, folder_of, judged_queries},
    error::LabError,
};
use eval::ranking::Grades;
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};
use types::SourceId;

/// A query with its judgements, at least one of them relevant.
pub(super) struct JudgedQuery {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) grades: Grades,
}

/// What a folder holds.
pub(super) struct Benchmark {
    /// `corpus.jsonl`.
    pub(super) corpus: Corpus,
    /// Queries in the order of `queries.jsonl`.
    pub(super) queries: Vec<JudgedQuery>,
    /// Queries with judgements of which none is relevant.
    pub(super) without_relevant: usize,
}

impl Benchmark {
    /// Reads queries and judgements, and makes sure that there is a corpus.
    ///
    /// # Errors
    /// When a file is missing or wrong, a judged query has no text, or nothing is left to measure.
    pub(super) fn load(request: &BeirRequest) -> Result<Self, LabError> {
        let (folder, name) = folder_of(&request.folder, LAYOUT)?;
        let corpus = Corpus {
            name,
            file: file_of(&folder, "corpus.jsonl", LAYOUT)?,
        };
        let queries = file_of(&folder, "queries.jsonl", LAYOUT)?;
        let qrels = judgements(&folder, &request.split)?;
        let mut without_relevant = 0;
        let mut measured = Vec::new();
        for (query, grades) in judged_queries(&queries, &qrels)? {
            if grades.values().all(|grade| *grade <= 0) {
                without_relevant += 1;
                continue;
            }
            measured.push(JudgedQuery {
                grades,
                id: query.id,
                text: query.text,
            });
        }
        if measured.is_empty() {
            return Err(LabError::Benchmark {
                path: qrels,
                reason: "marks no document as relevant".to_owned(),
                hint: "name another split".to_owned(),
            });
        }
        measured.truncate(request.limit.unwrap_or(usize::MAX));
        Ok(Self {
            corpus,
            queries: measured,
            without_relevant,
        })
    }

    /// Relevant judgements of the measured queries whose document is not in the index.
    pub(super) fn relevant_missing(&self, documents: &HashMap<SourceId, String>) -> usize {
        let known: BTreeSet<&str> = documents.values().map(String::as_str).collect();
        let relevant = self
            .queries
            .iter()
            .flat_map(|query| query.grades.iter().filter(|(_, grade)| **grade > 0));
        relevant.filter(|(id, _)| !known.contains(id.as_str())).count()
    }
}

const LAYOUT: &str = "name a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv";

/// The file of the split's judgements.
fn judgements(folder: &Path, split: &str) -> Result<PathBuf, LabError> {
    let path = folder.join("qrels").join(format!("{split}.tsv"));
    if path.is_file() {
        return Ok(path);
    }
    let names = fs::read_dir(folder.join("qrels")).into_iter().flatten().flatten();
    let mut splits: Vec<String> = names
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".tsv")?.to_owned()))
        .collect();
    splits.sort();
    let hint = if splits.is_empty() {
        LAYOUT.to_owned()
    } else {
        format!("--split takes {}", splits.join(", "))
    };
    Err(LabError::Benchmark {
        path,
        reason: "does not exist".to_owned(),
        hint,
    })
}
