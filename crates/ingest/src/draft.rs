//! Builds a document: takes headings and blocks in reading order, computes sections and offsets.

use crate::reading::has_at_most;
use crate::structure::join::without_soft_hyphens;
use crate::structure::names;
use crate::{Limits, ParseError};
use text::Pattern;
use types::{Block, BlockKind, Document, Section, SectionKind, SourceMeta, Span};

/// Text, sections and blocks so far.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) sections: Vec<Section>,
}

impl Body {
    /// Opens a section; the heading may be empty.
    pub(crate) fn section(&mut self, name: SectionKind, level: u8, heading: String, page: u32) {
        if !heading.is_empty() {
            self.append(&heading);
        }
        let end = self.text.len();
        self.sections.push(Section {
            name,
            heading,
            level,
            page_start: page,
            page_end: page,
            span: Span::new(end, end),
            blocks: Vec::new(),
        });
    }

    /// Adds a block that begins on `page`. `breaks` says where further pages begin: byte of the text, and page.
    pub(crate) fn block(
        &mut self,
        kind: BlockKind,
        text: &str,
        page: u32,
        breaks: &[(usize, u32)],
        label: Option<String>,
    ) {
        if self.sections.is_empty() {
            self.section(SectionKind::Body, 1, String::new(), page);
        }
        let start = self.append(text);
        let span = Span::new(start, self.text.len());
        let page_end = breaks.last().map_or(page, |(_, page)| *page);
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        if section.blocks.is_empty() {
            section.span.start = start;
        }
        section.span.end = span.end;
        section.page_end = section.page_end.max(page_end);
        section.blocks.push(Block {
            kind,
            page_start: page,
            page_end,
            span,
            page_breaks: breaks.iter().map(|(at, page)| (start + at, *page)).collect(),
            label,
        });
    }

    /// Adds text behind an empty line; returns where it begins.
    fn append(&mut self, text: &str) -> usize {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let start = self.text.len();
        self.text.push_str(text);
        start
    }
}

/// A document of a format without layout, within limits.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    body: Body,
    /// Level and kind of the headings around what comes next, from the outermost in.
    open: Vec<(u8, SectionKind)>,
    page: u32,
    /// Characters that the document may have: what comes behind them is not kept.
    limit: u64,
    full: bool,
    /// Bytes of labels: a header stands at each of its rows.
    labels: usize,
}

impl Draft {
    /// An empty draft for at most so many characters.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { page: 1, limit: limits.max_chars, ..Self::default() }
    }

    /// Whether the limit is passed: there will be no document.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Opens a section whose kind its heading and the sections around it tell. `level` is 1 at the top.
    pub(crate) fn heading(&mut self, level: u8, heading: &str) {
        let around = self.open.iter().rfind(|(l, _)| *l < level.max(1));
        let around = around.map_or(SectionKind::Body, |(_, kind)| *kind);
        self.section(kind_within(around, heading), level, heading);
    }

    /// Opens a section whose kind is known; the heading may be empty.
    pub(crate) fn section(&mut self, kind: SectionKind, level: u8, heading: &str) {
        let level = level.max(1);
        while self.open.last().is_some_and(|(l, _)| *l >= level) {
            self.open.pop();
        }
        let heading = clean(heading);
        if self.fits(heading.len() + 2) {
            self.open.push((level, kind));
            self.body.section(kind, level, heading, self.page);
        }
    }

    /// Adds a block; white space is closed up, and a block without a word is left out.
    pub(crate) fn block(&mut self, kind: BlockKind, text: &str, label: Option<&str>) {
        self.paged(kind, &clean(text), self.page, &[], label);
    }

    /// Adds a paragraph whose line breaks mean something, such as a listing.
    pub(crate) fn lines(&mut self, kind: BlockKind, text: &str) {
        let kept = |c: &char| *c == '\n' || *c == '\t' || !c.is_control();
        let text: String = text.trim_matches('\n').chars().filter(kept).collect();
        if !text.trim().is_empty() {
            self.paged(kind, &text, self.page, &[], None);
        }
    }

    /// Adds a block that begins on `page`, with the bytes at which further pages begin.
    pub(crate) fn paged(
        &mut self,
        kind: BlockKind,
        text: &str,
        page: u32,
        breaks: &[(usize, u32)],
        label: Option<&str>,
    ) {
        self.labels += label.map_or(0, str::len);
        if !text.is_empty() && self.fits(text.len() + 2) {
            let label = label.map(clean).filter(|l| !l.is_empty());
            self.body.block(kind, text, page, breaks, label);
            self.page(breaks.last().map_or(page, |(_, page)| *page));
        }
    }

    /// What comes next stands on this page.
    pub(crate) fn page(&mut self, page: u32) {
        self.page = self.page.max(page);
    }

    /// Whether neither a heading nor a block came yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.sections.is_empty()
    }

    /// The document.
    ///
    /// # Errors
    /// [`ParseError::TooMuchText`].
    pub(crate) fn finish(self, meta: SourceMeta, warnings: Vec<String>) -> Result<Document, ParseError> {
        if self.full || !has_at_most(&self.body.text, self.limit) {
            return Err(ParseError::TooMuchText { page: self.page, limit: self.limit });
        }
        Ok(Document { meta, pages: self.page, text: self.body.text, sections: self.body.sections, warnings })
    }

    /// Whether so many more bytes fit; a character has at most four.
    fn fits(&mut self, bytes: usize) -> bool {
        self.full |= (self.body.text.len() + self.labels + bytes) as u64 > self.limit.saturating_mul(4);
        !self.full
    }
}

