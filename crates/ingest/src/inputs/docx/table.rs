//! Tables of a document: cells that go over columns (`gridSpan`) and over rows (`vMerge`).

use super::super::jats::tree::Element;
use super::Walk;
use super::styles::{is_on, value};
use crate::ParseError;

/// Columns that a cell takes at most.
const MAX_SPAN: usize = 100;

/// A cell at its place.
struct Cell<'t> {
    el: Element<'t>,
    column: usize,
    columns: usize,
    /// Whether it continues the cell above it.
    goes_on: bool,
}

impl<'t> Walk<'t> {
    /// Adds a table. Its header is the rows that repeat on each page, else the first row with those that its cells go over.
    pub(super) fn table(&mut self, table: Element<'t>) -> Result<(), ParseError> {
        let rows = rows(table);
        let cells: Vec<Vec<Cell<'t>>> = rows.iter().map(|row| cells(*row)).collect();
        if let [row] = &cells[..]
            && let [cell] = &row[..]
        {
            // A frame around text.
            return self.blocks(cell.el);
        }
        let repeats = |row: &&Element<'_>| row.child("w:trPr").is_some_and(|of| is_on(of, "w:tblHeader"));
        let repeated = rows.iter().take_while(repeats).count();
        let first = || cells.first()?.iter().map(|cell| height(&cells, 0, cell)).max();
        let head = if repeated > 0 { repeated } else { first().unwrap_or(0) };
        // A table of nothing but its header has none.
        let head = if head < rows.len() { head } else { 0 };
        self.article.open("table-wrap")?;
        self.article.open("table")?;
        for (at, row) in cells.iter().enumerate() {
            if at == 0 || at == head {
                if at > 0 {
                    self.article.close();
                }
                self.article.open(if at < head { "thead" } else { "tbody" })?;
            }
            self.article.open("tr")?;
            for cell in row {
                let above = || at > 0 && find(&cells[at - 1], cell.column).is_some();
                if cell.goes_on && above() {
                    continue;
                }
                self.article.open("td")?;
                self.article.attribute("colspan", &cell.columns.to_string());
                self.article.attribute("rowspan", &height(&cells, at, cell).to_string());
                self.cell(cell.el)?;
                self.article.close();
            }
            self.article.close();
        }
        let open = 2 + usize::from(!cells.is_empty());
        (0..open).for_each(|_| self.article.close());
        Ok(())
    }

    /// Adds the text of a cell; that of tables in it too.
    fn cell(&mut self, el: Element<'t>) -> Result<(), ParseError> {
        for inside in el.elements() {
            match inside.name() {
                "w:p" => self.put(inside, &["p"])?,
                "w:tbl" | "w:tr" | "w:tc" | "w:sdt" | "w:sdtContent" | "w:ins" | "w:moveTo" => {
                    self.cell(inside)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The rows of a table that are not deleted.
fn rows(el: Element<'_>) -> Vec<Element<'_>> {
    let mut all = Vec::new();
    for inside in el.elements() {
        match inside.name() {
            "w:tr" if inside.path(&["w:trPr", "w:del"]).is_none() => all.push(inside),
            "w:sdt" | "w:sdtContent" | "w:ins" | "w:customXml" => all.extend(rows(inside)),
            _ => {}
        }
    }
    all
}

fn cells(row: Element<'_>) -> Vec<Cell<'_>> {
    let number = |properties: Option<Element<'_>>, name: &str| {
        value(properties, name).and_then(|number| number.parse::<usize>().ok()).unwrap_or(0).min(MAX_SPAN)
    };
    let mut column = number(row.child("w:trPr"), "w:gridBefore");
    let wrapped = row.all("w:sdt").filter_map(|sdt| sdt.child("w:sdtContent")).flat_map(|of| of.all("w:tc"));
    let mut all = Vec::new();
    for el in row.all("w:tc").chain(wrapped) {
        let properties = el.child("w:tcPr");
        let columns = number(properties, "w:gridSpan").max(1);
        let merged = properties.and_then(|of| of.child("w:vMerge"));
        let goes_on = merged.is_some_and(|of| of.attribute("w:val") != Some("restart"));
        all.push(Cell { el, column, columns, goes_on });
        column += columns;
    }
    all
}

fn find<'c, 't>(row: &'c [Cell<'t>], column: usize) -> Option<&'c Cell<'t>> {
    row.binary_search_by_key(&column, |cell| cell.column).ok().map(|at| &row[at])
}

/// How many rows a cell goes over.
fn height(rows: &[Vec<Cell<'_>>], at: usize, cell: &Cell<'_>) -> usize {
    let below = rows[at + 1..].iter();
    1 + below.take_while(|row| find(row, cell.column).is_some_and(|below| below.goes_on)).count()
}
