//! Which files to read, and what to call them.

mod hash;
mod ids;
mod others;
mod output;

pub(crate) use hash::hash_of;
pub use hash::{content_hash, content_hash_while};
pub use ids::{assign_ids, assign_source_ids, source_id_of};
pub use others::Others;
pub use output::Output;

use crate::inputs::Format;
use crate::regular;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// Where it lies: the root as given, joined with the way down to it.
    pub path: PathBuf,
    /// The path given by the user below which it was found; the file itself when it was named directly.
    pub root: PathBuf,
    /// Size in bytes when it was found.
    pub bytes: u64,
}

/// An entry that could not be read while searching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The entry.
    pub path: PathBuf,
    /// What the system said.
    pub reason: String,
}

impl FoundFile {
    /// Whether the user named this very file.
    pub fn is_named(&self) -> bool {
        self.path == self.root
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Files, in order of roots as given, then of path; each file once, however many roots lead to it.
    pub files: Vec<FoundFile>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Files that could be read but are no papers by their names: read-me files, licences, change
    /// logs, lists of required packages.
    pub not_papers: Vec<PathBuf>,
    /// Files and folders that programs write, this one among them, and what each is. They are not searched.
    pub outputs: Vec<Unreadable>,
    /// All other entries, counted by kind.
    pub others: BTreeMap<String, Others>,
}

/// Finds files with the extensions of [`Format::of_name`] (in any case) below the given folders, recursively and
/// in sorted order. A file named directly is taken whatever its extension. Symbolic links are followed, loops and
/// second ways to the same file are not. Of hidden files and folders only PDFs are taken. What the pipeline itself
/// writes is never searched: `outputs` and everything that [`Output`] describes.
pub fn discover<P: AsRef<Path>>(paths: &[P], outputs: &[Output]) -> Discovered {
    discover_while(paths, outputs, |_| true)
}

/// As [`discover`]; `keep_going` is told each folder and each file that is found, and ends the search with
/// `false`: what it returns is then not all there is.
pub fn discover_while<P: AsRef<Path>>(
    paths: &[P],
    outputs: &[Output],
    mut keep_going: impl FnMut(&Path) -> bool,
) -> Discovered {
    let mut search = Search {
        found: Discovered::default(),
        seen: BTreeSet::new(),
        outputs: output::Outputs::new(outputs),
        keep_going: &mut keep_going,
        stopped: false,
    };
    for root in paths {
        if search.stopped {
            break;
        }
        let root = root.as_ref();
        if let Some(what) = search.outputs.around(root) {
            search.output(root, what);
            continue;
        }
        match fs::metadata(root) {
            Ok(meta) if meta.is_dir() => search.folder(root, root),
            Ok(meta) if meta.is_file() => search.file(root, root, meta.len()),
            Ok(meta) => search.unreadable(
                root,
                format!("it is a {}, not a regular file", regular::name(meta.file_type())),
            ),
            Err(e) => search.fail(root, &e),
        }
    }
    search.found
}

struct Search<'a> {
    found: Discovered,
    seen: BTreeSet<PathBuf>,
    outputs: output::Outputs,
    keep_going: &'a mut dyn FnMut(&Path) -> bool,
    stopped: bool,
}

impl Search<'_> {
    fn folder(&mut self, root: &Path, folder: &Path) {
        // A stack, not recursion: a deep tree must not exhaust the thread's own stack.
        let mut open = vec![(folder.to_owned(), false)];
        while let Some((folder, hidden)) = open.pop() {
            self.stopped |= !(self.keep_going)(&folder);
            if self.stopped {
                return;
            }
            let Some(mut paths) = self.entries(&folder) else {
                continue;
            };
            let output = output::recognise(&folder, &paths);
            if let Some(kind) = output.filter(|kind| kind.is_ours() || folder != root) {
                self.output(&folder, kind.what());
                paths.retain(|path| kind.leaves(path));
            }
            let mut below = Vec::new();
            for path in paths {
                let hidden = hidden || is_hidden(&path);
                if let Some(folder) = self.entry(root, path, hidden) {
                    below.push((folder, hidden));
                }
                if self.stopped {
                    return;
                }
            }
            open.extend(below.into_iter().rev());
        }
    }

    /// What lies in a folder, sorted; nothing when it was searched before or cannot be read.
    fn entries(&mut self, folder: &Path) -> Option<Vec<PathBuf>> {
        let listed = fs::canonicalize(folder).and_then(|real| {
            if !self.seen.insert(real.clone()) {
                return Ok(None);
            }
            if let Some(what) = self.outputs.named(&real) {
                self.output(folder, what);
                return Ok(None);
            }
            fs::read_dir(folder).map(Some)
        });
        let listed = match listed {
            Ok(listed) => listed?,
            Err(e) => {
                self.fail(folder, &e);
                return None;
            }
        };
        let mut paths = Vec::new();
        for entry in listed {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(e) => self.fail(folder, &e),
            }
        }
        paths.sort();
        Some(paths)
    }

    /// Looks at one entry of a folder; gives it back when it is a folder to search.
    fn entry(&mut self, root: &Path, path: PathBuf, hidden: bool) -> Option<PathBuf> {
        let format = Format::of_name(&path).filter(|f| *f == Format::Pdf || !hidden);
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => return Some(path),
            Ok(meta) if meta.is_file() => match format {
                Some(format) if format != Format::Pdf && is_no_paper(&path) => {
                    self.found.not_papers.push(path);
                }
                Some(_) => self.file(root, &path, meta.len()),
                None if others::is_metadata(&path) => {}
                None => self.other(&others::kind_of(&path, hidden), path),
            },
            Ok(meta) => self.other(regular::name(meta.file_type()), path),
            // A link to nothing is a lost paper only when its name is that of one.
            Err(e) if e.kind() == io::ErrorKind::NotFound && format.is_none() => {
                self.other("broken link", path);
            }
            Err(e) => self.fail(&path, &e),
        }
        None
    }

    fn file(&mut self, root: &Path, path: &Path, bytes: u64) {
        match fs::canonicalize(path) {
            Ok(real) => {
                if let Some(what) = self.outputs.named(&real) {
                    self.output(path, what);
                } else if self.seen.insert(real) {
                    self.stopped |= !(self.keep_going)(path);
                    self.found.files.push(FoundFile {
                        path: path.to_owned(),
                        root: root.to_owned(),
                        bytes,
                    });
                }
            }
            Err(e) => self.fail(path, &e),
        }
    }

    fn other(&mut self, kind: &str, path: PathBuf) {
        self.found.others.entry(kind.to_owned()).or_default().add(path);
    }

    fn output(&mut self, path: &Path, what: &str) {
        self.found.outputs.push(Unreadable {
            path: path.to_owned(),
            reason: what.to_owned(),
        });
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        self.unreadable(path, error.to_string());
    }

    fn unreadable(&mut self, path: &Path, reason: String) {
        self.found.unreadable.push(Unreadable {
            path: path.to_owned(),
            reason,
        });
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|n| n.as_encoded_bytes().starts_with(b"."))
}

