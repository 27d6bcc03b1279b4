//! The documents among the scanned files, and their source ids.

use super::{
    plan::{IngestPlan, LeftOut, preferred_id},
    scan::{FileKind, ScannedFile},
};
use crate::indexed::{IndexedSource, shown_place};
use ingest::inputs::{self, Format};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::{SourceId, path_text};

/// A document that was found, before it has an id.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    /// Further files with the same content, in order.
    pub(super) copies: Vec<PathBuf>,
    pub(super) record: Option<String>,
    pub(super) root: PathBuf,
    pub(super) format: Format,
    pub(super) hash: String,
    /// The source of the index that it is.
    pub(super) source: Option<SourceId>,
}

impl Candidate {
    pub(super) fn place(&self) -> (&Path, Option<&str>) {
        (self.path.as_path(), self.record.as_deref())
    }

    pub(super) fn preferred_id(&self) -> SourceId {
        preferred_id(&self.path, self.record.as_deref())
    }
}

/// What is to be indexed of the files; the rest goes into the plan with its reason.
pub(super) fn candidates(
    files: Vec<ScannedFile>,
    indexed: &[IndexedSource],
    plan: &mut IngestPlan,
) -> Vec<Candidate> {
    let held: BTreeSet<&Path> = indexed.iter().flat_map(IndexedSource::paths).collect();
    let preferred = preferred_copies(&files, indexed);
    let mut copies: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let mut records: Vec<Candidate> = Vec::new();
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        let path = path_text::shown(&file.path);
        if let Some(hash) = file.kind.hash()
            && let Some(same) = preferred.get(hash).filter(|same| **same != file.path)
        {
            plan.duplicates.push((path, path_text::shown(same)));
            copies.entry(same.clone()).or_default().push(file.path);
            continue;
        }
        let left_out = |reason| LeftOut {
            path: file.path.clone(),
            reason,
        };
        match file.kind {
            FileKind::Own => plan
                .skipped
                .push(left_out("written by pipeline, not a paper".to_owned())),
            // It was a paper when it was indexed: that is a failure.
            FileKind::NoPaper(reason) if held.contains(file.path.as_path()) => {
                plan.unreadable.push(left_out(reason));
            }
            FileKind::NoPaper(reason) => plan.skipped.push(left_out(reason)),
            FileKind::Unreadable(reason) => plan.unreadable.push(left_out(reason)),
            FileKind::Paper { format, hash } => out.push(Candidate {
                hash: inputs::content_key(format, &hash),
                source: None,
                path: file.path,
                copies: Vec::new(),
                record: None,
                root: file.root,
                format,
            }),
            FileKind::Corpus {
                records: found,
                refused,
                ..
            } => {
                plan.unreadable.extend(refused.into_iter().map(left_out));
                records.extend(found.into_iter().map(|(record, content)| Candidate {
                    path: file.path.clone(),
                    copies: Vec::new(),
                    record: Some(record),
                    root: file.root.clone(),
                    format: Format::Beir,
                    hash: content,
                    source: None,
                }));
            }
        }
    }
    out.extend(first_of_equal(records, indexed, plan));
    for candidate in &mut out {
        candidate.copies = copies.get(&candidate.path).cloned().unwrap_or_default();
    }
    out
}

/// Where each content is indexed, of the files that hold it: where it is indexed already, else where the path is the
/// shortest, and of equally short ones the first.
fn preferred_copies(files: &[ScannedFile], indexed: &[IndexedSource]) -> BTreeMap<String, PathBuf> {
    let held: BTreeMap<&Path, &IndexedSource> = indexed
        .iter()
        .flat_map(|k| k.paths().map(move |path| (path, k)))
        .collect();
    let mut preferred: BTreeMap<String, (bool, bool, usize, PathBuf)> = BTreeMap::new();
    for file in files {
        let Some(hash) = file.kind.hash() else {
            continue;
        };
        let is_indexed = held
            .get(file.path.as_path())
            .is_some_and(|source| match &file.kind {
                FileKind::Paper { format, hash } => {
                    source.content_hash() == inputs::content_key(*format, hash)
                }
                _ => source.record.is_some(),
            });
        let is_first = held
            .get(file.path.as_path())
            .is_some_and(|source| source.path == file.path);
        let rank = (
            !is_indexed,
            !is_first,
            file.path.as_os_str().len(),
            file.path.clone(),
        );
        match preferred.get(hash) {
            Some(best) if *best <= rank => {}
            _ => {
                preferred.insert(hash.to_owned(), rank);
            }
        }
    }
    preferred
        .into_iter()
        .map(|(hash, (.., path))| (hash, path))
        .collect()
}

/// Each record of the corpora once, by content: the one that is indexed already, else the first.
fn first_of_equal(
    records: Vec<Candidate>,
    indexed: &[IndexedSource],
    plan: &mut IngestPlan,
) -> Vec<Candidate> {
    let held: BTreeMap<(&Path, Option<&str>), &str> = indexed
        .iter()
        .flat_map(|k| k.places().map(|place| (place, k.content_hash())))
        .collect();
    let mut first: BTreeMap<String, (bool, usize)> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let rank = (held.get(&record.place()) != Some(&record.hash.as_str()), at);
        let best = first.entry(record.hash.clone()).or_insert(rank);
        *best = rank.min(*best);
    }
    let places: Vec<String> = records
        .iter()
        .map(|r| shown_place(&r.path, r.record.as_deref()))
        .collect();
    let mut out = Vec::with_capacity(first.len());
    for (at, record) in records.into_iter().enumerate() {
        match first.get(&record.hash) {
            Some((_, best)) if *best != at => {
                plan.duplicates.push((places[at].clone(), places[*best].clone()));
            }
            _ => out.push(record),
        }
    }
    out
}
