//! A document that is shown as text or as Markdown: headings, lines, quotes and tables.

use crate::markdown::escape;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Columns of a text where it can be broken.
const WIDTH: usize = 100;
/// The fewest columns of a text that begins far to the right.
const NARROWEST: usize = 30;

enum Part {
    Heading(String),
    Line(String),
    Item(String),
    Quote(String),
    Table(Vec<String>, Vec<Vec<String>>),
}

/// Parts in order. Text is given as it is: [`Sheet::markdown`] escapes it, and whoever prints the text cleans it.
#[derive(Default)]
pub(crate) struct Sheet(Vec<Part>);

impl Sheet {
    /// Adds a heading.
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        self.0.push(Part::Heading(text.into()));
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: impl Into<String>) {
        self.0.push(Part::Line(text.into()));
    }

    /// Adds an item of a list.
    pub(crate) fn item(&mut self, text: impl Into<String>) {
        self.0.push(Part::Item(text.into()));
    }

    /// Adds what a paper, a person or a model wrote; its paragraphs stay.
    pub(crate) fn quote(&mut self, text: impl Into<String>) {
        self.0.push(Part::Quote(text.into()));
    }

    /// Adds a table; every row has as many cells as there are headers. Only the last column may have long texts.
    pub(crate) fn table(&mut self, headers: &[&str], rows: Vec<Vec<String>>) {
        let headers = headers.iter().map(|header| (*header).to_owned()).collect();
        self.0.push(Part::Table(headers, rows));
    }

    /// For a terminal: lines of at most 100 columns where words allow it; a table may be wider.
    // Writing to a string cannot fail: the results of `writeln!` are dropped.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Heading(text) => {
                    let gap = if out.is_empty() { "" } else { "\n" };
                    let _ = writeln!(out, "{gap}{}", flat(text));
                }
                Part::Line(text) => wrapped(&mut out, "", "  ", &flat(text)),
                Part::Item(text) => wrapped(&mut out, "- ", "  ", &flat(text)),
                Part::Quote(text) => {
                    for line in text.lines().filter(|line| !line.trim().is_empty()) {
                        wrapped(&mut out, "  ", "  ", &flat(line));
                    }
                }
                Part::Table(headers, rows) => table(&mut out, headers, rows),
            }
        }
        out
    }

    /// As Markdown, every text escaped.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        let mut in_list = false;
        for part in &self.0 {
            let item = matches!(part, Part::Item(_));
            let goes_on = item && in_list;
            if !out.is_empty() && !goes_on {
                out.push('\n');
            }
            in_list = item;
            match part {
                Part::Heading(text) => {
                    let _ = writeln!(out, "## {}", escape(text));
                }
                Part::Line(text) => {
                    let _ = writeln!(out, "{}", escape(text));
                }
                Part::Item(text) => {
                    let _ = writeln!(out, "- {}", escape(text));
                }
                Part::Quote(text) => {
                    let lines = text.lines().filter(|line| !line.trim().is_empty());
                    let quoted: Vec<String> = lines.map(|line| format!("> {}\n", escape(line))).collect();
                    out.push_str(&quoted.join(">\n"));
                }
                Part::Table(headers, rows) => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    out.push_str(&line(headers));
                    let _ = writeln!(out, "|{}", "---|".repeat(headers.len()));
                    for row in rows {
                        out.push_str(&line(row));
                    }
                }
            }
        }
        out
    }
}

/// A text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wrapped(out: &mut String, first: &str, rest: &str, text: &str) {
    let most = WIDTH.max(rest.width() + NARROWEST);
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && line.width() + 1 + word.width() > most {
            let _ = writeln!(out, "{line}");
            rest.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Columns as wide as their widest cell. The last one is not filled up, and is wrapped at words where the row would be too
/// wide.
fn table(out: &mut String, headers: &[String], rows: &[Vec<String>]) {
    let lines: Vec<Vec<String>> = std::iter::once(headers.to_vec())
        .chain(rows.iter().cloned())
        .map(|cells| cells.iter().map(|cell| flat(cell)).collect())
        .collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|cells| cells.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let before = headers.len().saturating_sub(1);
    let widths: Vec<usize> = (0..before).map(width).collect();
    let indent = " ".repeat(widths.iter().map(|width| width + 2).sum());
    for cells in &lines {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        let last = cells.get(before).map(String::as_str).unwrap_or_default();
        wrapped(out, &line, &indent, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::default();
        sheet.heading("Run *a*");
        sheet.line("word ".repeat(30));
        sheet.item("one | two");
        sheet.item("three");
        sheet.quote("First <b>line</b>\n\n# second");
        sheet.table(&["a", "b"], vec![vec!["x|y".to_owned(), "1\n2".to_owned()]]);
        sheet
    }

    #[test]
    fn text_is_wrapped_and_columns_line_up() {
        let text = sheet().text();
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(
            text.ends_with("- one | two\n- three\n  First <b>line</b>\n  # second\na    b\nx|y  1 2\n"),
            "{text}"
        );
    }

    #[test]
    fn markdown_is_escaped() {
        let text = sheet().markdown();
        assert!(text.starts_with("## Run \\*a\\*\n\n"), "{text}");
        assert!(
            text.ends_with(
                "- one \\| two\n- three\n\n> First \\<b>line\\</b>\n>\n> \\# second\n\n| a | b |\n|---|---|\n| x\\|y | 1 2 |\n"
            ),
            "{text}"
        );
    }
}
