//! Files that are hashed while they are written.

use super::FileRecord;
use crate::IndexError;
use bytemuck::NoUninit;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
};
use types::{digest::hex, files::create_anew};

/// A file under construction.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    hash: Sha256,
    crc: crc32fast::Hasher,
    bytes: u64,
}

impl Output {
    pub(crate) fn create(dir: &Path, name: &str) -> Result<Self, IndexError> {
        let path = dir.join(name);
        let file = create_anew(&path).map_err(IndexError::io("create", &path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
            hash: Sha256::new(),
            crc: crc32fast::Hasher::new(),
            bytes: 0,
        })
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.file
            .write_all(bytes)
            .map_err(IndexError::io("write", &self.path))?;
        self.hash.update(bytes);
        self.crc.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn put_all<T: NoUninit>(&mut self, items: &[T]) -> Result<(), IndexError> {
        self.put(bytemuck::cast_slice(items))
    }

    /// Flushes to the disk and gives what the manifest records.
    pub(crate) fn finish(self) -> Result<FileRecord, IndexError> {
        let Self {
            path,
            file,
            hash,
            crc,
            bytes,
        } = self;
        let file = file
            .into_inner()
            .map_err(|e| IndexError::io("write", &path)(e.into_error()))?;
        file.sync_all().map_err(IndexError::io("flush", &path))?;
        Ok(FileRecord {
            bytes,
            sha256: hex(&hash.finalize()),
            crc32: Some(crc.finalize()),
        })
    }
}

/// Length and hashes of a finished file.
pub(crate) fn hash_file(path: &Path) -> Result<FileRecord, IndexError> {
    let (mut hash, mut crc) = (Sha256::new(), crc32fast::Hasher::new());
    let bytes = read_in_parts(path, |part| {
        hash.update(part);
        crc.update(part);
    })?;
    Ok(FileRecord {
        bytes,
        sha256: hex(&hash.finalize()),
        crc32: Some(crc.finalize()),
    })
}

/// Length and CRC-32 of a finished file.
pub(crate) fn crc_file(path: &Path) -> Result<(u64, u32), IndexError> {
    let mut crc = crc32fast::Hasher::new();
    let bytes = read_in_parts(path, |part| crc.update(part))?;
    Ok((bytes, crc.finalize()))
}

fn read_in_parts(path: &Path, mut take: impl FnMut(&[u8])) -> Result<u64, IndexError> {
    let mut file = File::open(path).map_err(IndexError::io("open", path))?;
    let mut buffer = vec![0; 1 << 18];
    let mut bytes = 0;
    loop {
        let n = file.read(&mut buffer).map_err(IndexError::io("read", path))?;
        if n == 0 {
            return Ok(bytes);
        }
        take(&buffer[..n]);
        bytes += n as u64;
    }
}

/// Flushes and hashes every file of the folder `dir/name` (flat); keys are `name/file`.
pub(crate) fn hash_folder(
    dir: &Path,
    name: &str,
    files: &mut BTreeMap<String, FileRecord>,
) -> Result<(), IndexError> {
    let folder = dir.join(name);
    for entry in std::fs::read_dir(&folder).map_err(IndexError::io("list", &folder))? {
        let path = entry.map_err(IndexError::io("list", &folder))?.path();
        let file = File::open(&path).map_err(IndexError::io("open", &path))?;
        file.sync_all().map_err(IndexError::io("flush", &path))?;
        let leaf = path.file_name().unwrap_or_default().to_string_lossy();
        files.insert(format!("{name}/{leaf}"), hash_file(&path)?);
    }
    super::sync_dir(&folder)
}
