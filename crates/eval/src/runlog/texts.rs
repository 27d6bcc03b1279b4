//! Where the texts of packed records stand, and a bounded memory of those read last.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::collections::HashMap;
use types::packed::{Part, whole_chunks};

/// Bytes of text kept in memory while records are read.
const KEPT_BYTES: usize = 16 << 20;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// For each writer of a run, the line that has a chunk whole. Memory grows with the number of different chunks.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts(HashMap<String, HashMap<(Part, String), Place>>);

/// A chunk, as far as the first pass looks at it.
#[derive(Deserialize)]
pub(super) struct ChunkMark {
    #[serde(default)]
    chunk_id: String,
    #[serde(default)]
    text: Option<IgnoredAny>,
    #[serde(default)]
    text_preview: Option<IgnoredAny>,
}

impl Texts {
    /// Notes what a line has whole: the first line that has it counts, as in [`whole_chunks`].
    pub(super) fn note<'a>(
        &mut self,
        by: &str,
        context: impl Iterator<Item = &'a ChunkMark>,
        returned: impl Iterator<Item = &'a ChunkMark>,
        place: Place,
    ) {
        let own = self.0.entry(by.to_owned()).or_default();
        for chunk in context.filter(|chunk| chunk.text.is_some()) {
            own.entry((Part::Text, chunk.chunk_id.clone())).or_insert(place);
            own.entry((Part::Preview, chunk.chunk_id.clone()))
                .or_insert(place);
        }
        for chunk in returned.filter(|chunk| chunk.text_preview.is_some()) {
            own.entry((Part::Preview, chunk.chunk_id.clone()))
                .or_insert(place);
        }
    }

    /// The line that has a chunk whole.
    pub(super) fn place(&self, by: &str, part: Part, id: &str) -> Option<Place> {
        self.0.get(by)?.get(&(part, id.to_owned())).copied()
    }
}

/// The whole chunks of a line.
type Chunks = HashMap<(Part, String), Map<String, Value>>;

/// Chunks of lines that were read.
#[derive(Default)]
pub(super) struct Memory {
    lines: HashMap<u64, Chunks>,
    bytes: usize,
}

impl Memory {
    /// A chunk of the line at this place; `read` reads it.
    pub(super) fn find(
        &mut self,
        place: Place,
        part: Part,
        id: &str,
        read: impl FnOnce(Place) -> Option<Map<String, Value>>,
    ) -> Option<Map<String, Value>> {
        if !self.lines.contains_key(&place.offset) {
            if self.bytes > KEPT_BYTES {
                self.lines.clear();
                self.bytes = 0;
            }
            let record = read(place)?;
            let mut chunks = Chunks::new();
            for (part, id, held) in whole_chunks(&record) {
                chunks.entry((part, id.to_owned())).or_insert(held);
            }
            self.bytes += place.length;
            self.lines.insert(place.offset, chunks);
        }
        self.lines
            .get(&place.offset)?
            .get(&(part, id.to_owned()))
            .cloned()
    }
}
