//! Source ids: the slug of a file's stem, made unique by content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use types::SourceId;

/// Gives each source its id, from pairs of preferred id and content hash. Where two would have one id, each of them gets
/// the first eight hexadecimal digits of its content hash behind it, so that an id depends neither on the order of the
/// sources nor on the folder; a source whose preferred id *and* content equal another's gets a number behind that. The ids
/// come in the same order.
pub fn assign_ids<H: AsRef<str>>(preferred: &[(SourceId, H)]) -> Vec<SourceId> {
    let stems: Vec<&SourceId> = preferred.iter().map(|(id, _)| id).collect();
    let mut shared: BTreeMap<&SourceId, usize> = BTreeMap::new();
    for id in stems.iter().copied() {
        *shared.entry(id).or_default() += 1;
    }
    let mut taken: BTreeSet<SourceId> = stems
        .iter()
        .copied()
        .filter(|id| shared.get(id) == Some(&1))
        .cloned()
        .collect();
    preferred
        .iter()
        .map(|(id, hash)| {
            if shared.get(id) == Some(&1) {
                return id.clone();
            }
            let short: String = hash.as_ref().chars().take(8).collect();
            let first = SourceId::from(format!("{id}-{short}"));
            let mut candidate = first.clone();
            let mut number = 2;
            while !taken.insert(candidate.clone()) {
                candidate = SourceId::from(format!("{first}-{number}"));
                number += 1;
            }
            candidate
        })
        .collect()
}

/// The id of a file's stem; other files may have the same.
pub fn source_id_of(path: &Path) -> SourceId {
    SourceId::from_stem(&path.file_stem().unwrap_or_default().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_collide_into_hashes_whatever_the_order() {
        let check = |files: &[(&str, &str)], want: &[&str]| {
            let preferred: Vec<(SourceId, &str)> = files
                .iter()
                .map(|(path, hash)| (source_id_of(Path::new(path)), *hash))
                .collect();
            let ids = assign_ids(&preferred);
            assert_eq!(ids.iter().map(SourceId::as_str).collect::<Vec<_>>(), want);
        };
        check(
            &[("x/Barry 2014.pdf", "aa"), ("b.pdf", "bb")],
            &["barry_2014", "b"],
        );
        check(
            &[
                ("x/p.pdf", "0123456789"),
                ("y/p.pdf", "abcdefabcd"),
                ("q.pdf", "11"),
            ],
            &["p-01234567", "p-abcdefab", "q"],
        );
        check(
            &[("y/p.pdf", "abcdefabcd"), ("x/p.pdf", "0123456789")],
            &["p-abcdefab", "p-01234567"],
        );
        check(
            &[("x/p.pdf", "same"), ("y/p.pdf", "same")],
            &["p-same", "p-same-2"],
        );
    }
}
