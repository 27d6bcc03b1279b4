//! What a command shows people: blocks, which are printed on a terminal or as Markdown.
//!
//! Text is given as it is. The two renderers clean and escape it, so that no text of a paper can bring markup or steer
//! the terminal.

pub(crate) mod escape;
mod markdown;
mod text;

use crate::words::{LINES, count, number};
use std::fmt::Display;

/// How a part of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Plain,
    /// Bold on a terminal.
    Strong,
    /// Dim on a terminal.
    Dim,
    /// Bold on a terminal and in Markdown.
    Bold,
    /// Italic in Markdown.
    Italic,
    /// Words of a paper: between quotation marks on a terminal.
    Quoted,
    /// An address: never broken.
    Address,
    /// The number of a source, without a gap to what stands before it.
    Mark,
}

/// Where a place is found: as a path, and as an address of Markdown.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) address: String,
}

/// A line, as long as its text; printing wraps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// Text that leads to a place, before all other text.
    link: Option<(String, Option<Target>)>,
    spans: Vec<(String, Tone)>,
}

impl Line {
    /// An empty line.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line that begins with the name of a place, if it is known where that is found as a link.
    pub(crate) fn link(text: impl Into<String>, target: Option<Target>) -> Self {
        Self {
            link: Some((text.into(), target)),
            spans: Vec::new(),
        }
    }

    /// Adds text.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Plain)
    }

    /// Adds text that stands out on a terminal.
    pub(crate) fn strong(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Strong)
    }

    /// Adds text that stands back on a terminal.
    pub(crate) fn dim(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Dim)
    }

    /// Adds text that stands out everywhere.
    pub(crate) fn bold(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Bold)
    }

    /// Adds text that is italic in Markdown.
    pub(crate) fn italic(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Italic)
    }

    /// Adds the words of a paper.
    pub(crate) fn quoted(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Quoted)
    }

    /// Adds an address.
    pub(crate) fn address(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Address)
    }

    /// Adds the number of a source.
    pub(crate) fn mark(self, number: usize) -> Self {
        self.span(format!("[{number}]"), Tone::Mark)
    }

    fn span(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.spans.push((text.into(), tone));
        self
    }

    fn is_empty(&self) -> bool {
        self.link.is_none() && self.spans.iter().all(|(text, _)| text.trim().is_empty())
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

/// A table of items, the last block of a page, that gets its columns.
pub(crate) struct Rows<'p, T> {
    page: &'p mut Page,
    items: Vec<T>,
}

impl<T> Rows<'_, T> {
    /// Adds a column: its header, and what it says of an item; it is left out if it says nothing of any.
    pub(crate) fn column(self, header: impl Into<String>, cell: impl Fn(&T) -> String) -> Self {
        let cells: Vec<String> = self.items.iter().map(cell).collect();
        let says_something = cells.is_empty() || cells.iter().any(|cell| !cell.is_empty());
        if let (true, Some(Block::Table(headers, rows))) = (says_something, self.page.0.last_mut()) {
            headers.push(header.into());
            rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
        }
        self
    }
}

/// A part of a page.
#[derive(Clone, Debug)]
enum Block {
    /// The title of a document; a terminal, where the command was typed, does not show it.
    Title(Line),
    Heading(Line),
    /// A paragraph of one line.
    Line(Line),
    /// An item of a list.
    Item(Line),
    /// An entry of a numbered list; on a terminal its number stands in brackets if other text refers to it.
    Entry(usize, bool, Line),
    /// A line below an entry.
    Below(Line),
    /// A line below an entry that only a terminal shows.
    Aside(Line),
    /// What a paper, a person or a model wrote.
    Quote(Line),
    /// A name and what is said of it.
    Fact(String, Line),
    /// Headers and rows.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Text that has its own lines.
    Code(String),
    /// An empty line on a terminal.
    Gap,
}

/// Blocks in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page(Vec<Block>);

impl From<String> for Page {
    /// A page of text that has its own lines.
    fn from(text: String) -> Self {
        Self(vec![Block::Code(text)])
    }
}

