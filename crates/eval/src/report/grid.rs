//! A table, before anyone decides how to draw it.

use super::escape;
use std::fmt::Write;

/// Headers and rows of cells, unescaped; every row has as many cells as there are headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Headers.
    pub headers: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table without rows.
    pub fn new<S: Into<String>>(headers: impl IntoIterator<Item = S>) -> Self {
        Self {
            headers: headers.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty, cells too many are joined to the last.
    pub fn push<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        let width = self.headers.len();
        while cells.len() > width.max(1) {
            let extra = cells.pop().unwrap_or_default();
            if let Some(last) = cells.last_mut() {
                last.push(' ');
                last.push_str(&extra);
            }
        }
        cells.resize(width, String::new());
        self.rows.push(cells);
    }

    /// As a Markdown table, every cell escaped.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let escaped: Vec<String> = cells.iter().map(|c| escape(c)).collect();
            format!("| {} |\n", escaped.join(" | "))
        };
        let mut out = line(&self.headers);
        out.push('|');
        out.push_str(&"---|".repeat(self.headers.len()));
        out.push('\n');
        for row in &self.rows {
            out.push_str(&line(row));
        }
        out
    }

    /// As plain text in columns, for terminals without a table library.
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let cells = std::iter::once(&self.headers).chain(&self.rows);
            cells
                .filter_map(|row| row.get(column))
                .map(|c| c.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.headers.len()).map(width).collect();
        let mut out = String::new();
        let mut line = |cells: &[String]| {
            let mut text = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                // Writing to a string cannot fail.
                let _ = write!(text, "{cell:<width$}  ");
            }
            out.push_str(text.trim_end());
            out.push('\n');
        };
        line(&self.headers);
        line(&widths.iter().map(|w| "-".repeat(*w)).collect::<Vec<_>>());
        for row in &self.rows {
            line(row);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_twice() {
        let mut grid = Grid::new(["Metric", "Mean"]);
        grid.push(["a|b", "0.5"]);
        grid.push(["short"]);
        grid.push(["x", "y", "z"]);
        assert_eq!(
            grid.markdown(),
            "| Metric | Mean |\n|---|---|\n| a\\|b | 0.5 |\n| short |  |\n| x | y z |\n"
        );
        assert_eq!(
            grid.text(),
            "Metric  Mean\n------  ----\na|b     0.5\nshort\nx       y z\n"
        );
    }
}
