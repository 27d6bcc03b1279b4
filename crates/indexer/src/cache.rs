//! A cache on disk: results of one stage, each under a key.
//!
//! A key contains everything that a result depends on: the hash of the content, the version of the stage, its settings.
//! A run after a killed one finds the results that were finished; a run with changed settings of one stage finds the
//! results of the stages before it.

use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};
use types::{
    digest::is_sha256,
    files::{TEMPORARY, write_atomic},
};

/// A folder of results.
#[derive(Clone, Debug)]
pub(crate) struct StageCache {
    folder: PathBuf,
}

impl StageCache {
    /// A cache of one stage below `root`. Nothing is created until something is stored.
    pub(crate) fn new(root: &Path, stage: &str) -> Self {
        Self {
            folder: root.join(stage),
        }
    }

    /// The result under `key`; a damaged one counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(key)).ok()?;
        let (digest, body) = bytes.split_at_checked(32)?;
        (Sha256::digest(body).as_slice() == digest).then(|| body.to_vec())
    }

    /// Stores a result under `key`, atomically.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn put(&self, key: &str, body: &[u8]) -> io::Result<()> {
        let path = self.path(key);
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        write_atomic(&path, &[&Sha256::digest(body), body])
    }

    /// Every result, damaged and half-written ones too, by key. Files with other names are not ours.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = files_below(&self.folder, 1)
            .into_iter()
            .filter(|(path, _)| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                is_half_written(&name) || is_sha256(&name) && *path == self.path(&name)
            })
            .map(|(path, bytes)| Entry {
                key: path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                bytes,
                path,
            })
            .collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        entries
    }

    /// Removes every result whose key is not in `keep`, and half-written ones. Returns the bytes that this freed.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub(crate) fn retain(&self, keep: &BTreeSet<String>) -> io::Result<u64> {
        let mut freed = 0;
        for entry in self.entries().iter().filter(|e| !keep.contains(&e.key)) {
            fs::remove_file(&entry.path)?;
            freed += entry.bytes;
        }
        Ok(freed)
    }

    /// The file of the result with this key; it need not exist.
    pub(crate) fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("__")).join(key)
    }
}

/// A file of a cache.
pub(crate) struct Entry {
    /// Its key.
    pub(crate) key: String,
    /// Its length.
    pub(crate) bytes: u64,
    /// Where it lies.
    pub(crate) path: PathBuf,
}

impl Entry {
    /// Whether it was written after `moment`; a file without a time counts as older.
    pub(crate) fn newer_than(&self, moment: SystemTime) -> bool {
        let written = fs::metadata(&self.path).and_then(|meta| meta.modified());
        written.is_ok_and(|written| written > moment)
    }
}

/// Removes the half-written files that killed runs left in an index folder and in its caches; returns their bytes.
/// The caller holds the lock of the index: nobody else writes there.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn clear_temporary(index: &Path) -> io::Result<u64> {
    let mut freed = 0;
    for (path, bytes) in [files_below(index, 0), files_below(&index.join("cache"), 2)].concat() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_half_written(&name) {
            fs::remove_file(&path)?;
            freed += bytes;
        }
    }
    Ok(freed)
}

/// Whether a file of this name is being written, or was when a run was killed. Earlier versions left the name to tempfile.
pub(crate) fn is_half_written(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY).or_else(|| name.strip_prefix(".tmp"));
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Files in `folder` and in folders at most `depth` below it, with their lengths; what cannot be read is left out.
fn files_below(folder: &Path, depth: usize) -> Vec<(PathBuf, u64)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(meta) if meta.is_file() => files.push((entry.path(), meta.len())),
            Ok(meta) if meta.is_dir() && depth > 0 => files.extend(files_below(&entry.path(), depth - 1)),
            _ => {}
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::digest::sha256_of_parts as key;

    #[test]
    fn what_is_kept_comes_back_and_damage_counts_as_absent() {
        let root = tempfile::tempdir().expect("a folder");
        let cache = StageCache::new(root.path(), "parse");
        let k = key(&[b"a", b"b"]);
        assert_eq!(cache.get(&k), None);
        cache.put(&k, b"result").expect("written");
        assert_eq!(cache.get(&k).as_deref(), Some(&b"result"[..]));
        let path = cache.path(&k);
        let mut bytes = fs::read(&path).expect("there");
        *bytes.last_mut().expect("not empty") ^= 1;
        fs::write(&path, bytes).expect("written");
        assert_eq!(cache.get(&k), None);
    }

    #[test]
    fn retain_removes_the_rest() {
        let root = tempfile::tempdir().expect("a folder");
        let cache = StageCache::new(root.path(), "chunk");
        let (a, b) = (key(&[b"a"]), key(&[b"b"]));
        cache.put(&a, b"1").expect("written");
        cache.put(&b, b"2").expect("written");
        assert_eq!(
            cache.retain(&std::iter::once(a.clone()).collect()).expect("read"),
            32 + 1
        );
        assert!(cache.get(&a).is_some() && cache.get(&b).is_none());
        assert_eq!(cache.entries().len(), 1);
    }

    #[test]
    fn half_written_files_go_and_nothing_else() {
        let root = tempfile::tempdir().expect("a folder");
        let cache = StageCache::new(&root.path().join("cache"), "documents");
        let k = key(&[b"a"]);
        cache.put(&k, b"1").expect("written");
        let shard = cache.path(&k).with_file_name(".tmp-x1y2z3");
        for path in [
            shard,
            root.path().join(".tmp-a1b2c3"),
            root.path().join(".tmpA1b2C3"),
        ] {
            fs::write(path, "half").expect("written");
        }
        fs::write(root.path().join("failed.json"), "{}").expect("written");
        assert_eq!(clear_temporary(root.path()).expect("removed"), 12);
        assert_eq!(clear_temporary(root.path()).expect("removed"), 0);
        assert!(cache.get(&k).is_some() && root.path().join("failed.json").exists());
    }
}
