use super::*;

fn key(name: &str) -> Key {
    types::digest::digest_of_parts(&[name.as_bytes()])
}

/// A cache with the bodies `a`, `bb` and `ccc`, each under itself.
fn start() -> (tempfile::TempDir, Packs) {
    let root = tempfile::tempdir().expect("a folder");
    let cache = open(root.path());
    for body in ["a", "bb", "ccc"] {
        cache.put(&key(body), body.as_bytes()).expect("written");
    }
    (root, cache)
}

fn open(root: &Path) -> Packs {
    Packs::open(&root.join("cache"), "stage")
}

fn first(root: &Path) -> PathBuf {
    root.join("cache/stage/1.pack")
}

/// Which of the bodies a cache has.
fn held(cache: &Packs) -> Vec<&'static str> {
    let mut bodies = vec!["a", "bb", "ccc"];
    bodies.retain(|body| cache.get(&key(body)) == [body.as_bytes()]);
    bodies
}

#[test]
fn what_is_put_comes_back_whatever_a_killed_run_left_at_the_end() {
    let (root, cache) = start();
    let whole = fs::read(first(root.path())).expect("there");
    assert_eq!(held(&cache), ["a", "bb", "ccc"]);
    for cut in 0..=whole.len() {
        fs::write(first(root.path()), &whole[..cut]).expect("written");
        let cache = open(root.path());
        assert!(cache.damaged().is_empty(), "cut at {cut}");
        let ends = [49, 99, 150];
        let kept = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(held(&cache), ["a", "bb", "ccc"][..kept], "cut at {cut}");
        // The next run goes on behind the last whole record.
        for body in &["a", "bb", "ccc"][kept..] {
            cache.put(&key(body), body.as_bytes()).expect("written");
        }
        assert_eq!(fs::read(first(root.path())).expect("there"), whole, "cut at {cut}");
    }
}

#[test]
fn a_damaged_byte_costs_one_record_and_is_seen() {
    let (root, _) = start();
    let whole = fs::read(first(root.path())).expect("there");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x11;
        fs::write(first(root.path()), bytes).expect("written");
        let cache = open(root.path());
        assert_eq!(cache.damaged().len(), 1, "byte {at}");
        assert_eq!(held(&cache).len(), 2, "byte {at}");
        // What is written next can be read, and a clean-up leaves what is whole.
        cache.put(&key("more"), b"more").expect("written");
        cache.retain(true, |_, _, is_latest| is_latest).expect("rewritten");
        let cache = open(root.path());
        assert!(cache.damaged().is_empty(), "byte {at}");
        assert_eq!((held(&cache).len(), cache.usage().0), (2, 3), "byte {at}");
        fs::remove_dir_all(root.path().join("cache")).expect("removed");
        fs::create_dir_all(root.path().join("cache/stage")).expect("made");
    }
}

#[test]
fn a_pack_is_rewritten_when_most_of_it_is_to_go() {
    let check = |kept: &[&str], all, freed| {
        let (root, cache) = start();
        let keep = |k: &Key, _, _| kept.iter().any(|body| key(body) == *k);
        assert_eq!(cache.retain(all, keep).expect("rewritten"), freed, "{kept:?}");
        let left = if freed > 0 { kept } else { &["a", "bb", "ccc"] };
        for cache in [&cache, &open(root.path())] {
            assert_eq!(held(cache), left, "{kept:?}");
            assert_eq!(cache.usage(), (left.len(), 150 - freed));
        }
        // The next number is one that no file has.
        cache.put(&key("a"), b"a").expect("written");
        assert_eq!(cache.get(&key("a")).pop().as_deref(), Some(&b"a"[..]));
    };
    check(&["a", "bb", "ccc"], true, 0);
    check(&["a", "bb"], false, 0);
    check(&["a", "bb"], true, 51);
    check(&["a"], false, 101);
    check(&[], false, 150);
}

#[test]
fn a_pack_with_another_name_is_not_written_to() {
    let (root, _) = start();
    let whole = fs::read(first(root.path())).expect("there");
    let other = root.path().join("other");
    fs::hard_link(first(root.path()), &other).expect("linked");
    let cache = open(root.path());
    cache.put(&key("more"), b"more").expect("written");
    assert_eq!((held(&cache).len(), cache.usage().0), (3, 4));
    assert_eq!(fs::read(&other).expect("there"), whole);
}

#[test]
fn no_link_is_followed_and_no_other_file_touched() {
    let other = tempfile::tempdir().expect("a folder");
    let secret = other.path().join("1.pack");
    let check = |link: &str, target: &Path, is_written: bool| {
        let root = tempfile::tempdir().expect("a folder");
        let link = root.path().join(link);
        fs::create_dir_all(link.parent().expect("has one")).expect("made");
        std::os::unix::fs::symlink(target, &link).expect("linked");
        fs::write(&secret, "secret").expect("written");
        let cache = open(root.path());
        assert_eq!(cache.usage(), (0, 0), "{link:?}");
        assert_eq!(cache.put(&key("a"), b"a").is_ok(), is_written, "{link:?}");
        assert!(cache.retain(true, |_, _, _| false).is_ok(), "{link:?}");
        assert!(link.is_symlink(), "{link:?}");
        assert_eq!(fs::read_to_string(&secret).expect("there"), "secret");
        assert_eq!(fs::read_dir(other.path()).expect("listed").count(), 1, "{link:?}");
    };
    check("cache", other.path(), false);
    check("cache/stage", other.path(), false);
    check("cache/stage/1.pack", &secret, false);
    check("cache/stage/1.pack", &other.path().join("none"), false);
    check("cache/stage/2.pack", &secret, true);
    check("cache/stage/01.pack", &secret, true);
}
