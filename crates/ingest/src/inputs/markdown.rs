//! Markdown, as CommonMark and its tables define it.

mod inline;

use super::{front_matter, jats::table};
use crate::draft::caption_label;
use crate::draft::{Draft, clean};
use crate::structure::names;
use crate::{Limits, ParseError};
use inline::{close_raised, spaced_formula, with_carets, without_tags};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::rc::Rc;
use text::Pattern;
use types::{BlockKind, Document};

/// Reads a Markdown text. A heading that stands first and above all others is the title.
///
/// # Errors
/// [`ParseError::TooMuchText`].
pub(super) fn read(text: &str, limits: &Limits) -> Result<Document, ParseError> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_MATH;
    let mut walk = Walk::default();
    for event in Parser::new_ext(text, options) {
        walk.event(event);
    }
    walk.flush();
    assemble(walk, limits)
}

/// A heading or a block, in reading order.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Heading(u8, String),
    Block(BlockKind, String, Option<Rc<str>>),
    Lines(String),
    /// What follows stands on this page; 0 for the next one.
    Page(u32),
}

/// The page that begins, 0 for the next one, as converters write it: `{3}` and hyphens (Marker, from 0), `<!-- page 4 -->`, `<!-- page break -->`.
fn page_mark(text: &str) -> Option<u32> {
    static MARK: Pattern = Pattern::new(
        r"(?i)^(?:\{(?<from_zero>\d{1,6})\}-{16,}|<!--\s*page(?:[ _-]?break|[ _-]?(?:number)?:?\s*(?<number>\d{1,6}))\s*-->)$",
    );
    let found = MARK.captures(text.trim())?;
    let number = |name: &str| found.name(name)?.as_str().parse::<u32>().ok();
    let number = number("number").or(number("from_zero").map(|page| page + 1));
    Some(number.unwrap_or(0))
}

/// Where in the text the events are.
#[derive(Debug, Default)]
struct Walk {
    pieces: Vec<Piece>,
    front: Option<String>,
    /// The running text of the block that is open.
    text: String,
    /// How much of it came from the descriptions of images, and from displayed equations.
    from_images: usize,
    from_equations: usize,
    items: usize,
    footnotes: usize,
    images: usize,
    in_front: bool,
    in_code: bool,
    in_html: bool,
    /// Where raised text that is open begins.
    raised: Option<usize>,
    /// The header of the table at hand, shared by its rows.
    header: Rc<str>,
    row: Vec<String>,
}

