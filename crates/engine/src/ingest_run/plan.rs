//! What a run has to do: which files are there, what they are called, which are known already.

use super::{
    candidates::{Candidate, candidates, groups, named},
    failed::FailedList,
    look::Look,
    manifest,
    readings::Readings,
    siblings::{self, Content, Member},
};
use crate::error::EngineError;
use ingest::{
    Others,
    inputs::{Format, manifest::Row},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::{SourceId, SourceMeta, path_text};

/// A document that a run was asked to index.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    /// Absolute path.
    pub(super) path: PathBuf,
    /// Which record of the file it is, where a file holds many.
    pub(super) record: Option<String>,
    /// Absolute path of the folder or file that the user named.
    pub(super) root: PathBuf,
    /// How it is read; `None` for one of another root, whose file was not looked at.
    pub(super) format: Option<Format>,
    /// Names its content: see [`ingest::inputs::content_key`].
    pub(super) hash: String,
    /// Its id in the index.
    pub(super) source_id: SourceId,
    /// What is known of it beside its content.
    pub(super) told: Told,
}

/// Where what is known of a source comes from.
#[derive(Clone, Debug, Default)]
pub(super) enum Told {
    /// From the document alone.
    #[default]
    Document,
    /// A manifest corrects it.
    Manifest(Row),
    /// It is kept as the index has it, with the digest of the manifest's row that made it.
    Index(Box<SourceMeta>, String),
}

impl Paper {
    /// A file that has no id yet.
    pub(super) fn of(member: &Member) -> Self {
        Self {
            path: member.path.clone(),
            record: None,
            root: member.root.clone(),
            format: Some(member.format),
            hash: member.hash.clone(),
            source_id: ingest::source_id_of(&member.path),
            told: Told::Document,
        }
    }

    /// The file, and the record where it holds many.
    pub(super) fn shown(&self) -> String {
        shown(&self.path, self.record.as_deref())
    }
}

/// A file, and a record of it.
pub(crate) fn shown(path: &Path, record: Option<&str>) -> String {
    match record {
        Some(record) => format!("{}#{record}", path_text::shown(path)),
        None => path_text::shown(path),
    }
}

/// What the index knows of a source.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) source_id: SourceId,
    pub(super) path: PathBuf,
    pub(super) record: Option<String>,
    pub(super) root: PathBuf,
    pub(super) key: String,
    pub(super) meta: SourceMeta,
}

impl Known {
    /// The hash of the content that the index holds: what stands before the `-` of a key.
    pub(super) fn content_hash(&self) -> &str {
        self.key.split('-').next().unwrap_or(&self.key)
    }

    pub(super) fn place(&self) -> (&Path, Option<&str>) {
        (self.path.as_path(), self.record.as_deref())
    }
}

/// A file that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

/// What a run has to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Documents to index, by source id.
    pub(super) papers: Vec<Paper>,
    /// Sources of other roots, which stay as they are.
    pub(super) untouched: Vec<SourceId>,
    /// Sources whose file is gone.
    pub(super) removed: Vec<SourceId>,
    /// Files with the same bytes as another: `(file, the one that is indexed)`.
    pub(super) duplicates: Vec<(String, String)>,
    /// Files of a paper that another file beside them holds: `(file, the one that is indexed)`.
    pub(super) same_paper: Vec<(String, String)>,
    /// Files that may be the paper of another file beside them, which is known once both are read:
    /// `(file, the other)`.
    pub(super) undecided: Vec<(String, String)>,
    /// Files without text beside a file of the same name that has some.
    pub(super) without_text: Vec<LeftOut>,
    /// Entries that could not be read at all.
    pub(super) unreadable: Vec<LeftOut>,
    /// Files that failed before, unchanged since: not tried again.
    pub(super) failed_before: Vec<LeftOut>,
    /// Files that are no papers, and folders that are not searched.
    pub(super) skipped: Vec<LeftOut>,
    /// Everything else that was passed over, by kind.
    pub(super) others: BTreeMap<String, Others>,
    /// What manifests could not say.
    pub(super) notes: Vec<String>,
}

impl Plan {
    /// Whether no paper at all was found on disk.
    pub(super) fn nothing_seen(&self) -> bool {
        self.papers.is_empty() && self.failed_before.is_empty() && self.unreadable.is_empty()
    }
}

/// The sources of a generation.
pub(super) fn known(manifest: Option<&retrieve::Manifest>) -> Vec<Known> {
    let Some(manifest) = manifest else {
        return Vec::new();
    };
    let each = |record: &retrieve::SourceRecord| Known {
        source_id: record.source_id().clone(),
        path: path_text::decode(&record.path),
        record: record.record.clone(),
        root: path_text::decode(&record.root),
        key: record.key.clone(),
        meta: record.meta.clone(),
    };
    manifest.sources.iter().map(each).collect()
}

