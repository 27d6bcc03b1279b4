//! The list of files that were compared with their hashes and have not been touched since.
//!
//! A writer must not build on damage and a reader not read it, but comparing every file with its hash takes as long as
//! reading the whole index. So a file that was compared, or just written, is not compared again while its length,
//! timestamps and inode number are the same: any program that writes to it changes them. Damage that changes no
//! timestamp, as by a failing disk, is found in files of at most [`SMALL`] bytes, which are always compared, and when
//! everything is read ([`crate::verify`], [`crate::Index::check`]); the file is then removed from this list, so that the
//! next writer and reader find the damage too. The list is a cache: without it, everything is compared.

use super::FileRecord;
use crate::IndexError;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, Metadata},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};
use types::{digest::sha256, files::write_atomic};

/// The list's file name.
pub(crate) const CHECKED: &str = "checked.json";
/// Bytes of a file that is compared whenever it is opened: that takes less than a millisecond.
pub(crate) const SMALL: u64 = 1 << 20;
/// Nanoseconds by which a file must be older than its comparison, because file systems round timestamps.
const STEP: u64 = 100_000_000;
/// The same, for a file system that rounds to whole seconds.
const COARSE_STEP: u64 = 2_000_000_000;

/// A file as it was when it was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    /// Its SHA-256.
    sha256: String,
    bytes: u64,
    /// Nanoseconds since 1970 of the last change of its content.
    modified: u64,
    /// Nanoseconds since 1970 of the last change of its content or inode, which no program can set; 0 on systems
    /// without it.
    changed: u64,
    /// Its inode number; 0 on systems without it.
    number: u64,
    /// When the comparison began.
    checked: u64,
}

/// Files by their path inside the index folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked(BTreeMap<String, Stamp>);

#[derive(Serialize, Deserialize)]
struct Stored {
    /// SHA-256 of the files below, as compact JSON.
    sha256: String,
    files: BTreeMap<String, Stamp>,
}

impl Checked {
    /// The list of the index in `root`; empty when there is none or it is damaged.
    pub(crate) fn load(root: &Path) -> Self {
        match read(root) {
            Found::List(list) => list,
            Found::Nothing | Found::Damaged => Self::default(),
        }
    }

    /// Whether the list exists and is damaged.
    pub(crate) fn is_damaged(root: &Path) -> bool {
        matches!(read(root), Found::Damaged)
    }

    /// Replaces the list of the index in `root`.
    pub(crate) fn save(&self, root: &Path) -> Result<(), IndexError> {
        let path = root.join(CHECKED);
        let stored = Stored {
            sha256: digest(&self.0),
            files: self.0.clone(),
        };
        let json = serde_json::to_vec(&stored).map_err(|e| IndexError::io("write", &path)(e.into()))?;
        // Not flushed: a list that is lost or cut short costs a comparison. A killed process leaves a file that begins with
        // `.tmp-`; the caller removes those.
        write_atomic(&path, &[&json]).map_err(IndexError::io("write", &path))
    }

    /// Whether the file need not be compared again.
    pub(crate) fn spares(&self, root: &Path, name: &str, wanted: &FileRecord) -> bool {
        wanted.bytes > SMALL && self.holds(root, name, wanted)
    }

    /// Whether the file is known to match `wanted`.
    pub(crate) fn holds(&self, root: &Path, name: &str, wanted: &FileRecord) -> bool {
        let Some(stamp) = self.0.get(name) else {
            return false;
        };
        let step = if stamp.changed.max(stamp.modified) % 1_000_000_000 == 0 {
            COARSE_STEP
        } else {
            STEP
        };
        let settled = stamp.changed.max(stamp.modified).saturating_add(step) <= stamp.checked;
        settled && Stamp::of(root, name, wanted, stamp.checked).is_some_and(|now| now == *stamp)
    }

    /// Records that the file matches `wanted`; `since` is when the comparison began.
    pub(crate) fn add(&mut self, root: &Path, name: &str, wanted: &FileRecord, since: SystemTime) {
        if let Some(stamp) = Stamp::of(root, name, wanted, nanoseconds(since)) {
            self.0.insert(name.to_owned(), stamp);
        }
    }

    /// Copies the entry of a file from an older list.
    pub(crate) fn carry(&mut self, older: &Self, name: &str) {
        if let Some(stamp) = older.0.get(name) {
            self.0.insert(name.to_owned(), stamp.clone());
        }
    }