impl Page {
    /// A page without blocks.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the title of a document, which a terminal does not show.
    pub(crate) fn title(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Title(text.into()));
    }

    /// Adds a heading.
    pub(crate) fn heading(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Heading(text.into()));
    }

    /// Adds a line; in Markdown a paragraph.
    pub(crate) fn line(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Line(text.into()));
    }

    /// Adds "3 rows" and what is said of them, unless there are none.
    pub(crate) fn tally(&mut self, number: impl TryInto<u64>, noun: &str, text: impl Display) {
        let number = number.try_into().unwrap_or(u64::MAX);
        if number > 0 {
            self.line(format!("{} {text}", count(number, noun)));
        }
    }

    /// Adds an item of a list.
    pub(crate) fn item(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Item(text.into()));
    }

    /// Adds an entry of a numbered list.
    pub(crate) fn entry(&mut self, number: usize, text: impl Into<Line>) {
        self.0.push(Block::Entry(number, false, text.into()));
    }

    /// Adds a source, which marks refer to by its number.
    pub(crate) fn source(&mut self, number: usize, text: impl Into<Line>) {
        self.0.push(Block::Entry(number, true, text.into()));
    }

    /// Adds a line below an entry.
    pub(crate) fn below(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Below(text.into()));
    }

    /// Adds a line below an entry that only a terminal shows.
    pub(crate) fn aside(&mut self, text: impl Into<String>) {
        self.0.push(Block::Aside(Line::new().dim(text)));
    }

    /// Adds what a paper, a person or a model wrote, below an entry or by itself; each line of it is a paragraph.
    pub(crate) fn quote(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.quote_line(line);
        }
    }

    /// Adds a line of a quote.
    pub(crate) fn quote_line(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Quote(line.into()));
    }

    /// Adds a name and what is said of it, if anything is; facts that follow each other make two columns.
    pub(crate) fn fact(&mut self, name: impl Into<String>, text: impl Into<Line>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Block::Fact(name.into(), text));
        }
    }

    /// Adds a fact for each item, the first [`LINES`] of them, and how many are left out.
    pub(crate) fn list<T>(&mut self, name: &str, items: &[T], text: impl Fn(&T) -> String) {
        for item in items.iter().take(LINES) {
            self.fact(name, text(item));
        }
        self.rest(name, items.len());
    }

    /// Adds how many of a list are left out after [`LINES`].
    pub(crate) fn rest(&mut self, name: &str, all: usize) {
        if all > LINES {
            let more = number(all - LINES);
            self.fact(name, format!("… and {more} more (--format json lists all)"));
        }
    }

    /// Adds a table; every row has as many cells as there are headers.
    pub(crate) fn table(
        &mut self,
        headers: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) {
        let headers = headers.into_iter().map(Into::into).collect();
        self.0.push(Block::Table(headers, rows.into_iter().collect()));
    }

    /// Adds a table with a row for each item; its columns are added to what this returns.
    pub(crate) fn rows<T>(&mut self, items: impl IntoIterator<Item = T>) -> Rows<'_, T> {
        let items: Vec<T> = items.into_iter().collect();
        self.table([""; 0], vec![Vec::new(); items.len()]);
        Rows { page: self, items }
    }

    /// Adds text that has its own lines.
    pub(crate) fn code(&mut self, text: impl Into<String>) {
        self.0.push(Block::Code(text.into()));
    }

    /// Adds an empty line on a terminal, unless the page begins here or one stands here already.
    pub(crate) fn gap(&mut self) {
        self.0.push(Block::Gap);
    }

    /// Adds the blocks of another page.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// For a terminal: lines of at most `width` columns, if it is limited and words and addresses allow it.
    pub(crate) fn text(&self, width: Option<usize>, styled: bool) -> String {
        text::render(&self.0, width, styled)
    }

    /// As Markdown, every text escaped.
    pub(crate) fn markdown(&self) -> String {
        markdown::render(&self.0)
    }
}

#[cfg(test)]
mod tests;
