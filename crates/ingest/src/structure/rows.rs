//! Rows of a table: cells that wrap onto further lines are put together again, and the rows of the header kept for
//! the rows below.

use crate::layout::line::{Cell, Line};

/// How far left edges of one column differ at most, in points.
const EDGE: f32 = 4.0;
/// Rows of words in bold at the head of a table, at most.
const MAX_HEADER: usize = 3;

/// The table that is being read.
#[derive(Debug, Default)]
pub(crate) struct Table {
    header: Vec<String>,
    /// Whether the header may still go on.
    open: bool,
    /// Cells of the last row.
    row: Vec<Cell>,
    /// Baseline of the last line.
    y: f32,
    bold: bool,
}

/// What a line does to a table.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// It begins a row with this text and, below the header, this label.
    Begins(String, Option<String>),
    /// It belongs to the last row, whose text is now this.
    Wraps(String),
}

impl Table {
    /// Takes the next line in.
    pub(crate) fn add(&mut self, line: &Line) -> Step {
        let cells = cells(line);
        if self.wraps(line, &cells) {
            for cell in &cells {
                self.merge(cell);
            }
            self.y = line.y;
            if self.open
                && let Some(last) = self.header.last_mut()
            {
                *last = text(&self.row);
            }
            return Step::Wraps(text(&self.row));
        }
        let first = self.row.is_empty();
        let words = !cells.iter().any(|c| is_value(&c.text));
        self.open = first || self.open && self.bold && line.bold && words && self.header.len() < MAX_HEADER;
        if first {
            self.bold = line.bold;
        }
        self.row = cells;
        self.y = line.y;
        let text = text(&self.row);
        if self.open {
            self.header.push(text.clone());
            return Step::Begins(text, None);
        }
        Step::Begins(text, Some(self.header.join(" / ")))
    }

    /// Whether the cells of a line continue those of the row above.
    fn wraps(&self, line: &Line, cells: &[Cell]) -> bool {
        let close = line.y > self.y && line.y - self.y < 1.6 * line.size;
        let below = |cell: &Cell| self.row.iter().any(|above| in_column_of(cell, above));
        let Some(first) = self.row.first().filter(|_| close && cells.len() < self.row.len()) else {
            return false;
        };
        if !cells.iter().all(below) {
            return false;
        }
        let continues = |c: &Cell| c.text.starts_with(|c: char| c.is_lowercase() || c == '(');
        let leads = cells[0].x0 < first.x1;
        let open = first.text.ends_with([',', '/', '-', '–', '\u{AD}', '(']) || open_bracket(&first.text);
        if leads {
            cells.len() == 1 && open || cells.iter().all(continues)
        } else {
            cells.iter().all(continues)
                || cells.len() * 2 <= self.row.len() && line.bold == self.bold && self.open
        }
    }

    fn merge(&mut self, cell: &Cell) {
        let Some(above) = self.row.iter_mut().find(|above| in_column_of(cell, above)) else {
            return;
        };
        if above.text.ends_with('\u{AD}') {
            above.text.pop();
        } else if !above.text.ends_with(['/', '-', '–', '(']) {
            above.text.push(' ');
        }
        above.text.push_str(&cell.text);
        above.x0 = above.x0.min(cell.x0);
        above.x1 = above.x1.max(cell.x1);
    }
}

/// The cells of a line, which may be one.
fn cells(line: &Line) -> Vec<Cell> {
    if line.cells.is_empty() {
        return vec![Cell {
            x0: line.x0,
            x1: line.x1,
            text: line.text.clone(),
        }];
    }
    line.cells.clone()
}

/// Whether a cell stands in the column of another.
fn in_column_of(cell: &Cell, above: &Cell) -> bool {
    (cell.x0 - above.x0).abs() <= EDGE || cell.x0.max(above.x0) < cell.x1.min(above.x1)
}

fn open_bracket(text: &str) -> bool {
    text.matches('(').count() > text.matches(')').count()
}

/// A number, or something made of one.
fn is_value(text: &str) -> bool {
    text.trim_start_matches(['−', '-', '–', '<', '>', '≤', '≥', '±', '+', '~', '(', ' '])
        .starts_with(|c: char| c.is_ascii_digit())
}

fn text(cells: &[Cell]) -> String {
    cells
        .iter()
        .map(|c| c.text.replace('\u{AD}', "-"))
        .collect::<Vec<_>>()
        .join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(y: f32, bold: bool, cells: &[(&str, f32)]) -> Line {
        let cells: Vec<Cell> = cells
            .iter()
            .map(|(text, x0)| Cell {
                x0: *x0,
                x1: x0 + 5.0 * text.chars().count() as f32,
                text: (*text).to_owned(),
            })
            .collect();
        Line {
            text: text(&cells),
            x0: cells[0].x0,
            x1: cells[cells.len() - 1].x1,
            y,
            size: 9.0,
            bold,
            cells: if cells.len() > 1 { cells } else { Vec::new() },
            ..Line::default()
        }
    }

    fn read(lines: &[Line]) -> Vec<(String, Option<String>)> {
        let mut table = Table::default();
        let mut out: Vec<(String, Option<String>)> = Vec::new();
        for line in lines {
            match table.add(line) {
                Step::Begins(text, label) => out.push((text, label)),
                Step::Wraps(text) => {
                    if let Some(last) = out.last_mut() {
                        last.0 = text;
                    }
                }
            }
        }
        out
    }

    #[test]
    fn wrapped_cells_and_headers() {
        let rows = read(&[
            line(
                0.0,
                true,
                &[("Outcome", 50.0), ("Walk", 150.0), ("Difference", 250.0)],
            ),
            line(10.0, true, &[("(95% CI)", 250.0)]),
            line(
                20.0,
                false,
                &[("Six-minute walk,", 50.0), ("512", 150.0), ("3.0", 250.0)],
            ),
            line(30.0, false, &[("m", 50.0)]),
            line(40.0, false, &[("Women", 50.0)]),
            line(
                50.0,
                false,
                &[("VO2peak, mL/kg/", 50.0), ("22", 150.0), ("1.6", 250.0)],
            ),
            line(60.0, false, &[("min", 50.0), ("(4)", 150.0)]),
            line(70.0, false, &[("(0.7 to 2.5)", 250.0)]),
        ]);
        let label = Some("Outcome | Walk | Difference (95% CI)".to_owned());
        let want = [
            ("Outcome | Walk | Difference (95% CI)", None),
            ("Six-minute walk, m | 512 | 3.0", label.clone()),
            ("Women", label.clone()),
            ("VO2peak, mL/kg/min | 22 (4) | 1.6 (0.7 to 2.5)", label),
        ];
        let want: Vec<_> = want.into_iter().map(|(t, l)| (t.to_owned(), l)).collect();
        assert_eq!(rows, want);
    }
}
