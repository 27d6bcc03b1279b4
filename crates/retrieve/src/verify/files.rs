//! The files of a generation against the list in its manifest.

use super::Damage;
use crate::{
    IndexError,
    disk::{MANIFEST, MANIFEST_HASH, Manifest, hash_file, names},
};
use std::{fs, path::Path};

/// Files of the generation in `dir` whose content is not the one that the manifest records.
pub(crate) fn changed(dir: &Path, manifest: &Manifest) -> Vec<Damage> {
    let mut damages = Vec::new();
    for (name, wanted) in &manifest.files {
        let reason = match hash_file(&dir.join(name)) {
            Ok(found) if found == *wanted => continue,
            Ok(found) if found.bytes != wanted.bytes => {
                format!("it has {} bytes, not {}", found.bytes, wanted.bytes)
            }
            Ok(found) => format!("its SHA-256 is {}, not {}", found.sha256, wanted.sha256),
            Err(error) => error.to_string(),
        };
        damages.push(Damage {
            file: name.clone(),
            reason,
        });
    }
    damages
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
                || [MANIFEST, MANIFEST_HASH, names::TEXT, names::GRAPH].contains(&name.as_str());
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
