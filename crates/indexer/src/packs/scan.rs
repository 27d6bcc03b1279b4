//! Reads a pack from front to back.

use super::Key;
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

/// How a header begins. The last byte occurs in no UTF-8 text: no part of a document looks like a header.
const MAGIC: [u8; 4] = *b"rec\xff";
/// Bytes of a header: the magic number, the key, the length of the body, its CRC-32, and the CRC-32 of all these.
pub(super) const HEADER: u8 = 4 + 32 + 3 * 4;

/// What precedes a body.
pub(super) struct Header {
    pub(super) key: Key,
    /// Bytes of the body.
    pub(super) length: u32,
    /// CRC-32 of the body.
    crc: u32,
}

impl Header {
    pub(super) fn of(key: &Key, body: &[u8]) -> io::Result<Self> {
        Ok(Self {
            key: *key,
            length: u32::try_from(body.len()).map_err(io::Error::other)?,
            crc: crc32fast::hash(body),
        })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let numbers = [self.length, self.crc].map(u32::to_le_bytes);
        let mut bytes = [&MAGIC[..], &self.key, &numbers[0], &numbers[1]].concat();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; HEADER as usize]) -> Option<Self> {
        let (key, numbers) = bytes.strip_prefix(&MAGIC)?.split_first_chunk()?;
        let mut numbers =
            numbers.chunks_exact(4).filter_map(|four| four.try_into().ok().map(u32::from_le_bytes));
        let header = Self { key: *key, length: numbers.next()?, crc: numbers.next()? };
        (header.bytes() == bytes).then_some(header)
    }
}

/// A pack that is being read.
pub(super) struct Scan {
    file: BufReader<File>,
    at: u64,
    /// Bytes of the current body that were not read.
    unread: u32,
    /// Bytes of the file.
    pub(super) length: u64,
    /// Where the last whole record ends.
    pub(super) end: u64,
    /// Whether the file has another name, under which it may be somebody's.
    pub(super) is_shared: bool,
    /// Whether something was met that is no record, and not the beginning of one at the end of the file.
    pub(super) is_damaged: bool,
}

impl Scan {
    /// Opens a pack at the record that begins at `at`.
    pub(super) fn open(path: &Path, at: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        file.seek(SeekFrom::Start(at))?;
        Ok(Self {
            file: BufReader::new(file),
            at,
            unread: 0,
            length: meta.len(),
            end: at,
            is_shared: meta.nlink() > 1,
            is_damaged: false,
        })
    }

    /// The next record: where it begins, and its header. What is no record is passed over.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Header)>> {
        let unread = std::mem::take(&mut self.unread);
        self.skip(i64::from(unread))?;
        let mut is_torn = true;
        while self.length.saturating_sub(self.at) >= u64::from(HEADER) {
            let mut bytes = [0; HEADER as usize];
            self.file.read_exact(&mut bytes)?;
            let at = self.at;
            self.at += u64::from(HEADER);
            let header = Header::read(&bytes);
            is_torn &= header.is_some() || at > self.end;
            if let Some(header) = header.filter(|header| u64::from(header.length) <= self.length - self.at) {
                self.is_damaged |= at > self.end;
                self.unread = header.length;
                self.end = self.at + u64::from(header.length);
                return Ok(Some((at, header)));
            }
            self.skip(1 - i64::from(HEADER))?;
        }
        self.is_damaged |= !is_torn;
        Ok(None)
    }

    /// The body of the record that [`Self::next`] gave; `None` when it is not what was written.
    pub(super) fn body(&mut self, header: &Header) -> io::Result<Option<Vec<u8>>> {
        let mut body = vec![0; std::mem::take(&mut self.unread) as usize];
        self.file.read_exact(&mut body)?;
        self.at += body.len() as u64;
        Ok((crc32fast::hash(&body) == header.crc).then_some(body))
    }

    fn skip(&mut self, bytes: i64) -> io::Result<()> {
        self.file.seek_relative(bytes)?;
        self.at = self.at.saturating_add_signed(bytes);
        Ok(())
    }
}
