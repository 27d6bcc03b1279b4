//! The bytes of papers, also of those in archives: whole, hashed, and their beginning.

use crate::{Limits, ParseError, files, zipped};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read as _};
use std::path::Path;
use types::digest::{hex, sha256};

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    content_hash_while(path, || true)
}

/// As [`content_hash`]; `keep_going` is called before each block of the file.
///
/// # Errors
/// When the file cannot be read; [`io::ErrorKind::Interrupted`] when `keep_going` said `false`.
pub fn content_hash_while(path: &Path, keep_going: impl Fn() -> bool) -> io::Result<String> {
    if zipped::member_of(path).is_some() {
        return read(path, &Limits::default()).map(|bytes| sha256(&bytes)).map_err(io::Error::other);
    }
    let mut file = files::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        if !keep_going() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// All bytes of a file, whose size is within the limit.
///
/// # Errors
/// When it cannot be read, is no regular file or is too large.
pub(crate) fn read(path: &Path, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    if let Some((archive, name)) = zipped::member_of(path) {
        return zipped::read(archive, name, limits);
    }
    let file = files::open_bounded(path, limits)?;
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limits.max_file_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    files::refuse_large(bytes.len() as u64, limits)?;
    Ok(bytes)
}

/// At most the first `most` bytes of a file.
///
/// # Errors
/// When it cannot be read or is no regular file.
pub(crate) fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if zipped::member_of(path).is_some() {
        let mut bytes = read(path, &Limits::default()).map_err(io::Error::other)?;
        bytes.truncate(most as usize);
        return Ok(bytes);
    }
    let mut head = Vec::new();
    files::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(head)
}