/// Absolute paths of what was asked for. A path that is gone counts when the index holds something from below it.
pub(super) fn roots(paths: &[PathBuf], known: &[Known]) -> Result<Vec<PathBuf>, EngineError> {
    let one = |path: &PathBuf| {
        path.canonicalize().or_else(|_| {
            let absent = std::path::absolute(path).map_err(EngineError::io("find", path))?;
            let held = known.iter().any(|source| source.path.starts_with(&absent));
            if held {
                Ok(absent)
            } else {
                Err(EngineError::NoSuchPath { path: path.clone() })
            }
        })
    };
    paths.iter().map(one).collect()
}

/// What lies on the disk, before it is known what the files hold.
#[derive(Default)]
pub(super) struct Survey {
    found: Vec<Candidate>,
    /// Files that may be one paper.
    pub(super) groups: Vec<Vec<Member>>,
    /// Ids of all files, those included that are not indexed.
    looked_at: BTreeSet<SourceId>,
    plan: Plan,
}

/// Looks at the disk. `paths` are absolute.
pub(super) fn survey(paths: &[PathBuf], known: &[Known], look: &Look<'_>) -> Result<Survey, EngineError> {
    let present: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    let sight = look.at(&present)?;
    let mut plan = Plan {
        unreadable: sight.unreadable,
        skipped: sight.skipped,
        others: sight.others,
        ..Plan::default()
    };
    let looked_at = sight.files.iter();
    Ok(Survey {
        looked_at: looked_at.map(|f| ingest::source_id_of(&f.path)).collect(),
        groups: groups(&sight.files),
        found: candidates(sight.files, known, &mut plan),
        plan,
    })
}

/// What is known of files that were read, in this run or earlier.
pub(super) struct Learned<'a> {
    /// Failures of earlier runs.
    pub(super) failed: &'a FailedList,
    /// Failures of this run: content and reason.
    pub(super) now: &'a BTreeMap<String, String>,
    /// What files hold.
    pub(super) readings: &'a Readings,
    /// Nothing more will be read: the files of a group that were not read are put off.
    pub(super) guess: bool,
}

impl Learned<'_> {
    fn of(&self, member: &Member) -> Content {
        if self.now.contains_key(&member.hash) || self.failed.get(&member.hash).is_some() {
            return Content::Failed;
        }
        let print = self.readings.get(&member.path, &member.hash);
        match print.filter(|print| print.has_sketch()) {
            Some(print) => Content::Read(print.clone()),
            None => Content::Unread,
        }
    }
}

/// Compares what was seen with what the index holds. What lay below a path that is gone is gone.
pub(super) fn plan(survey: Survey, paths: &[PathBuf], known: &[Known], learned: &Learned<'_>) -> Plan {
    let Survey {
        found,
        groups,
        looked_at,
        mut plan,
    } = survey;
    let of = |member: &Member| learned.of(member);
    let found = siblings::settle(found, &groups, &of, learned.guess, &mut plan);
    settle_known(paths, known, &found, &mut plan);

    let mut to_read = Vec::with_capacity(found.len());
    for candidate in found {
        let now = learned.now.get(&candidate.hash).map(String::as_str);
        let Some(reason) = now.or_else(|| learned.failed.get(&candidate.hash)) else {
            to_read.push(candidate);
            continue;
        };
        // A version that could be read once stays until a readable one takes its place.
        plan.untouched.extend(
            known
                .iter()
                .filter(|k| k.place() == candidate.place())
                .map(|k| k.source_id.clone()),
        );
        let left = LeftOut {
            path: candidate.path,
            reason: reason.to_owned(),
        };
        match now {
            Some(_) => plan.unreadable.push(left),
            None => plan.failed_before.push(left),
        }
    }
    plan.papers = named(to_read, known, &plan.untouched);
    plan.notes = manifest::tell(&mut plan.papers, paths, looked_at);
    plan
}

/// Which sources of the index stay and which are gone.
fn settle_known(paths: &[PathBuf], known: &[Known], found: &[Candidate], plan: &mut Plan) {
    let seen: BTreeSet<(&Path, Option<&str>)> = found.iter().map(Candidate::place).collect();
    // Lines of a corpus that cannot be read hide nothing: their ids are not known.
    let corpora: BTreeSet<&Path> = found
        .iter()
        .filter(|c| c.record.is_some())
        .map(|c| c.path.as_path())
        .collect();
    let hiding: BTreeSet<&Path> = plan
        .unreadable
        .iter()
        .map(|entry| entry.path.as_path())
        .filter(|path| !corpora.contains(path))
        .collect();
    for source in known {
        let below = paths.iter().any(|root| source.path.starts_with(root));
        let here = seen.contains(&source.place());
        // What cannot be looked at is not gone.
        let hidden = !here && source.path.ancestors().any(|folder| hiding.contains(folder));
        if !below || hidden {
            plan.untouched.push(source.source_id.clone());
        } else if !here {
            plan.removed.push(source.source_id.clone());
        }
    }
}

#[cfg(test)]
mod tests;
