//! The files of segments and generations, and the pointer to the current generation.

mod chunks;
mod files;
mod generation_file;
mod layout;
mod line_table;
mod lock;
mod manifest;
pub(crate) mod marker;
mod removal;
mod sentences;

pub(crate) use chunks::{ChunkRow, ChunkTable, WindowRow, section_code};
pub(crate) use files::{BlobWriter, Mapped, Mapper, Output, changed, check_tables, record_folder};
pub(crate) use generation_file::{
    GenerationRecord, SegmentEntry, SegmentPart, SegmentRecord, SourceLocation, Stored, write_generation,
    write_segment,
};
pub(crate) use layout::{
    CURRENT, GENERATIONS, Pointer, SEGMENTS, building_dir, generation_dir, generations, next_number, pointer,
    publish, read_pointer, segment_folder, switch_current, sync_dir,
};
pub(crate) use line_table::{LineTable, LineWriter, read_places};
pub(crate) use lock::{Lease, WriterLock};
pub use manifest::{Counts, FileRecord, Manifest, SegmentInfo, SourceRecord};
pub(crate) use removal::{KeepOlder, clear_leftovers, other_bytes, prune};
pub(crate) use sentences::SentenceTable;

/// Number of the on-disk format. A change in what `text::indexed_words` returns needs a new format too: segments keep the
/// words that they were written with.
pub(crate) const FORMAT: u32 = 7;
/// The manifest's file name.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The file name of the record of a segment.
pub(crate) const SEGMENT: &str = "segment.json";

/// Names of the files of a segment.
pub(crate) mod names {
    /// One chunk a line, as JSON.
    pub(crate) const CHUNKS: &str = "chunks.jsonl";
    /// Where each line of [`CHUNKS`] begins.
    pub(crate) const CHUNK_OFFSETS: &str = "chunks.off";
    /// CRC-32 of each line of [`CHUNKS`].
    pub(crate) const CHUNK_SUMS: &str = "chunks.crc";
    /// Chunk ids, one after the other.
    pub(crate) const IDS: &str = "ids.txt";
    /// Where each id begins.
    pub(crate) const ID_OFFSETS: &str = "ids.off";
    /// Chunk rows in the order of their ids.
    pub(crate) const ID_ORDER: &str = "ids.order";
    /// The place of each chunk row in [`ID_ORDER`].
    pub(crate) const ID_RANK: &str = "ids.rank";
    /// One [`super::ChunkRow`] a chunk.
    pub(crate) const ROWS: &str = "chunks.rows";
    /// Unit vectors of windows, 32-bit floats.
    pub(crate) const WINDOWS: &str = "windows.f32";
    /// One [`super::WindowRow`] a window.
    pub(crate) const WINDOW_ROWS: &str = "windows.rows";
    /// Vectors of windows, 8-bit integers: see [`crate::vectors::encode`].
    pub(crate) const WINDOW_CODES: &str = "windows.i8";
    /// One [`crate::vectors::CodeRow`] a window.
    pub(crate) const WINDOW_CODE_ROWS: &str = "windows.codes";
    /// Vectors of sentences, 8-bit integers.
    pub(crate) const SENTENCES: &str = "sentences.i8";
    /// What scales a sentence's integers back to unit length.
    pub(crate) const SENTENCE_SCALES: &str = "sentences.scale";
    /// The words of the sources: see [`crate::source_words`].
    pub(crate) const SOURCE_WORDS: &str = "sources.words";
    /// The abbreviations that the sources define: see [`crate::abbreviations`].
    pub(crate) const ABBREVIATIONS: &str = "sources.abbreviations";
    /// Folder of the inverted index.
    pub(crate) const TEXT: &str = "tantivy";
    /// Folder of the approximate vector index.
    pub(crate) const GRAPH: &str = "hnsw";
}