/// The kind of a section inside one of the kind `around`, nesting being known for certain.
fn kind_within(around: SectionKind, heading: &str) -> SectionKind {
    use SectionKind::{Abstract, Body, Methods, References, Results, Supplementary};
    let own = names::kind_of(heading);
    match around {
        // "Methods" inside an appendix is part of the appendix.
        References | Supplementary => around,
        Abstract if own == Body || names::is_abstract_label(heading) => around,
        Body | Abstract => own,
        // "Ethics statement" is a part of the methods when it stands among them.
        Methods | Results if own == Supplementary => around,
        _ if own == Supplementary || own == References || names::is_main(heading) => own,
        // "Statistical analysis of the results" below Methods stays methods.
        _ => around,
    }
}

/// One line: white space closed up, control characters dropped.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !c.is_control() {
            out.push(c);
        }
    }
    out.truncate(out.trim_end().len());
    if out.contains('\u{AD}') {
        out = without_soft_hyphens(&out, |_, _| true);
    }
    out
}

static CAPTION: Pattern = Pattern::new(
    r"(?x) ^\s* ((?i:supplementary)\s+)? ((?i:fig\.?|figure|table|scheme|box|chart|plate))\s+
        ([0-9A-Za-z.-]*[0-9A-Za-z-]) (?: [:.|]+(?:\s|$) | \s+[|–—-](?:\s|$) )",
);