impl Walk {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.push(&text),
            Event::InlineMath(math) => {
                self.push(&spaced_formula(&math).unwrap_or_else(|| format!("${math}$")));
            }
            Event::DisplayMath(math) => {
                let before = self.text.len();
                self.push(&format!("$${math}$$"));
                self.from_equations += self.text.len() - before;
            }
            Event::Html(html) => self.text.push_str(&html),
            Event::InlineHtml(tag) => {
                let tag = tag.to_ascii_lowercase();
                if tag.starts_with("<br") {
                    self.push(" ");
                } else if tag.starts_with("<sup") {
                    self.raised = Some(self.text.len());
                } else if tag.starts_with("</sup")
                    && let Some(from) = self.raised.take()
                {
                    close_raised(&mut self.text, from);
                }
            }
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            Event::Rule => self.flush(),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.images > 0 {
            self.from_images += text.len();
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Image { .. } => self.images += 1,
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell => {}
            _ => self.flush(),
        }
        match tag {
            Tag::Item => self.items += 1,
            Tag::FootnoteDefinition(_) => self.footnotes += 1,
            Tag::CodeBlock(_) => self.in_code = true,
            Tag::HtmlBlock => self.in_html = true,
            Tag::MetadataBlock(_) => self.in_front = true,
            Tag::Table(_) => self.header = Rc::default(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Heading(level) => {
                let heading = self.take();
                if !heading.trim().is_empty() {
                    self.pieces.push(Piece::Heading(level as u8, heading));
                }
                self.flush();
            }
            TagEnd::TableCell => {
                let cell = self.take();
                self.row.push(clean(&cell));
                self.flush();
            }
            TagEnd::TableHead => {
                self.header = std::mem::take(&mut self.row).join(" | ").into();
                let header = self.header.to_string();
                if !header.trim_matches([' ', '|']).is_empty() {
                    self.pieces.push(Piece::Block(BlockKind::TableRow, header, None));
                }
            }
            TagEnd::TableRow => {
                let row = std::mem::take(&mut self.row);
                if row.iter().any(|cell| !cell.is_empty()) {
                    let label = Rc::clone(&self.header);
                    self.pieces.push(Piece::Block(BlockKind::TableRow, row.join(" | "), Some(label)));
                }
            }
            TagEnd::CodeBlock => {
                let code = std::mem::take(&mut self.text);
                self.pieces.push(Piece::Lines(code));
                self.in_code = false;
            }
            TagEnd::MetadataBlock(_) => {
                let block = std::mem::take(&mut self.text);
                self.front.get_or_insert(block);
                self.in_front = false;
            }
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.text);
                self.html(&html);
                self.in_html = false;
            }
            TagEnd::Item => {
                self.flush();
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::FootnoteDefinition => {
                self.flush();
                self.footnotes = self.footnotes.saturating_sub(1);
            }
            TagEnd::Paragraph | TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Table => self.flush(),
            _ => {}
        }
    }

    /// A block of HTML: tables row by row, other text without its tags.
    fn html(&mut self, html: &str) {
        static TABLE: Pattern = Pattern::new(r"(?is)<table\b.*?</table\s*>");
        if let Some(page) = page_mark(html) {
            self.pieces.push(Piece::Page(page));
            return;
        }
        let mut from = 0;
        for found in TABLE.find_iter(html) {
            let Some(rows) = table::of_html(found.as_str()) else {
                continue;
            };
            self.text = without_tags(&html[from..found.start()]);
            self.flush();
            from = found.end();
            let header = rows.first().filter(|_| rows.len() > 1).map(|header| Rc::from(header.as_str()));
            for (at, row) in rows.into_iter().enumerate() {
                let label = header.clone().filter(|_| at > 0);
                self.pieces.push(Piece::Block(BlockKind::TableRow, row, label));
            }
        }
        self.text = without_tags(&html[from..]);
        self.flush();
    }

    /// The running text so far, raised text as what it is.
    fn take(&mut self) -> String {
        self.raised = None;
        let text = std::mem::take(&mut self.text);
        if self.in_code || self.in_html { text } else { with_carets(&text) }
    }

    /// Ends the block that is open.
    fn flush(&mut self) {
        let text = self.take();
        let images = std::mem::take(&mut self.from_images);
        let equations = std::mem::take(&mut self.from_equations);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if let Some(page) = page_mark(text) {
            self.pieces.push(Piece::Page(page));
            return;
        }
        let label = caption_label(text);
        let kind = if self.footnotes > 0 {
            BlockKind::Footnote
        } else if equations >= text.len() {
            BlockKind::Equation
        } else if self.items > 0 {
            BlockKind::ListItem
        } else if images >= text.len() || label.is_some() {
            BlockKind::Caption
        } else {
            BlockKind::Paragraph
        };
        let label = label.filter(|_| kind == BlockKind::Caption).map(Rc::from);
        self.pieces.push(Piece::Block(kind, text.to_owned(), label));
    }
}

fn assemble(walk: Walk, limits: &Limits) -> Result<Document, ParseError> {
    let mut meta = walk.front.as_deref().map(front_matter::read).unwrap_or_default();
    let mut draft = Draft::new(limits);
    let mut pieces = walk.pieces;
    let mut page: u32 = 1;
    while let Some(Piece::Page(first)) = pieces.first() {
        page = page.max(*first);
        pieces.remove(0);
    }
    draft.page(page.min(limits.max_pages));
    if title_stands_first(&pieces, meta.title.as_deref())
        && let Piece::Heading(_, title) = pieces.remove(0)
    {
        meta.title.get_or_insert_with(|| clean(&title));
    }
    // Authors who keep the first level for the title begin their sections at the second.
    let top = |p: &Piece| match p {
        Piece::Heading(level, _) => Some(*level),
        _ => None,
    };
    let highest = pieces.iter().filter_map(top).min().unwrap_or(1);
    for piece in pieces {
        match piece {
            Piece::Heading(level, text) => draft.heading(level - highest + 1, &text),
            Piece::Block(kind, text, label) => draft.block(kind, &text, label.as_deref()),
            Piece::Lines(text) => draft.lines(BlockKind::Paragraph, &text),
            Piece::Page(next) => {
                page = if next == 0 { page + 1 } else { next };
                draft.page(page.min(limits.max_pages));
            }
        }
    }
    draft.finish(meta, Vec::new())
}

/// Whether the first piece is the title: the heading that front matter names, or one above all others that is no
/// section's name, or beside headings of its level that are.
fn title_stands_first(pieces: &[Piece], told: Option<&str>) -> bool {
    let Some(Piece::Heading(level, text)) = pieces.first() else {
        return false;
    };
    if let Some(told) = told {
        return names::fold(told) == names::fold(text);
    }
    let rest = || {
        pieces[1..].iter().filter_map(|p| match p {
            Piece::Heading(level, text) => Some((*level, text.as_str())),
            _ => None,
        })
    };
    if names::is_known(text) || rest().any(|(l, _)| l < *level) {
        return false;
    }
    let mut beside = rest().filter(|(l, _)| l == level).peekable();
    beside.peek().is_none() || names::numbering(text).depth == 0 && beside.any(|(_, t)| names::is_known(t))
}

#[cfg(test)]
mod tests;
