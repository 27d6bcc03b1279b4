//! Lists of files that are stored in the index folder, each with a checksum.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{fs, io, path::Path};
use types::{digest::sha256_of_parts, files::write_atomic};

#[derive(Serialize, Deserialize)]
struct Stored<F> {
    /// SHA-256 of the files as one line of JSON.
    sha256: String,
    files: F,
}

/// The list called `name`, empty where there is none; `None` when it is not what was written.
pub(crate) fn read<F: Default + Serialize + DeserializeOwned>(index: &Path, name: &str) -> Option<F> {
    let bytes = match fs::read(index.join(name)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(F::default()),
        Err(_) => return None,
    };
    let stored: Stored<F> = serde_json::from_slice(&bytes).ok()?;
    (digest(&stored.files).ok()? == stored.sha256).then_some(stored.files)
}

/// Writes the list called `name` atomically.
pub(crate) fn write<F: Serialize>(index: &Path, name: &str, files: F) -> io::Result<()> {
    fs::create_dir_all(index)?;
    let sha256 = digest(&files)?;
    let json = serde_json::to_vec(&Stored { sha256, files })?;
    write_atomic(&index.join(name), &[&json])
}

fn digest(files: &impl Serialize) -> io::Result<String> {
    Ok(sha256_of_parts(&[&serde_json::to_vec(files)?]))
}
