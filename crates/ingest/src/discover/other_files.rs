//! Entries of a folder that are neither papers nor metadata of papers: counted by kind, the first ones by name.

use crate::inputs::{bibliography, manifest};
use std::path::{Path, PathBuf};

/// Entries of one kind whose paths are kept; the others are counted.
const NAMED: usize = 5;

/// Extensions of pictures.
const IMAGES: [&str; 11] = [
    "png", "jpg", "jpeg", "gif", "tif", "tiff", "bmp", "svg", "webp", "heic", "eps",
];

/// Entries of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherFiles {
    /// How many there are.
    pub count: usize,
    /// The first of them, in the order of the search.
    pub first: Vec<PathBuf>,
}

impl OtherFiles {
    pub(super) fn add(&mut self, path: &Path) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(path.to_owned());
        }
    }
}

/// The kind of a regular file, as a noun: "image", ".docx file".
pub(super) fn kind_of(path: &Path, hidden: bool) -> String {
    if hidden {
        return "hidden file".to_owned();
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        None => "file without an extension".to_owned(),
        Some(extension) if IMAGES.contains(&extension) => "image".to_owned(),
        Some(extension) => format!(".{extension} file"),
    }
}

/// Whether a file holds metadata of the papers beside it: a manifest or a bibliography.
pub(super) fn is_metadata(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == manifest::FILE) || bibliography::is_bibliography(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_nouns() {
        let check = |name: &str, hidden, want: &str| assert_eq!(kind_of(Path::new(name), hidden), want);
        check("a.docx", false, ".docx file");
        check("a.DOCX", false, ".docx file");
        check("a.JPeG", false, "image");
        check("Makefile", false, "file without an extension");
        check("x/.git/HEAD", true, "hidden file");
    }

    #[test]
    fn all_are_counted_and_the_first_are_named() {
        let mut others = OtherFiles::default();
        for i in 0..9 {
            others.add(Path::new(&format!("{i}.png")));
        }
        assert_eq!((others.count, others.first.len()), (9, NAMED));
    }
}
