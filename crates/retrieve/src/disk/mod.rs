//! The files of segments and generations, and the pointer to the current generation.

mod blobs;
mod checked;
mod checksum;
mod chunks;
mod generation_file;
mod layout;
mod lock;
mod manifest;
mod mapped;
pub(crate) mod marker;
mod output;
mod records;
mod removal;
mod segment_file;
mod sentences;
mod stored;

pub(crate) use blobs::BlobWriter;
pub(crate) use checked::{CHECKED, Checked, SMALL};
pub(crate) use checksum::{Checksums, put_crc};
pub(crate) use chunks::ChunkTable;
pub(crate) use generation_file::{
    FORMAT, GenerationRecord, MANIFEST, MANIFEST_COPY, MANIFEST_HASH, OLDEST_FORMAT, SegmentEntry,
    StoredGeneration, read_generation, recover_generation, write_generation,
};
pub(crate) use layout::{
    CURRENT, GENERATIONS, Pointer, SEGMENTS, building_dir, generation_dir, generation_folder, pointer,
    publish, read_current, read_pointer, segment_folder, switch_current, sync_dir,
};
pub(crate) use lock::{Lease, WriterLock};
pub use manifest::{Counts, FileRecord, Manifest, SegmentInfo, SourceRecord};
pub(crate) use mapped::{Mapped, Mapper};
pub(crate) use output::{Output, crc_file, hash_file, hash_folder};
pub(crate) use records::{ChunkRow, FieldRow, WindowRow, section_code};
pub use removal::Removed;
pub(crate) use removal::{KeepOlder, clear_leftovers, folder_bytes, generations, other_segments, prune};
pub(crate) use segment_file::{
    SEGMENT, SEGMENT_COPY, SegmentRecord, read_segment, recover_segment, write_segment,
};
pub(crate) use sentences::{SentenceTable, quantise};
pub(crate) use stored::Stored;

/// Names of the files of a segment; the graph is a generation's.
pub(crate) mod names {
    /// One chunk a line, as JSON.
    pub(crate) const CHUNKS: &str = "chunks.jsonl";
    /// Where each line of [`CHUNKS`] begins.
    pub(crate) const CHUNK_OFFSETS: &str = "chunks.off";
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
    /// One [`super::FieldRow`] a chunk.
    pub(crate) const FIELDS: &str = "chunks.fields";
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
    /// CRC-32 of each line of [`CHUNKS`].
    pub(crate) const CHUNK_SUMS: &str = "chunks.crc";
    /// CRC-32 of each vector of [`WINDOWS`] and its row.
    pub(crate) const WINDOW_SUMS: &str = "windows.crc";
    /// CRC-32 of each vector of [`SENTENCES`] and its scale.
    pub(crate) const SENTENCE_SUMS: &str = "sentences.crc";
    /// The words of the sources: see [`crate::source_words`].
    pub(crate) const SOURCE_WORDS: &str = "sources.words";
    /// The abbreviations that the sources define: see [`crate::abbreviations`].
    pub(crate) const ABBREVIATIONS: &str = "sources.abbreviations";
    /// Folder of the inverted index.
    pub(crate) const TEXT: &str = "tantivy";
    /// Folder of the approximate vector index.
    pub(crate) const GRAPH: &str = "hnsw";
}
