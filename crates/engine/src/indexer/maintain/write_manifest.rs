//! A manifest of what the index knows of its papers, for a person to correct and put beside them.

use crate::indexer::{
    Indexer, IndexerError,
    indexed::{absolute_roots, holds},
};
use ingest::inputs::manifest;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};
use types::{Holdings, files::write_atomic, path_text};

/// A manifest that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
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
pub fn can_write_manifest(file: &Path, replace: bool) -> Result<(), IndexerError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(IndexerError::NoManifestFolder { path: file.to_owned() });
    }
    if !replace && file.symlink_metadata().is_ok() {
        return Err(exists(file));
    }
    Ok(())
}

impl Indexer {
    /// Writes one row for each source of the index that lies below the paths. An existing file is replaced only with
    /// `replace`.
    ///
    /// # Errors
    /// When the index cannot be read, or the file exists or cannot be written.
    pub fn write_manifest(
        &self,
        paths: &[PathBuf],
        file: &Path,
        replace: bool,
    ) -> Result<ManifestFile, IndexerError> {
        let (_, Holdings { sources, .. }) = self.store.open()?;
        let roots = absolute_roots(paths, &sources)?;
        let below: Vec<_> =
            sources.iter().filter(|source| holds(&roots, source)).map(|source| &source.meta).collect();
        let rows = below.len();
        let text = manifest::write(below);
        let written = if replace {
            write_atomic(file, &[text.as_bytes()])
        } else {
            let new = fs::OpenOptions::new().write(true).create_new(true).open(file);
            new.and_then(|mut new| new.write_all(text.as_bytes()))
        };
        match written {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(file)),
            written => written.map_err(IndexerError::io("write", file))?,
        }
        Ok(ManifestFile { path: path_text::shown(file), rows })
    }
}

fn exists(file: &Path) -> IndexerError {
    IndexerError::ManifestExists { path: file.to_owned() }
}
