//! The fingerprint of each file that was read: its DOI, its title, whether it has text. Stored beside the index, so that
//! files are matched with each other and with bibliographies without being read again.

use crate::{keys, lists};
use ingest::inputs::Fingerprint;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, io, path::Path};
use types::{Document, digest::hex, path_text};

/// Name of the list in the index folder.
pub(crate) const FILE: &str = "readings.json";

/// The fingerprint of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FilePrint {
    /// Names the content and the way in which it was read.
    key: String,
    #[serde(flatten)]
    print: Fingerprint,
}

/// Fingerprints by content, so that those of a file that was moved are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprints {
    /// By path, as [`path_text`] writes it, which says how long each is kept.
    files: BTreeMap<String, FilePrint>,
    /// The last path with each key.
    paths: BTreeMap<String, String>,
    /// What a fingerprint depends on beside the file.
    reader_key: String,
    changed: bool,
}

/// The list in an index folder; `None` when it is not what was written.
fn read(index: &Path) -> Option<BTreeMap<String, FilePrint>> {
    lists::read(index, FILE)
}

/// Whether the list in an index folder is not what was written.
pub(crate) fn is_damaged(index: &Path) -> bool {
    read(index).is_none()
}

impl Fingerprints {
    /// The list in an index folder. A damaged list costs another reading of some files, and is replaced.
    pub(crate) fn load(index: &Path, reader_key: &str) -> Self {
        let list = read(index);
        let changed = list.is_none();
        let files = list.unwrap_or_default();
        Self {
            paths: files.iter().map(|(path, file)| (file.key.clone(), path.clone())).collect(),
            files,
            reader_key: reader_key.to_owned(),
            changed,
        }
    }

    /// The fingerprint of this content.
    pub(crate) fn get(&self, content: &str) -> Option<&Fingerprint> {
        let key = self.key(content);
        let file = self.files.get(self.paths.get(&key)?)?;
        (file.key == key).then_some(&file.print)
    }

    /// Notes that the file at `path` has this content; returns whether its fingerprint is known.
    pub(crate) fn note(&mut self, path: &Path, content: &str) -> bool {
        let Some(print) = self.get(content).cloned() else {
            return false;
        };
        let (path, key) = (path_text::encode(path), self.key(content));
        if self.files.get(&path).is_none_or(|file| file.key != key) {
            self.insert(path, FilePrint { key, print });
        }
        true
    }

    /// Stores the fingerprint of a file. With `sketch` its text can be compared with others later.
    pub(crate) fn put(&mut self, path: &Path, content: &str, document: &Document, sketch: bool) {
        let enough = self.get(content).is_some_and(|known| !sketch || known.has_sketch());
        if enough {
            self.note(path, content);
            return;
        }
        let print = if sketch { Fingerprint::of(document) } else { Fingerprint::without_sketch(document) };
        let key = self.key(content);
        self.insert(path_text::encode(path), FilePrint { key, print });
    }

    fn insert(&mut self, path: String, file: FilePrint) {
        self.paths.insert(file.key.clone(), path.clone());
        self.files.insert(path, file);
        self.changed = true;
    }

    /// Writes the list atomically, without files that are gone.
    pub(crate) fn save(&mut self, index: &Path) -> io::Result<()> {
        let is_there = |path: &String| path_text::decode(path).try_exists().unwrap_or(true);
        let there = self.files.iter().filter(|(path, _)| is_there(path));
        let files: BTreeMap<&String, &FilePrint> = there.collect();
        if !self.changed && self.files.len() == files.len() {
            return Ok(());
        }
        lists::write(index, FILE, &files)?;
        self.changed = false;
        Ok(())
    }

    fn key(&self, content: &str) -> String {
        hex(&keys::document(content, &self.reader_key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn document(title: &str) -> Document {
        let mut document = Document::default();
        document.meta.title = Some(title.to_owned());
        document
    }

    #[test]
    fn a_fingerprint_is_valid_while_the_file_and_the_reader_stay() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a.pdf"), "x").expect("written");
        let mut list = Fingerprints::load(dir.path(), "reader 1");
        list.put(&path("a.pdf"), "content", &document("A"), true);
        list.put(&path("gone.pdf"), "other", &document("B"), false);
        list.save(dir.path()).expect("written");

        let list = Fingerprints::load(dir.path(), "reader 1");
        let title = |list: &Fingerprints, content: &str| list.get(content)?.title.clone();
        assert_eq!(title(&list, "content").as_deref(), Some("A"));
        assert_eq!(title(&list, "changed"), None);
        assert_eq!(list.get("other"), None);
        assert_eq!(title(&Fingerprints::load(dir.path(), "reader 2"), "content"), None);

        let stored = fs::read_to_string(path(FILE)).expect("there");
        fs::write(path(FILE), stored.replace("\"A\"", "\"B\"")).expect("written");
        assert_eq!(title(&Fingerprints::load(dir.path(), "reader 1"), "content"), None);
    }

    #[test]
    fn nothing_is_written_where_nothing_changed() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut list = Fingerprints::load(dir.path(), "1");
        list.save(dir.path()).expect("nothing to write");
        assert!(!dir.path().join(FILE).exists());
    }
}
