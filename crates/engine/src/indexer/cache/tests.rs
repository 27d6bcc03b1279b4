use super::*;
use std::fs;
use types::HeldSource;

fn document(title: &str) -> Document {
    let mut document = Document::default();
    document.meta.title = Some(title.to_owned());
    document
}

fn open(root: &Path, version: &str) -> Cache {
    Cache::open(root, ReaderKeys { version: version.to_owned(), ..ReaderKeys::default() }, false)
        .expect("opens")
}

/// A cache with the documents "a", "bb" and "ccc", each of the content with its name.
fn start() -> (tempfile::TempDir, Cache) {
    let root = tempfile::tempdir().expect("a folder");
    let cache = open(root.path(), "1");
    for name in ["a", "bb", "ccc"] {
        fs::write(root.path().join(name), name).expect("written");
        cache.put_document(Some(&root.path().join(name)), name, &document(name)).expect("written");
    }
    (root, cache)
}

/// Which of the documents a cache has.
fn held(cache: &Cache) -> Vec<&'static str> {
    let mut names = vec!["a", "bb", "ccc"];
    names.retain(|name| cache.document(name).is_some_and(|held| held.meta.title.as_deref() == Some(name)));
    names
}

#[test]
fn what_is_put_comes_back_for_the_same_reader() {
    let (root, cache) = start();
    assert_eq!(held(&open(root.path(), "1")), ["a", "bb", "ccc"]);
    assert_eq!(held(&open(root.path(), "2")), [""; 0]);
    let title = |cache: &Cache, content: &str| cache.print(content)?.title;
    assert_eq!(title(&cache, "a").as_deref(), Some("a"));
    assert_eq!(title(&open(root.path(), "2"), "a"), None);
    assert_eq!(title(&cache, "changed"), None);
    assert_eq!((cache.usage().documents, cache.is_damaged()), (3, false));
    // A later document takes the place of an earlier one.
    cache.put_document(None, "a", &document("other")).expect("written");
    assert_eq!((held(&cache), cache.usage().documents), (vec!["bb", "ccc"], 3));
}

#[test]
fn damage_is_seen_and_counts_as_absent() {
    let (root, cache) = start();
    let sql = "UPDATE entries SET body = CAST(replace(body, '\"bb\"', '\"xx\"') AS BLOB)";
    locked(&cache.connection).execute(sql, []).expect("changed");
    assert!(cache.is_damaged());
    assert_eq!((held(&cache), cache.print("bb")), (vec!["a", "ccc"], None));
    cache.prune(None, Some(UNIX_EPOCH), true).expect("pruned");
    assert_eq!((held(&cache), cache.is_damaged()), (vec!["a", "ccc"], false));
    drop(cache);
    // A file that is no database, or a torn one, is replaced, and holds nothing up until then.
    let file = root.path().join(FILE);
    let whole = fs::read(&file).expect("there");
    for damaged in [&b"no database at all"[..], &whole[..whole.len() / 2], &whole[whole.len() / 2..]] {
        fs::write(&file, damaged).expect("written");
        let cache = Cache::existing(root.path(), ReaderKeys::default()).expect("opens");
        assert!(cache.is_damaged());
        assert_eq!(held(&cache), [""; 0]);
        drop(cache);
        let cache = open(root.path(), "1");
        cache.put_document(None, "a", &document("a")).expect("written");
        assert_eq!(held(&cache), ["a"]);
    }
}

#[test]
fn what_nobody_needs_goes() {
    let (root, cache) = start();
    let vectors = [(TextKey::sentence("x"), vec![1.0])];
    cache.add_vectors("model", "a", &vectors).expect("written");
    cache.add_vectors("other", "a", &vectors).expect("written");
    let mut current = Holdings {
        sources: vec![HeldSource { key: "a-1".to_owned(), ..HeldSource::default() }],
        ..Holdings::default()
    };
    current.made_by.embedder_id = "model".to_owned();
    let before = cache.usage();
    // An unfinished run wrote it.
    let (freed, kept) = cache.prune(Some(&current), Some(UNIX_EPOCH), false).expect("pruned");
    assert_eq!((freed, cache.usage()), (0, before));
    assert!(kept > 0);
    fs::remove_file(root.path().join("bb")).expect("removed");
    assert_eq!(cache.prune(Some(&current), None, false).expect("pruned").1, 0);
    assert_eq!(held(&cache), ["a"]);
    assert_eq!(cache.usage().vector_bytes * 2, before.vector_bytes);
    // What is known of a file is kept as long as the file is there, wherever it moves.
    assert!(cache.print("bb").is_none() && cache.print("ccc").is_some());
    fs::rename(root.path().join("ccc"), root.path().join("moved")).expect("moved");
    cache.note(&[(root.path().join("moved").as_path(), "ccc")]).expect("noted");
    cache.prune(None, None, true).expect("pruned");
    assert!(cache.print("ccc").is_some() && cache.print("a").is_some());
    assert_eq!(cache.usage(), CacheUsage::default());
}

#[test]
fn nothing_is_made_or_followed_that_is_not_ours() {
    let root = tempfile::tempdir().expect("a folder");
    let cache = Cache::existing(root.path(), ReaderKeys::default()).expect("opens");
    assert_eq!((cache.usage(), cache.is_damaged()), (CacheUsage::default(), false));
    assert!(!root.path().join(FILE).exists());
    let secret = root.path().join("secret");
    fs::write(&secret, "secret").expect("written");
    std::os::unix::fs::symlink(&secret, root.path().join(FILE)).expect("linked");
    assert!(Cache::open(root.path(), ReaderKeys::default(), false).is_err());
    assert_eq!(fs::read_to_string(&secret).expect("there"), "secret");
}

#[test]
fn leftovers_go_and_nothing_else() {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(root.path().join("cache/vectors")).expect("made");
    for (name, is_gone) in [
        (".tmp-a1b2c3", true),
        (".tmpA1b2C3", false),
        (".tmpA1b2C3d4", false),
        ("failed.json", true),
        ("removed.json", false),
        ("cache/vectors/1.pack", true),
        ("cache/vectors/letter", false),
    ] {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(&path, "half").expect("written");
        assert_eq!(clear_leftovers(root.path()).expect("read"), if is_gone { 4 } else { 0 });
        assert_ne!(path.exists(), is_gone, "{name}");
    }
}

#[test]
fn files_without_text_and_warnings_are_found() {
    let cache = Cache::in_memory();
    let scan = Document { warnings: vec!["page 1 holds only images".to_owned()], ..Document::default() };
    cache.put_document(Some(Path::new("/papers/scan.pdf")), "1", &scan).expect("written");
    let section = types::Section {
        name: types::SectionKind::Results,
        heading: "Results".to_owned(),
        level: 1,
        page_start: 1,
        page_end: 1,
        span: types::Span::new(0, 4),
        blocks: Vec::new(),
    };
    let read = Document { text: "Text".to_owned(), sections: vec![section], ..Document::default() };
    cache.put_document(Some(Path::new("/papers/read.pdf")), "2", &read).expect("written");
    assert_eq!(cache.files_without_text(), [Path::new("/papers/scan.pdf")]);
    assert_eq!((cache.warnings("1"), cache.warnings("2").len()), (scan.warnings, 0));
}
