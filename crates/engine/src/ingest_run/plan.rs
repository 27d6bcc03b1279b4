//! What a run has to do: which files are there, what they are called, which are known already.

use super::{
    candidates::{Candidate, candidates, named},
    failed::FailedList,
    look::Look,
    manifest,
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

/// Looks at the disk and at what the index holds. `paths` are absolute; what lay below one that is gone is gone.
pub(super) fn plan(
    paths: &[PathBuf],
    known: &[Known],
    failed: &FailedList,
    look: &Look<'_>,
) -> Result<Plan, EngineError> {
    let present: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    let sight = look.at(&present)?;
    let mut plan = Plan {
        unreadable: sight.unreadable,
        skipped: sight.skipped,
        others: sight.others,
        ..Plan::default()
    };
    let looked_at: BTreeSet<SourceId> = sight
        .files
        .iter()
        .map(|f| ingest::source_id_of(&f.path))
        .collect();
    let found = candidates(sight.files, known, &mut plan);
    settle_known(paths, known, &found, &mut plan);

    let (to_read, remembered): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|c| failed.get(&c.hash).is_none());
    for candidate in remembered {
        // A version that could be read once stays until a readable one takes its place.
        plan.untouched.extend(
            known
                .iter()
                .filter(|k| k.place() == candidate.place())
                .map(|k| k.source_id.clone()),
        );
        let reason = failed.get(&candidate.hash).unwrap_or_default().to_owned();
        plan.failed_before.push(LeftOut {
            path: candidate.path,
            reason,
        });
    }
    plan.papers = named(to_read, known, &plan.untouched);
    plan.notes = manifest::tell(&mut plan.papers, paths, looked_at);
    Ok(plan)
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
mod tests {
    use super::*;
    use ingest::Limits;
    use std::{fs, sync::atomic::AtomicBool};

    fn plan(paths: &[PathBuf], known: &[Known], failed: &FailedList) -> Plan {
        let look = Look {
            limits: Limits::default(),
            outputs: &[],
            reporter: &types::Silent,
            stop: &AtomicBool::new(false),
        };
        super::plan(paths, known, failed, &look).expect("not stopped")
    }

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
            record: p.record.clone(),
            root: p.root.clone(),
            key: format!("{}-0", p.hash),
            meta: SourceMeta::default(),
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
    fn of_equal_files_the_one_that_is_indexed_stands_then_the_shortest_path() {
        let dir = folder(&[("sub/deep/a.pdf", "same"), ("z.pdf", "same"), ("y.pdf", "same")]);
        let path = [dir.path().to_owned()];
        let first = plan(&path, &[], &FailedList::default());
        assert_eq!(ids(&first), ["y"]);
        assert!(first.duplicates.iter().all(|(_, of)| of.ends_with("y.pdf")));
        // A copy with a name that sorts first changes nothing.
        fs::write(dir.path().join("a.pdf"), "same").expect("written");
        let second = plan(&path, &known(&first), &FailedList::default());
        assert_eq!((ids(&second), second.removed.len()), (vec!["y"], 0));
        assert_eq!(second.duplicates.len(), 3);
        // Once the indexed file has other bytes, another stands for these.
        fs::write(dir.path().join("y.pdf"), "other").expect("written");
        let third = plan(&path, &known(&first), &FailedList::default());
        assert_eq!(ids(&third), ["a", "y"]);
        // Records of corpora likewise.
        let line = |id: &str| serde_json::json!({"_id": id, "title": "", "text": "one"}).to_string();
        let dir = folder(&[("m.jsonl", &line("m"))]);
        let path = [dir.path().to_owned()];
        let first = plan(&path, &[], &FailedList::default());
        let both = [line("first"), line("m")].join("\n");
        fs::write(dir.path().join("b.jsonl"), both).expect("written");
        let second = plan(&path, &known(&first), &FailedList::default());
        assert_eq!((ids(&second), second.removed.len()), (vec!["m"], 0));
        assert_eq!(second.duplicates.len(), 2);
    }

    #[test]
    fn names_that_are_not_utf8_are_told_apart() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = folder(&[]);
        for (byte, text) in [(0xfe, "# one"), (0xff, "# two")] {
            let name = [b'n', byte, b'.', b'm', b'd'];
            fs::write(dir.path().join(std::ffi::OsStr::from_bytes(&name)), text).expect("written");
        }
        let path = [dir.path().to_owned()];
        let first = plan(&path, &[], &FailedList::default());
        let names: Vec<&str> = ids(&first);
        assert!(
            names.len() == 2 && names.iter().all(|id| id.starts_with("n-")),
            "{names:?}"
        );
        // What the index keeps of their paths leads back to them.
        let kept: Vec<Known> = known(&first)
            .into_iter()
            .map(|k| Known {
                path: path_text::decode(&path_text::encode(&k.path)),
                ..k
            })
            .collect();
        let second = plan(&path, &kept, &FailedList::default());
        assert_eq!((ids(&second), second.removed.len()), (names, 0));
    }

    #[test]
    fn each_file_is_taken_or_named_with_its_reason() {
        let article = "<article><body><p>x</p></body></article>";
        let dir = folder(&[
            ("a.pdf", "%PDF-1.7"),
            ("a.xml", article),
            ("b.md", "# b"),
            ("c.xml", "<html/>"),
            ("d.xml", "<project/>"),
            ("e.txt", "PK\u{3}\u{4}"),
            ("f.jsonl", "{\"id\": 1}"),
            ("README.md", "words"),
        ]);
        let first = plan(&[dir.path().to_owned()], &[], &FailedList::default());
        assert_eq!(ids(&first), ["a", "b"]);
        let name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        let of = |all: &[LeftOut]| all.iter().map(|l| name(&l.path)).collect::<Vec<_>>();
        assert_eq!(of(&first.unreadable), ["c.xml", "e.txt"]);
        assert_eq!(of(&first.skipped), ["README.md", "d.xml", "f.jsonl"]);
        assert!(first.same_paper[0].0.ends_with("a.xml") && first.same_paper[0].1.ends_with("a.pdf"));
        // Named by the user, each is read or fails.
        let named: Vec<PathBuf> = ["a.xml", "d.xml", "README.md"].map(|n| dir.path().join(n)).into();
        let second = plan(&named, &[], &FailedList::default());
        assert_eq!(ids(&second), ["a", "readme"]);
        assert_eq!(of(&second.unreadable), ["d.xml"]);
        // A paper that goes bad keeps its place in the index.
        fs::write(dir.path().join("b.md"), "PK\u{3}\u{4}").expect("written");
        let third = plan(&[dir.path().to_owned()], &known(&first), &FailedList::default());
        assert_eq!(
            (third.untouched, third.removed),
            (vec![SourceId::from("b")], vec![])
        );
    }

    #[test]
    fn a_look_that_is_stopped_plans_nothing() {
        let dir = folder(&[("a.pdf", "1")]);
        let look = Look {
            limits: Limits::default(),
            outputs: &[],
            reporter: &types::Silent,
            stop: &AtomicBool::new(true),
        };
        let stopped = super::plan(&[dir.path().to_owned()], &[], &FailedList::default(), &look);
        assert!(matches!(stopped, Err(EngineError::Stopped)));
    }

    #[test]
    fn a_line_of_a_corpus_is_a_source_of_its_own() {
        let line =
            |id: &str, text: &str| serde_json::json!({"_id": id, "title": "", "text": text}).to_string();
        let lines = [
            line("MED 1", "one"),
            line("MED-2", "two"),
            "{torn".to_owned(),
            line("3", "three"),
        ];
        let dir = folder(&[("corpus.jsonl", &lines.join("\n")), ("3.md", "# three")]);
        let path = [dir.path().to_owned()];
        let first = plan(&path, &[], &FailedList::default());
        let three = &ids(&first)[..2];
        assert!(three.iter().all(|id| id.starts_with("3-")), "{three:?}");
        assert_eq!(&ids(&first)[2..], ["med-2", "med_1"]);
        assert!(
            first.unreadable[0].reason.starts_with("line 3: "),
            "{:?}",
            first.unreadable
        );

        let changed = [line("MED-2", "other"), line("3", "three"), line("new", "four")];
        fs::write(dir.path().join("corpus.jsonl"), changed.join("\n")).expect("written");
        let second = plan(&path, &known(&first), &FailedList::default());
        assert_eq!(second.removed, [SourceId::from("med_1")]);
        let hash = |plan: &Plan, id: &str| {
            plan.papers
                .iter()
                .find(|p| p.source_id.as_str() == id)
                .map(|p| p.hash.clone())
        };
        assert_ne!(hash(&first, "med-2"), hash(&second, "med-2"));
        assert_eq!(hash(&first, three[0]), hash(&second, three[0]));
        assert_eq!(hash(&first, three[1]), hash(&second, three[1]));
        assert!(hash(&second, "new").is_some());

        // A corpus that is none any more takes nothing along.
        fs::write(dir.path().join("corpus.jsonl"), "{}").expect("written");
        let third = plan(&path, &known(&second), &FailedList::default());
        assert_eq!(
            (third.removed.len(), third.untouched.len(), third.unreadable.len()),
            (0, 3, 1)
        );
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
