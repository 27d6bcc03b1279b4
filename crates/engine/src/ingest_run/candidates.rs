//! The documents among the files that were seen, and their names.

use super::{
    look::{Seen, What},
    plan::{Known, LeftOut, Paper, Plan, Told, shown},
};
use ingest::inputs::{self, Format};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::SourceId;

/// A document that was found, before it has an id.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) record: Option<String>,
    root: PathBuf,
    format: Format,
    pub(super) hash: String,
}

impl Candidate {
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
    let walked: Vec<(&Path, Format)> = files
        .iter()
        .filter_map(|file| match &file.what {
            What::Paper { format, .. } if !file.named => Some((file.path.as_path(), *format)),
            _ => None,
        })
        .collect();
    let mut beside: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for (i, other) in inputs::same_paper(&walked).into_iter().enumerate() {
        if let Some(other) = other {
            beside.insert(walked[i].0.to_owned(), walked[other].0.to_owned());
        }
    }

    // Content to the first place that holds it.
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut out = Vec::with_capacity(files.len());
    for file in files {
        let path = file.path.display().to_string();
        if let Some(other) = beside.get(&file.path) {
            plan.same_paper.push((path, other.display().to_string()));
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
            What::Paper { format, hash } => {
                if let Some(same) = first.get(&hash) {
                    plan.duplicates.push((path, same.clone()));
                    continue;
                }
                first.insert(hash.clone(), path);
                out.push(Candidate {
                    hash: inputs::content_key(format, &hash),
                    path: file.path,
                    record: None,
                    root: file.root,
                    format,
                });
            }
            What::Corpus {
                hash,
                records,
                refused,
            } => {
                if let Some(same) = first.get(&hash) {
                    plan.duplicates.push((path, same.clone()));
                    continue;
                }
                first.insert(hash, path);
                plan.unreadable.extend(refused.into_iter().map(left_out));
                for (record, content) in records {
                    let place = shown(&file.path, Some(&record));
                    if let Some(same) = first.get(&content) {
                        plan.duplicates.push((place, same.clone()));
                        continue;
                    }
                    first.insert(content.clone(), place);
                    out.push(Candidate {
                        path: file.path.clone(),
                        record: Some(record),
                        root: file.root.clone(),
                        format: Format::Beir,
                        hash: content,
                    });
                }
            }
        }
    }
    out
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
