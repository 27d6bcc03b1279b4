//! Standard output, and how a command ends.

use crate::{
    args::{Format, Global},
    clean::{clean, clean_json},
    document,
    page::{Page, Terminal},
};
use anyhow::Result;
use engine::bibliography::{Style, bibliography};
use serde::Serialize;
use std::io::{self, Write};
use types::{SourceMeta, written::marked};

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

impl Outcome {
    /// Done, if everything is well.
    pub(crate) fn of(well: bool) -> Self {
        if well { Self::Done } else { Self::Negative }
    }
}

/// Prints results on standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    format: Format,
    /// Whether text shows what is folded away.
    unfolded: bool,
}

impl Printer {
    /// A printer for these options.
    pub(crate) fn new(global: &Global) -> Self {
        Self { format: global.format, unfolded: global.verbose }
    }

    /// Prints the JSON document or the page; lines are broken on a terminal alone, so that other programs find them whole.
    pub(crate) fn listing(self, json: &impl Serialize, page: impl FnOnce() -> Page) -> Result<Outcome> {
        match self.format {
            Format::Json => self.json(json),
            _ => self.text(&page().text(self.terminal(terminal()))),
        }
    }

    /// Prints the JSON document, or the page as text of at most 120 columns or as Markdown.
    pub(crate) fn page(self, json: &impl Serialize, page: impl FnOnce() -> Page) -> Result<Outcome> {
        match self.format {
            Format::Json => self.json(json),
            Format::Markdown => self.text(&marked(&clean(page().markdown().trim_end()))),
            _ => {
                let columns = terminal().map_or(COLUMNS, |columns| columns.min(WIDEST));
                self.text(&page().text(self.terminal(Some(columns))))
            }
        }
    }

    /// Prints a document that has no page of its own: as JSON, or its values by name and its lists as tables. `without` names
    /// keys that only JSON has.
    pub(crate) fn document(self, json: &impl Serialize, without: &[&str]) -> Result<Outcome> {
        let value = serde_json::to_value(json)?;
        match self.format {
            Format::Markdown => self.page(&value, || document::page(&value, without)),
            _ => self.listing(&value, || document::page(&value, without)),
        }
    }

    fn terminal(self, width: Option<usize>) -> Terminal {
        Terminal { width, styled: styled(), unfolded: self.unfolded }
    }

    /// As [`Self::page`], with another page as Markdown.
    pub(crate) fn page_or_markdown(
        self,
        json: &impl Serialize,
        page: impl FnOnce() -> Page,
        markdown: impl FnOnce() -> Page,
    ) -> Result<Outcome> {
        match self.format {
            Format::Markdown => self.page(json, markdown),
            _ => self.page(json, page),
        }
    }

    /// Whether results are printed as text for people.
    pub(crate) fn is_text(self) -> bool {
        self.format == Format::Text
    }

    /// The format of a reference manager in which papers are printed, if one was asked for.
    pub(crate) fn style(self) -> Option<Style> {
        self.format.style()
    }

    /// Prints papers for a reference manager.
    pub(crate) fn papers<'m>(
        self,
        papers: impl IntoIterator<Item = &'m SourceMeta>,
        style: Style,
    ) -> Result<Outcome> {
        self.export(&bibliography(papers, style), style == Style::Csl)?;
        Ok(Outcome::Done)
    }

    /// Whether results are printed as JSON.
    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Whether results are printed as Markdown.
    pub(crate) fn is_markdown(self) -> bool {
        self.format == Format::Markdown
    }

    /// Prints an export: what a terminal might obey is escaped in JSON, and replaced elsewhere.
    pub(crate) fn export(self, text: &str, is_json: bool) -> io::Result<()> {
        self.raw(&if is_json { clean_json(text) } else { clean(text) })
    }

    fn json(self, document: &impl Serialize) -> Result<Outcome> {
        // As a value first: numbers are printed in one way, whatever type holds them.
        let document = serde_json::to_value(document)?;
        self.text(&(clean_json(&serde_json::to_string_pretty(&document)?).into_owned() + "\n"))
    }

    /// Prints the text, with which the command is done.
    pub(crate) fn text(self, text: &str) -> Result<Outcome> {
        self.raw(text)?;
        Ok(Outcome::Done)
    }

    /// Prints text as it is, whatever the format.
    #[expect(clippy::unused_self, reason = "all output goes through the printer")]
    pub(crate) fn raw(self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }
}

/// Columns of the terminal; `None` where standard output is none.
fn terminal() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0).max(NARROWEST))
}

/// Whether text may be bold or dim: in a terminal, unless `NO_COLOR` or the options say otherwise.
fn styled() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
