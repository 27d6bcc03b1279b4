//! Compares the files of segments and generations with their recorded hashes. Files are named relative to the index
//! folder.

use super::Damage;
use crate::{
    IndexError, Manifest,
    disk::{
        Checked, FileRecord, MANIFEST, MANIFEST_COPY, MANIFEST_HASH, SEGMENT, SEGMENT_COPY, SMALL, crc_file,
        generation_folder, hash_file, names,
    },
};
use rayon::prelude::*;
use std::{collections::BTreeMap, fs, path::Path};

/// Files that are read in parts, each with a checksum of its own, and codes, which repeat what the vectors say.
const IN_PARTS: [&str; 4] = [
    names::CHUNKS,
    names::WINDOWS,
    names::WINDOW_CODES,
    names::SENTENCES,
];
/// The record of a segment and its copy.
pub(super) const RECORDS: [&str; 2] = [SEGMENT, SEGMENT_COPY];

/// Files whose content differs from what is recorded. Files that `known` lists as intact are not read.
pub(crate) fn changed(
    root: &Path,
    files: &BTreeMap<String, FileRecord>,
    known: impl Fn(&str, &FileRecord) -> bool + Sync,
) -> Vec<Damage> {
    let of_file = |(name, wanted): (&String, &FileRecord)| {
        if known(name, wanted) {
            return None;
        }
        let reason = match hash_file(&root.join(name)) {
            Ok(found) if found.same_content(wanted) => return None,
            Ok(found) if found.bytes != wanted.bytes => other_length(found.bytes, wanted.bytes),
            Ok(found) => format!("its SHA-256 is {}, not {}", found.sha256, wanted.sha256),
            Err(error) => error.to_string(),
        };
        let file = name.clone();
        Some(Damage { file, reason })
    };
    files.par_iter().filter_map(of_file).collect()
}

/// The manifest of a generation, its copy and its hash, and both records of each segment, given by folder and hash.
pub(crate) fn changed_records<'a>(
    root: &Path,
    manifest: &Manifest,
    hash: &str,
    records: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Damage> {
    let mut damages = changed_manifest(root, manifest.generation, hash, manifest.format);
    damages.extend(records.flat_map(|(folder, hash)| changed_copies(root, folder, &RECORDS, hash)));
    damages
}

/// The manifest of a generation, its copy and its hash, which is `hash`.
pub(super) fn changed_manifest(root: &Path, generation: u64, hash: &str, format: u32) -> Vec<Damage> {
    let folder = generation_folder(generation);
    // Format 1 had no copy.
    let copies = &[MANIFEST, MANIFEST_COPY][..if format > 1 { 2 } else { 1 }];
    let mut damages = changed_copies(root, &folder, copies, hash);
    let file = format!("{folder}/{MANIFEST_HASH}");
    let beside = fs::read(root.join(&file)).unwrap_or_default();
    if String::from_utf8_lossy(&beside).trim() != hash {
        let reason = format!("it does not hold the SHA-256 {hash} of {MANIFEST}");
        damages.push(Damage { file, reason });
    }
    damages
}

/// Files of one folder that have one content.
pub(super) fn changed_copies(root: &Path, folder: &str, names: &[&str], hash: &str) -> Vec<Damage> {
    let of_file = |name: &&str| {
        let file = format!("{folder}/{name}");
        let reason = match hash_file(&root.join(&file)) {
            Ok(found) if found.sha256 == hash => return None,
            Ok(found) => format!("its SHA-256 is {}, not {hash}", found.sha256),
            Err(error) => error.to_string(),
        };
        Some(Damage { file, reason })
    };
    names.iter().filter_map(of_file).collect()
}

