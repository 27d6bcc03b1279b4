//! What killed runs and earlier versions left in an index folder.

use crate::packs::{Key, Packs, is_folder};
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use types::{
    Reporter, Stop,
    digest::{from_hex, hex},
    files::TEMPORARY,
};

/// Removes the half-written files that killed runs left in an index folder; returns their bytes. The caller holds the lock of
/// the index: nobody else writes there.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn clear_temporary(index: &Path) -> io::Result<u64> {
    let mut freed = 0;
    for (path, name) in entries(index) {
        let meta = fs::symlink_metadata(&path)?;
        if meta.is_file() && is_half_written(&name) {
            fs::remove_file(&path)?;
            freed += meta.len();
        }
    }
    Ok(freed)
}

/// Removes the files in which earlier versions cached one result each: there may be hundreds of thousands. With `keep` the
/// results that are intact go into the packs first. Ends early when `stop` is set; the next call goes on. Returns the
/// bytes of what was not kept.
///
/// # Errors
/// When a file cannot be removed, or a result cannot be stored.
pub(crate) fn convert(cache: &Packs, keep: bool, reporter: &dyn Reporter, stop: &Stop) -> io::Result<u64> {
    let mut shards = cache.folder().map_or_else(Vec::new, entries);
    shards.retain(|(path, name)| bytes_of::<1>(name).is_some() && is_folder(path));
    if shards.is_empty() {
        return Ok(0);
    }
    let task = reporter.task("tidying", "cache folders", Some(shards.len() as u64));
    let mut freed = 0;
    for (shard, _) in shards {
        for (path, name) in entries(&shard) {
            if stop.is_requested() {
                return Ok(freed);
            }
            let key: Option<Key> = bytes_of(&name);
            let meta = fs::symlink_metadata(&path)?;
            if !meta.is_file() || (key.is_none() && !is_half_written(&name)) {
                continue;
            }
            let kept = key.filter(|_| keep).zip(intact(&path));
            match &kept {
                Some((key, body)) => cache.put(key, body)?,
                None => freed += meta.len(),
            }
            fs::remove_file(&path)?;
        }
        // It stays if it holds something else.
        let _ = fs::remove_dir(&shard);
        task.advance(1);
    }
    Ok(freed)
}

/// The result in a file of an earlier version: its SHA-256, then itself.
fn intact(path: &Path) -> Option<Vec<u8>> {
    let bytes = fs::read(path).ok()?;
    let (digest, body) = bytes.split_at_checked(32)?;
    (Sha256::digest(body).as_slice() == digest).then(|| body.to_vec())
}

/// The bytes that a name stands for, if it is as many lower-case hexadecimal digits as we write.
fn bytes_of<const N: usize>(name: &str) -> Option<[u8; N]> {
    let bytes = from_hex(name).filter(|bytes| hex(bytes) == name)?;
    bytes.try_into().ok()
}

/// Whether a file of this name is being written, or was when a run was killed. Earlier versions left the name to tempfile.
fn is_half_written(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY).or_else(|| name.strip_prefix(".tmp"));
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// What is in a folder, by name; nothing when it cannot be read.
fn entries(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: fs::DirEntry| (entry.path(), entry.file_name().to_string_lossy().into_owned());
    entries.map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Silent, digest::digest_of_parts};

    #[test]
    fn half_written_files_go_and_nothing_else() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, is_gone) in [
            (".tmp-a1b2c3", true),
            (".tmpA1b2C3", true),
            (".tmpA1b2C3d4", false),
            ("failed.json", false),
        ] {
            let path = root.path().join(name);
            fs::write(&path, "half").expect("written");
            assert_eq!(
                clear_temporary(root.path()).expect("read"),
                if is_gone { 4 } else { 0 }
            );
            assert_ne!(path.exists(), is_gone, "{name}");
        }
    }

    #[test]
    fn files_of_earlier_versions_are_taken_over_and_no_others() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("documents");
        let write = |name: &str, content: &[u8]| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, content).expect("written");
        };
        let keys = [b"a", b"b"].map(|name| digest_of_parts(&[name]));
        let place = |key: &Key| format!("{}/{}", &hex(key)[..2], hex(key));
        write(&place(&keys[0]), &[&Sha256::digest("body")[..], b"body"].concat());
        write(
            &place(&keys[1]),
            &[&Sha256::digest("body")[..], b"damaged"].concat(),
        );
        write("ab/.tmp-x1y2z3", b"half");
        write("ab/letter", b"mine");
        write("papers/letter", b"mine");
        let cache = Packs::open(root.path(), "documents");
        let convert = |stopped| {
            let stop = Stop::default();
            if stopped {
                stop.request();
            }
            convert(&cache, true, &Silent, &stop).expect("converted")
        };
        assert_eq!((convert(true), cache.usage().0), (0, 0), "stopped at once");
        assert_eq!(convert(false), 32 + 7 + 4);
        assert_eq!(convert(false), 0);
        assert_eq!(cache.get(&keys[0]), [b"body".to_vec()]);
        assert_eq!(cache.get(&keys[1]), [[0_u8; 0]; 0]);
        let mut left: Vec<String> = entries(&folder).into_iter().map(|(_, name)| name).collect();
        left.sort();
        assert_eq!(left, ["1.pack", "ab", "papers"]);
    }
}
