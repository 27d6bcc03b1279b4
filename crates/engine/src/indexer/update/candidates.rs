//! The documents among the scanned files, and which source of the index each is. A paper is known by its content first, and
//! by its place second: a file that was moved, renamed or copied is the source that it was.

use super::{
    plan::{Duplicate, IngestPlan, LeftOut, MetadataSource, Paper, preferred_id},
    scan::{FileKind, ScannedFile},
};
use crate::indexer::indexed::{content_hash, is_below};
use ingest::inputs::{self, Format};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::{HeldSource, SourceId, files::holder};

/// What is to be indexed of the files; the rest goes into the plan with its reason.
pub(super) fn candidates(
    files: Vec<ScannedFile>,
    indexed: &[HeldSource],
    plan: &mut IngestPlan,
) -> Vec<Paper> {
    let held: BTreeSet<&Path> = indexed.iter().flat_map(HeldSource::paths).collect();
    let preferred = preferred_copies(&files, indexed);
    let mut copies: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let mut records: Vec<Paper> = Vec::new();
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        if let Some(hash) = file.kind.hash()
            && let Some(same) = preferred.get(hash).filter(|same| **same != file.path)
        {
            plan.duplicates.push(Duplicate::new(&file.path, same));
            copies.entry(same.clone()).or_default().push(file.path);
            continue;
        }
        let left_out = |reason| LeftOut { path: file.path.clone(), reason };
        match file.kind {
            FileKind::Own => plan.skipped.push(left_out("written by pipeline, not a paper".to_owned())),
            // It was a paper when it was indexed: that is a failure.
            FileKind::NoPaper(reason) if held.contains(file.path.as_path()) => {
                plan.unreadable.push(left_out(reason));
            }
            // What is in it stands for it.
            FileKind::Archive { .. } => {}
            FileKind::NoPaper(reason) => plan.skipped.push(left_out(reason)),
            FileKind::Unreadable(reason) => plan.unreadable.push(left_out(reason)),
            FileKind::Paper { format, hash } => {
                out.push(document(file.path, None, file.root, format, inputs::content_key(format, &hash)));
            }
            FileKind::Corpus { records: found, refused, .. } => {
                plan.unreadable.extend(refused.into_iter().map(left_out));
                records.extend(found.into_iter().map(|(record, content)| {
                    document(file.path.clone(), Some(record), file.root.clone(), Format::Beir, content)
                }));
            }
        }
    }
    out.extend(first_of_equal(records, indexed, plan));
    for paper in &mut out {
        paper.copies = copies.get(&paper.path).cloned().unwrap_or_default();
    }
    out
}

/// A document that was found.
pub(super) fn document(
    path: PathBuf,
    record: Option<String>,
    root: PathBuf,
    format: Format,
    hash: String,
) -> Paper {
    Paper {
        source_id: preferred_id(&path, record.as_deref()),
        path,
        copies: Vec::new(),
        record,
        root,
        format: Some(format),
        hash,
        is_known: false,
        metadata: MetadataSource::Document,
    }
}

/// Where each content is indexed, of the files that hold it: where it is indexed already, else where the path is the
/// shortest, and of equally short ones the first.
fn preferred_copies(files: &[ScannedFile], indexed: &[HeldSource]) -> BTreeMap<String, PathBuf> {
    let held: BTreeMap<&Path, &HeldSource> =
        indexed.iter().flat_map(|k| k.paths().map(move |path| (path, k))).collect();
    let mut preferred: BTreeMap<String, (bool, bool, usize, PathBuf)> = BTreeMap::new();
    for file in files {
        let Some(hash) = file.kind.hash() else {
            continue;
        };
        let is_indexed = held.get(file.path.as_path()).is_some_and(|source| match &file.kind {
            FileKind::Paper { format, hash } => {
                content_hash(&source.key) == inputs::content_key(*format, hash)
            }
            _ => source.record.is_some(),
        });
        let is_first = held.get(file.path.as_path()).is_some_and(|source| source.path == file.path);
        let rank = (!is_indexed, !is_first, file.path.as_os_str().len(), file.path.clone());
        match preferred.get(hash) {
            Some(best) if *best <= rank => {}
            _ => {
                preferred.insert(hash.to_owned(), rank);
            }
        }
    }
    preferred.into_iter().map(|(hash, (.., path))| (hash, path)).collect()
}

/// Each record of the corpora once, by content: the one that is indexed already, else the first.
fn first_of_equal(records: Vec<Paper>, indexed: &[HeldSource], plan: &mut IngestPlan) -> Vec<Paper> {
    let held: BTreeMap<(&Path, Option<&str>), &str> =
        indexed.iter().flat_map(|k| k.places().map(|place| (place, content_hash(&k.key)))).collect();
    let mut first: BTreeMap<String, (bool, usize)> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let rank = (held.get(&record.place()) != Some(&record.hash.as_str()), at);
        let best = first.entry(record.hash.clone()).or_insert(rank);
        *best = rank.min(*best);
    }
    let places: Vec<String> = records.iter().map(Paper::shown).collect();
    let mut out = Vec::with_capacity(first.len());
    for (at, record) in records.into_iter().enumerate() {
        match first.get(&record.hash) {
            Some((_, best)) if *best != at => {
                plan.duplicates.push(Duplicate { path: places[at].clone(), same_as: places[*best].clone() });
            }
            _ => out.push(record),
        }
    }
    out
}

