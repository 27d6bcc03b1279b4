//! What a run has to do: which files are there, what they are called, which are known already.

use super::failed::FailedList;
use crate::error::EngineError;
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use types::SourceId;

/// A file that a run was asked to index.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    /// Absolute path.
    pub(super) path: PathBuf,
    /// Absolute path of the folder or file that the user named.
    pub(super) root: PathBuf,
    /// SHA-256 of its bytes.
    pub(super) hash: String,
    /// Its id in the index.
    pub(super) source_id: SourceId,
}

/// What the index knows of a source.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) source_id: SourceId,
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    pub(super) key: String,
}

impl Known {
    /// The hash of the content that the index holds: what stands before the `-` of a key.
    pub(super) fn content_hash(&self) -> &str {
        self.key.split('-').next().unwrap_or(&self.key)
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
    /// Files to index, by source id.
    pub(super) papers: Vec<Paper>,
    /// Sources of other roots, which stay as they are.
    pub(super) untouched: Vec<SourceId>,
    /// Sources whose file is gone.
    pub(super) removed: Vec<SourceId>,
    /// Files with the same bytes as another: `(file, the one that is indexed)`.
    pub(super) duplicates: Vec<(PathBuf, PathBuf)>,
    /// Entries that could not be read at all.
    pub(super) unreadable: Vec<LeftOut>,
    /// Files that failed before, unchanged since: not tried again.
    pub(super) failed_before: Vec<LeftOut>,
}

impl Plan {
    /// Whether nothing at all was found on disk.
    pub(super) fn nothing_seen(&self) -> bool {
        self.papers.is_empty() && self.failed_before.is_empty() && self.unreadable.is_empty()
    }
}

/// The sources of a generation.
pub(super) fn known(index: Option<&retrieve::Index>) -> Vec<Known> {
    let Some(index) = index else {
        return Vec::new();
    };
    let each = |record: &retrieve::SourceRecord| Known {
        source_id: record.source_id().clone(),
        path: PathBuf::from(&record.path),
        root: PathBuf::from(&record.root),
        key: record.key.clone(),
    };
    index.manifest().sources.iter().map(each).collect()
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

/// Looks at the disk and at what the index holds. `paths` are absolute; what lay below one that is gone is gone.
pub(super) fn plan(paths: &[PathBuf], known: &[Known], failed: &FailedList) -> Plan {
    let present: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    let found = ingest::discover(&present);
    let mut plan = Plan::default();
    for entry in &found.unreadable {
        plan.unreadable.push(LeftOut {
            path: entry.path.clone(),
            reason: entry.reason.clone(),
        });
    }

    let hashes: Vec<_> = found
        .files
        .par_iter()
        .map(|file| (file, ingest::content_hash(&file.path)))
        .collect();
    let mut by_hash: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut readable = Vec::new();
    for (file, hash) in hashes {
        match hash {
            Err(error) => plan.unreadable.push(LeftOut {
                path: file.path.clone(),
                reason: error.to_string(),
            }),
            Ok(hash) => {
                if let Some(first) = by_hash.get(&hash) {
                    plan.duplicates.push((file.path.clone(), first.clone()));
                } else {
                    by_hash.insert(hash.clone(), file.path.clone());
                    readable.push((file, hash));
                }
            }
        }
    }

    let seen: BTreeSet<&Path> = readable.iter().map(|(file, _)| file.path.as_path()).collect();
    let duplicate: BTreeSet<&Path> = plan.duplicates.iter().map(|(path, _)| path.as_path()).collect();
    for source in known {
        let below = paths.iter().any(|root| source.path.starts_with(root));
        // What cannot be looked at is not gone.
        let hidden = plan
            .unreadable
            .iter()
            .any(|entry| source.path.starts_with(&entry.path));
        if !below || (hidden && !seen.contains(source.path.as_path())) {
            plan.untouched.push(source.source_id.clone());
        } else if !seen.contains(source.path.as_path()) || duplicate.contains(source.path.as_path()) {
            plan.removed.push(source.source_id.clone());
        }
    }

    let (to_read, remembered): (Vec<_>, Vec<_>) = readable
        .into_iter()
        .partition(|(_, hash)| failed.get(hash).is_none());
    for (file, hash) in remembered {
        // A version that could be read once stays until a readable one takes its place.
        plan.untouched.extend(
            known
                .iter()
                .filter(|k| k.path == file.path)
                .map(|k| k.source_id.clone()),
        );
        let reason = failed.get(&hash).unwrap_or_default().to_owned();
        plan.failed_before.push(LeftOut {
            path: file.path.clone(),
            reason,
        });
    }
    let files: Vec<(PathBuf, PathBuf, String)> = to_read
        .into_iter()
        .map(|(file, hash)| (file.path.clone(), file.root.clone(), hash))
        .collect();
    plan.papers = named(&files, known, &plan.untouched);
    plan
}

/// Gives every file its id: the one it has in the index, else a new one that collides with none there.
fn named(files: &[(PathBuf, PathBuf, String)], known: &[Known], untouched: &[SourceId]) -> Vec<Paper> {
    let held: BTreeMap<&Path, &SourceId> = known.iter().map(|k| (k.path.as_path(), &k.source_id)).collect();
    let fresh: Vec<(&Path, &str)> = files
        .iter()
        .filter(|(path, _, _)| !held.contains_key(path.as_path()))
        .map(|(path, _, hash)| (path.as_path(), hash.as_str()))
        .collect();
    let mut taken: BTreeSet<SourceId> = untouched.iter().cloned().collect();
    taken.extend(
        files
            .iter()
            .filter_map(|(path, _, _)| held.get(path.as_path()).map(|id| (*id).clone())),
    );
    let mut new_ids = ingest::assign_source_ids(&fresh).into_iter();
    let mut papers = Vec::with_capacity(files.len());
    for (path, root, hash) in files {
        let source_id = if let Some(id) = held.get(path.as_path()) {
            (*id).clone()
        } else {
            let wanted = new_ids.next().unwrap_or_else(|| ingest::source_id_of(path));
            let short: String = hash.chars().take(8).collect();
            let id = if taken.contains(&wanted) {
                SourceId::from(format!("{wanted}-{short}"))
            } else {
                wanted
            };
            taken.insert(id.clone());
            id
        };
        papers.push(Paper {
            path: path.clone(),
            root: root.clone(),
            hash: hash.clone(),
            source_id,
        });
    }
    papers.sort_by(|a, b| a.source_id.cmp(&b.source_id));
    papers
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, body) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, body).expect("written");
        }
        dir
    }

    fn ids(plan: &Plan) -> Vec<&str> {
        plan.papers.iter().map(|p| p.source_id.as_str()).collect()
    }

    fn known(plan: &Plan) -> Vec<Known> {
        let each = |p: &Paper| Known {
            source_id: p.source_id.clone(),
            path: p.path.clone(),
            root: p.root.clone(),
            key: format!("{}-0", p.hash),
        };
        plan.papers.iter().map(each).collect()
    }

    #[test]
    fn another_folder_leaves_the_first_alone_and_keeps_its_ids() {
        let dir = folder(&[("a/p.pdf", "1"), ("a/q.pdf", "2"), ("b/p.pdf", "3")]);
        let first = plan(&[dir.path().join("a")], &[], &FailedList::default());
        assert_eq!(ids(&first), ["p", "q"]);
        let second = plan(&[dir.path().join("b")], &known(&first), &FailedList::default());
        assert_eq!(second.untouched.len(), 2);
        assert!(second.removed.is_empty());
        assert_eq!(ids(&second).len(), 1);
        assert!(ids(&second)[0].starts_with("p-"), "{:?}", ids(&second));
        let both = plan(&[dir.path().to_owned()], &known(&first), &FailedList::default());
        assert!(
            ids(&both).contains(&"p") && ids(&both).contains(&"q"),
            "{:?}",
            ids(&both)
        );
    }

    #[test]
    fn a_file_vanishes_only_when_its_own_root_is_looked_at() {
        let dir = folder(&[("a/p.pdf", "1"), ("a/q.pdf", "2"), ("b/r.pdf", "3")]);
        let first = plan(&[dir.path().to_owned()], &[], &FailedList::default());
        fs::remove_file(dir.path().join("a/q.pdf")).expect("removed");
        let other = plan(&[dir.path().join("b")], &known(&first), &FailedList::default());
        assert!(other.removed.is_empty());
        let own = plan(&[dir.path().join("a")], &known(&first), &FailedList::default());
        assert_eq!(own.removed, [SourceId::from("q")]);
    }

    #[test]
    fn the_same_bytes_are_indexed_once_and_reported() {
        let dir = folder(&[("a.pdf", "same"), ("b.pdf", "same"), ("c.pdf", "other")]);
        let plan = plan(&[dir.path().to_owned()], &[], &FailedList::default());
        assert_eq!(ids(&plan), ["a", "c"]);
        assert_eq!(plan.duplicates.len(), 1);
        assert!(plan.duplicates[0].0.ends_with("b.pdf") && plan.duplicates[0].1.ends_with("a.pdf"));
    }

    #[test]
    fn what_failed_before_is_named_and_not_tried() {
        let dir = folder(&[("a.pdf", "bad"), ("b.pdf", "good")]);
        let mut failed = FailedList::default();
        let hash = ingest::content_hash(&dir.path().join("a.pdf")).expect("readable");
        failed.insert(
            &hash,
            &dir.path().join("a.pdf"),
            &ingest::ParseError::NoPages,
            "now",
        );
        let plan = plan(&[dir.path().to_owned()], &[], &failed);
        assert_eq!(ids(&plan), ["b"]);
        assert_eq!(plan.failed_before.len(), 1);
        assert_eq!(
            plan.failed_before[0].reason,
            ingest::ParseError::NoPages.to_string()
        );
    }
}
