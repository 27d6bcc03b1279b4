//! Tables as rows of cells, each with the header above it.

use super::inline::text_of;
use super::tree::{Element, Tree};
use std::rc::Rc;
use text::Pattern;

/// Cells wider or taller are cut to this: a span is a number in a file that may say anything.
const MAX_SPAN: usize = 100;
/// Columns beyond are put together in the last.
const MAX_COLUMNS: usize = 500;
/// Rows of a header beyond are not read.
const MAX_HEAD: usize = 20;

/// A table of HTML, as converters write them into Markdown: its rows, the header first. `None` if it is not well formed.
pub(in crate::inputs) fn of_html(html: &str) -> Option<Vec<String>> {
    static BREAKS: Pattern = Pattern::new(r"(?i)<(br|hr|img|col)\b[^<>]*>");
    static BARE: Pattern = Pattern::new(r"(?i)\b(rowspan|colspan)=(\d+)");
    let html = BREAKS.replace_all(html, " ");
    let tree = Tree::parse(&BARE.replace_all(&html, "$1=\"$2\"")).ok()?;
    let mut rows = Vec::new();
    rows_of(tree.root(), true, &mut |_, row| {
        rows.push(row.to_owned());
        true
    });
    Some(rows)
}

/// Reads a `<table>` and hands on its header and each row with the header above it, until `on` says `false`. The header, one
/// text a column, is `<thead>`; without one, a first row of nothing but `<th>`.
pub(super) fn read(table: Element<'_>, on: &mut dyn FnMut(Option<&str>, &str) -> bool) {
    rows_of(table, false, on);
}

/// The same; with `titled`, a first row that no markup calls a header is one, with the rows that its cells span.
fn rows_of(table: Element<'_>, titled: bool, on: &mut dyn FnMut(Option<&str>, &str) -> bool) {
    let mut head: Vec<Element<'_>> = table.all("thead").flat_map(|h| h.all("tr")).collect();
    let mut body: Vec<Element<'_>> = table.all("tr").collect();
    body.extend(table.all("tbody").flat_map(|b| b.all("tr")));
    body.extend(table.all("tfoot").flat_map(|f| f.all("tr")));
    let only_headers = |row: &Element<'_>| {
        let mut cells = row.elements().peekable();
        cells.peek().is_some() && cells.all(|c| c.name() == "th")
    };
    if head.is_empty() && body.len() > 1 && body.first().is_some_and(only_headers) {
        head.push(body.remove(0));
    }
    if titled && head.is_empty() {
        let spans = |row: &Element<'_>| row.elements().map(|cell| span(cell, "rowspan")).max();
        let tall = body.first().and_then(spans).unwrap_or_default().min(body.len().saturating_sub(1));
        head = body.drain(..tall).collect();
    }
    head.truncate(MAX_HEAD);
    let mut grid = Grid::default();
    let head: Vec<Vec<Cell>> = head.into_iter().map(|row| grid.next(row)).collect();
    let header = columns(&head);
    let header = (!header.is_empty()).then(|| header.join(" | "));
    if let Some(header) = &header
        && !body.is_empty()
        && !on(None, header.trim())
    {
        return;
    }
    let mut grid = Grid::default();
    for row in body {
        if let Some(line) = line(&grid.next(row))
            && !on(header.as_deref(), &line)
        {
            return;
        }
    }
}

/// A cell at its place; the text stands where the cell begins, and whether it goes on to the right.
#[derive(Debug, Clone, Default)]
struct Cell {
    text: Rc<str>,
    continued: bool,
}

/// Rows with cells at their columns. A cell that spans rows stands in each of them, since each row is read alone;
/// one that spans columns stands in the first and is marked in the others.
#[derive(Debug, Default)]
struct Grid {
    /// What hangs down from rows above, by column: rows left, and the cell.
    hanging: Vec<(usize, Cell)>,
}