/// Finds the source of each document, and adds to its paths those that the source keeps. What is left of the index goes
/// into the plan: sources that stay as they are, perhaps at fewer paths, and those that are gone.
pub(super) fn identify(
    roots: &[PathBuf],
    indexed: &[HeldSource],
    found: &mut [Paper],
    plan: &mut IngestPlan,
) {
    let unreadable = unreadable(found, plan);
    // What cannot be read is not gone, and what was not looked at is not judged.
    let stays =
        |path: &&Path| !is_below(path, roots) || path.ancestors().any(|folder| unreadable.contains(folder));
    let by_content: BTreeMap<&str, &HeldSource> =
        indexed.iter().map(|source| (content_hash(&source.key), source)).collect();
    let mut by_place: BTreeMap<(&Path, Option<&str>), &HeldSource> = BTreeMap::new();
    for source in indexed {
        by_place.extend(source.places().map(|place| (place, source)));
    }
    let mut claimed: BTreeSet<&SourceId> = BTreeSet::new();
    for paper in &mut *found {
        let same = by_content.get(paper.hash.as_str()).copied();
        claimed.extend(same.map(HeldSource::source_id));
        paper.become_known(same);
        let kept = same.filter(|source| source.record == paper.record);
        let kept = kept.into_iter().flat_map(HeldSource::paths).filter(stays);
        // A path that is gone where the content lies elsewhere was moved.
        let is_there = |path: &&Path| holder(path).is_some() || path.try_exists().unwrap_or(true);
        let kept = kept.filter(|path| **path != paper.path && is_there(path));
        paper.copies.extend(kept.map(Path::to_owned));
        paper.copies.sort();
        paper.copies.dedup();
    }
    for paper in found.iter_mut().filter(|paper| !paper.is_known) {
        // Another content at the place of a source is its new version, unless the source lies elsewhere too.
        let here = by_place.get(&paper.place()).copied();
        let here = here
            .filter(|here| !claimed.contains(&here.meta.source_id) && !here.paths().any(|path| stays(&path)));
        paper.become_known(here);
        claimed.extend(here.map(HeldSource::source_id));
    }
    for source in indexed.iter().filter(|source| !claimed.contains(&source.meta.source_id)) {
        let left: Vec<PathBuf> = source.paths().filter(stays).map(Path::to_owned).collect();
        if left.is_empty() {
            plan.removed.push(source.meta.source_id.clone());
            continue;
        }
        plan.untouched.push(source.meta.source_id.clone());
        if left.len() <= source.copies.len() {
            plan.fewer_paths.insert(source.meta.source_id.clone(), left);
        }
    }
}

/// Entries that could not be read, and folders among them. Lines of a corpus that cannot be read hide nothing: their ids
/// are not known.
fn unreadable(found: &[Paper], plan: &IngestPlan) -> BTreeSet<PathBuf> {
    let corpora = found.iter().filter(|c| c.record.is_some());
    let corpora: BTreeSet<&PathBuf> = corpora.map(|c| &c.path).collect();
    let entries = plan.unreadable.iter().map(|entry| &entry.path);
    entries.filter(|path| !corpora.contains(path)).cloned().collect()
}

/// Gives every document its id: the one it has in the index, else a new one that collides with none there.
pub(super) fn assign_names(mut found: Vec<Paper>, untouched: &[SourceId]) -> Vec<Paper> {
    let fresh: Vec<(SourceId, &str)> =
        found.iter().filter(|p| !p.is_known).map(|p| (p.source_id.clone(), p.hash.as_str())).collect();
    let mut taken: BTreeSet<SourceId> = untouched.iter().cloned().collect();
    taken.extend(found.iter().filter(|p| p.is_known).map(|p| p.source_id.clone()));
    let new_ids = ingest::assign_ids(&fresh);
    for (paper, wanted) in found.iter_mut().filter(|p| !p.is_known).zip(new_ids) {
        let short: String = paper.hash.chars().take(8).collect();
        let mut id = wanted.clone();
        let mut number = 1;
        while !taken.insert(id.clone()) {
            id = match number {
                1 => SourceId::from(format!("{wanted}-{short}")),
                n => SourceId::from(format!("{wanted}-{short}-{n}")),
            };
            number += 1;
        }
        paper.source_id = id;
    }
    found.sort_by(|a, b| a.source_id.cmp(&b.source_id));
    found
}
