//! Sets of responses with the labels of people.

use super::document::JudgeSet;
use crate::error::LabError;
use eval::{
    agreement::{clusters, sample_of},
    judge::{JudgeItem, LabelledItem},
};
use std::path::{Path, PathBuf};

/// A labelled row.
pub(crate) struct LabelledRow {
    pub(crate) item: JudgeItem,
    pub(crate) label: bool,
    /// The number of its cluster in the whole set.
    pub(crate) cluster: usize,
}

/// The labelled rows of a file, or a sample of them.
pub(crate) struct LabelledSet {
    pub(crate) name: String,
    pub(crate) rows: Vec<LabelledRow>,
    labelled: usize,
    unlabelled: usize,
}

/// Reads the files, and the files `*.jsonl` of the folders, in the order of their names.
///
/// # Errors
/// When a path does not exist, a folder has no such file, a file is wrong or has no label, or two have the same name.
pub(super) fn load(paths: &[PathBuf], limit: Option<usize>, seed: u64) -> Result<Vec<LabelledSet>, LabError> {
    let mut sets: Vec<LabelledSet> = Vec::new();
    for path in paths {
        for file in files(path)? {
            let set = LabelledSet::load(&file, limit, seed)?;
            if sets.iter().any(|other| other.name == set.name) {
                let reason = "has the name of another set".to_owned();
                return Err(wrong(&file, reason, "rename it, or measure it on its own"));
            }
            sets.push(set);
        }
    }
    Ok(sets)
}

fn files(path: &Path) -> Result<Vec<PathBuf>, LabError> {
    const HINT: &str = "name files of labelled rows (.jsonl), or a folder of such files";
    if !path.exists() {
        return Err(wrong(path, "does not exist".to_owned(), HINT));
    }
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(LabError::io("read", path))? {
        let file = entry.map_err(LabError::io("read", path))?.path();
        if file.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(file);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(wrong(path, "contains no .jsonl file".to_owned(), HINT));
    }
    Ok(found)
}

fn wrong(path: &Path, reason: String, hint: &str) -> LabError {
    LabError::unusable(path, reason, hint)
}

impl LabelledSet {
    fn load(path: &Path, limit: Option<usize>, seed: u64) -> Result<Self, LabError> {
        let items = LabelledItem::load(path)?;
        let contexts: Vec<String> = items.iter().map(|row| row.item.context.passages().join("\n")).collect();
        let texts: Vec<[&str; 3]> = (items.iter().zip(&contexts))
            .map(|(row, context)| [context.as_str(), row.item.question.as_str(), row.item.response.as_str()])
            .collect();
        let clusters = clusters(&texts);
        let all = items.len();
        let mut rows: Vec<LabelledRow> = (items.into_iter().zip(clusters))
            .filter_map(|(row, cluster)| Some(LabelledRow { item: row.item, label: row.label?, cluster }))
            .collect();
        let labelled = rows.len();
        if rows.is_empty() {
            let reason = "has no row with a label in the field \"faithful\"".to_owned();
            return Err(wrong(path, reason, "label rows with 1 (all claims supported) or 0"));
        }
        if let Some(limit) = limit {
            let ids: Vec<String> = rows.iter().map(|row| row.item.name()).collect();
            let mut kept = vec![false; rows.len()];
            for place in sample_of(&ids, limit, seed) {
                kept[place] = true;
            }
            let mut kept = kept.into_iter();
            rows.retain(|_| kept.next() == Some(true));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Ok(Self { name: name.to_string_lossy().into_owned(), unlabelled: all - labelled, labelled, rows })
    }

    /// What the report says of it.
    pub(super) fn document(&self) -> JudgeSet {
        let mut clusters: Vec<usize> = self.rows.iter().map(|row| row.cluster).collect();
        clusters.sort_unstable();
        clusters.dedup();
        let supported = self.rows.iter().filter(|row| row.label).count();
        JudgeSet {
            set: self.name.clone(),
            rows: self.rows.len(),
            labelled: self.labelled,
            unlabelled: self.unlabelled,
            clusters: clusters.len(),
            supported: supported as f64 / self.rows.len().max(1) as f64,
        }
    }
}
