//! Rows of tables inside a chunk. Ingestion writes the cells of a row between ` | `, one row a sentence, below the caption.
//!
//! A row is understood by what stands above it: the caption, one or two rows of header, and the last line without cells,
//! which names the group that it belongs to ("All children").

use crate::Chunk;

/// What stands between two cells.
const CELLS: &str = " | ";

/// The longest line without cells that can stand inside a table, in characters.
const LABEL: usize = 90;

/// A row of a table with what stands above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow<'a> {
    /// The caption, "Table 1. ..."; empty if the chunk does not contain it.
    pub caption: &'a str,
    /// A line between caption and header, "Mean (SE)"; may be empty.
    pub unit: &'a str,
    /// The line that names the rows below it, "All children"; may be empty.
    pub group: &'a str,
    /// The cells of the header, row by row; empty if the chunk does not contain it.
    pub header: Vec<&'a str>,
    /// For each cell but the first what stands above it, as in "Fish eaters: N"; empty if the header does not fit the row.
    pub columns: Vec<String>,
    /// The cells of the row: the first is its label.
    pub cells: Vec<&'a str>,
}

impl TableRow<'_> {
    /// The row as it is embedded and searched: caption, header, group and cells.
    pub fn with_context(&self) -> String {
        let mut parts: Vec<&str> = vec![self.caption, self.unit];
        parts.extend(&self.header);
        parts.push(self.group);
        parts.extend(&self.cells);
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}

impl Chunk {
    /// The sentence with this index as the row of a table; `None` if it is none, or is part of the header.
    pub fn table_row(&self, index: usize) -> Option<TableRow<'_>> {
        let text = |at: usize| self.sentences.get(at).map(|sentence| self.sentence(sentence));
        let cells = cells(text(index).filter(|row| is_row(row))?);
        let mut caption = "";
        // The lines of the table above the row, from the top.
        let mut above = Vec::new();
        for line in (0..index).rev().filter_map(text) {
            if is_caption(line) {
                caption = line;
                break;
            }
            if !is_row(line) && !is_label(line) {
                break;
            }
            above.push(line);
        }
        above.reverse();
        let top = above.iter().position(|line| is_row(line)).unwrap_or(above.len());
        let rows: Vec<Vec<&str>> = above
            .iter()
            .filter(|line| is_row(line))
            .map(|line| self::cells(line))
            .collect();
        let header = match rows.as_slice() {
            [] if is_header(&cells) => return None,
            [upper] if is_header(upper) && is_lower(upper, &cells) => return None,
            [upper, lower, ..] if is_header(upper) && is_lower(upper, lower) => &rows[..2],
            [upper, ..] if is_header(upper) => &rows[..1],
            _ => &[],
        };
        // Without a caption, the line above the first row may be a heading.
        let unit = top
            .checked_sub(1)
            .filter(|_| !caption.is_empty())
            .map_or("", |at| above[at]);
        let group = above.iter().skip(top).rev().find(|line| !is_row(line));
        Some(TableRow {
            caption,
            unit,
            group: group.copied().unwrap_or_default(),
            columns: columns(header, cells.len().saturating_sub(1)),
            header: header.concat(),
            cells,
        })
    }
}

/// What stands above each of so many values; empty if the header does not fit.
fn columns(header: &[Vec<&str>], values: usize) -> Vec<String> {
    let whole = |row: &[&str]| {
        let skipped = row.len().checked_sub(values).filter(|more| *more <= 1)?;
        Some(
            row[skipped..]
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>(),
        )
    };
    // The cells of an upper row stand above equally many columns each.
    let spread = |row: &[&str]| {
        let fits = |cells: &&[&str]| cells.len() > 1 && values.is_multiple_of(cells.len());
        let row = [row, row.get(1..).unwrap_or_default()]
            .into_iter()
            .find(|cells| fits(cells))?;
        let each = values / row.len();
        Some(
            row.iter()
                .flat_map(|cell| std::iter::repeat_n((*cell).to_owned(), each))
                .collect::<Vec<_>>(),
        )
    };
    match header {
        [one] => whole(one).or_else(|| spread(one)).unwrap_or_default(),
        [upper, lower] => match (spread(upper), whole(lower)) {
            (Some(upper), Some(lower)) => upper
                .iter()
                .zip(&lower)
                .map(|(a, b)| format!("{a}: {b}"))
                .collect(),
            (_, lower) => lower.unwrap_or_default(),
        },
        _ => Vec::new(),
    }
}

/// Whether a sentence is a row: it has cells.
fn is_row(sentence: &str) -> bool {
    sentence.contains(CELLS)
}

/// A header names its columns: fewer than half of its cells hold a digit.
fn is_header(cells: &[&str]) -> bool {
    let numbers = cells
        .iter()
        .filter(|cell| cell.contains(|c: char| c.is_ascii_digit()))
        .count();
    2 * numbers < cells.len()
}

/// Whether a row is the lower one of a header: the cells of the upper one stand above several of its cells.
fn is_lower(upper: &[&str], row: &[&str]) -> bool {
    is_header(row) && upper.len() + 1 < row.len()
}

/// A line without cells that can stand inside a table: words, but no statement.
fn is_label(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    line.len() <= LABEL
        && !line.ends_with('.')
        && line.starts_with(char::is_alphabetic)
        && letters * 2 > line.chars().count()
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
        assert_eq!(row.columns, ["Brisk", "Steady", "Control"]);
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
        assert_eq!((row.caption, row.header.len(), row.columns.len()), ("", 0, 0));
        let labelled = self::chunk(&["Measure | Before | After", "Walk | 512 | 508"]);
        assert_eq!(labelled.table_row(1).expect("a row").columns, ["Before", "After"]);
    }

    #[test]
    fn a_row_has_a_group_and_columns_through_two_rows_of_header() {
        let chunk = chunk(&[
            "Table 2 Scores by what the mothers ate",
            "Mean (SE)",
            "Year | Fish | No fish",
            "Measure | N | Score | N | Score",
            "All children",
            "Reading, year 6 | 896 | 23.3 (0.2) | 118 | 21.5 (0.8)",
            "Boys",
            "Reading, year 6 | 446 | 22.9 (0.3) | 61 | 20.8 (1.1)",
            "Values are means of three tests, of which two were written.",
            "Adjusted | 1 | 2",
        ]);
        let row = chunk.table_row(7).expect("a row");
        assert_eq!((row.unit, row.group), ("Mean (SE)", "Boys"));
        assert_eq!(
            row.columns,
            ["Fish: N", "Fish: Score", "No fish: N", "No fish: Score"]
        );
        assert_eq!(chunk.table_row(5).expect("a row").group, "All children");
        assert_eq!((chunk.table_row(2), chunk.table_row(3)), (None, None));
        assert_eq!(chunk.table_row(9).expect("a row").caption, "");
    }
}
