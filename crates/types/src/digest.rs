//! SHA-256 in hexadecimal digits, to identify content, cached results and configurations; CRC-32, to detect damage.

pub use crc32fast::Hasher as Crc32;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Lower-case hexadecimal digits, two per byte.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The SHA-256 of bytes: 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether a text is such a digest.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of a list of parts: 64 hexadecimal digits. The length of each part is hashed too, so that different
/// lists do not have the same digest.
pub fn sha256_of_parts(parts: &[&[u8]]) -> String {
    hex(&digest_of_parts(parts))
}

/// As [`sha256_of_parts`], in bytes.
pub fn digest_of_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// The CRC-32 of parts joined.
pub fn crc32(parts: &[&[u8]]) -> u32 {
    let mut hasher = Crc32::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), abc);
    }

    #[test]
    fn the_checksum_of_parts_is_that_of_the_whole() {
        // The check value of CRC-32 (ISO-HDLC).
        assert_eq!(crc32(&[b"1234", b"", b"56789"]), 0xcbf4_3926);
    }

    #[test]
    fn parts_are_told_apart() {
        assert_ne!(sha256_of_parts(&[b"ab", b"c"]), sha256_of_parts(&[b"a", b"bc"]));
        assert_ne!(sha256_of_parts(&[b"ab"]), sha256(b"ab"));
    }
}
