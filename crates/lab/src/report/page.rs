//! What people read: blocks, which are shown on a terminal, as Markdown, or as a page of HTML.
//!
//! Text is given as it is. The three renderers clean and escape it, so that no text of a paper can bring markup or steer
//! the terminal.

mod escape;
mod html;
mod markdown;
mod questions;
mod terminal;

pub use escape::address;
pub use questions::{Question, Questions};
pub use terminal::Terminal;

use crate::report::words::{LINES, count, number};
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
    /// A decision: green on a page if it is right, red if it is wrong, neither if that is not known.
    Decision(Option<bool>),
}

/// A part of a line.
#[derive(Clone, Debug)]
struct Span {
    text: String,
    tone: Tone,
}

/// Where a place is found: as a path, and as an address of Markdown.
#[derive(Clone, Debug)]
pub struct Target {
    /// As a path.
    pub path: String,
    /// As an address of Markdown, and of HTML.
    pub address: String,
}

/// A line, as long as its text; printing wraps it.
#[must_use]
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Text that leads to a place, before all other text.
    link: Option<(String, Option<Target>)>,
    spans: Vec<Span>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// A line that begins with the name of a place, if it is known where that is found as a link.
    pub fn link(text: impl Into<String>, target: Option<Target>) -> Self {
        Self { link: Some((text.into(), target)), spans: Vec::new() }
    }

    /// Adds text.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Plain)
    }

    /// Adds text that stands out on a terminal.
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Strong)
    }

    /// Adds text that stands back on a terminal.
    pub fn dim(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Dim)
    }

    /// Adds text that stands out everywhere.
    pub fn bold(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Bold)
    }

    /// Adds text that is italic in Markdown.
    pub fn italic(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Italic)
    }

    /// Adds the words of a paper.
    pub fn quoted(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Quoted)
    }

    /// Adds an address.
    pub fn address(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Address)
    }

    /// Adds the number of a source.
    pub fn mark(self, number: usize) -> Self {
        self.span(format!("[{number}]"), Tone::Mark)
    }

    /// Adds a word about a decision: `Some(true)` where it is right, `Some(false)` where it is wrong, `None` where that is
    /// not known.
    pub fn decision(self, text: impl Into<String>, right: Option<bool>) -> Self {
        self.span(text, Tone::Decision(right))
    }

    fn span(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.spans.push(Span { text: text.into(), tone });
        self
    }

    /// Its words alone.
    pub fn words(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    fn is_empty(&self) -> bool {
        self.link.is_none() && self.spans.iter().all(|span| span.text.trim().is_empty())
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
pub struct Rows<'p, T> {
    page: &'p mut Page,
    items: Vec<T>,
}

#[expect(clippy::return_self_not_must_use, reason = "what a column adds is in the page")]
impl<T> Rows<'_, T> {
    /// Adds a column: its header, and what it says of an item; it is left out if it says nothing of any.
    pub fn column(self, header: impl Into<String>, cell: impl Fn(&T) -> String) -> Self {
        let cells: Vec<String> = self.items.iter().map(cell).collect();
        let says_something = cells.is_empty() || cells.iter().any(|cell| !cell.is_empty());
        if let (true, Some(Block::Table(table))) = (says_something, self.page.0.last_mut()) {
            table.headers.push(header.into());
            table.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
        }
        self
    }

    /// Says what the table shows, where a renderer has captions.
    pub fn caption(self, caption: impl Into<String>) -> Self {
        if let Some(Block::Table(table)) = self.page.0.last_mut() {
            table.caption = caption.into();
        }
        self
    }
}

#[derive(Clone, Debug, Default)]
struct Table {
    /// Shown on a page alone.
    caption: String,
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A part that is folded away: `<details>` on a page and in Markdown; a terminal names it, unless it is to show all.
#[derive(Clone, Debug)]
struct Details {
    summary: Line,
    /// Whether only a page of HTML has it, because it is long.
    on_page_only: bool,
    body: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug)]
enum Block {
    /// The title of a document; a terminal, where the command was typed, does not show it.
    Title(Line),
    /// A heading of this level, from 1.
    Heading(usize, Line),
    /// What the whole page comes to.
    Verdict(Line),
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
    Table(Table),
    Details(Details),
    Questions(Questions),
    /// Text that has its own lines.
    Code(String),
    /// An empty line on a terminal.
    Gap,
}

/// Blocks in order.
#[derive(Clone, Debug, Default)]
pub struct Page(Vec<Block>);

impl From<Line> for Page {
    /// A page of one line.
    fn from(line: Line) -> Self {
        Self(vec![Block::Line(line)])
    }
}

impl From<String> for Page {
    /// A page of text that has its own lines.
    fn from(text: String) -> Self {
        Self(vec![Block::Code(text)])
    }
}

