//! The files of a generation against the list in its manifest.

use super::Damage;
use crate::{
    IndexError,
    disk::{
        FORMAT, FileRecord, MANIFEST, MANIFEST_COPY, MANIFEST_HASH, Manifest, crc_file, hash_file, names,
    },
};
use rayon::prelude::*;
use std::{fs, path::Path};

/// Files that are read in parts, each with a checksum of its own.
const IN_PARTS: [&str; 3] = [names::CHUNKS, names::WINDOWS, names::SENTENCES];

/// Files of the generation in `dir` whose content is not the one that the manifest records.
pub(crate) fn changed(dir: &Path, manifest: &Manifest) -> Vec<Damage> {
    let of_file = |(name, wanted): (&String, &FileRecord)| {
        let reason = match hash_file(&dir.join(name)) {
            Ok(found) if found.same_content(wanted) => return None,
            Ok(found) if found.bytes != wanted.bytes => other_length(found.bytes, wanted.bytes),
            Ok(found) => format!("its SHA-256 is {}, not {}", found.sha256, wanted.sha256),
            Err(error) => error.to_string(),
        };
        let file = name.clone();
        Some(Damage { file, reason })
    };
    manifest.files.par_iter().filter_map(of_file).collect()
}

/// Files beside the generation's list: the manifest, its copy and its hash, which is `hash`.
pub(crate) fn changed_manifest(dir: &Path, hash: &str, format: u32) -> Vec<Damage> {
    let mut damages = Vec::new();
    let mut report = |file: &str, reason: String| {
        let file = file.to_owned();
        damages.push(Damage { file, reason });
    };
    let copies = [MANIFEST, MANIFEST_COPY];
    for name in copies.iter().take(if format == FORMAT { 2 } else { 1 }) {
        match hash_file(&dir.join(name)) {
            Ok(found) if found.sha256 == hash => {}
            Ok(found) => report(name, format!("its SHA-256 is {}, not {hash}", found.sha256)),
            Err(error) => report(name, error.to_string()),
        }
    }
    let beside = fs::read(dir.join(MANIFEST_HASH)).unwrap_or_default();
    if String::from_utf8_lossy(&beside).trim() != hash {
        report(
            MANIFEST_HASH,
            format!("it does not hold the SHA-256 {hash} of {MANIFEST}"),
        );
    }
    damages
}

/// Compares the files that a search reads as a whole with their CRC-32: the inverted index and the tables, which are
/// small beside text and vectors. What is mapped from them later is what was written.
pub(crate) fn check_tables(dir: &Path, manifest: &Manifest) -> Result<(), IndexError> {
    let of_file = |(name, wanted): (&String, &FileRecord)| {
        if IN_PARTS.contains(&name.as_str()) || name.starts_with(names::GRAPH) {
            return Ok(());
        }
        let path = dir.join(name);
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
    manifest.files.par_iter().try_for_each(of_file)
}

fn other_length(found: u64, wanted: u64) -> String {
    format!("it has {found} bytes, not {wanted}")
}

/// Files in the generation's folder that the manifest does not know.
pub(super) fn foreign(dir: &Path, manifest: &Manifest) -> Result<Vec<Damage>, IndexError> {
    let mut damages = Vec::new();
    for folder in ["", names::TEXT, names::GRAPH] {
        let path = dir.join(folder);
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
            let name = if folder.is_empty() {
                leaf
            } else {
                format!("{folder}/{leaf}")
            };
            let known = manifest.files.contains_key(&name)
                || [MANIFEST, MANIFEST_COPY, MANIFEST_HASH, names::TEXT, names::GRAPH]
                    .contains(&name.as_str());
            if !known {
                damages.push(Damage {
                    file: name,
                    reason: "it is no part of the generation".to_owned(),
                });
            }
        }
    }
    Ok(damages)
}
