//! The documents among the files that were seen, and their names.

use super::{
    look::{Seen, What},
    plan::{Known, LeftOut, Paper, Plan, Told, shown},
    siblings::Member,
};
use ingest::inputs::{self, Format};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::{SourceId, path_text};

/// A document that was found, before it has an id.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) record: Option<String>,
    root: PathBuf,
    format: Format,
    pub(super) hash: String,
}

impl Candidate {
    #[cfg(test)]
    pub(super) fn of(member: &Member) -> Self {
        Self {
            path: member.path.clone(),
            record: None,
            root: member.root.clone(),
            format: member.format,
            hash: member.hash.clone(),
        }
    }

    pub(super) fn place(&self) -> (&Path, Option<&str>) {
        (self.path.as_path(), self.record.as_deref())
    }

    fn wanted(&self) -> SourceId {
        match &self.record {
            Some(record) => SourceId::from_stem(record),
            None => ingest::source_id_of(&self.path),
        }
    }
}

/// What is to be indexed of the files; the rest goes into the plan with its reason.
pub(super) fn candidates(files: Vec<Seen>, known: &[Known], plan: &mut Plan) -> Vec<Candidate> {
    let held: BTreeSet<&Path> = known.iter().map(|k| k.path.as_path()).collect();
    let oldest = oldest(&files, known);
    let mut records: Vec<Candidate> = Vec::new();
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        let path = path_text::shown(&file.path);
        if let Some(hash) = file.what.hash()
            && let Some(same) = oldest.get(hash).filter(|same| **same != file.path)
        {
            plan.duplicates.push((path, path_text::shown(same)));
            continue;
        }
        let left_out = |reason| LeftOut {
            path: file.path.clone(),
            reason,
        };
        match file.what {
            // What was a paper once has gone bad: that is a failure.
            What::NoPaper(reason) if held.contains(file.path.as_path()) => {
                plan.unreadable.push(left_out(reason));
            }
            What::NoPaper(reason) => plan.skipped.push(left_out(reason)),
            What::Unreadable(reason) => plan.unreadable.push(left_out(reason)),
            What::Paper { format, hash } => out.push(Candidate {
                hash: inputs::content_key(format, &hash),
                path: file.path,
                record: None,
                root: file.root,
                format,
            }),
            What::Corpus {
                records: found,
                refused,
                ..
            } => {
                plan.unreadable.extend(refused.into_iter().map(left_out));
                records.extend(found.into_iter().map(|(record, content)| Candidate {
                    path: file.path.clone(),
                    record: Some(record),
                    root: file.root.clone(),
                    format: Format::Beir,
                    hash: content,
                }));
            }
        }
    }
    out.extend(once(records, known, plan));
    out
}

/// Where each content is indexed, of the files that hold it: where it is indexed already, else where the path is the
/// shortest, and of equally short ones the first.
fn oldest(files: &[Seen], known: &[Known]) -> BTreeMap<String, PathBuf> {
    let held: BTreeMap<&Path, &Known> = known.iter().map(|k| (k.path.as_path(), k)).collect();
    let mut oldest: BTreeMap<String, (bool, usize, PathBuf)> = BTreeMap::new();
    for file in files {
        let Some(hash) = file.what.hash() else {
            continue;
        };
        let indexed = held
            .get(file.path.as_path())
            .is_some_and(|known| match &file.what {
                What::Paper { format, hash } => known.content_hash() == inputs::content_key(*format, hash),
                _ => known.record.is_some(),
            });
        let rank = (!indexed, file.path.as_os_str().len(), file.path.clone());
        match oldest.get(hash) {
            Some(best) if *best <= rank => {}
            _ => {
                oldest.insert(hash.to_owned(), rank);
            }
        }
    }
    oldest
        .into_iter()
        .map(|(hash, (_, _, path))| (hash, path))
        .collect()
}

/// Each record of the corpora once, by content: the one that is indexed already, else the first.
fn once(records: Vec<Candidate>, known: &[Known], plan: &mut Plan) -> Vec<Candidate> {
    let held: BTreeMap<(&Path, Option<&str>), &str> =
        known.iter().map(|k| (k.place(), k.content_hash())).collect();
    let mut first: BTreeMap<String, (bool, usize)> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let rank = (held.get(&record.place()) != Some(&record.hash.as_str()), at);
        let best = first.entry(record.hash.clone()).or_insert(rank);
        *best = rank.min(*best);
    }
    let places: Vec<String> = records
        .iter()
        .map(|r| shown(&r.path, r.record.as_deref()))
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

/// Files below the paths that lie in one folder and have one stem, in the order in which they are preferred. Files that
/// the user named are read as they are.
pub(super) fn groups(files: &[Seen]) -> Vec<Vec<Member>> {
    let walked: Vec<Member> = files
        .iter()
        .filter_map(|file| match &file.what {
            What::Paper { format, hash } if !file.named => Some(Member {
                path: file.path.clone(),
                root: file.root.clone(),
                format: *format,
                hash: inputs::content_key(*format, hash),
            }),
            _ => None,
        })
        .collect();
    let places: Vec<(&Path, Format)> = walked.iter().map(|m| (m.path.as_path(), m.format)).collect();
    let groups = inputs::same_stem(&places).into_iter();
    groups
        .map(|group| group.into_iter().map(|i| walked[i].clone()).collect())
        .collect()
}

/// Gives every document its id: the one it has in the index, else a new one that collides with none there.
pub(super) fn named(found: Vec<Candidate>, known: &[Known], untouched: &[SourceId]) -> Vec<Paper> {
    let held: BTreeMap<(&Path, Option<&str>), &SourceId> =
        known.iter().map(|k| (k.place(), &k.source_id)).collect();
    let fresh: Vec<(SourceId, &str)> = found
        .iter()
        .filter(|c| !held.contains_key(&c.place()))
        .map(|c| (c.wanted(), c.hash.as_str()))
        .collect();
    let mut taken: BTreeSet<SourceId> = untouched.iter().cloned().collect();
    taken.extend(
        found
            .iter()
            .filter_map(|c| held.get(&c.place()).map(|id| (*id).clone())),
    );
    let mut new_ids = ingest::assign_ids(&fresh).into_iter();
    let ids: Vec<SourceId> = found
        .iter()
        .map(|c| {
            if let Some(id) = held.get(&c.place()) {
                return (*id).clone();
            }
            let wanted = new_ids.next().unwrap_or_else(|| c.wanted());
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
        })
        .collect();
    let mut papers: Vec<Paper> = found
        .into_iter()
        .zip(ids)
        .map(|(c, source_id)| Paper {
            path: c.path,
            record: c.record,
            root: c.root,
            format: Some(c.format),
            hash: c.hash,
            source_id,
            told: Told::Document,
        })
        .collect();
    papers.sort_by(|a, b| a.source_id.cmp(&b.source_id));
    papers
}
