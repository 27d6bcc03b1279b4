//! Byte strings of any length, one after the other, with a file of offsets.

use super::{FileRecord, Mapped, Mapper, Output};
use crate::IndexError;
use std::collections::BTreeMap;
use std::path::Path;

/// Writes byte strings.
#[derive(Debug)]
pub(crate) struct BlobWriter {
    data: Output,
    offsets: Output,
    at: u64,
    names: [&'static str; 2],
}

impl BlobWriter {
    pub(crate) fn create(dir: &Path, names: [&'static str; 2]) -> Result<Self, IndexError> {
        let data = Output::create(dir, names[0])?;
        let mut offsets = Output::create(dir, names[1])?;
        offsets.put_all(&[0_u64])?;
        Ok(Self {
            data,
            offsets,
            at: 0,
            names,
        })
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.data.put(bytes)?;
        self.at += bytes.len() as u64;
        self.offsets.put_all(&[self.at])
    }

    pub(crate) fn finish(self, files: &mut BTreeMap<String, FileRecord>) -> Result<(), IndexError> {
        files.insert(self.names[0].to_owned(), self.data.finish()?);
        files.insert(self.names[1].to_owned(), self.offsets.finish()?);
        Ok(())
    }
}

/// Reads byte strings.
pub(crate) struct Blobs {
    data: Mapped<u8>,
    offsets: Mapped<u64>,
}

impl Blobs {
    pub(crate) fn open(mapper: &Mapper, names: [&str; 2], items: usize) -> Result<Self, IndexError> {
        Ok(Self {
            data: mapper.map_any(names[0])?,
            offsets: mapper.map(names[1], items.saturating_add(1))?,
        })
    }

    /// The `index`-th string; `None` when there is none, or its offsets are damaged.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let offsets = self.offsets.get();
        let start = usize::try_from(*offsets.get(index)?).ok()?;
        let end = usize::try_from(*offsets.get(index + 1)?).ok()?;
        self.data.get().get(start..end)
    }
}