impl Grid {
    fn next(&mut self, row: Element<'_>) -> Vec<Cell> {
        let mut line: Vec<Cell> = Vec::new();
        let mut rest = String::new();
        for el in row.elements().filter(|e| matches!(e.name(), "td" | "th")) {
            self.add_spanning_cells(&mut line);
            let text = text_of(el);
            if line.len() >= MAX_COLUMNS {
                if !text.is_empty() {
                    rest.push(' ');
                    rest.push_str(&text);
                }
                continue;
            }
            let down = span(el, "rowspan") - 1;
            let text: Rc<str> = text.into();
            for i in 0..span(el, "colspan") {
                let cell =
                    Cell { text: if i == 0 { Rc::clone(&text) } else { Rc::default() }, continued: i > 0 };
                if self.hanging.len() <= line.len() {
                    self.hanging.resize(line.len() + 1, (0, Cell::default()));
                }
                if let Some(slot) = self.hanging.get_mut(line.len()) {
                    *slot = (down, cell.clone());
                }
                line.push(cell);
            }
        }
        self.add_spanning_cells(&mut line);
        if let Some(last) = line.last_mut().filter(|_| !rest.is_empty()) {
            last.text = format!("{}{rest}", last.text).into();
        }
        line
    }

    /// Adds the cells that span rows from above, up to the first free column.
    fn add_spanning_cells(&mut self, line: &mut Vec<Cell>) {
        while let Some((left, cell)) = self.hanging.get_mut(line.len())
            && *left > 0
        {
            *left -= 1;
            line.push(cell.clone());
        }
    }
}

/// How many rows or columns a cell takes.
fn span(cell: Element<'_>, name: &str) -> usize {
    let given = cell.attribute(name).and_then(|n| n.trim().parse::<usize>().ok());
    given.unwrap_or(1).clamp(1, MAX_SPAN)
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
    let cells: Vec<&str> = row.iter().filter(|c| !c.continued).map(|c| c.text.as_ref()).collect();
    Some(cells.join(" | ").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(xml: &str) -> (Option<String>, Vec<String>) {
        let tree = Tree::parse(&format!("<table>{xml}</table>")).expect("a tree");
        let (mut header, mut rows) = (None, Vec::new());
        read(tree.root(), &mut |above, row| {
            header = above.map(str::to_owned);
            rows.push(row.to_owned());
            true
        });
        (header, rows)
    }

    #[test]
    fn rows_carry_what_spans_them() {
        let check = |xml: &str, header: Option<&str>, rows: &[&str]| {
            let (got, lines) = read_all(xml);
            assert_eq!(got.as_deref(), header, "{xml}");
            assert_eq!(lines, rows, "{xml}");
        };
        check(
            "<thead><tr><th rowspan='2'>Group</th><th colspan='2'>VO2</th></tr><tr><th>before</th><th>after</th></tr></thead>\
             <tbody><tr><td rowspan='2'>A</td><td>1</td><td>2</td></tr><tr><td>3</td><td/></tr><tr><td colspan='3'>Women</td></tr>\
             <tr><td/><td/></tr></tbody>",
            Some("Group | VO2 before | VO2 after"),
            &["Group | VO2 before | VO2 after", "A | 1 | 2", "A | 3 |", "Women"],
        );
        check(
            "<tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>",
            Some("a | b"),
            &["a | b", "1 | 2"],
        );
        check("<tr><td>1</td></tr>", None, &["1"]);
        check("", None, &[]);
        check(
            "<thead><tr><th colspan='99999999999'>x</th></tr></thead><tr><td rowspan='4294967295'>1</td></tr><tr/>",
            Some(&vec!["x"; MAX_SPAN].join(" | ")),
            &[&vec!["x"; MAX_SPAN].join(" | "), "1", "1"],
        );
        let many = "<td>1</td>".repeat(MAX_COLUMNS + 3);
        let (_, lines) = read_all(&format!("<tr>{many}</tr>"));
        assert!(lines[0].ends_with("1 | 1 1 1 1"));
    }
}
