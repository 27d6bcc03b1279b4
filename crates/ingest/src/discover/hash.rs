//! Names of content.

use crate::regular;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::{self, Read};
use std::path::Path;

/// SHA-256 of a file's bytes, in hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    content_hash_while(path, || true)
}

/// As [`content_hash`]; `keep_going` is asked before each piece of the file.
///
/// # Errors
/// When the file cannot be read; [`io::ErrorKind::Interrupted`] when `keep_going` said `false`.
pub fn content_hash_while(path: &Path, keep_going: impl Fn() -> bool) -> io::Result<String> {
    let mut file = regular::open(path)?;
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

/// SHA-256 of bytes, in hexadecimal.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
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
