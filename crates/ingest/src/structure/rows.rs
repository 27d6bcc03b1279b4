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
    /// Cells of the last row, empty ones included.
    row: Vec<Cell>,
    /// Left and right edges of the columns, as far as rows have shown.
    columns: Vec<(f32, f32)>,
    /// Whether labels stand beside the first of the rows that they name, and not in the middle of them.
    labels_lead: bool,
    /// A label that stands between two rows, which it names.
    between: Option<String>,
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
    /// A table that begins with the first of these lines, which are its own.
    pub(crate) fn of(lines: &[Line]) -> Self {
        Self { labels_lead: labels_lead(lines), ..Self::default() }
    }

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
        if let Some(text) = self.take_label(line, &cells) {
            return Step::Wraps(text);
        }
        if let Some(row) = self.label_above(line, &cells) {
            self.row = self.placed(row);
            self.y = line.y;
            return Step::Wraps(text(&self.row));
        }
        self.open = first || self.open && self.bold && line.bold && words && self.header.len() < MAX_HEADER;
        if first {
            self.bold = line.bold;
        }
        let header = cells.iter().all(|cell| is_year(&cell.text));
        if words || header {
            self.between = None;
            self.row = cells;
        } else {
            self.row = self.placed(cells);
        }
        if self.row.len() > self.columns.len() {
            self.columns = self.row.iter().map(|c| (c.x0, c.x1)).collect();
        }
        self.y = line.y;
        let text = text(&self.row);
        if self.open {
            self.header.push(text.clone());
            return Step::Begins(text, None);
        }
        Step::Begins(text, Some(self.header.join(" / ")))
    }

    /// The cells of a row of values, with empty ones where a column has none. A row without a label has that of the row above, if
    /// labels stand beside the first of their rows.
    fn placed(&mut self, cells: Vec<Cell>) -> Vec<Cell> {
        if let ([first, _, ..], Some(column)) = (cells.as_slice(), self.columns.first())
            && first.x1 < column.0
        {
            // A header leaves the column of labels free.
            self.columns.insert(0, (first.x0, first.x1));
        }
        let overlaps = |cell: &Cell, (x0, x1): (f32, f32)| cell.x0.max(x0) < cell.x1.min(x1);
        let column = |cell: &Cell| {
            let mut over = (0..self.columns.len()).filter(|at| overlaps(cell, self.columns[*at]));
            over.next().filter(|_| over.next().is_none())
        };
        let places: Option<Vec<usize>> = cells.iter().map(column).collect();
        let places = places.filter(|places| places.is_sorted_by(|a, b| a < b));
        let Some(places) = places.filter(|_| cells.len() > 1) else {
            return cells;
        };
        let labelled = places[0] == 0;
        let label = match self.between.take() {
            None if self.labels_lead => self.row.first().map(|above| above.text.clone()),
            between => between,
        };
        let empty = |(x0, x1): &(f32, f32)| Cell { x0: *x0, x1: *x1, text: String::new() };
        let mut row: Vec<Cell> = self.columns.iter().map(empty).collect();
        for (cell, at) in cells.into_iter().zip(places) {
            let column = &mut self.columns[at];
            *column = (column.0.min(cell.x0), column.1.max(cell.x1));
            row[at] = cell;
        }
        if let Some(label) = label.filter(|_| !labelled && row.len() > 2) {
            row[0].text = label;
        }
        row
    }

    /// The cells of a line with the label that begins on the line above it: the first word here had no room there, or the line above
    /// ends inside a phrase, or it has all of the label.
    fn label_above(&self, line: &Line, cells: &[Cell]) -> Option<Vec<Cell>> {
        const OPEN: &str = "a|an|and|at|by|due|for|from|in|of|on|or|per|than|the|to|with";
        let ([label], [first, second, ..]) = (self.row.as_slice(), cells) else {
            return None;
        };
        let close = line.y > self.y && line.y - self.y < 1.6 * line.size;
        if !close || self.open {
            return None;
        }
        if cells.iter().all(|c| is_value(&c.text)) && first.x0 > label.x1 {
            return Some([std::slice::from_ref(label), cells].concat());
        }
        let word = |word: Option<&str>| word.map_or(0, |w| w.chars().count() + 1) as f32;
        let width = (first.x1 - first.x0) / first.text.chars().count().max(1) as f32;
        let edge = self.columns.get(1).map_or(second.x0, |c| c.0.min(second.x0));
        let full = label.x1 + width * word(first.text.split(' ').next()) > edge - 2.0 * EDGE;
        let open = label.text.rsplit(' ').next().is_some_and(|last| OPEN.split('|').any(|word| word == last));
        let goes_on = (first.x0 - label.x0).abs() <= EDGE && first.text.starts_with(char::is_lowercase);
        (goes_on && (full || open || open_bracket(&label.text))).then(|| {
            let mut row = cells.to_vec();
            row[0].text = format!("{} {}", label.text, first.text);
            row[0].x1 = first.x1.max(label.x1);
            row
        })
    }

    /// The last row with the label on this line, which stands between it and the next.
    fn take_label(&mut self, line: &Line, cells: &[Cell]) -> Option<String> {
        const HALF: f32 = 0.9;
        let [label] = cells else { return None };
        let first = self.row.first_mut().filter(|first| first.text.is_empty())?;
        let gap = line.y - self.y;
        if !(0.0..=HALF * line.size).contains(&gap) || !in_column_of(label, first) {
            return None;
        }
        first.text.clone_from(&label.text);
        self.between = Some(label.text.clone());
        Some(text(&self.row))
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

/// Whether the labels of these rows stand beside the first of the rows that they name. Where they can also stand in the middle, as
/// many rows without a label being above each as below it, nothing is certain.
fn labels_lead(lines: &[Line]) -> bool {
    let rows: Vec<Vec<Cell>> = lines.iter().map(cells).collect();
    let Some(fullest) = rows.iter().max_by_key(|row| row.len()).filter(|row| row.len() > 2) else {
        return false;
    };
    let edge = fullest[1].x0 - EDGE;
    let is_data = |row: &&Vec<Cell>| row.len() > 1 && row.iter().any(|cell| is_value(&cell.text));
    let labelled: Vec<bool> = rows.iter().filter(is_data).map(|row| row[0].x0 < edge).collect();
    let mut rest = labelled.as_slice();
    while let Some(above) = rest.iter().position(|labelled| *labelled) {
        match rest.get(above + 1..2 * above + 1) {
            Some(below) if below.iter().all(|labelled| !labelled) => rest = &rest[2 * above + 1..],
            _ => return labelled[0],
        }
    }
    labelled.first() == Some(&true) && !rest.is_empty()
}

/// The cells of a line, which may be one.
fn cells(line: &Line) -> Vec<Cell> {
    if line.cells.is_empty() {
        return vec![Cell { x0: line.x0, x1: line.x1, text: line.text.clone() }];
    }
    line.cells.clone()
}

/// Whether a cell stands in the column of another.
fn in_column_of(cell: &Cell, above: &Cell) -> bool {
    (cell.x0 - above.x0).abs() <= EDGE || cell.x0.max(above.x0) < cell.x1.min(above.x1)
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && (text.starts_with("19") || text.starts_with("20"))
        && text.bytes().all(|b| b.is_ascii_digit())
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
    cells.iter().map(|c| c.text.replace('\u{AD}', "-")).collect::<Vec<_>>().join(" | ")
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
        let mut table = Table::of(lines);
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

    fn values(y: f32, cells: &[(&str, f32)]) -> Line {
        line(y, false, cells)
    }

    fn texts(lines: &[Line]) -> Vec<String> {
        read(lines).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn empty_cells_keep_their_columns() {
        let header = line(0.0, true, &[("Walk", 150.0), ("Swim", 200.0), ("Rest", 250.0)]);
        let rows = [
            header,
            values(20.0, &[("Falls", 50.0), ("4", 150.0), ("6", 250.0)]),
            values(40.0, &[("Colds", 50.0), ("11", 200.0)]),
            values(60.0, &[("Deaths", 50.0), ("1", 150.0), ("2", 200.0), ("3", 250.0)]),
        ];
        let want = ["Walk | Swim | Rest", "Falls | 4 |  | 6", "Colds |  | 11 | ", "Deaths | 1 | 2 | 3"];
        assert_eq!(texts(&rows), want);
    }

    #[test]
    fn a_label_of_two_lines_belongs_to_its_values() {
        let rows = [
            line(0.0, true, &[("Event", 50.0), ("Walk", 150.0), ("Rest", 250.0)]),
            values(20.0, &[("Adverse events, n", 50.0), ("22", 150.0), ("20", 250.0)]),
            values(40.0, &[("Withdrawn because of", 50.0)]),
            values(50.0, &[("adverse events, n", 50.0), ("13", 150.0), ("11", 250.0)]),
            values(70.0, &[("Deaths", 50.0)]),
            values(80.0, &[("7", 150.0), ("8", 250.0)]),
            values(100.0, &[("Cause", 50.0)]),
            values(110.0, &[("cancer", 54.0), ("2", 150.0), ("1", 250.0)]),
        ];
        let want = [
            "Event | Walk | Rest",
            "Adverse events, n | 22 | 20",
            "Withdrawn because of adverse events, n | 13 | 11",
            "Deaths | 7 | 8",
            "Cause",
            "cancer | 2 | 1",
        ];
        assert_eq!(texts(&rows), want);
    }

    #[test]
    fn a_label_names_all_of_its_rows() {
        let header = || line(0.0, true, &[("Event", 50.0), ("Arm", 150.0), ("n", 250.0)]);
        let leading = [
            header(),
            values(20.0, &[("Dropouts", 50.0), ("Walk", 150.0), ("22", 250.0)]),
            values(35.0, &[("Rest", 150.0), ("13", 250.0)]),
            values(50.0, &[("Deaths", 50.0), ("Walk", 150.0), ("1", 250.0)]),
        ];
        let want = ["Event | Arm | n", "Dropouts | Walk | 22", "Dropouts | Rest | 13", "Deaths | Walk | 1"];
        assert_eq!(texts(&leading), want);
        // One row, then three around their label: it may as well be that the label of the first goes on.
        let unclear = [
            header(),
            values(20.0, &[("Age", 50.0), ("Mean", 150.0), ("45", 250.0)]),
            values(35.0, &[("All", 150.0), ("90", 250.0)]),
            values(50.0, &[("Sex", 50.0), ("Men", 150.0), ("40", 250.0)]),
            values(65.0, &[("Women", 150.0), ("50", 250.0)]),
        ];
        let want = ["Event | Arm | n", "Age | Mean | 45", " | All | 90", "Sex | Men | 40", " | Women | 50"];
        assert_eq!(texts(&unclear), want);
        let centred = [
            header(),
            values(20.0, &[("Walk", 150.0), ("22", 250.0)]),
            values(27.0, &[("Dropouts", 50.0)]),
            values(34.0, &[("Rest", 150.0), ("13", 250.0)]),
            values(54.0, &[("Walk", 150.0), ("1", 250.0)]),
        ];
        let want = ["Event | Arm | n", "Dropouts | Walk | 22", "Dropouts | Rest | 13", " | Walk | 1"];
        assert_eq!(texts(&centred), want);
    }

    #[test]
    fn wrapped_cells_and_headers() {
        let rows = read(&[
            line(0.0, true, &[("Outcome", 50.0), ("Walk", 150.0), ("Difference", 250.0)]),
            line(10.0, true, &[("(95% CI)", 250.0)]),
            line(20.0, false, &[("Six-minute walk,", 50.0), ("512", 150.0), ("3.0", 250.0)]),
            line(30.0, false, &[("m", 50.0)]),
            line(40.0, false, &[("Women", 50.0)]),
            line(50.0, false, &[("VO2peak, mL/kg/", 50.0), ("22", 150.0), ("1.6", 250.0)]),
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
