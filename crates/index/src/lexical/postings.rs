//! A list of postings, read forwards.

use tantivy::postings::BlockSegmentPostings;

/// The rows of a segment of which one field contains a term, in rising order, and how often it does. A new list stands at its
/// first row.
pub(crate) struct Postings {
    blocks: BlockSegmentPostings,
    /// Its place in the current block.
    at: usize,
}

impl Postings {
    pub(super) fn new(blocks: BlockSegmentPostings) -> Self {
        Self { blocks, at: 0 }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.blocks.doc_freq() as usize
    }

    /// The row that it stands at; after the last one, a number above all rows.
    pub(crate) fn row(&self) -> u32 {
        self.blocks.doc(self.at)
    }

    /// Goes on to `row`, which is not before the current one, or the next one that the list has: how often the field of `row`
    /// contains the term.
    pub(crate) fn frequency(&mut self, row: u32) -> u32 {
        if self.row() < row {
            self.at = self.blocks.seek(row);
        }
        if self.row() == row { self.blocks.freq(self.at) } else { 0 }
    }

    /// Calls `visit` with each row below `end` that is left, and how often its field contains the term; 1 if the field keeps no
    /// frequencies.
    pub(crate) fn read(&mut self, end: u32, mut visit: impl FnMut(u32, u32)) {
        loop {
            let (rows, frequencies) = (self.blocks.docs(), self.blocks.freqs());
            let to = match rows.last() {
                None => return,
                Some(last) if *last < end => rows.len(),
                Some(_) => rows.partition_point(|row| *row < end),
            };
            let from = self.at.min(to);
            match frequencies.get(from..to) {
                Some(frequencies) => {
                    let both = rows[from..to].iter().zip(frequencies);
                    both.for_each(|(row, frequency)| visit(*row, *frequency));
                }
                None => rows[from..to].iter().for_each(|row| visit(*row, 1)),
            }
            if to < rows.len() {
                self.at = to;
                return;
            }
            self.blocks.advance();
            self.at = 0;
        }
    }
}
