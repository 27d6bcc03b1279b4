//! Rows of tables inside a chunk. Ingestion writes the cells of a row between ` | `, the caption above the rows, and the
//! header as the first row.

use crate::Chunk;

/// What stands between two cells.
const CELLS: &str = " | ";

/// A row of a table with what stands above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow<'a> {
    /// The caption, "Table 1. ..."; empty if the chunk does not contain it.
    pub caption: &'a str,
    /// The cells of the header; empty if the chunk does not contain it.
    pub header: Vec<&'a str>,
    /// The cells of the row: the first is its label.
    pub cells: Vec<&'a str>,
}

impl<'a> TableRow<'a> {
    /// The header of each cell but the first; empty unless their number fits.
    pub fn columns(&self) -> &[&'a str] {
        let values = self.cells.len().saturating_sub(1);
        match self.header.len() {
            all if all == values => &self.header,
            all if all == values + 1 => &self.header[1..],
            _ => &[],
        }
    }

    /// The row as it is embedded and searched: caption, header and cells.
    pub fn with_context(&self) -> String {
        let mut parts: Vec<&str> = vec![self.caption];
        parts.extend(&self.header);
        parts.extend(&self.cells);
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}

impl Chunk {
    /// The sentence with this index as the row of a table; `None` if it is none, or is the header.
    pub fn table_row(&self, index: usize) -> Option<TableRow<'_>> {
        let text = |at: usize| self.sentences.get(at).map(|sentence| self.sentence(sentence));
        let row = text(index).filter(|row| is_row(row))?;
        let mut first = index;
        while let Some(above) = first
            .checked_sub(1)
            .filter(|above| text(*above).is_some_and(is_row))
        {
            first = above;
        }
        let header = text(first).filter(|header| is_header(header));
        if header.is_some() && first == index {
            return None;
        }
        let caption = first
            .checked_sub(1)
            .and_then(text)
            .filter(|above| is_caption(above));
        Some(TableRow {
            caption: caption.unwrap_or_default(),
            header: header.map(cells).unwrap_or_default(),
            cells: cells(row),
        })
    }
}

/// Whether a sentence is a row: it has cells.
fn is_row(sentence: &str) -> bool {
    sentence.contains(CELLS)
}

/// A header names its columns: fewer than half of its cells hold a digit.
fn is_header(row: &str) -> bool {
    let cells = cells(row);
    let numbers = cells
        .iter()
        .filter(|cell| cell.contains(|c: char| c.is_ascii_digit()))
        .count();
    2 * numbers < cells.len()
}

fn is_caption(sentence: &str) -> bool {
    let start = sentence.trim_start();
    start
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case("table"))
}

fn cells(row: &str) -> Vec<&str> {
    row.split(CELLS).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChunkId, SectionKind, SentenceSpan, SourceId, Span};

    fn chunk(sentences: &[&str]) -> Chunk {
        let mut text = String::new();
        let mut spans = Vec::new();
        for (number, sentence) in (0..).zip(sentences) {
            let start = text.len();
            text.push_str(sentence);
            spans.push(SentenceSpan {
                span: Span::new(start, text.len()),
                number,
                page: 1,
            });
            text.push_str("\n\n");
        }
        Chunk {
            chunk_id: ChunkId::from_parts(&SourceId::from_stem("a"), SectionKind::Body, 0),
            source_id: SourceId::from_stem("a"),
            section: SectionKind::Body,
            heading: String::new(),
            ordinal: 0,
            page_start: 1,
            page_end: 1,
            span: Span::new(0, text.len()),
            prefix: String::new(),
            text,
            tokens: 0,
            sentences: spans,
        }
    }

    #[test]
    fn a_row_knows_what_stands_above_it() {
        let chunk = chunk(&[
            "Values were balanced.",
            "Table 1. Baseline values, mean (SD).",
            "Brisk | Steady | Control",
            "Age, years | 66.9 (4.1) | 66.6 (4.3) | 66.9 (4.2)",
            "Walk, m | 512 (68) | 508 (72) | 515 (66)",
            "Pressure fell.",
        ]);
        let row = chunk.table_row(4).expect("a row");
        assert_eq!(row.caption, "Table 1. Baseline values, mean (SD).");
        assert_eq!(row.columns(), ["Brisk", "Steady", "Control"]);
        assert_eq!(row.cells[3], "515 (66)");
        assert_eq!(
            row.with_context(),
            "Table 1. Baseline values, mean (SD). Brisk Steady Control Walk, m 512 (68) 508 (72) 515 (66)"
        );
        for none in [0, 1, 2, 5, 9] {
            assert_eq!(chunk.table_row(none), None, "{none}");
        }
    }

    #[test]
    fn a_row_without_header_or_caption_stands_alone() {
        let chunk = chunk(&["Age | 66.9 | 66.6", "Walk | 512 | 508"]);
        let row = chunk.table_row(0).expect("a row");
        assert_eq!((row.caption, row.header.len(), row.columns().len()), ("", 0, 0));
        let labelled = self::chunk(&["Measure | Before | After", "Walk | 512 | 508"]);
        assert_eq!(
            labelled.table_row(1).expect("a row").columns(),
            ["Before", "After"]
        );
    }
}