/// Whether a file's name is that of a file about other files.
fn is_no_paper(path: &Path) -> bool {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    ["readme", "license", "licence", "changelog", "requirements"]
        .iter()
        .any(|name| stem.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_sorted_and_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir_all(at("b/deep")).expect("dirs");
        fs::create_dir_all(at("b/.hidden")).expect("dirs");
        for f in [
            "z.pdf",
            "a.PDF",
            "b/deep/m.pdf",
            "b/notes.TXT",
            "b/x.nxml",
            "b/corpus.jsonl",
            "b/README.md",
            "b/Licence-2.txt",
            "manifest.csv",
            "b/.hidden/h.md",
            "b/.hidden/h.pdf",
            "b/.draft.md",
            "b/figure.png",
        ] {
            fs::write(at(f), f).expect("writes");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path(), at("b/loop")).expect("links");
            std::os::unix::fs::symlink(at("nowhere"), at("b/gone.pdf")).expect("links");
        }
        let found = discover(&[dir.path().to_owned(), at("z.pdf"), at("missing")], &[]);
        let names: Vec<_> = found
            .files
            .iter()
            .map(|f| f.path.strip_prefix(dir.path()).unwrap().to_str().unwrap())
            .collect();
        let want = [
            "a.PDF",
            "z.pdf",
            "b/corpus.jsonl",
            "b/notes.TXT",
            "b/x.nxml",
            "b/.hidden/h.pdf",
            "b/deep/m.pdf",
        ];
        assert_eq!(names, want);
        assert!(found.files.iter().all(|f| !f.is_named()));
        let others: Vec<_> = found.not_papers.iter().filter_map(|p| p.file_name()).collect();
        assert_eq!(others, ["Licence-2.txt", "README.md"]);
        let lost: Vec<_> = found
            .unreadable
            .iter()
            .map(|u| u.path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(lost, ["gone.pdf", "missing"]);
    }

    #[test]
    fn a_file_named_directly_needs_no_extension() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("paper");
        fs::write(&path, "x").expect("writes");
        let found = discover(&[&path], &[]);
        assert!(found.files.len() == 1 && found.files[0].is_named());
    }

    #[test]
    fn everything_else_is_counted_by_kind_and_a_pipe_is_not_opened() {
        let dir = tempfile::tempdir().expect("temp dir");
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at("sub")).expect("made");
        for name in [
            "a.pdf",
            "b.docx",
            "sub/c.DOCX",
            "d.png",
            "sub/e.jpg",
            "Makefile",
            ".hidden",
            "manifest.csv",
            "data.csv",
        ] {
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
        let found = discover(&[dir.path()], &[]);
        assert_eq!(found.files.len(), 1);
        let counts: Vec<(&str, usize)> = found.others.iter().map(|(k, o)| (k.as_str(), o.count)).collect();
        let want = [
            (".csv file", 1),
            (".docx file", 2),
            ("broken link", 1),
            ("device", 1),
            ("file without an extension", 1),
            ("hidden file", 1),
            ("image", 2),
            ("named pipe", 2),
            ("socket", 1),
        ];
        assert_eq!(counts, want);
        assert_eq!(found.others[".docx file"].first, [at("b.docx"), at("sub/c.DOCX")]);
        assert!(found.unreadable.is_empty(), "{:?}", found.unreadable);
        // Named by the user, a pipe is an error that comes at once.
        let found = discover(&[at("pipe.pdf")], &[]);
        assert_eq!(
            found.unreadable[0].reason,
            "it is a named pipe, not a regular file"
        );
        let opened = content_hash(&at("pipe.pdf")).expect_err("no file");
        assert!(opened.to_string().contains("named pipe"), "{opened}");
    }

    #[test]
    fn a_search_ends_when_it_is_told_to() {
        let dir = tempfile::tempdir().expect("temp dir");
        for i in 0..9 {
            fs::write(dir.path().join(format!("{i}.pdf")), "x").expect("writes");
        }
        let mut told = 0;
        let found = discover_while(&[dir.path(), dir.path()], &[], |_| {
            told += 1;
            told < 4
        });
        assert_eq!((found.files.len(), told), (3, 4));
        let path = dir.path().join("1.pdf");
        let error = content_hash_while(&path, || false).expect_err("stopped");
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }
}
