//! Who may write, and which generations are still read.
//!
//! Both are advisory locks on files, which the system releases when a process ends, however it ends: the lock of a
//! dead process holds nobody up.

use super::{MANIFEST, layout::refuse_links};
use crate::IndexError;
use std::{
    fs::{File, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt as _,
    path::Path,
};
use types::files::open_in_place;

/// Held by the one writer of an index.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock at once, or says who holds it. An index in which a link leads elsewhere is refused.
    pub(crate) fn take(root: &Path) -> Result<Self, IndexError> {
        refuse_links(root)?;
        let path = root.join("writer.lock");
        let mut file = open_in_place(&path).map_err(IndexError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Only words the message: an unreadable file still means that someone holds the lock.
                let _ = file.read_to_string(&mut holder);
                let mut words = holder.split_whitespace().map(str::to_owned);
                let mut word = || words.next().unwrap_or_else(|| "unknown".to_owned());
                return Err(IndexError::Locked { path: root.to_owned(), pid: word(), since: word() });
            }
            Err(TryLockError::Error(e)) => return Err(IndexError::io("lock", &path)(e)),
        }
        let holder = format!("{} {}", std::process::id(), now());
        rewrite(&mut file, &holder).map_err(IndexError::io("write", &path))?;
        Ok(Self { file })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // What is written there is only read while the lock is held, so a failure changes nothing.
        let _ = rewrite(&mut self.file, "");
    }
}

/// Replaces what the lock holds. A file that has other names too may be somebody's: it is locked and stays as it is.
fn rewrite(file: &mut File, holder: &str) -> io::Result<()> {
    if file.metadata()?.nlink() > 1 {
        return Ok(());
    }
    file.set_len(0)?;
    file.write_all(holder.as_bytes())
}

/// This moment in UTC, to the second, as RFC 3339 writes it.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Held by a reader: as long as it lives, no writer removes the generation.
#[derive(Debug)]
pub(crate) struct Lease {
    _file: File,
}

impl Lease {
    /// Takes a shared lock on the manifest of a generation. A file system without locks gives a lease that
    /// holds nothing: what is mapped stays readable all the same.
    pub(crate) fn take(generation: &Path) -> Result<Self, IndexError> {
        let path = generation.join(MANIFEST);
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => IndexError::damaged(&path, "it is missing"),
            _ => IndexError::io("open", &path)(error),
        })?;
        let _ = file.try_lock_shared();
        Ok(Self { _file: file })
    }

    /// Whether some reader holds the generation with this manifest.
    pub(crate) fn held(manifest: &Path) -> bool {
        File::open(manifest).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}
