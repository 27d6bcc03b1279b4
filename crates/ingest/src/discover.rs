//! Which files to read, and what to call them.

use crate::inputs::Format;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use types::SourceId;

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
}

/// Finds files with the extensions of [`Format::of_name`] (in any case) below the given folders, recursively and
/// in sorted order. A file named directly is taken whatever its extension. Symbolic links are followed, loops and
/// second ways to the same file are not. Of hidden files and folders only PDFs are taken.
pub fn discover<P: AsRef<Path>>(paths: &[P]) -> Discovered {
    discover_while(paths, |_| true)
}

/// As [`discover`]; `keep_going` is told each folder and each file that is found, and ends the search with
/// `false`: what it returns is then not all there is.
pub fn discover_while<P: AsRef<Path>>(paths: &[P], mut keep_going: impl FnMut(&Path) -> bool) -> Discovered {
    let mut search = Search {
        found: Discovered::default(),
        seen: BTreeSet::new(),
        keep_going: &mut keep_going,
        stopped: false,
    };
    for root in paths {
        if search.stopped {
            break;
        }
        let root = root.as_ref();
        match fs::metadata(root) {
            Ok(meta) if meta.is_dir() => search.folder(root, root),
            Ok(meta) => search.file(root, root, meta.len()),
            Err(e) => search.fail(root, &e),
        }
    }
    search.found
}

struct Search<'a> {
    found: Discovered,
    seen: BTreeSet<PathBuf>,
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
            match fs::canonicalize(&folder) {
                Ok(real) if self.seen.insert(real.clone()) => {}
                Ok(_) => continue,
                Err(e) => {
                    self.fail(&folder, &e);
                    continue;
                }
            }
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(e) => {
                    self.fail(&folder, &e);
                    continue;
                }
            };
            let mut paths = Vec::new();
            for entry in entries {
                match entry {
                    Ok(entry) => paths.push(entry.path()),
                    Err(e) => self.fail(&folder, &e),
                }
            }
            paths.sort();
            let mut below = Vec::new();
            for path in paths {
                let hidden = hidden || is_hidden(&path);
                let format = Format::of_name(&path).filter(|f| *f == Format::Pdf || !hidden);
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_dir() => below.push((path, hidden)),
                    Ok(meta) if meta.is_file() && format.is_some() => {
                        if format != Some(Format::Pdf) && is_no_paper(&path) {
                            self.found.not_papers.push(path);
                        } else {
                            self.file(root, &path, meta.len());
                        }
                        if self.stopped {
                            return;
                        }
                    }
                    Err(e) if format.is_some() || e.kind() != io::ErrorKind::NotFound => {
                        self.fail(&path, &e);
                    }
                    // No paper, or a dangling link to something that was none.
                    Ok(_) | Err(_) => {}
                }
            }
            open.extend(below.into_iter().rev());
        }
    }

    fn file(&mut self, root: &Path, path: &Path, bytes: u64) {
        match fs::canonicalize(path) {
            Ok(real) => {
                if self.seen.insert(real) {
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

    fn fail(&mut self, path: &Path, error: &io::Error) {
        self.found.unreadable.push(Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
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

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    content_hash_while(path, || true)
}

/// As [`content_hash`]; `keep_going` is asked before each piece of the file.
///
/// # Errors
/// When the file cannot be read; [`io::ErrorKind::Interrupted`] when `keep_going` said `false`.
pub fn content_hash_while(path: &Path, keep_going: impl Fn() -> bool) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        if !keep_going() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// SHA-256 of bytes, in hexadecimal.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Names sources: the slug of each file's stem. Where two files would share a name, each of them gets the
/// first eight hexadecimal digits of its content hash behind it, so that a name depends neither on the order of
/// the files nor on the folder; a file whose name *and* content equal another's gets a number behind that.
/// `files` are pairs of path and content hash; the ids come in the same order.
pub fn assign_source_ids<P: AsRef<Path>, H: AsRef<str>>(files: &[(P, H)]) -> Vec<SourceId> {
    let wanted: Vec<(SourceId, &str)> = files
        .iter()
        .map(|(path, hash)| (source_id_of(path.as_ref()), hash.as_ref()))
        .collect();
    assign_ids(&wanted)
}

/// As [`assign_source_ids`], for sources of any kind: pairs of the name that each would have alone, and its
/// content hash.
pub fn assign_ids<H: AsRef<str>>(wanted: &[(SourceId, H)]) -> Vec<SourceId> {
    let stems: Vec<&SourceId> = wanted.iter().map(|(id, _)| id).collect();
    let mut shared: BTreeMap<&SourceId, usize> = BTreeMap::new();
    for id in stems.iter().copied() {
        *shared.entry(id).or_default() += 1;
    }
    let mut taken: BTreeSet<SourceId> = stems
        .iter()
        .copied()
        .filter(|id| shared.get(id) == Some(&1))
        .cloned()
        .collect();
    wanted
        .iter()
        .map(|(id, hash)| {
            if shared.get(id) == Some(&1) {
                return id.clone();
            }
            let short: String = hash.as_ref().chars().take(8).collect();
            let first = SourceId::from(format!("{id}-{short}"));
            let mut candidate = first.clone();
            let mut number = 2;
            while !taken.insert(candidate.clone()) {
                candidate = SourceId::from(format!("{first}-{number}"));
                number += 1;
            }
            candidate
        })
        .collect()
}

/// The id of a file's stem, before collisions are looked at.
pub fn source_id_of(path: &Path) -> SourceId {
    SourceId::from_stem(&path.file_stem().unwrap_or_default().to_string_lossy())
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
        let found = discover(&[dir.path().to_owned(), at("z.pdf"), at("missing")]);
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
        let found = discover(&[&path]);
        assert!(found.files.len() == 1 && found.files[0].is_named());
    }

    #[test]
    fn a_search_ends_when_it_is_told_to() {
        let dir = tempfile::tempdir().expect("temp dir");
        for i in 0..9 {
            fs::write(dir.path().join(format!("{i}.pdf")), "x").expect("writes");
        }
        let mut told = 0;
        let found = discover_while(&[dir.path(), dir.path()], |_| {
            told += 1;
            told < 4
        });
        assert_eq!((found.files.len(), told), (3, 4));
        let path = dir.path().join("1.pdf");
        let error = content_hash_while(&path, || false).expect_err("stopped");
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn ids_collide_into_hashes_whatever_the_order() {
        let check = |files: &[(&str, &str)], want: &[&str]| {
            let ids = assign_source_ids(files);
            assert_eq!(ids.iter().map(SourceId::as_str).collect::<Vec<_>>(), want);
        };
        check(
            &[("x/Barry 2014.pdf", "aa"), ("b.pdf", "bb")],
            &["barry_2014", "b"],
        );
        check(
            &[
                ("x/p.pdf", "0123456789"),
                ("y/p.pdf", "abcdefabcd"),
                ("q.pdf", "11"),
            ],
            &["p-01234567", "p-abcdefab", "q"],
        );
        check(
            &[("y/p.pdf", "abcdefabcd"), ("x/p.pdf", "0123456789")],
            &["p-abcdefab", "p-01234567"],
        );
        check(
            &[("x/p.pdf", "same"), ("y/p.pdf", "same")],
            &["p-same", "p-same-2"],
        );
    }

    #[test]
    fn hash_is_sha256() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("abc");
        fs::write(&path, "abc").expect("writes");
        let hash = content_hash(&path).expect("reads");
        assert_eq!(
            hash,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
