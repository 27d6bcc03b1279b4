//! Finds the files to read below folders.

mod links;
mod output;
#[cfg(test)]
mod tests;

pub use links::Links;
pub use output::Output;

use crate::format::{self, Format};
use crate::inputs::{bibliography, manifest};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use types::files::kind_name;
use walkdir::{DirEntry, WalkDir};

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// The root as given, joined with the path below it.
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

impl Unreadable {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
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
    /// Links that are not followed and documents of kinds that are not read, and why or what to do.
    pub links: Vec<Unreadable>,
    /// All other entries, counted by kind.
    pub others: BTreeMap<String, OtherFiles>,
}

/// Finds files with the extensions of [`Format::of_name`] (in any case) below the given folders, recursively and
/// in sorted order. A file named directly is taken whatever its extension. Symbolic links are followed as `links` says, loops
/// and second ways to the same file are not. Of hidden files and folders only PDFs are taken. What the pipeline itself
/// writes is never searched: `outputs` and everything that [`Output`] describes.
///
/// `keep_going` is called with each folder and each file that is found, and ends the search with `false`: then not
/// everything was found.
pub fn discover<P: AsRef<Path>>(
    paths: &[P],
    outputs: &[Output],
    links: &Links,
    mut keep_going: impl FnMut(&Path) -> bool,
) -> Discovered {
    let mut search = Search {
        found: Discovered::default(),
        visited: BTreeSet::new(),
        outputs: output::Outputs::new(outputs),
        links,
        keep_going: &mut keep_going,
        stopped: false,
    };
    for root in paths {
        if search.stopped {
            break;
        }
        let root = root.as_ref();
        if let Some(what) = search.outputs.enclosing(root) {
            search.output(root, what);
            continue;
        }
        match fs::metadata(root) {
            Ok(meta) if meta.is_dir() => search.folder(root),
            Ok(meta) if meta.is_file() => search.file(root, root, meta.len()),
            Ok(meta) => {
                let reason = format!("it is a {}, not a regular file", kind_name(meta.file_type()));
                search.found.unreadable.push(Unreadable::new(root, reason));
            }
            Err(e) => search.fail(root, &e),
        }
    }
    search.found
}

struct Search<'a> {
    found: Discovered,
    /// Files and folders that were found, by their real paths.
    visited: BTreeSet<PathBuf>,
    outputs: output::Outputs,
    links: &'a Links,
    keep_going: &'a mut dyn FnMut(&Path) -> bool,
    stopped: bool,
}

impl Search<'_> {
    fn folder(&mut self, root: &Path) {
        let mut walk = WalkDir::new(root).follow_links(true).sort_by(files_first).into_iter();
        while let Some(entry) = walk.next() {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {
                    let path = entry.path();
                    if !(self.may_follow(path) && self.enter(root, path)) {
                        walk.skip_current_dir();
                    }
                }
                Ok(entry) => self.entry(root, &entry),
                Err(error) => self.walk_error(root, &error),
            }
            if self.stopped {
                return;
            }
        }
    }

    /// Whether a path is no link or one that is followed; the others are named.
    fn may_follow(&mut self, path: &Path) -> bool {
        let refused = path.is_symlink().then(|| self.links.check(path).err());
        let Some(reason) = refused.flatten() else {
            return true;
        };
        self.found.links.push(Unreadable::new(path, reason));
        false
    }

    /// Whether a folder is to be searched: not a second time, and not if it is output.
    fn enter(&mut self, root: &Path, folder: &Path) -> bool {
        self.stopped |= !(self.keep_going)(folder);
        if self.stopped {
            return false;
        }
        let real = match fs::canonicalize(folder) {
            Ok(real) => real,
            Err(error) => {
                self.fail(folder, &error);
                return false;
            }
        };
        if !self.visited.insert(real.clone()) {
            return false;
        }
        if let Some(what) = self.outputs.named(&real) {
            self.output(folder, what);
            return false;
        }
        if folder != root && is_of_page(folder) {
            self.output(folder, "what a browser saved beside a page");
            return false;
        }
        if let Some(kind) = output::recognise(folder).filter(|kind| kind.is_ours() || folder != root) {
            self.output(folder, kind.what());
            return false;
        }
        true
    }

    /// Takes an entry that is no folder.
    fn entry(&mut self, root: &Path, entry: &DirEntry) {
        let path = entry.path();
        let hidden = is_hidden_below(root, path);
        let format = searched_format(root, path);
        if !entry.file_type().is_file() {
            return self.other(kind_name(entry.file_type()), path);
        }
        match format {
            Some(format) if format != Format::Pdf && is_no_paper(path) => {
                self.found.not_papers.push(path.to_owned());
            }
            Some(_) if !self.may_follow(path) => {}
            Some(_) => match entry.metadata() {
                Ok(meta) => self.file(root, path, meta.len()),
                Err(error) => self.walk_error(root, &error),
            },
            None if is_metadata(path) => {}
            None if !hidden && let Some(remedy) = format::remedy(path) => {
                self.found.links.push(Unreadable::new(path, remedy));
            }
            None => self.other(&kind_of(path, hidden), path),
        }
    }

    fn walk_error(&mut self, root: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(root);
        match error.io_error() {
            _ if !self.may_follow(path) => {}
            // A link to nothing is a lost paper only when its name is that of one.
            Some(e) if e.kind() == io::ErrorKind::NotFound && searched_format(root, path).is_none() => {
                self.other("broken link", path);
            }
            Some(e) => self.fail(path, e),
            // A link to a folder around it: that is searched already.
            None => {}
        }
    }

    fn file(&mut self, root: &Path, path: &Path, bytes: u64) {
        match fs::canonicalize(path) {
            Ok(real) => {
                if let Some(what) = self.outputs.named(&real) {
                    self.output(path, what);
                } else if self.visited.insert(real) {
                    self.stopped |= !(self.keep_going)(path);
                    self.found.files.push(FoundFile { path: path.to_owned(), root: root.to_owned(), bytes });
                }
            }
            Err(e) => self.fail(path, &e),
        }
    }

    fn other(&mut self, kind: &str, path: &Path) {
        self.found.others.entry(kind.to_owned()).or_default().add(path);
    }

    fn output(&mut self, path: &Path, what: &str) {
        self.found.outputs.push(Unreadable::new(path, what));
    }

    fn fail(&mut self, path: &Path, error: &io::Error) {
        self.found.unreadable.push(Unreadable::new(path, error.to_string()));
    }
}