/// The label of a caption: "Figure 2" of "Figure 2. Survival by group"; `None` for running text that only speaks
/// of a figure.
pub(crate) fn caption_label(text: &str) -> Option<String> {
    let parts = CAPTION.captures(text)?;
    let (kind, number) = (&parts[2], &parts[3]);
    let number_like =
        number.contains(|c: char| c.is_ascii_digit()) || number.chars().all(|c| "IVX".contains(c));
    let before = parts.get(1).map(|before| before.as_str().trim_end());
    let label = before.map_or_else(|| kind.to_owned(), |before| format!("{before} {kind}"));
    (label.starts_with(char::is_uppercase) && number.len() <= 6 && number_like)
        .then(|| format!("{label} {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use SectionKind::{Abstract, Body, Conclusion, Discussion, Methods, References, Results, Supplementary};

    #[test]
    fn kinds_follow_headings_and_what_is_around_them() {
        let check = |headings: &[(u8, &str)], want: &[SectionKind]| {
            let mut draft = Draft::new(&Limits::default());
            for (level, heading) in headings {
                draft.heading(*level, heading);
            }
            let document = draft.finish(SourceMeta::default(), Vec::new()).expect("small");
            let kinds: Vec<_> = document.sections.iter().map(|s| s.name).collect();
            assert_eq!(kinds, want, "{headings:?}");
        };
        check(
            &[(1, "Abstract"), (2, "Methods"), (2, "Results"), (1, "2. Methods"), (2, "2.1 Animals")],
            &[Abstract, Abstract, Abstract, Methods, Methods],
        );
        check(
            &[(1, "Methods"), (2, "Ethics statement"), (2, "Statistical analysis of the results")],
            &[Methods, Methods, Methods],
        );
        check(
            &[(1, "Discussion"), (2, "Limitations"), (2, "Acknowledgements"), (1, "Conclusions")],
            &[Discussion, Discussion, Supplementary, Conclusion],
        );
        check(&[(1, "Appendix A"), (2, "Methods")], &[Supplementary, Supplementary]);
        check(
            &[(1, "A tale"), (2, "Results"), (3, "Mice"), (1, "References")],
            &[Body, Results, Results, References],
        );
    }

    #[test]
    fn spans_hold_the_blocks_and_only_them() {
        let mut draft = Draft::new(&Limits::default());
        draft.block(BlockKind::Paragraph, "  Before\n any  heading. ", None);
        draft.heading(1, "Methods\n");
        draft.block(BlockKind::Paragraph, " \n", None);
        draft.paged(BlockKind::Paragraph, "One two three", 1, &[(4, 2)], None);
        draft.lines(BlockKind::Paragraph, "\na\n\tb\u{7}\n");
        let document = draft.finish(SourceMeta::default(), Vec::new()).expect("small");
        let Document { text, sections, pages, .. } = document;
        assert_eq!(text, "Before any heading.\n\nMethods\n\nOne two three\n\na\n\tb");
        let of = |s: &Section| s.span.slice(&text).map(str::to_owned);
        assert_eq!(of(&sections[0]).as_deref(), Some("Before any heading."));
        assert_eq!(of(&sections[1]).as_deref(), Some("One two three\n\na\n\tb"));
        assert_eq!((sections[1].page_start, sections[1].page_end, pages), (1, 2, 2));
        let block = &sections[1].blocks[0];
        assert_eq!(block.page_at(block.span.start + 4), 2);
        assert_eq!(block.page_breaks.len(), 1);
    }

    #[test]
    fn a_draft_stops_growing_at_its_limit() {
        let limits = Limits { max_chars: 10, ..Limits::default() };
        let check = |blocks: &[&str], fits: bool| {
            let mut draft = Draft::new(&limits);
            for block in blocks {
                draft.block(BlockKind::Paragraph, block, None);
            }
            assert!(draft.body.text.len() <= 40);
            assert_eq!(draft.finish(SourceMeta::default(), Vec::new()).is_ok(), fits, "{blocks:?}");
        };
        check(&["1234567890"], true);
        check(&["1234567890ä"], false);
        check(&["🧬🧬🧬🧬🧬🧬🧬🧬"], true);
        check(&["1234", "1234"], true);
        check(&["1234", "12345"], false);
        check(&["123456789 123456789 123456789 123456789 123456789", "1"], false);
    }

    #[test]
    fn captions_are_told_from_text_about_them() {
        let check =
            |text: &str, want: Option<&str>| assert_eq!(caption_label(text).as_deref(), want, "{text}");
        check("Figure 2. Survival by group", Some("Figure 2"));
        check("Table 1: Baseline", Some("Table 1"));
        check("Table S1 | Genes", Some("Table S1"));
        check("TABLE IV. Doses", Some("TABLE IV"));
        check("Supplementary Table 3. More", Some("Supplementary Table 3"));
        check("Figure 2 shows survival", None);
        check("Table salt was added.", None);
        check("Figure", None);
        check("", None);
    }
}
