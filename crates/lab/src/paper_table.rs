//! A table over papers in words: as a page, and as CSV.

use crate::report::page::Page;
use engine::per_paper::{Cell, PaperRow, PaperTable};
use types::csv::record;

/// What a cell says where no answer was found in the paper.
pub const NOT_FOUND: &str = "not found";

/// What is said of a number whose unit is not that of most papers.
pub const NOT_COMPARABLE: &str = "not comparable: another unit";

/// A row for each paper, which begins with its name.
pub fn wide(table: &PaperTable, papers: impl Iterator<Item = String>) -> Page {
    let mut page = Page::new();
    let names = table.columns.iter().map(|column| column.name.clone());
    let headers: Vec<String> = ["Paper".to_owned()].into_iter().chain(names).collect();
    let row = |(row, paper): (&PaperRow, String)| {
        let cells = row.cells.iter().map(said);
        [paper].into_iter().chain(cells).collect()
    };
    page.table(headers, table.papers.iter().zip(papers).map(row));
    page
}

/// A cell in words: the answer and its page.
pub fn said(cell: &Cell) -> String {
    let Cell::Stated { answer, value, unit, page, confidence, comparable, .. } = cell else {
        return empty(cell);
    };
    let page = page.map(|page| format!("p. {page}"));
    let doubt = (confidence == "low").then(|| "low confidence".to_owned());
    let other = (*comparable == Some(false)).then(|| NOT_COMPARABLE.to_owned());
    let notes: Vec<String> = page.into_iter().chain(doubt).chain(other).collect();
    let value = match (value, unit) {
        (Some(value), Some(unit)) => format!("{value} {unit}: "),
        (Some(value), None) => format!("{value}: "),
        (None, _) => String::new(),
    };
    format!("{value}{answer} ({})", notes.join("; "))
}

/// Why a cell has no answer.
fn empty(cell: &Cell) -> String {
    match cell {
        Cell::Failed { error } => format!("failed: {error}"),
        Cell::NotAsked {} => "not asked yet".to_owned(),
        _ => NOT_FOUND.to_owned(),
    }
}

/// A line for each paper; each question has columns for its answer, value, unit, whether the unit is that of most papers, page and confidence.
pub fn csv(table: &PaperTable) -> String {
    const PARTS: [&str; 5] = ["value", "unit", "comparable", "page", "confidence"];
    let mut header = ["source_id", "paper", "year"].map(str::to_owned).to_vec();
    for column in &table.columns {
        header.push(column.name.clone());
        header.extend(PARTS.map(|part| format!("{}: {part}", column.name)));
    }
    let line = |row: &PaperRow| {
        let source = &row.source;
        let mut cells = vec![
            row.source_id.to_string(),
            source.title.clone().unwrap_or_default(),
            source.year.map(|year| year.to_string()).unwrap_or_default(),
        ];
        for cell in &row.cells {
            cells.extend(match cell {
                Cell::Stated { answer, value, unit, page, confidence, comparable, .. } => [
                    answer.clone(),
                    value.clone().unwrap_or_default(),
                    unit.clone().unwrap_or_default(),
                    comparable.map_or("", |is| if is { "yes" } else { "no" }).to_owned(),
                    page.map(|page| page.to_string()).unwrap_or_default(),
                    confidence.clone(),
                ],
                _ => [&empty(cell), "", "", "", "", ""].map(str::to_owned),
            });
        }
        record(&cells)
    };
    let lines = [record(&header)].into_iter().chain(table.papers.iter().map(line));
    lines.map(|line| line + "\n").collect()
}
