//! Tables as rows of cells, each with the header above it.

use super::inline::text_of;
use super::tree::El;

/// Cells wider or taller are cut to this: a span is a number in a file that may say anything.
const MAX_SPAN: usize = 100;
/// Columns beyond are put together in the last.
const MAX_COLUMNS: usize = 500;

/// A table as text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// The header: one text a column, joined.
    pub(super) header: Option<String>,
    /// The rows below it, cells joined.
    pub(super) rows: Vec<String>,
}

/// Reads a `<table>`. The header is `<thead>`; without one, a first row of nothing but `<th>`.
pub(super) fn read(table: El<'_>) -> Rows {
    let mut head: Vec<El<'_>> = table.all("thead").flat_map(|h| h.all("tr")).collect();
    let mut body: Vec<El<'_>> = table.all("tr").collect();
    body.extend(table.all("tbody").flat_map(|b| b.all("tr")));
    body.extend(table.all("tfoot").flat_map(|f| f.all("tr")));
    let only_headers = |row: &El<'_>| {
        let mut cells = row.elements().peekable();
        cells.peek().is_some() && cells.all(|c| c.name() == "th")
    };
    if head.is_empty() && body.len() > 1 && body.first().is_some_and(only_headers) {
        head.push(body.remove(0));
    }
    let header = columns(&grid(&head));
    let rows = grid(&body).iter().filter_map(|row| line(row)).collect();
    Rows {
        header: (!header.is_empty()).then(|| header.join(" | ")),
        rows,
    }
}

/// A cell at its place; the text stands where the cell begins, and whether it goes on to the right.
#[derive(Debug, Clone, Default)]
struct Cell {
    text: String,
    continued: bool,
}

/// Rows with cells at their columns. A cell that spans rows stands in each of them, since each row is read alone;
/// one that spans columns stands in the first and is marked in the others.
fn grid(rows: &[El<'_>]) -> Vec<Vec<Cell>> {
    // What hangs down from rows above, by column: rows left, and the cell.
    let mut hanging: Vec<(usize, Cell)> = Vec::new();
    let mut out = Vec::with_capacity(rows.len());
    for row in rows {
        let mut line: Vec<Cell> = Vec::new();
        let hang = |line: &mut Vec<Cell>, hanging: &mut Vec<(usize, Cell)>| {
            while let Some((left, cell)) = hanging.get_mut(line.len())
                && *left > 0
            {
                *left -= 1;
                line.push(cell.clone());
            }
        };
        for el in row.elements().filter(|e| matches!(e.name(), "td" | "th")) {
            hang(&mut line, &mut hanging);
            if line.len() >= MAX_COLUMNS {
                if let Some(last) = line.last_mut() {
                    last.text.push(' ');
                    last.text.push_str(&text_of(el));
                }
                continue;
            }
            let span = |name: &str| {
                let given = el.attribute(name).and_then(|n| n.trim().parse::<usize>().ok());
                given.unwrap_or(1).clamp(1, MAX_SPAN)
            };
            let down = span("rowspan") - 1;
            for i in 0..span("colspan") {
                let cell = Cell {
                    text: if i == 0 { text_of(el) } else { String::new() },
                    continued: i > 0,
                };
                if hanging.len() <= line.len() {
                    hanging.resize(line.len() + 1, (0, Cell::default()));
                }
                if let Some(slot) = hanging.get_mut(line.len()) {
                    *slot = (down, cell.clone());
                }
                line.push(cell);
            }
        }
        hang(&mut line, &mut hanging);
        out.push(line);
    }
    out
}

/// What each column is called: the texts of its header cells, from the top down, without repetitions.
fn columns(head: &[Vec<Cell>]) -> Vec<String> {
    let width = head.iter().map(Vec::len).max().unwrap_or_default();
    let mut out: Vec<String> = vec![String::new(); width];
    for row in head {
        let mut above = "";
        for (column, cell) in out.iter_mut().zip(row) {
            if !cell.continued {
                above = &cell.text;
            }
            if !above.is_empty() && !column.ends_with(above) {
                if !column.is_empty() {
                    column.push(' ');
                }
                column.push_str(above);
            }
        }
    }
    if out.iter().all(String::is_empty) {
        out.clear();
    }
    out
}

/// A row as one line, or nothing when all cells are empty.
fn line(row: &[Cell]) -> Option<String> {
    if row.iter().all(|c| c.text.is_empty()) {
        return None;
    }
    // A cell across the whole row is a title inside the table.
    let cells: Vec<&str> = row
        .iter()
        .filter(|c| !c.continued)
        .map(|c| c.text.as_str())
        .collect();
    Some(cells.join(" | ").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn rows_carry_what_spans_them() {
        let check = |xml: &str, header: Option<&str>, rows: &[&str]| {
            let tree = Tree::parse(&format!("<table>{xml}</table>")).expect("a tree");
            let got = read(tree.root());
            assert_eq!(got.header.as_deref(), header, "{xml}");
            assert_eq!(got.rows, rows, "{xml}");
        };
        check(
            "<thead><tr><th rowspan='2'>Group</th><th colspan='2'>VO2</th></tr><tr><th>before</th><th>after</th></tr></thead>\
             <tbody><tr><td rowspan='2'>A</td><td>1</td><td>2</td></tr><tr><td>3</td><td/></tr><tr><td colspan='3'>Women</td></tr>\
             <tr><td/><td/></tr></tbody>",
            Some("Group | VO2 before | VO2 after"),
            &["A | 1 | 2", "A | 3 |", "Women"],
        );
        check(
            "<tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>",
            Some("a | b"),
            &["1 | 2"],
        );
        check("<tr><td>1</td></tr>", None, &["1"]);
        check("", None, &[]);
        check(
            "<thead><tr><th colspan='99999999999'>x</th></tr></thead><tr><td rowspan='4294967295'>1</td></tr><tr/>",
            Some(&vec!["x"; MAX_SPAN].join(" | ")),
            &["1", "1"],
        );
        let many = "<td>1</td>".repeat(MAX_COLUMNS + 3);
        let tree = Tree::parse(&format!("<table><tr>{many}</tr></table>")).expect("a tree");
        assert!(read(tree.root()).rows[0].ends_with("1 | 1 1 1 1"));
    }
}