/// Whether a folder holds the pictures and scripts of a saved page, which lies beside it.
fn is_of_page(folder: &Path) -> bool {
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mut stems =
        ["_files", "-Dateien", "_fichiers", "_archivos"].iter().filter_map(|end| name.strip_suffix(end));
    stems.any(|stem| {
        ["html", "htm"].iter().any(|end| folder.with_file_name(format!("{stem}.{end}")).is_file())
    })
}

/// The order of a folder's entries: files before folders, each by name.
fn files_first(a: &DirEntry, b: &DirEntry) -> Ordering {
    let is_dir =
        |entry: &DirEntry| entry.file_type().is_dir() || entry.path_is_symlink() && entry.path().is_dir();
    (is_dir(a), a.file_name()).cmp(&(is_dir(b), b.file_name()))
}

/// Whether a file in an archive is a paper by its name.
pub(crate) fn is_searched(name: &Path) -> bool {
    let format = searched_format(Path::new(""), name);
    format.is_some_and(|format| format == Format::Pdf || !is_no_paper(name))
}

/// The format that a file's name stands for; of hidden files only PDFs are searched for, and none that a system wrote.
fn searched_format(root: &Path, path: &Path) -> Option<Format> {
    let hidden = is_hidden_below(root, path);
    let of_system = names_below(root, path).any(is_of_system);
    Format::of_name(path).filter(|format| !hidden || *format == Format::Pdf && !of_system)
}

/// Whether the entry, or a folder on the way from the root to it, is hidden.
fn is_hidden_below(root: &Path, path: &Path) -> bool {
    names_below(root, path).any(|name| name.starts_with(b".") || is_of_system(name))
}

/// Whether a system or an office program writes files of this name beside those of people: macOS attributes and folders of
/// them in archives, Windows previews and settings, locks of open files.
fn is_of_system(name: &[u8]) -> bool {
    name.starts_with(b"._")
        || name.starts_with(b"~$")
        || [&b"__MACOSX"[..], b"Thumbs.db", b"desktop.ini"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

fn names_below<'p>(root: &Path, path: &'p Path) -> impl Iterator<Item = &'p [u8]> {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.iter().map(OsStr::as_encoded_bytes)
}

/// Whether a file's name is that of a file about other files.
fn is_no_paper(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    ["readme", "license", "licence", "changelog", "requirements"].iter().any(|name| stem.starts_with(name))
}

/// Entries of one kind whose paths are kept; the others are counted.
const NAMED: usize = 5;

/// Entries of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherFiles {
    /// How many there are.
    pub count: usize,
    /// The first of them, in the order of the search.
    pub first: Vec<PathBuf>,
}

impl OtherFiles {
    fn add(&mut self, path: &Path) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(path.to_owned());
        }
    }
}

/// The kind of a regular file, as a noun: "image", ".docx file".
fn kind_of(path: &Path, hidden: bool) -> String {
    const IMAGES: &str = "png jpg jpeg gif tif tiff bmp svg webp heic eps";
    if hidden {
        return "hidden file".to_owned();
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        None => "file without an extension".to_owned(),
        Some(extension) if IMAGES.split(' ').any(|image| image == extension) => "image".to_owned(),
        Some(extension) => format!(".{extension} file"),
    }
}

/// Whether a file holds metadata of the papers beside it: a manifest or a bibliography.
fn is_metadata(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == manifest::FILE) || bibliography::is_bibliography(path)
}
