use super::*;
use std::fs;
use types::SourceMeta;

/// What is done with a planner of these roots, where the index holds these sources.
fn with_planner<T>(
    roots: &[PathBuf],
    indexed: &[HeldSource],
    cache: &Cache,
    request: &IngestRequest,
    work: impl FnOnce(Planner<'_>) -> T,
) -> T {
    let settings = IndexerSettings {
        index_dir: PathBuf::new(),
        limits: ingest::Limits::default(),
        chunking: ingest::chunk::ChunkSettings::default(),
        workers: 1,
        outputs: Vec::new(),
    };
    work(Planner { settings: &settings, request, embedder_id: "", roots, indexed, cache })
}

fn plan_with(roots: &[PathBuf], indexed: &[HeldSource], cache: &Cache) -> IngestPlan {
    let request = IngestRequest { prune_all: true, ..IngestRequest::default() };
    with_planner(roots, indexed, cache, &request, |planner| {
        let survey = planner.survey(&types::Silent).expect("not stopped");
        planner.plan(survey, &BTreeMap::new()).expect("a plan")
    })
}

fn plan(roots: &[PathBuf], indexed: &[HeldSource]) -> IngestPlan {
    plan_with(roots, indexed, &Cache::in_memory())
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

fn ids(plan: &IngestPlan) -> Vec<&str> {
    plan.papers.iter().map(|p| p.source_id.as_str()).collect()
}

fn indexed(plan: &IngestPlan) -> Vec<HeldSource> {
    let each = |p: &Arc<Paper>| HeldSource {
        meta: SourceMeta { source_id: p.source_id.clone(), ..SourceMeta::default() },
        path: p.path.clone(),
        copies: p.copies.clone(),
        record: p.record.clone(),
        root: p.root.clone(),
        key: format!("{}-0", p.hash),
        ..HeldSource::default()
    };
    plan.papers.iter().map(each).collect()
}

#[test]
fn another_folder_leaves_the_first_alone_and_keeps_its_ids() {
    let dir = folder(&[("a/p.pdf", "1"), ("a/q.pdf", "2"), ("b/p.pdf", "3")]);
    let first = plan(&[dir.path().join("a")], &[]);
    assert_eq!(ids(&first), ["p", "q"]);
    let second = plan(&[dir.path().join("b")], &indexed(&first));
    assert_eq!(second.untouched.len(), 2);
    assert!(second.removed.is_empty());
    assert_eq!(ids(&second).len(), 1);
    assert!(ids(&second)[0].starts_with("p-"), "{:?}", ids(&second));
    let both = plan(&[dir.path().to_owned()], &indexed(&first));
    assert!(ids(&both).contains(&"p") && ids(&both).contains(&"q"), "{:?}", ids(&both));
}

#[test]
fn a_file_is_gone_only_when_its_own_root_is_scanned() {
    let dir = folder(&[("a/p.pdf", "1"), ("a/q.pdf", "2"), ("b/r.pdf", "3")]);
    let first = plan(&[dir.path().to_owned()], &[]);
    fs::remove_file(dir.path().join("a/q.pdf")).expect("removed");
    let other = plan(&[dir.path().join("b")], &indexed(&first));
    assert!(other.removed.is_empty());
    let own = plan(&[dir.path().join("a")], &indexed(&first));
    assert_eq!(own.removed, [SourceId::from("q")]);
}

#[test]
fn the_same_bytes_are_indexed_once_and_reported() {
    let dir = folder(&[("a.pdf", "same"), ("b.pdf", "same"), ("c.pdf", "other")]);
    let plan = plan(&[dir.path().to_owned()], &[]);
    assert_eq!(ids(&plan), ["a", "c"]);
    let [same] = plan.duplicates.as_slice() else { panic!("one duplicate") };
    assert!(same.path.ends_with("b.pdf") && same.same_as.ends_with("a.pdf"), "{same:?}");
}

#[test]
fn of_equal_files_the_indexed_one_is_kept_else_the_shortest_path() {
    let dir = folder(&[("sub/deep/a.pdf", "same"), ("z.pdf", "same"), ("y.pdf", "same")]);
    let path = [dir.path().to_owned()];
    let first = plan(&path, &[]);
    assert_eq!(ids(&first), ["y"]);
    assert!(first.duplicates.iter().all(|same| same.same_as.ends_with("y.pdf")));
    // A copy with a name that sorts first changes nothing.
    fs::write(dir.path().join("a.pdf"), "same").expect("written");
    let second = plan(&path, &indexed(&first));
    assert_eq!((ids(&second), second.removed.len()), (vec!["y"], 0));
    assert_eq!(second.duplicates.len(), 3);
    // Once the indexed file has other bytes, another stands for these, and the new ones are another paper.
    fs::write(dir.path().join("y.pdf"), "other").expect("written");
    let third = plan(&path, &indexed(&first));
    assert_eq!(third.papers[0].path, dir.path().join("z.pdf"));
    assert!(ids(&third)[0] == "y" && ids(&third)[1].starts_with("y-"), "{:?}", ids(&third));
    // Records of corpora likewise.
    let line = |id: &str| serde_json::json!({"_id": id, "title": "", "text": "one"}).to_string();
    let dir = folder(&[("m.jsonl", &line("m"))]);
    let path = [dir.path().to_owned()];
    let first = plan(&path, &[]);
    let both = [line("first"), line("m")].join("\n");
    fs::write(dir.path().join("b.jsonl"), both).expect("written");
    let second = plan(&path, &indexed(&first));
    assert_eq!((ids(&second), second.removed.len()), (vec!["first", "m"], 0));
    let [same] = second.duplicates.as_slice() else { panic!("one duplicate") };
    assert!(same.path.ends_with("b.jsonl#m") && same.same_as.ends_with("m.jsonl#m"), "{same:?}");
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
    let first = plan(&path, &[]);
    let names: Vec<&str> = ids(&first);
    assert!(names.len() == 2 && names.iter().all(|id| id.starts_with("n-")), "{names:?}");
    // What the index keeps of their paths leads back to them.
    let kept: Vec<HeldSource> = indexed(&first)
        .into_iter()
        .map(|k| HeldSource { path: path_text::decode(&path_text::encode(&k.path)), ..k })
        .collect();
    let second = plan(&path, &kept);
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
    let first = plan(&[dir.path().to_owned()], &[]);
    // Whether both are one paper is known once they are read.
    assert!(ids(&first).len() == 4 && ids(&first)[2..] == ["b", "c"], "{:?}", ids(&first));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of = |all: &[LeftOut]| all.iter().map(|l| name(&l.path)).collect::<Vec<_>>();
    assert_eq!(of(&first.unreadable), ["e.txt"]);
    assert_eq!(of(&first.skipped), ["README.md", "d.xml", "f.jsonl"]);
    // Named by the user, each is read or fails.
    let named: Vec<PathBuf> = ["a.xml", "d.xml", "README.md"].map(|n| dir.path().join(n)).into();
    let second = plan(&named, &[]);
    assert_eq!(ids(&second), ["a", "readme"]);
    assert_eq!(of(&second.unreadable), ["d.xml"]);
    // A paper that goes bad keeps its place in the index.
    fs::write(dir.path().join("b.md"), "PK\u{3}\u{4}").expect("written");
    let third = plan(&[dir.path().to_owned()], &indexed(&first));
    assert_eq!((third.untouched, third.removed), (vec![SourceId::from("b")], vec![]));
}

#[test]
fn a_scan_that_is_stopped_plans_nothing() {
    let dir = folder(&[("a.pdf", "1")]);
    let request = IngestRequest::default();
    request.stop.request();
    let roots = [dir.path().to_owned()];
    let cache = Cache::in_memory();
    let stopped =
        with_planner(&roots, &[], &cache, &request, |planner| planner.survey(&types::Silent).map(drop));
    assert!(matches!(stopped, Err(IndexerError::Stopped)));
}

#[test]
fn a_line_of_a_corpus_is_a_source_of_its_own() {
    let line = |id: &str, text: &str| serde_json::json!({"_id": id, "title": "", "text": text}).to_string();
    let lines = [line("MED 1", "one"), line("MED-2", "two"), "{torn".to_owned(), line("3", "three")];
    let dir = folder(&[("corpus.jsonl", &lines.join("\n")), ("3.md", "# three")]);
    let path = [dir.path().to_owned()];
    let first = plan(&path, &[]);
    let three = &ids(&first)[..2];
    assert!(three.iter().all(|id| id.starts_with("3-")), "{three:?}");
    assert_eq!(&ids(&first)[2..], ["med-2", "med_1"]);
    assert!(first.unreadable[0].reason.starts_with("line 3: "), "{:?}", first.unreadable);

    let changed = [line("MED-2", "other"), line("3", "three"), line("new", "four")];
    fs::write(dir.path().join("corpus.jsonl"), changed.join("\n")).expect("written");
    let second = plan(&path, &indexed(&first));
    assert_eq!(second.removed, [SourceId::from("med_1")]);
    let hash = |plan: &IngestPlan, id: &str| {
        plan.papers.iter().find(|p| p.source_id.as_str() == id).map(|p| p.hash.clone())
    };
    assert_ne!(hash(&first, "med-2"), hash(&second, "med-2"));
    assert_eq!(hash(&first, three[0]), hash(&second, three[0]));
    assert_eq!(hash(&first, three[1]), hash(&second, three[1]));
    assert!(hash(&second, "new").is_some());

    // A corpus that is none any more takes nothing along.
    fs::write(dir.path().join("corpus.jsonl"), "{}").expect("written");
    let third = plan(&path, &indexed(&second));
    assert_eq!((third.removed.len(), third.untouched.len(), third.unreadable.len()), (0, 3, 1));
}

#[test]
fn what_failed_before_is_named_and_not_tried() {
    let dir = folder(&[("a.pdf", "bad"), ("b.pdf", "good")]);
    let cache = Cache::in_memory();
    let hash = ingest::content_hash(&dir.path().join("a.pdf")).expect("readable");
    let path = dir.path().join("a.pdf");
    cache.put_failure(&hash, &path, &ingest::ParseError::NoPages, "now").expect("written");
    let plan = plan_with(&[dir.path().to_owned()], &[], &cache);
    assert_eq!(ids(&plan), ["b"]);
    assert_eq!(plan.failed_before.len(), 1);
    assert_eq!(plan.failed_before[0].reason, ingest::ParseError::NoPages.to_string());
}

/// The paths of each paper below `dir`, and what else is planned.
fn places(dir: &Path, plan: &IngestPlan) -> Vec<String> {
    let below = |path: &Path| path.strip_prefix(dir).unwrap_or(path).display().to_string();
    let each = |p: &Arc<Paper>| {
        let paths: Vec<String> = p.paths().map(below).collect();
        format!("{} at {}", p.source_id, paths.join(" and "))
    };
    let fewer = plan.fewer_paths.iter().map(|(id, left)| {
        let left: Vec<String> = left.iter().map(|path| below(path)).collect();
        format!("{id} left at {}", left.join(" and "))
    });
    let removed = plan.removed.iter().map(|id| format!("{id} removed"));
    plan.papers.iter().map(each).chain(fewer).chain(removed).collect()
}

#[test]
fn a_paper_is_known_by_its_content_wherever_it_lies() {
    let dir = folder(&[("a/p.pdf", "1"), ("a/q.pdf", "2")]);
    let at = |name: &str| dir.path().join(name);
    let check = |roots: &[&str], known: &mut Vec<HeldSource>, want: &[&str]| {
        let roots: Vec<PathBuf> = roots.iter().map(|root| at(root)).collect();
        let plan = plan(&roots, known);
        assert_eq!(places(dir.path(), &plan), want, "{roots:?}");
        let mut next = indexed(&plan);
        for id in &plan.untouched {
            let mut kept = known.iter().find(|k| k.meta.source_id == *id).expect("held").clone();
            if let Some(left) = plan.fewer_paths.get(id) {
                (kept.path, kept.copies) = (left[0].clone(), left[1..].to_vec());
            }
            next.push(kept);
        }
        *known = next;
    };
    let mut known = Vec::new();
    check(&["a"], &mut known, &["p at a/p.pdf", "q at a/q.pdf"]);
    // A copy, under another name too, is the same source.
    fs::create_dir(at("b")).expect("made");
    fs::copy(at("a/p.pdf"), at("b/p.pdf")).expect("copied");
    fs::copy(at("a/q.pdf"), at("b/other.pdf")).expect("copied");
    let copied = ["p at b/p.pdf and a/p.pdf", "q at b/other.pdf and a/q.pdf"];
    check(&["b"], &mut known, &copied);
    check(&["a", "b"], &mut known, &copied);
    // One of two files goes, then the other.
    fs::remove_file(at("b/p.pdf")).expect("removed");
    check(&["b"], &mut known, &["q at b/other.pdf and a/q.pdf", "p left at a/p.pdf"]);
    // Other content where a source lies elsewhere too is another paper.
    fs::write(at("b/other.pdf"), "3").expect("written");
    check(&["b"], &mut known, &["other at b/other.pdf", "q left at a/q.pdf"]);
    // A folder moves, and one paper in it is renamed.
    fs::rename(at("a"), at("c")).expect("moved");
    fs::rename(at("c/q.pdf"), at("c/p-2.pdf")).expect("renamed");
    check(&["c"], &mut known, &["p at c/p.pdf", "q at c/p-2.pdf"]);
    // Another paper with a known name is new.
    fs::write(at("b/p.pdf"), "4").expect("written");
    let hash = ingest::content_hash(&at("b/p.pdf")).expect("reads");
    check(
        &["b", "c"],
        &mut known,
        &["other at b/other.pdf", "p at c/p.pdf", &format!("p-{} at b/p.pdf", &hash[..8]), "q at c/p-2.pdf"],
    );
    // Two names of one content in one folder; one goes.
    fs::copy(at("c/p.pdf"), at("c/twin.pdf")).expect("copied");
    check(&["c"], &mut known, &["p at c/p.pdf and c/twin.pdf", "q at c/p-2.pdf"]);
    fs::remove_file(at("c/p.pdf")).expect("removed");
    check(&["c"], &mut known, &["p at c/twin.pdf", "q at c/p-2.pdf"]);
    // Names that are exchanged leave each id with its content.
    fs::rename(at("c/twin.pdf"), at("c/x")).expect("moved");
    fs::rename(at("c/p-2.pdf"), at("c/twin.pdf")).expect("moved");
    fs::rename(at("c/x"), at("c/p-2.pdf")).expect("moved");
    check(&["c"], &mut known, &["p at c/p-2.pdf", "q at c/twin.pdf"]);
    fs::remove_file(at("c/twin.pdf")).expect("removed");
    check(&["c"], &mut known, &["p at c/p-2.pdf", "q removed"]);
}
