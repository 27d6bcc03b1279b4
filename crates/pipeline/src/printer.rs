//! Standard output, and how a command ends.

use crate::{
    args::{Format, Global},
    clean::{clean, clean_json},
    page::Page,
};
use serde::Serialize;
use std::io::{self, Write};
use types::written::marked;

/// Columns of text where standard output is no terminal.
const COLUMNS: usize = 100;

/// The fewest and the most columns that text is wrapped at, whatever the terminal has.
const NARROWEST: usize = 40;
const WIDEST: usize = 120;

/// How a command that met no error ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// A negative result: nothing found, some files failed, or a check that did not pass.
    Negative,
}

/// Prints results on standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    format: Format,
}

impl Printer {
    /// A printer for these options.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            format: global.format,
        }
    }

    /// Prints the JSON document, or the text made by `text`.
    pub(crate) fn result(self, json: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(json),
            _ => self.raw(&ended(&clean(&text()))),
        }
    }

    /// Prints the JSON document, the page, or Markdown.
    pub(crate) fn page(
        self,
        json: &impl Serialize,
        page: impl FnOnce() -> Page,
        markdown: impl FnOnce() -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(json),
            Format::Markdown => self.raw(&marked(&clean(&markdown()))),
            _ => self.raw(&page().render(columns(), styled())),
        }
    }

    /// Prints the JSON document, text, or Markdown.
    pub(crate) fn text_or_markdown(
        self,
        json: &impl Serialize,
        text: impl FnOnce() -> String,
        markdown: impl FnOnce() -> String,
    ) -> io::Result<()> {
        match self.format {
            Format::Markdown => self.raw(&marked(&clean(&markdown()))),
            _ => self.result(json, text),
        }
    }

    /// Whether results are printed as text for people.
    pub(crate) fn is_text(self) -> bool {
        self.format == Format::Text
    }

    /// Prints an export: what a terminal might obey is escaped in JSON, and replaced elsewhere.
    pub(crate) fn export(self, text: &str, is_json: bool) -> io::Result<()> {
        self.raw(&if is_json { clean_json(text) } else { clean(text) })
    }

    fn json(self, document: &impl Serialize) -> io::Result<()> {
        // As a value first: numbers are printed in one way, whatever type holds them.
        let document = serde_json::to_value(document)?;
        self.raw(&ended(&clean_json(&serde_json::to_string_pretty(&document)?)))
    }

    /// Prints text as it is, whatever the format.
    #[expect(clippy::unused_self, reason = "all output goes through the printer")]
    pub(crate) fn raw(self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }
}

/// The text with a line feed at its end.
fn ended(text: &str) -> String {
    let mut out = text.to_owned();
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Columns that text may take.
pub(crate) fn columns() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout());
    terminal.map_or(COLUMNS, |(width, _)| {
        usize::from(width.0).clamp(NARROWEST, WIDEST)
    })
}

/// Whether text may be bold or dim: in a terminal, unless `NO_COLOR` or the options say otherwise.
fn styled() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
