//! Fixed-width rows.

use bytemuck::{Pod, Zeroable};
use types::SectionKind;

/// What search needs to know of a chunk without decoding it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct ChunkRow {
    /// Place of its source in the segment's record.
    pub(crate) source: u32,
    /// [`section_code`] of its section.
    pub(crate) section: u32,
    /// Its first window.
    pub(crate) windows_start: u32,
    /// One past its last window.
    pub(crate) windows_end: u32,
    /// Words of its text that are not stop words: its length in BM25.
    pub(crate) terms: u32,
}

impl ChunkRow {
    pub(crate) fn windows(&self) -> std::ops::Range<usize> {
        self.windows_start as usize..self.windows_end as usize
    }
}

/// Lengths of the fields of a chunk beside [`ChunkRow::terms`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct FieldRow {
    /// Words of the title of its source that are not stop words.
    pub(crate) title: u32,
    /// Words of its heading that are not stop words.
    pub(crate) heading: u32,
    /// Stop words of each of [`types::ChunkField::ALL`].
    pub(crate) stop_words: [u32; 3],
}

/// The position of a window.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct WindowRow {
    /// Row of its chunk.
    pub(crate) chunk: u32,
    /// First byte in the chunk's text.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// The number of a section in [`SectionKind::ALL`].
pub(crate) fn section_code(section: SectionKind) -> u32 {
    SectionKind::ALL
        .iter()
        .position(|kind| *kind == section)
        .map_or(u32::MAX, |at| at as u32)
}
