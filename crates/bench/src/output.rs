//! Standard output, and how a command ends.

use crate::{args::Format, error::BenchError};
use serde_json::Value;
use std::io::{self, Write};

/// How a command that met no error ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// A negative result: nothing found, some files failed, or a check that did not pass.
    Negative,
}

/// Prints a result in the form asked for.
pub(crate) fn print(
    format: Format,
    json: &Value,
    text: impl FnOnce() -> String,
    markdown: impl FnOnce() -> String,
) -> Result<(), BenchError> {
    let mut out = match format {
        Format::Json => serde_json::to_string_pretty(json).map_err(io::Error::from)?,
        Format::Text => printable(&text()),
        Format::Markdown => printable(&markdown()),
    };
    if !out.ends_with('\n') {
        out.push('\n');
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(out.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Text from papers may hold terminal control sequences and marks that turn the direction of reading.
fn printable(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|&c| c == '\n' || !(c.is_control() || turns(c)))
        .collect()
}

/// A table: the first row is the header. `markdown` puts bars between cells.
pub(crate) fn table(rows: &[Vec<String>], markdown: bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], column: usize| -> String {
        let text = row.get(column).map_or("", String::as_str);
        if markdown {
            text.replace('|', "\\|")
        } else {
            text.to_owned()
        }
    };
    let width = |column: usize| {
        let widths = rows.iter().map(|row| cell(row, column).chars().count());
        widths.max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let (open, between, close) = if markdown {
        ("| ", " | ", " |")
    } else {
        ("", "  ", "")
    };
    let mut out = String::new();
    let mut line = |cells: Vec<String>| {
        let joined = format!("{open}{}{close}", cells.join(between));
        out.push_str(joined.trim_end());
        out.push('\n');
    };
    for (i, row) in rows.iter().enumerate() {
        let cells = widths
            .iter()
            .enumerate()
            .map(|(c, width)| format!("{:width$}", cell(row, c), width = *width));
        line(cells.collect());
        if i == 0 {
            line(widths.iter().map(|w| "-".repeat(*w)).collect());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up_and_bars_in_cells_are_escaped() {
        let rows = [
            vec!["a".to_owned(), "n".to_owned()],
            vec!["x|y".to_owned(), "10".to_owned()],
        ];
        assert_eq!(table(&rows, false), "a    n\n---  ---\nx|y  10\n");
        assert_eq!(
            table(&rows, true),
            "| a    | n   |\n| ---- | --- |\n| x\\|y | 10  |\n"
        );
        assert_eq!(table(&[], true), "");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\u{202e}b\n"), "a[2Jb\n");
    }
}
