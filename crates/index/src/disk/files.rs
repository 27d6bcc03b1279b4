//! Files of a segment: written with a checksum, compared with it, and mapped as slices of numbers.
//!
//! CRC-32 finds what disks, memory and editors do by accident; it is no protection from somebody who means harm.
//!
//! Mapping is `unsafe` in Rust, since another process may change the file below the slice. It is done by tantivy's
//! directory, so that this crate holds no `unsafe`; what makes it sound is that a segment is never changed after it was
//! published.

use super::{FileRecord, names, sync_dir};
use crate::IndexError;
use bytemuck::{AnyBitPattern, NoUninit};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufWriter, ErrorKind, Read, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};
use types::{Damage, files::create_anew};

// The files hold little-endian numbers, and slices of them are used as they are.
const _: () = assert!(cfg!(target_endian = "little"), "the index format is little-endian");

/// Files that a search reads in parts, and codes, which repeat what the vectors say.
const IN_PARTS: [&str; 4] = [names::CHUNKS, names::WINDOWS, names::WINDOW_CODES, names::SENTENCES];
/// Bytes of a file that is compared whenever it is opened: that takes less than a millisecond.
const SMALL: u64 = 1 << 20;

/// A file under construction.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    file: BufWriter<File>,
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
            crc: crc32fast::Hasher::new(),
            bytes: 0,
        })
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.file.write_all(bytes).map_err(IndexError::io("write", &self.path))?;
        self.crc.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn put_all<T: NoUninit>(&mut self, items: &[T]) -> Result<(), IndexError> {
        self.put(bytemuck::cast_slice(items))
    }

    /// Flushes to the disk and gives what the record of the segment says of the file.
    pub(crate) fn finish(self) -> Result<FileRecord, IndexError> {
        let Self { path, file, .. } = self;
        let file = file.into_inner().map_err(|e| IndexError::io("write", &path)(e.into_error()))?;
        file.sync_all().map_err(IndexError::io("flush", &path))?;
        Ok(FileRecord { bytes: self.bytes, crc32: self.crc.finalize() })
    }
}

/// Writes byte strings of any length, one after the other, and a file of their offsets.
#[derive(Debug)]
pub(crate) struct BlobWriter {
    data: Output,
    offsets: Output,
    names: [&'static str; 2],
}

impl BlobWriter {
    pub(crate) fn create(dir: &Path, names: [&'static str; 2]) -> Result<Self, IndexError> {
        let mut offsets = Output::create(dir, names[1])?;
        offsets.put_all(&[0_u64])?;
        Ok(Self { data: Output::create(dir, names[0])?, offsets, names })
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.data.put(bytes)?;
        self.offsets.put_all(&[self.data.bytes])
    }

    pub(crate) fn finish(self, files: &mut BTreeMap<String, FileRecord>) -> Result<(), IndexError> {
        files.insert(self.names[0].to_owned(), self.data.finish()?);
        files.insert(self.names[1].to_owned(), self.offsets.finish()?);
        Ok(())
    }
}

/// Flushes every file of the folder `dir/name` (flat) and records it; keys are `name/file`.
pub(crate) fn record_folder(
    dir: &Path,
    name: &str,
    files: &mut BTreeMap<String, FileRecord>,
) -> Result<(), IndexError> {
    let folder = dir.join(name);
    for entry in fs::read_dir(&folder).map_err(IndexError::io("list", &folder))? {
        let path = entry.map_err(IndexError::io("list", &folder))?.path();
        let file = File::open(&path).map_err(IndexError::io("open", &path))?;
        file.sync_all().map_err(IndexError::io("flush", &path))?;
        let leaf = path.file_name().unwrap_or_default().to_string_lossy();
        files.insert(format!("{name}/{leaf}"), read_record(&path)?);
    }
    sync_dir(&folder)
}

/// Length and checksum of a finished file.
fn read_record(path: &Path) -> Result<FileRecord, IndexError> {
    let mut file = File::open(path).map_err(IndexError::io("open", path))?;
    let mut crc = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 18];
    let mut bytes = 0;
    loop {
        let n = file.read(&mut buffer).map_err(IndexError::io("read", path))?;
        if n == 0 {
            let crc32 = crc.finalize();
            return Ok(FileRecord { bytes, crc32 });
        }
        crc.update(&buffer[..n]);
        bytes += n as u64;
    }
}

/// Compares a file with what was recorded of it.
fn check(path: &Path, wanted: &FileRecord) -> Result<(), IndexError> {
    let stored = read_record(path)?;
    let reason = if stored.bytes != wanted.bytes {
        format!("it has {} bytes, not {}", stored.bytes, wanted.bytes)
    } else if stored.crc32 != wanted.crc32 {
        format!("its CRC-32 is {:08x}, not {:08x}", stored.crc32, wanted.crc32)
    } else {
        return Ok(());
    };
    Err(IndexError::damaged(path, reason))
}

/// Files that are not what was recorded, by their path below `root`.
pub(crate) fn changed(root: &Path, files: &BTreeMap<String, FileRecord>) -> Vec<Damage> {
    let files = files.par_iter();
    let of_file = |(name, wanted): (&String, &FileRecord)| {
        let error = check(&root.join(name), wanted).err()?;
        Some(error.damage(name))
    };
    files.filter_map(of_file).collect()
}

/// Compares the files of a segment that a search reads as a whole with their checksums: the inverted index and the tables.
/// Large files that are read in parts are left to the writer and to [`crate::verify`]; of the text, each chunk is compared
/// when it is read, and the graph when it is loaded.
pub(crate) fn check_tables(dir: &Path, files: &BTreeMap<String, FileRecord>) -> Result<(), IndexError> {
    files.par_iter().try_for_each(|(name, wanted)| {
        let in_parts = IN_PARTS.contains(&name.as_str());
        let later = name == names::CHUNKS || Path::new(name).starts_with(names::GRAPH);
        if later || (in_parts && wanted.bytes > SMALL) {
            return Ok(());
        }
        check(&dir.join(name), wanted)
    })
}

/// Maps the files of one folder.
pub(crate) struct Mapper {
    root: PathBuf,
    directory: MmapDirectory,
}

impl Mapper {
    pub(crate) fn new(root: &Path) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(root).map_err(IndexError::text("open", root))?;
        Ok(Self { root: root.to_owned(), directory })
    }

