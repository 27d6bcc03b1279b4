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

/// A document, and the source of the index that it is.
pub(super) struct Identified {
    pub(super) candidate: Candidate,
    pub(super) source: Option<SourceId>,
}

/// Finds the source of each document, and adds to its paths those that the source keeps. What is left of the index goes
/// into the plan: sources that stay as they are, perhaps at fewer paths, and those that are gone.
pub(super) fn identify(
    roots: &[PathBuf],
    indexed: &[IndexedSource],
    mut found: Vec<Candidate>,
    plan: &mut IngestPlan,
) -> Vec<Identified> {
    let unreadable = unreadable(&found, plan);
    // What cannot be read is not gone, and what was not looked at is not judged.
    let stays =
        |path: &Path| !is_below(path, roots) || path.ancestors().any(|folder| unreadable.contains(folder));
    let mut by_content: BTreeMap<&str, Vec<&IndexedSource>> = BTreeMap::new();
    let mut by_place: BTreeMap<(&Path, Option<&str>), &IndexedSource> = BTreeMap::new();
    for source in indexed {
        by_content.entry(source.content_hash()).or_default().push(source);
        by_place.extend(source.places().map(|place| (place, source)));
    }
    let mut claimed: BTreeSet<&SourceId> = BTreeSet::new();
    let mut sources: Vec<Option<&IndexedSource>> = Vec::with_capacity(found.len());
    for candidate in &mut found {
        let same = by_content
            .get(candidate.hash.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        claimed.extend(same.iter().map(|source| &source.source_id));
        // Earlier versions made one source of each copy: the one that was named first is kept.
        let first = same
            .iter()
            .min_by_key(|source| (source.source_id.as_str().len(), &source.source_id));
        let kept = same.iter().filter(|source| source.record == candidate.record);
        let kept = kept.flat_map(|source| source.paths());
        // A path that is gone where the content lies elsewhere was moved.
        let kept =
            kept.filter(|path| stays(path) && **path != candidate.path && path.try_exists().unwrap_or(true));
        candidate.copies.extend(kept.map(Path::to_owned));
        candidate.copies.sort();
        candidate.copies.dedup();
        sources.push(first.copied());
    }
    for (candidate, source) in found.iter().zip(&mut sources) {
        // Another content at the place of a source is its new version, unless the source lies elsewhere too.
        let here = by_place.get(&candidate.place()).filter(|here| {
            source.is_none() && !claimed.contains(&here.source_id) && !here.paths().any(&stays)
        });
        if let Some(here) = here {
            claimed.insert(&here.source_id);
            *source = Some(here);
        }
    }
    for source in indexed
        .iter()
        .filter(|source| !claimed.contains(&source.source_id))
    {
        let left: Vec<PathBuf> = source
            .paths()
            .filter(|path| stays(path))
            .map(Path::to_owned)
            .collect();
        if left.is_empty() {
            plan.removed.push(source.source_id.clone());
        } else {
            plan.untouched.push(source.source_id.clone());
            if left.len() <= source.copies.len() {
                plan.fewer_paths.insert(source.source_id.clone(), left);
            }
        }
    }
    let chosen: BTreeSet<&SourceId> = sources.iter().flatten().map(|source| &source.source_id).collect();
    plan.removed
        .extend(claimed.difference(&chosen).map(|id| (*id).clone()));
    let ids: Vec<Option<SourceId>> = sources.iter().map(|s| s.map(|s| s.source_id.clone())).collect();
    let pairs = found.into_iter().zip(ids);
    pairs
        .map(|(candidate, source)| Identified { candidate, source })
        .collect()
}

/// Entries that could not be read, and folders among them. Lines of a corpus that cannot be read hide nothing: their ids
/// are not known.
fn unreadable(found: &[Candidate], plan: &IngestPlan) -> BTreeSet<PathBuf> {
    let corpora = found
        .iter()
        .filter(|c| c.record.is_some())
        .map(|c| c.path.as_path());
    let corpora: BTreeSet<&Path> = corpora.collect();
    let entries = plan.unreadable.iter().map(|entry| entry.path.as_path());
    entries
        .filter(|path| !corpora.contains(path))
        .map(Path::to_owned)
        .collect()
}

/// Gives every document its id: the one it has in the index, else a new one that collides with none there.
pub(super) fn assign_names(found: Vec<Identified>, untouched: &[SourceId]) -> Vec<Paper> {
    let fresh: Vec<(SourceId, &str)> = found
        .iter()
        .filter(|f| f.source.is_none())
        .map(|f| (f.candidate.preferred_id(), f.candidate.hash.as_str()))
        .collect();
    let mut taken: BTreeSet<SourceId> = untouched.iter().cloned().collect();
    taken.extend(found.iter().filter_map(|f| f.source.clone()));
    let mut new_ids = ingest::assign_ids(&fresh).into_iter();
    let mut id_of = |f: &Identified| {
        if let Some(id) = &f.source {
            return id.clone();
        }
        let wanted = new_ids.next().unwrap_or_else(|| f.candidate.preferred_id());
        let short: String = f.candidate.hash.chars().take(8).collect();
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
        .map(|(Identified { candidate: c, .. }, source_id)| Paper {
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
