//! Checksums of single records: damage in one chunk or vector is known when that record is read, and does not cost the
//! others.
//!
//! CRC-32 finds what disks, memory and editors do by accident; it is no protection from somebody who means harm. The
//! SHA-256 of whole files stands in the manifest.

use super::{Mapped, Mapper, Output};
use crate::IndexError;
use types::digest::crc32;

/// Adds the checksum of the next record to a file of them.
pub(crate) fn put_crc(out: &mut Output, parts: &[&[u8]]) -> Result<(), IndexError> {
    out.put_all(&[crc32(parts)])
}

/// What is known of the records of a table.
pub(crate) enum Checksums {
    /// The files of the table have the hashes of the manifest: every record is as it was written.
    Proven,
    /// The checksum of each record.
    Recorded(Mapped<u32>),
    /// Nothing: the files are not what was written, and their format has no checksums.
    Unknown,
}

impl Checksums {
    /// The checksums of `items` records in the file `name`.
    pub(crate) fn open(mapper: &Mapper, name: &str, items: usize) -> Result<Self, IndexError> {
        Ok(Self::Recorded(mapper.map(name, items)?))
    }

    /// The checksum that was written for record `at`.
    pub(crate) fn recorded(&self, at: usize) -> Option<u32> {
        match self {
            Self::Recorded(sums) => sums.get().get(at).copied(),
            Self::Proven | Self::Unknown => None,
        }
    }

    /// Whether record `at` is as it was written.
    pub(crate) fn hold(&self, at: usize, parts: &[&[u8]]) -> bool {
        match self {
            Self::Proven => true,
            Self::Recorded(sums) => sums.get().get(at) == Some(&crc32(parts)),
            Self::Unknown => false,
        }
    }
}