    /// Removes damaged files from the list of the index in `root`, so that the next writer compares them. A failure is
    /// ignored: the folder may be read-only.
    pub(crate) fn forget<'a>(root: &Path, damaged: impl Iterator<Item = &'a str>) {
        let mut list = Self::load(root);
        let before = list.0.len();
        for name in damaged {
            let same = |stamp: &Stamp| {
                let record = FileRecord {
                    bytes: stamp.bytes,
                    sha256: stamp.sha256.clone(),
                    crc32: None,
                };
                Stamp::of(root, name, &record, stamp.checked).is_some_and(|now| now == *stamp)
            };
            if list.0.get(name).is_some_and(same) {
                list.0.remove(name);
            }
        }
        if list.0.len() < before {
            let _ = list.save(root);
        }
    }

    /// As [`Self::forget`], for the file that an error reports as damaged.
    pub(crate) fn forget_damage(root: &Path, error: &IndexError) {
        if let IndexError::Damaged { path, .. } = error
            && let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str)
        {
            Self::forget(root, std::iter::once(name));
        }
    }
}

impl Stamp {
    fn of(root: &Path, name: &str, wanted: &FileRecord, checked: u64) -> Option<Self> {
        let meta = fs::metadata(root.join(name)).ok()?;
        let (changed, number) = entry(&meta);
        (meta.len() == wanted.bytes).then(|| Self {
            sha256: wanted.sha256.clone(),
            bytes: meta.len(),
            modified: meta.modified().map_or(0, nanoseconds),
            changed,
            number,
            checked,
        })
    }
}

/// When a file's inode was last changed, and its number.
#[cfg(unix)]
fn entry(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    let changed = meta.ctime().max(0) as u64 * 1_000_000_000 + meta.ctime_nsec().max(0) as u64;
    (changed, meta.ino())
}

/// Other systems report neither.
#[cfg(not(unix))]
fn entry(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}

/// The state of the list on disk.
enum Found {
    Nothing,
    Damaged,
    List(Checked),
}

fn read(root: &Path) -> Found {
    let Ok(json) = fs::read(root.join(CHECKED)) else {
        return Found::Nothing;
    };
    match serde_json::from_slice::<Stored>(&json) {
        Ok(stored) if digest(&stored.files) == stored.sha256 => Found::List(Checked(stored.files)),
        _ => Found::Damaged,
    }
}

fn digest(files: &BTreeMap<String, Stamp>) -> String {
    sha256(&serde_json::to_vec(files).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::hash_file;
    use std::time::Duration;

    #[test]
    fn a_file_is_known_until_it_is_touched() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        fs::write(root.join("a"), "text").expect("writes");
        let record = hash_file(&root.join("a"))?;
        let later = SystemTime::now() + Duration::from_secs(3);
        let mut list = Checked::default();
        list.add(root, "a", &record, SystemTime::now());
        assert!(
            !list.holds(root, "a", &record),
            "it may yet change in the same moment"
        );
        list.add(root, "a", &record, later);
        assert!(list.holds(root, "a", &record) && !list.spares(root, "a", &record));
        list.save(root)?;
        assert_eq!(Checked::load(root), list);
        let other = FileRecord {
            sha256: "other".to_owned(),
            ..record.clone()
        };
        assert!(!list.holds(root, "a", &other) && !list.holds(root, "b", &record));
        std::thread::sleep(Duration::from_millis(20));
        fs::write(root.join("a"), "tent").expect("writes");
        assert!(!list.holds(root, "a", &record));
        Ok(())
    }

    #[test]
    fn a_damaged_list_is_empty() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        assert!(!Checked::is_damaged(root));
        fs::write(root.join("a"), "text").expect("writes");
        let mut list = Checked::default();
        list.add(root, "a", &hash_file(&root.join("a"))?, SystemTime::now());
        list.save(root)?;
        let whole = fs::read(root.join(CHECKED)).expect("reads");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(root.join(CHECKED), bytes).expect("writes");
            assert!(Checked::is_damaged(root), "{at}");
            assert_eq!(Checked::load(root), Checked::default());
        }
        Ok(())
    }

    #[test]
    fn damage_that_changed_no_time_is_forgotten() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path();
        for name in ["a", "b"] {
            fs::write(root.join(name), "text").expect("writes");
        }
        let record = hash_file(&root.join("a"))?;
        let later = SystemTime::now() + Duration::from_secs(3);
        let mut list = Checked::default();
        for name in ["a", "b"] {
            list.add(root, name, &record, later);
        }
        list.save(root)?;
        Checked::forget(root, ["b", "c"].into_iter());
        let left = Checked::load(root);
        assert!(left.holds(root, "a", &record) && !left.holds(root, "b", &record));
        Ok(())
    }
}