impl Page {
    /// A page without blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the title of a document, which a terminal does not show.
    pub fn title(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Title(text.into()));
    }

    /// Adds the heading of the document.
    pub fn document(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Heading(1, text.into()));
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Heading(2, text.into()));
    }

    /// Adds a heading below a heading.
    pub fn subheading(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Heading(3, text.into()));
    }

    /// Adds a heading below that.
    pub fn minor(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Heading(4, text.into()));
    }

    /// Adds what the page comes to.
    pub fn verdict(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Verdict(text.into()));
    }

    /// Adds a part that is folded away, unless it is empty.
    pub fn folded(&mut self, summary: impl Into<Line>, body: Self) {
        self.details(summary, false, body);
    }

    /// Adds a folded part that only a page of HTML has.
    pub fn folded_on_page(&mut self, summary: impl Into<Line>, body: Self) {
        self.details(summary, true, body);
    }

    fn details(&mut self, summary: impl Into<Line>, on_page_only: bool, body: Self) {
        if !body.0.is_empty() {
            self.0.push(Block::Details(Details { summary: summary.into(), on_page_only, body: body.0 }));
        }
    }

    /// Adds a list of questions.
    pub fn questions(&mut self, questions: Questions) {
        self.0.push(Block::Questions(questions));
    }

    /// Adds a line; in Markdown a paragraph.
    pub fn line(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Line(text.into()));
    }

    /// Adds "3 rows" and what is said of them, unless there are none.
    pub fn tally(&mut self, number: impl TryInto<u64>, noun: &str, text: impl Display) {
        let number = number.try_into().unwrap_or(u64::MAX);
        if number > 0 {
            self.line(format!("{} {text}", count(number, noun)));
        }
    }

    /// Adds an item of a list.
    pub fn item(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Item(text.into()));
    }

    /// Adds an entry of a numbered list.
    pub fn entry(&mut self, number: usize, text: impl Into<Line>) {
        self.0.push(Block::Entry(number, false, text.into()));
    }

    /// Adds a source, which marks refer to by its number.
    pub fn source(&mut self, number: usize, text: impl Into<Line>) {
        self.0.push(Block::Entry(number, true, text.into()));
    }

    /// Adds a line below an entry.
    pub fn below(&mut self, text: impl Into<Line>) {
        self.0.push(Block::Below(text.into()));
    }

    /// Adds a line below an entry that only a terminal shows.
    pub fn aside(&mut self, text: impl Into<String>) {
        self.0.push(Block::Aside(Line::new().dim(text)));
    }

    /// Adds what a paper, a person or a model wrote, below an entry or by itself; each line of it is a paragraph.
    pub fn quote(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.quote_line(line);
        }
    }

    /// Adds a line of a quote.
    pub fn quote_line(&mut self, line: impl Into<Line>) {
        self.0.push(Block::Quote(line.into()));
    }

    /// Adds a name and what is said of it, if anything is; facts that follow each other make two columns.
    pub fn fact(&mut self, name: impl Into<String>, text: impl Into<Line>) {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Block::Fact(name.into(), text));
        }
    }

    /// Adds a fact for each item, the first [`LINES`] of them, and how many are left out.
    pub fn list<T>(&mut self, name: &str, items: &[T], text: impl Fn(&T) -> String) {
        for item in items.iter().take(LINES) {
            self.fact(name, text(item));
        }
        self.rest(name, items.len());
    }

    /// Adds how many of a list are left out after [`LINES`].
    pub fn rest(&mut self, name: &str, all: usize) {
        if all > LINES {
            let more = number(all - LINES);
            self.fact(name, format!("… and {more} more (--format json lists all)"));
        }
    }

    /// Adds a table; every row has as many cells as there are headers.
    pub fn table(
        &mut self,
        headers: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) {
        self.0.push(Block::Table(Table {
            caption: String::new(),
            headers: headers.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
        }));
    }

    /// Adds a table with a row for each item; its columns are added to what this returns.
    pub fn rows<T>(&mut self, items: impl IntoIterator<Item = T>) -> Rows<'_, T> {
        let items: Vec<T> = items.into_iter().collect();
        self.table([""; 0], vec![Vec::new(); items.len()]);
        Rows { page: self, items }
    }

    /// Adds text that has its own lines.
    pub fn code(&mut self, text: impl Into<String>) {
        self.0.push(Block::Code(text.into()));
    }

    /// Adds an empty line on a terminal, unless the page begins here or one stands here already.
    pub fn gap(&mut self) {
        self.0.push(Block::Gap);
    }

    /// Adds the blocks of another page.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// For a terminal.
    pub fn text(&self, terminal: Terminal) -> String {
        terminal::render(&self.0, terminal)
    }

    /// As Markdown, every text escaped.
    pub fn markdown(&self) -> String {
        markdown::render(&self.0)
    }

    /// As one page of HTML that loads nothing: no script, and a policy that forbids both.
    pub fn html(&self, title: &str) -> String {
        html::render(&self.0, title)
    }
}

#[cfg(test)]
mod tests;
