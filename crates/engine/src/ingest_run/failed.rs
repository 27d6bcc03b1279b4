//! Files that could not be read, remembered so that an unchanged one is not tried on every run.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::Path};

/// Name of the list in the index folder.
const FILE: &str = "failed.json";

/// Reasons by content hash, valid for one version of the reader and its limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FailedList {
    /// What the failures depend on beside the file: another value makes the list void.
    reader: String,
    reasons: BTreeMap<String, String>,
}

impl FailedList {
    /// The list in an index folder, empty when there is none, when it cannot be understood, or when it was
    /// made by a reader of another version or with other limits.
    pub(super) fn load(index: &Path, reader: &str) -> Self {
        let stored = fs::read(index.join(FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        match stored {
            Some(list) if list.reader == reader => list,
            _ => Self {
                reader: reader.to_owned(),
                reasons: BTreeMap::new(),
            },
        }
    }

    /// Why the file with this content hash failed.
    pub(super) fn get(&self, hash: &str) -> Option<&str> {
        self.reasons.get(hash).map(String::as_str)
    }

    /// Remembers a failure.
    pub(super) fn insert(&mut self, hash: String, reason: String) {
        self.reasons.insert(hash, reason);
    }

    /// Forgets all failures, so that everything is tried again.
    pub(super) fn clear(&mut self) {
        self.reasons.clear();
    }

    /// Writes the list, whole or not at all.
    pub(super) fn save(&self, index: &Path) -> io::Result<()> {
        fs::create_dir_all(index)?;
        let mut file = tempfile::NamedTempFile::new_in(index)?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.persist(index.join(FILE)).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_another_reader_is_void() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut list = FailedList::load(dir.path(), "1");
        list.insert("h".to_owned(), "damaged".to_owned());
        list.save(dir.path()).expect("written");
        assert_eq!(FailedList::load(dir.path(), "1").get("h"), Some("damaged"));
        assert_eq!(FailedList::load(dir.path(), "2").get("h"), None);
        fs::write(dir.path().join(FILE), "{").expect("written");
        assert_eq!(FailedList::load(dir.path(), "1").get("h"), None);
    }
}
