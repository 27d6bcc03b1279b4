//! Results of ingestion's stages, kept by the hash of what they were made from.
//!
//! A key holds everything that a result depends on: the content's hash, the stage's version, its settings. A
//! run that was killed finds here what it had finished; a run after a change of one stage's settings finds
//! the stages before it.

use sha2::{Digest, Sha256};
use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

/// A folder of finished results.
#[derive(Clone, Debug)]
pub(crate) struct StageCache {
    folder: PathBuf,
}

impl StageCache {
    /// A cache of one stage below `root`. Nothing is created until something is kept.
    pub(crate) fn new(root: &Path, stage: &str) -> Self {
        Self {
            folder: root.join(stage),
        }
    }

    /// The result kept under `key`, if it is whole; a damaged one counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(key)).ok()?;
        let (digest, body) = bytes.split_at_checked(32)?;
        (Sha256::digest(body).as_slice() == digest).then(|| body.to_vec())
    }

    /// Keeps a result under `key`, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn put(&self, key: &str, body: &[u8]) -> io::Result<()> {
        let path = self.path(key);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        io::Write::write_all(&mut file, &Sha256::digest(body))?;
        io::Write::write_all(&mut file, body)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes every result whose key is not in `keep`, and half-written ones. Returns how many went.
    ///
    /// # Errors
    /// When the folder cannot be read or a file not removed.
    pub(crate) fn retain(&self, keep: &std::collections::BTreeSet<String>) -> io::Result<usize> {
        let mut gone = 0;
        if !self.folder.is_dir() {
            return Ok(0);
        }
        for shard in fs::read_dir(&self.folder)? {
            let shard = shard?.path();
            if !shard.is_dir() {
                continue;
            }
            for file in fs::read_dir(shard)? {
                let file = file?;
                let name = file.file_name().to_string_lossy().into_owned();
                if !keep.contains(&name) {
                    fs::remove_file(file.path())?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("__")).join(key)
    }
}

/// The SHA-256 of parts, in hexadecimal; each part is set off, so that no two lists of parts coincide.
pub(crate) fn key(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hex(&digest.finalize())
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn keys_tell_parts_apart() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab"]).len(), 64);
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
            1
        );
        assert!(cache.get(&a).is_some() && cache.get(&b).is_none());
    }
}
