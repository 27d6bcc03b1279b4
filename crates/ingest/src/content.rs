//! Hashes of content: what results are cached under and equal files are recognised by.

use crate::{format::Format, regular_file};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
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
    let mut file = regular_file::open(path)?;
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

/// Names content by what it is read as and by its SHA-256 in hexadecimal: the same bytes are another document as
/// Markdown than as plain text. A PDF is named by its hash alone.
pub fn content_key(format: Format, hash: &str) -> String {
    match format {
        Format::Pdf => hash.to_owned(),
        other => sha256(format!("{}\n{hash}", other.as_str()).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn hash_is_sha256() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("abc");
        fs::write(&path, "abc").expect("writes");
        let hash = content_hash(&path).expect("reads");
        assert_eq!(
            hash,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
