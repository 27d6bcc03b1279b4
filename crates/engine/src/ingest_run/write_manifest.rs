//! A manifest of what the index knows of its papers, for a person to correct and put beside them.

use super::plan::{known, roots};
use crate::{cache, error::EngineError, settings::Settings};
use ingest::inputs::manifest;
use retrieve::Index;
use serde::Serialize;
use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};
use types::path_text;

/// A manifest that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestFile {
    /// The file.
    pub path: String,
    /// Its rows.
    pub rows: usize,
}

/// Checks before a long run that a manifest could be written to a file.
///
/// # Errors
/// When the file exists and may not be replaced, or its folder does not exist.
pub fn can_write_manifest(file: &Path, replace: bool) -> Result<(), EngineError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(EngineError::Message(format!(
            "cannot write {}: its folder does not exist",
            path_text::shown(file)
        )));
    }
    if !replace && file.symlink_metadata().is_ok() {
        return Err(exists(file));
    }
    Ok(())
}

/// Writes one row for each source of the index that lies below the paths. An existing file is replaced only with
/// `replace`.
///
/// # Errors
/// When the index cannot be read, or the file exists or cannot be written.
pub fn write_manifest(
    settings: &Settings,
    paths: &[PathBuf],
    file: &Path,
    replace: bool,
) -> Result<ManifestFile, EngineError> {
    let index = Index::open(&settings.index.dir)?;
    let known = known(Some(index.manifest()));
    let roots = roots(paths, &known)?;
    let below: Vec<_> = known
        .iter()
        .filter(|source| roots.iter().any(|root| source.path.starts_with(root)))
        .map(|source| &source.meta)
        .collect();
    let rows = below.len();
    let text = manifest::write(below);
    let written = if replace {
        cache::write_whole(file, &[text.as_bytes()])
    } else {
        let new = fs::OpenOptions::new().write(true).create_new(true).open(file);
        new.and_then(|mut new| new.write_all(text.as_bytes()))
    };
    match written {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(file)),
        written => written.map_err(EngineError::io("write", file))?,
    }
    Ok(ManifestFile {
        path: path_text::shown(file),
        rows,
    })
}

fn exists(file: &Path) -> EngineError {
    EngineError::Message(format!(
        "{} exists already\nhint: name another file, or pass --force to replace it",
        path_text::shown(file)
    ))
}
