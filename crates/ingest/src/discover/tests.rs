use super::*;
use crate::{content_hash, content_hash_while};

#[test]
fn walks_sorted_and_once() {
    let dir = tempfile::tempdir().expect("temp dir");
    let at = |p: &str| dir.path().join(p);
    fs::create_dir_all(at("b/deep")).expect("dirs");
    fs::create_dir_all(at("b/.hidden")).expect("dirs");
    for f in "z.pdf a.PDF b/deep/m.pdf b/notes.TXT b/x.nxml b/corpus.jsonl b/README.md b/Licence-2.txt
        manifest.csv b/.hidden/h.md b/.hidden/h.pdf b/.draft.md b/._m.pdf b/.hidden/._h.pdf
        b/__MACOSX/b/._m.pdf b/__MACOSX/m.md b/~$n.pdf b/Thumbs.db b/Desktop.ini b/figure.png"
        .split_whitespace()
    {
        fs::create_dir_all(at(f).parent().expect("has one")).expect("dirs");
        fs::write(at(f), f).expect("writes");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path(), at("b/loop")).expect("links");
        std::os::unix::fs::symlink(at("nowhere"), at("b/gone.pdf")).expect("links");
    }
    let found =
        discover(&[dir.path().to_owned(), at("z.pdf"), at("missing")], &[], &Links::default(), |_| true);
    let names: Vec<_> =
        found.files.iter().map(|f| f.path.strip_prefix(dir.path()).unwrap().to_str().unwrap()).collect();
    let want =
        ["a.PDF", "z.pdf", "b/corpus.jsonl", "b/notes.TXT", "b/x.nxml", "b/.hidden/h.pdf", "b/deep/m.pdf"];
    assert_eq!(names, want);
    assert!(found.files.iter().all(|f| !f.is_named()));
    assert_eq!(found.others["hidden file"].count, 9, "{:?}", found.others);
    let others: Vec<_> = found.not_papers.iter().filter_map(|p| p.file_name()).collect();
    assert_eq!(others, ["Licence-2.txt", "README.md"]);
    let lost: Vec<_> =
        found.unreadable.iter().map(|u| u.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(lost, ["gone.pdf", "missing"]);
}

#[test]
fn a_file_named_directly_needs_no_extension() {
    let dir = tempfile::tempdir().expect("temp dir");
    let path = dir.path().join("paper");
    fs::write(&path, "x").expect("writes");
    let found = discover(&[&path], &[], &Links::default(), |_| true);
    assert!(found.files.len() == 1 && found.files[0].is_named());
}

#[test]
fn everything_else_is_counted_by_kind_and_a_pipe_is_not_opened() {
    let dir = tempfile::tempdir().expect("temp dir");
    let at = |p: &str| dir.path().join(p);
    fs::create_dir(at("sub")).expect("made");
    for name in "a.pdf|b.xlsx|sub/c.XLSX|d.png|sub/e.jpg|Makefile|.hidden|manifest.csv|data.csv".split('|') {
        fs::write(at(name), name).expect("writes");
    }
    let pipe = |name: &str| {
        rustix::fs::mkfifoat(rustix::fs::CWD, at(name), rustix::fs::Mode::RWXU).expect("made");
    };
    pipe("pipe.pdf");
    pipe("sub/pipe");
    let _socket = std::os::unix::net::UnixListener::bind(at("s.md")).expect("bound");
    std::os::unix::fs::symlink("/dev/null", at("null.md")).expect("links");
    std::os::unix::fs::symlink(at("nowhere"), at("gone")).expect("links");
    let found = discover(&[dir.path()], &[], &Links::default(), |_| true);
    assert_eq!(found.files.len(), 1);
    let counts: Vec<(&str, usize)> = found.others.iter().map(|(k, o)| (k.as_str(), o.count)).collect();
    let want = [
        (".csv file", 1),
        (".xlsx file", 2),
        ("broken link", 1),
        ("device", 1),
        ("file without an extension", 1),
        ("hidden file", 1),
        ("image", 2),
        ("named pipe", 2),
        ("socket", 1),
    ];
    assert_eq!(counts, want);
    assert_eq!(found.others[".xlsx file"].first, [at("b.xlsx"), at("sub/c.XLSX")]);
    assert!(found.unreadable.is_empty(), "{:?}", found.unreadable);
    // Named by the user, a pipe is an error that comes at once.
    let found = discover(&[at("pipe.pdf")], &[], &Links::default(), |_| true);
    assert_eq!(found.unreadable[0].reason, "it is a named pipe, not a regular file");
    let opened = content_hash(&at("pipe.pdf")).expect_err("no file");
    assert!(opened.to_string().contains("named pipe"), "{opened}");
}

#[test]
fn a_search_ends_when_the_caller_stops_it() {
    let dir = tempfile::tempdir().expect("temp dir");
    for i in 0..9 {
        fs::write(dir.path().join(format!("{i}.pdf")), "x").expect("writes");
    }
    let mut calls = 0;
    let found = discover(&[dir.path(), dir.path()], &[], &Links::default(), |_| {
        calls += 1;
        calls < 4
    });
    assert_eq!((found.files.len(), calls), (3, 4));
    let path = dir.path().join("1.pdf");
    let error = content_hash_while(&path, || false).expect_err("stopped");
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
}