    /// Opens a file to read parts of it; `None` where that fails.
    pub(crate) fn file(&self, name: &str) -> Option<File> {
        File::open(self.root.join(name)).ok()
    }

    /// Maps a file that holds exactly `items` values.
    pub(crate) fn map<T: AnyBitPattern>(&self, name: &str, items: usize) -> Result<Mapped<T>, IndexError> {
        let mapped = self.map_any(name)?;
        let length = mapped.get().len();
        if length == items {
            return Ok(mapped);
        }
        let reason = format!("it holds {length} values where the record counts {items}");
        Err(IndexError::damaged(self.root.join(name), reason))
    }

    /// Maps a file whatever its length.
    pub(crate) fn map_any<T: AnyBitPattern>(&self, name: &str) -> Result<Mapped<T>, IndexError> {
        let path = self.root.join(name);
        if let Err(error) = fs::metadata(&path)
            && error.kind() == ErrorKind::NotFound
        {
            return Err(IndexError::damaged(path, "it is missing"));
        }
        let file = self.directory.open_read(Path::new(name));
        let file = file.map_err(IndexError::text("map", &path))?;
        let bytes = file.read_bytes().map_err(IndexError::io("map", &path))?;
        if !bytes.is_empty()
            && let Err(error) = bytemuck::try_cast_slice::<u8, T>(&bytes)
        {
            let reason = format!("it cannot be read as numbers ({error})");
            return Err(IndexError::damaged(path, reason));
        }
        Ok(Mapped { bytes, values: PhantomData })
    }
}

/// A mapped file of values of one kind.
pub(crate) struct Mapped<T> {
    bytes: OwnedBytes,
    values: PhantomData<T>,
}

impl<T: AnyBitPattern> Mapped<T> {
    pub(crate) fn get(&self) -> &[T] {
        // Checked when it was mapped; an empty file has no alignment and falls to the empty slice.
        bytemuck::try_cast_slice(&self.bytes).unwrap_or(&[])
    }

    /// The `index`-th row of a table with `width` values a row.
    pub(crate) fn row(&self, index: usize, width: usize) -> Option<&[T]> {
        let start = index.checked_mul(width)?;
        self.get().get(start..start.checked_add(width)?)
    }
}

/// Reads byte strings of any length.
pub(crate) struct Blobs {
    data: Mapped<u8>,
    offsets: Mapped<u64>,
}

impl Blobs {
    pub(crate) fn open(mapper: &Mapper, names: [&str; 2], items: usize) -> Result<Self, IndexError> {
        Ok(Self { data: mapper.map_any(names[0])?, offsets: mapper.map(names[1], items.saturating_add(1))? })
    }

    /// The `index`-th string; `None` when there is none, or its offsets are damaged.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let offsets = self.offsets.get();
        let start = usize::try_from(*offsets.get(index)?).ok()?;
        let end = usize::try_from(*offsets.get(index + 1)?).ok()?;
        self.data.get().get(start..end)
    }
}