/// Compares the files of a segment that a search reads as a whole with their CRC-32: the inverted index and the tables.
/// What is mapped from them later is what was written. Large files that `known` lists as intact are not read: in an index of a
/// million chunks they have a gigabyte. Small ones are always read, except the text, of which
/// each chunk is compared when it is read.
pub(crate) fn check_tables(
    root: &Path,
    folder: &str,
    files: &BTreeMap<String, FileRecord>,
    known: &Checked,
) -> Result<(), IndexError> {
    let of_file = |(name, wanted): (&String, &FileRecord)| {
        let file = format!("{folder}/{name}");
        let by_record = name == names::CHUNKS || (IN_PARTS.contains(&name.as_str()) && wanted.bytes > SMALL);
        if by_record || known.spares(root, &file, wanted) {
            return Ok(());
        }
        let path = root.join(&file);
        let (bytes, crc) = crc_file(&path)?;
        if bytes != wanted.bytes {
            return Err(IndexError::damaged(path, other_length(bytes, wanted.bytes)));
        }
        match wanted.crc32 {
            Some(wanted) if wanted != crc => {
                let reason = format!("its CRC-32 is {crc:08x}, not {wanted:08x}");
                Err(IndexError::damaged(path, reason))
            }
            _ => Ok(()),
        }
    };
    files.par_iter().try_for_each(of_file)
}

fn other_length(found: u64, wanted: u64) -> String {
    format!("it has {found} bytes, not {wanted}")
}

/// Files in the folders of the generation and its segments that no manifest or record lists.
pub(super) fn foreign(
    root: &Path,
    manifest: &Manifest,
    segments: &[String],
) -> Result<Vec<Damage>, IndexError> {
    let generation = generation_folder(manifest.generation);
    let mut folders = vec![(
        generation.clone(),
        vec![MANIFEST, MANIFEST_COPY, MANIFEST_HASH, names::GRAPH],
    )];
    folders.push((format!("{generation}/{}", names::GRAPH), Vec::new()));
    for segment in segments {
        folders.push((segment.clone(), vec![SEGMENT, SEGMENT_COPY, names::TEXT]));
        folders.push((format!("{segment}/{}", names::TEXT), Vec::new()));
    }
    let mut damages = Vec::new();
    for (folder, ours) in folders {
        let path = root.join(&folder);
        if !path.is_dir() {
            continue;
        }
        let list = || IndexError::io("list", &path);
        let mut leaves = Vec::new();
        for entry in fs::read_dir(&path).map_err(list())? {
            leaves.push(entry.map_err(list())?.file_name().to_string_lossy().into_owned());
        }
        leaves.sort_unstable();
        for leaf in leaves {
            let file = format!("{folder}/{leaf}");
            if !manifest.files.contains_key(&file) && !ours.contains(&leaf.as_str()) {
                let reason = "it is no part of the generation".to_owned();
                damages.push(Damage { file, reason });
            }
        }
    }
    Ok(damages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    /// Damage that changed no time stamp: the list says that the file is intact.
    #[test]
    fn only_large_files_are_taken_on_trust() -> Result<(), IndexError> {
        let dir = tempfile::tempdir().expect("a folder");
        let check = |name: &str, bytes: u64, seen: bool| -> Result<(), IndexError> {
            let path = dir.path().join("s").join(name);
            let mut content = vec![7; bytes as usize];
            fs::create_dir_all(dir.path().join("s")).expect("made");
            fs::write(&path, &content).expect("writes");
            let record = hash_file(&path)?;
            content[9] ^= 1;
            fs::write(&path, &content).expect("writes");
            let file = format!("s/{name}");
            let mut known = Checked::default();
            known.add(
                dir.path(),
                &file,
                &record,
                SystemTime::now() + Duration::from_secs(3),
            );
            assert!(known.holds(dir.path(), &file, &record));
            let files = BTreeMap::from([(name.to_owned(), record)]);
            let outcome = check_tables(dir.path(), "s", &files, &known);
            assert_eq!(outcome.is_err(), seen, "{name} of {bytes} bytes: {outcome:?}");
            Ok(())
        };
        check("tantivy.fast", SMALL, true)?;
        check(names::WINDOWS, 100, true)?;
        check("tantivy.fast", SMALL + 1, false)?;
        // Each chunk is compared when it is read.
        check(names::CHUNKS, 100, false)
    }
}
