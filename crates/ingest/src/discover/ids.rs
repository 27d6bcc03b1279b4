//! Names of sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use types::SourceId;

/// Names sources: the slug of each file's stem. Where two files would share a name, each of them gets the
/// first eight hexadecimal digits of its content hash behind it, so that a name depends neither on the order of
/// the files nor on the folder; a file whose name *and* content equal another's gets a number behind that.
/// `files` are pairs of path and content hash; the ids come in the same order.
pub fn assign_source_ids<P: AsRef<Path>, H: AsRef<str>>(files: &[(P, H)]) -> Vec<SourceId> {
    let wanted: Vec<(SourceId, &str)> = files
        .iter()
        .map(|(path, hash)| (source_id_of(path.as_ref()), hash.as_ref()))
        .collect();
    assign_ids(&wanted)
}

/// As [`assign_source_ids`], for sources of any kind: pairs of the name that each would have alone, and its
/// content hash.
pub fn assign_ids<H: AsRef<str>>(wanted: &[(SourceId, H)]) -> Vec<SourceId> {
    let stems: Vec<&SourceId> = wanted.iter().map(|(id, _)| id).collect();
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
    wanted
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

/// The id of a file's stem, before collisions are looked at.
pub fn source_id_of(path: &Path) -> SourceId {
    SourceId::from_stem(&path.file_stem().unwrap_or_default().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_collide_into_hashes_whatever_the_order() {
        let check = |files: &[(&str, &str)], want: &[&str]| {
            let ids = assign_source_ids(files);
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
