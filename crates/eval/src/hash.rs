//! Content hashes as lower-case hexadecimal.

use sha2::{Digest, Sha256};
use types::digest::hex;

/// SHA-256 of the lines, each closed by a line feed.
pub(crate) fn sha256_lines(lines: impl Iterator<Item = String>) -> String {
    let mut hasher = Sha256::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hex(&hasher.finalize())
}

/// A 64-bit seed out of a base seed and a name (FNV-1a), so that each metric draws its own stream whatever
/// the order of computation.
pub fn seed_of(base: u64, name: &str) -> u64 {
    name.bytes().fold(base ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
