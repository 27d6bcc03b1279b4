//! Which files to read, and what to call them.

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

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Files, in order of roots as given, then of path; each file once, however many roots lead to it.
    pub files: Vec<FoundFile>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// Finds `*.pdf` (in any case) below the given folders, recursively and in sorted order. A file named
/// directly is taken whatever its extension. Symbolic links are followed, loops and second ways to the same
/// file are not.
pub fn discover<P: AsRef<Path>>(paths: &[P]) -> Discovered {
    let mut search = Search::default();
    for root in paths {
        let root = root.as_ref();
        match fs::metadata(root) {
            Ok(meta) if meta.is_dir() => search.folder(root, root),
            Ok(meta) => search.file(root, root, meta.len()),
            Err(e) => search.fail(root, &e),
        }
    }
    search.found
}

#[derive(Default)]
struct Search {
    found: Discovered,
    seen: BTreeSet<PathBuf>,
}

impl Search {
    fn folder(&mut self, root: &Path, folder: &Path) {
        // A stack, not recursion: a deep tree must not exhaust the thread's own stack.
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
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
                match fs::metadata(&path) {
                    Ok(meta) if meta.is_dir() => below.push(path),
                    Ok(meta) if meta.is_file() && is_pdf_name(&path) => self.file(root, &path, meta.len()),
                    Err(e) if is_pdf_name(&path) || e.kind() != io::ErrorKind::NotFound => {
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

fn is_pdf_name(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf"))
}

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hasher.finalize().iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// Names sources: the slug of each file's stem. Where two files would share a name, each of them gets the
/// first eight hexadecimal digits of its content hash behind it, so that a name depends neither on the order of
/// the files nor on the folder; a file whose name *and* content equal another's gets a number behind that.
/// `files` are pairs of path and content hash; the ids come in the same order.
pub fn assign_source_ids<P: AsRef<Path>, H: AsRef<str>>(files: &[(P, H)]) -> Vec<SourceId> {
    let stems: Vec<SourceId> = files
        .iter()
        .map(|(path, _)| source_id_of(path.as_ref()))
        .collect();
    let mut shared: BTreeMap<&SourceId, usize> = BTreeMap::new();
    for id in &stems {
        *shared.entry(id).or_default() += 1;
    }
    let mut taken: BTreeSet<SourceId> = stems
        .iter()
        .filter(|id| shared.get(id) == Some(&1))
        .cloned()
        .collect();
    stems
        .iter()
        .zip(files)
        .map(|(id, (_, hash))| {
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
        for f in ["z.pdf", "a.PDF", "b/deep/m.pdf", "b/notes.txt"] {
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
        assert_eq!(names, ["a.PDF", "z.pdf", "b/deep/m.pdf"]);
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
        assert_eq!(discover(&[&path]).files.len(), 1);
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
