//! Names of models that change when their files or settings do.

use types::digest::sha256_of_parts;

/// `name-` and the first 12 hexadecimal digits of the SHA-256 of all parts: no two lists of parts read the same.
pub(crate) fn model_id(name: &str, parts: &[&[u8]]) -> String {
    let mut digest = sha256_of_parts(parts);
    digest.truncate(12);
    format!("{name}-{digest}")
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
