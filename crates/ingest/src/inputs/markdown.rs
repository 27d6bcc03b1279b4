//! Markdown, as CommonMark and its tables define it.

mod inline;

use super::front_matter;
use crate::draft::caption_label;
use crate::draft::{Draft, clean};
use crate::structure::names;
use crate::{Limits, ParseError};
use inline::{close_raised, with_carets, without_tags};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::rc::Rc;
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
            Event::InlineMath(math) => self.push(&format!("${math}$")),
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
            TagEnd::TableHead => self.header = std::mem::take(&mut self.row).join(" | ").into(),
            TagEnd::TableRow => {
                let row = std::mem::take(&mut self.row);
                if row.iter().any(|cell| !cell.is_empty()) {
                    let label = Rc::clone(&self.header);
                    self.pieces
                        .push(Piece::Block(BlockKind::TableRow, row.join(" | "), Some(label)));
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
                self.text = without_tags(&self.text);
                self.flush();
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

    /// The running text so far, raised text as what it is.
    fn take(&mut self) -> String {
        self.raised = None;
        let text = std::mem::take(&mut self.text);
        if self.in_code || self.in_html {
            text
        } else {
            with_carets(&text)
        }
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
mod tests {
    use super::*;
    use proptest::prelude::*;
    use types::SectionKind;

    fn document(text: &str) -> Document {
        read(text, &Limits::default()).expect("small")
    }

    fn outline(document: &Document) -> Vec<(u8, &str, SectionKind)> {
        let each = document.sections.iter();
        each.map(|s| (s.level, s.heading.as_str(), s.name)).collect()
    }

    fn blocks(document: &Document) -> Vec<(BlockKind, &str, Option<&str>)> {
        let all = document.sections.iter().flat_map(|s| &s.blocks);
        all.map(|b| {
            (
                b.kind,
                b.span.slice(&document.text).expect("inside"),
                b.label.as_deref(),
            )
        })
        .collect()
    }

    #[test]
    fn headings_of_both_kinds_become_sections() {
        use SectionKind::{Abstract, Methods, References};
        let d = document(
            "# Sleep of *snails* {#top}\n\n## Abstract\n\nShort.\n\n2 Methods\n---------\n\nWe [watched](http://x) them\n\
             `all` night.\n\n### Statistics ###\n\nMixed model.\n\n## References\n\n1. One.\n",
        );
        assert_eq!(d.meta.title.as_deref(), Some("Sleep of snails"));
        assert_eq!(
            outline(&d),
            [
                (1, "Abstract", Abstract),
                (1, "2 Methods", Methods),
                (2, "Statistics", Methods),
                (1, "References", References)
            ]
        );
        assert_eq!(d.section_text(&d.sections[1]), "We watched them all night.");
        assert_eq!(d.pages, 1);
    }

    #[test]
    fn the_title_is_found_or_left_alone() {
        let check = |text: &str, title: Option<&str>, headings: &[&str]| {
            let d = document(text);
            assert_eq!(d.meta.title.as_deref(), title, "{text}");
            assert_eq!(
                outline(&d).iter().map(|o| o.1).collect::<Vec<_>>(),
                headings,
                "{text}"
            );
        };
        check(
            "---\ntitle: T\n---\n# Summary\nx\n# Methods\ny",
            Some("T"),
            &["Summary", "Methods"],
        );
        check(
            "---\ntitle: The Tale\n---\n# The tale\nx\n## Methods\ny",
            Some("The Tale"),
            &["", "Methods"],
        );
        check("# A tale\nx\n# Methods\ny", Some("A tale"), &["", "Methods"]);
        check(
            "# Introduction\nx\n# Methods\ny",
            None,
            &["Introduction", "Methods"],
        );
        check("# One\nx\n# Two\ny", None, &["One", "Two"]);
        check("x\n# Late\ny", None, &["", "Late"]);
        check("", None, &[]);
    }

    #[test]
    fn blocks_have_their_kinds() {
        use BlockKind::{Caption, Equation, Footnote, ListItem, Paragraph, TableRow};
        let d = document(
            "Text costs $5 and $x_1$.[^1]\n\n- one\n- two\n  - [x] three\n\n  more of two\n\n| Group | n |\n|---|---|\n| A | **4** |\n| | |\n| B | |\n\n\
             ```r\nx <- 1\n\n  y\n```\n\n![Figure 1. Snails](a.png)\n\nTable 2: Doses\n\n$$a = b$$\n\n> quoted\n\n<div>html <b>bold</b><!-- no --> 1 < 2</div>\n\n[^1]: A note.\n",
        );
        assert_eq!(
            blocks(&d),
            [
                (Paragraph, "Text costs $5 and $x_1$.", None),
                (ListItem, "one", None),
                (ListItem, "two", None),
                (ListItem, "three", None),
                (ListItem, "more of two", None),
                (TableRow, "A | 4", Some("Group | n")),
                (TableRow, "B |", Some("Group | n")),
                (Paragraph, "x <- 1\n\n  y", None),
                (Caption, "Figure 1. Snails", Some("Figure 1")),
                (Caption, "Table 2: Doses", Some("Table 2")),
                (Equation, "$$a = b$$", None),
                (Paragraph, "quoted", None),
                (Paragraph, "html bold 1 < 2", None),
                (Footnote, "A note.", None),
            ]
        );
    }

    #[test]
    fn raised_text_is_what_it_is() {
        let check = |text: &str, want: &str| {
            let d = document(text);
            assert_eq!(d.text, want, "{text}");
        };
        check(
            "3 × 10<sup>6</sup> and H<sub>2</sub>O, 250<sup>9</sup> mg",
            "3 × 10^6 and H2O, 250 mg",
        );
        check(
            "10^6^ cells per m^2^, H~2~O, disease^3,4^ rose",
            "10^6 cells per m^2, H2O, disease rose",
        );
        check("x^2 and y^2, 2^10 times", "x^2 and y^2, 2^10 times");
        check("a note.[^9] Next", "a note. Next");
        check(
            "<p>10<sup>6</sup> cells &amp; 5&nbsp;m&sup2;, Ca<sup>2+</sup></p>",
            "10^6 cells & 5 m², Ca2+",
        );
        check("| a<sup>2</sup> |\n|---|\n| 10<sup>−3</sup> |", "10^-3");
    }

    #[test]
    fn hostile_nesting_is_read_in_linear_time() {
        for (open, n) in [
            (">", 20_000),
            ("- ", 5_000),
            ("[", 50_000),
            ("*a_", 20_000),
            ("<!-- ", 20_000),
            ("|", 50_000),
        ] {
            document(&format!("{}x", open.repeat(n)));
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "([-#*_`>|!<\\[\\]()$~^:=+ \n\t]|[a-z]{1,4}|---\n|\\PC){0,80}") {
            let d = document(&text);
            for section in &d.sections {
                prop_assert!(section.span.slice(&d.text).is_some());
                for block in &section.blocks {
                    prop_assert!(section.span.contains(block.span) && !block.span.is_empty());
                }
            }
        }
    }
}
