//! Numbers the chunks of all segments as if they were merged into one segment without dead sources.
//!
//! Searches use only these rows (live rows), so that no score and no order depends on how the index is cut into
//! segments.

use crate::{
    IndexError,
    disk::{ChunkRow, SourceLocation, names},
    lexical::{Norms, SEARCHED},
    segment::Segment,
};
use retrieve::stored::{Lengths, norm};

/// Marks a chunk that is not in the index.
const DEAD: u32 = u32::MAX;

/// The index of a segment, and a row in it.
pub(crate) type Place = (usize, usize);

/// What search needs to know of a chunk without decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiveRow {
    /// Index of its source in the manifest.
    pub(crate) source: u32,
    /// [`crate::disk::section_code`] of its section.
    pub(crate) section: u32,
    /// Index of its segment.
    pub(crate) segment: u32,
    /// Its row in that segment.
    pub(crate) row: u32,
}

/// The chunks of an index in the order of sources and ordinals.
pub(crate) struct LiveRows {
    rows: Vec<LiveRow>,
    /// For each segment, the live row of each of its rows, or [`DEAD`].
    by_segment: Vec<Vec<u32>>,
    /// For each segment, whether none of its chunks is dead.
    whole: Vec<bool>,
    /// For each segment, the norms of each of its rows.
    norms: Vec<Norms>,
}

impl LiveRows {
    /// The chunks of the sources in `places`, which are in the order of their ids.
    pub(crate) fn new(segments: &[Segment], places: &[SourceLocation]) -> Result<Self, IndexError> {
        let chunks = segments.iter().map(|segment| segment.chunks.rows().len()).sum();
        let mut live = Self {
            rows: Vec::with_capacity(chunks),
            by_segment: segments.iter().map(|s| vec![DEAD; s.chunks.rows().len()]).collect(),
            whole: Vec::new(),
            norms: segments
                .iter()
                .map(|s| [(); SEARCHED.len()].map(|()| vec![f32::INFINITY; s.chunks.rows().len()]))
                .collect(),
        };
        let mut total = Lengths::default();
        for (source, place) in (0_u32..).zip(places) {
            let segment = &segments[place.segment];
            let [from, to] = segment.record.sources[place.source].chunks;
            let rows = segment.chunks.rows().get(from..to).ok_or_else(|| {
                let reason = format!("it does not hold rows {from} to {to} of its record");
                IndexError::damaged(segment.dir.join(names::ROWS), reason)
            })?;
            for (row, chunk) in (from..to).zip(rows) {
                live.by_segment[place.segment][row] = live.rows.len() as u32;
                total.add(chunk.lengths);
                live.rows.push(LiveRow {
                    source,
                    section: chunk.section,
                    segment: place.segment as u32,
                    row: row as u32,
                });
            }
        }
        live.whole = live.by_segment.iter().map(|rows| !rows.contains(&DEAD)).collect();
        let averages = total.averages();
        for place in &live.rows {
            let (segment, row) = (place.segment as usize, place.row as usize);
            let lengths = segments[segment].chunks.rows()[row].lengths;
            for (field, norms) in live.norms[segment].iter_mut().enumerate() {
                norms[row] = norm(lengths[field], averages[field]);
            }
        }
        Ok(live)
    }

    pub(crate) fn rows(&self) -> &[LiveRow] {
        &self.rows
    }

    /// The live row of a row of a segment; `None` if its source is dead.
    pub(crate) fn row(&self, segment: usize, row: usize) -> Option<u32> {
        let here = *self.by_segment.get(segment)?.get(row)?;
        (here != DEAD).then_some(here)
    }

    /// Whether no chunk of a segment is dead.
    pub(crate) fn is_whole(&self, segment: usize) -> bool {
        self.whole.get(segment).copied().unwrap_or(false)
    }

    /// The norms of the rows of each segment.
    pub(crate) fn norms(&self) -> &[Norms] {
        &self.norms
    }

    /// The live rows of the rows of a segment; `u32::MAX` for a dead one.
    pub(crate) fn of_segment(&self, segment: usize) -> &[u32] {
        self.by_segment.get(segment).map_or(&[], Vec::as_slice)
    }

    /// The chunk at a live row: its segment, its row in that segment, and its stored row data.
    pub(crate) fn chunk<'a>(
        &self,
        segments: &'a [Segment],
        row: u32,
    ) -> Option<(&'a Segment, usize, &'a ChunkRow)> {
        let place = self.rows.get(row as usize)?;
        let segment = segments.get(place.segment as usize)?;
        let row = place.row as usize;
        Some((segment, row, segment.chunks.rows().get(row)?))
    }

    /// The segment of a live row, and its row in that segment.
    pub(crate) fn place(&self, row: u32) -> Place {
        let place = self.rows.get(row as usize);
        place.map_or((usize::MAX, 0), |place| (place.segment as usize, place.row as usize))
    }
}
