//! Which source of the index each document is. A paper is known by its content first, and by its place second: a file that
//! was moved, renamed or copied is the source that it was.

use super::{
    candidates::Candidate,
    plan::{IngestPlan, MetadataSource, Paper},
};
use crate::indexed::{IndexedSource, is_below};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::SourceId;

/// Finds the source of each document, and adds to its paths those that the source keeps. What is left of the index goes
/// into the plan: sources that stay as they are, perhaps at fewer paths, and those that are gone.
pub(super) fn identify(
    roots: &[PathBuf],
    indexed: &[IndexedSource],
    found: &mut [Candidate],
    plan: &mut IngestPlan,
) {
    let unreadable = unreadable(found, plan);
    // What cannot be read is not gone, and what was not looked at is not judged.
    let stays =
        |path: &&Path| !is_below(path, roots) || path.ancestors().any(|folder| unreadable.contains(folder));
    let by_content: BTreeMap<&str, &IndexedSource> = indexed
        .iter()
        .map(|source| (source.content_hash(), source))
        .collect();
    let mut by_place: BTreeMap<(&Path, Option<&str>), &IndexedSource> = BTreeMap::new();
    for source in indexed {
        by_place.extend(source.places().map(|place| (place, source)));
    }
    let mut claimed: BTreeSet<&SourceId> = BTreeSet::new();
    for candidate in &mut *found {
        let same = by_content.get(candidate.hash.as_str()).copied();
        claimed.extend(same.map(|source| &source.source_id));
        candidate.source = same.map(|source| source.source_id.clone());
        let kept = same.filter(|source| source.record == candidate.record);
        let kept = kept.into_iter().flat_map(IndexedSource::paths).filter(stays);
        // A path that is gone where the content lies elsewhere was moved.
        let kept = kept.filter(|path| **path != candidate.path && path.try_exists().unwrap_or(true));
        candidate.copies.extend(kept.map(Path::to_owned));
        candidate.copies.sort();
        candidate.copies.dedup();
    }
    for candidate in found.iter_mut().filter(|candidate| candidate.source.is_none()) {
        // Another content at the place of a source is its new version, unless the source lies elsewhere too.
        let here = by_place.get(&candidate.place()).copied();
        let here =
            here.filter(|here| !claimed.contains(&here.source_id) && !here.paths().any(|path| stays(&path)));
        candidate.source = here.map(|here| here.source_id.clone());
        claimed.extend(here.map(|here| &here.source_id));
    }
    for source in indexed
        .iter()
        .filter(|source| !claimed.contains(&source.source_id))
    {
        let left: Vec<PathBuf> = source.paths().filter(stays).map(Path::to_owned).collect();
        if left.is_empty() {
            plan.removed.push(source.source_id.clone());
            continue;
        }
        plan.untouched.push(source.source_id.clone());
        if left.len() <= source.copies.len() {
            plan.fewer_paths.insert(source.source_id.clone(), left);
        }
    }
}

/// Entries that could not be read, and folders among them. Lines of a corpus that cannot be read hide nothing: their ids
/// are not known.
fn unreadable(found: &[Candidate], plan: &IngestPlan) -> BTreeSet<PathBuf> {
    let corpora = found.iter().filter(|c| c.record.is_some());
    let corpora: BTreeSet<&PathBuf> = corpora.map(|c| &c.path).collect();
    let entries = plan.unreadable.iter().map(|entry| &entry.path);
    entries.filter(|path| !corpora.contains(path)).cloned().collect()
}

/// Gives every document its id: the one it has in the index, else a new one that collides with none there.
pub(super) fn assign_names(found: Vec<Candidate>, untouched: &[SourceId]) -> Vec<Paper> {
    let fresh: Vec<(SourceId, &str)> = found
        .iter()
        .filter(|c| c.source.is_none())
        .map(|c| (c.preferred_id(), c.hash.as_str()))
        .collect();
    let mut taken: BTreeSet<SourceId> = untouched.iter().cloned().collect();
    taken.extend(found.iter().filter_map(|c| c.source.clone()));
    let mut new_ids = ingest::assign_ids(&fresh).into_iter();
    let mut id_of = |c: &Candidate| {
        if let Some(id) = &c.source {
            return id.clone();
        }
        let wanted = new_ids.next().unwrap_or_else(|| c.preferred_id());
        let short: String = c.hash.chars().take(8).collect();
        let mut id = wanted.clone();
        let mut number = 1;
        while !taken.insert(id.clone()) {
            id = match number {
                1 => SourceId::from(format!("{wanted}-{short}")),
                n => SourceId::from(format!("{wanted}-{short}-{n}")),
            };
            number += 1;
        }
        id
    };
    let ids: Vec<SourceId> = found.iter().map(&mut id_of).collect();
    let mut papers: Vec<Paper> = found
        .into_iter()
        .zip(ids)
        .map(|(c, source_id)| Paper {
            path: c.path,
            copies: c.copies,
            record: c.record,
            root: c.root,
            format: Some(c.format),
            hash: c.hash,
            source_id,
            metadata: MetadataSource::Document,
        })
        .collect();
    papers.sort_by(|a, b| a.source_id.cmp(&b.source_id));
    papers
}
