//! Names of models that change when their files or settings do.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// `name-` and the first 12 hexadecimal digits of the SHA-256 of all parts. Each part is preceded by its
/// length, so that no two lists of parts read the same.
pub(crate) fn model_id(name: &str, parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut id = format!("{name}-");
    for byte in hasher.finalize().iter().take(6) {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_every_part_and_on_where_parts_end() {
        let a = model_id("m", &[b"ab", b"c"]);
        assert_eq!(a.len(), "m-".len() + 12);
        assert_eq!(a, model_id("m", &[b"ab", b"c"]));
        assert_ne!(a, model_id("m", &[b"a", b"bc"]));
        assert_ne!(a, model_id("m", &[b"ab", b"d"]));
    }
}
