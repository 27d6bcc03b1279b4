//! Text for people: lines that are wrapped at words, indented and styled.
//!
//! Text is given as it is. It is cleaned here, before styles are added, so that no text can bring its own.

use crate::clean::clean;
use anstyle::{Effects, Style};
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How text stands out, where the output shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Plain,
    Strong,
    Dim,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().effects(Effects::BOLD),
            Self::Dim => Style::new().effects(Effects::DIMMED),
        }
    }
}

/// A line, as long as its text; printing wraps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    first: usize,
    rest: usize,
    spans: Vec<(String, Tone, bool)>,
}

impl Line {
    /// An empty line.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line of text.
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self::new().text(text)
    }

    /// Columns left free before its first row, and before the others.
    pub(crate) fn indent(mut self, first: usize, rest: usize) -> Self {
        (self.first, self.rest) = (first, rest);
        self
    }

    /// Adds text.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Plain, false)
    }

    /// Adds text that stands out.
    pub(crate) fn strong(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Strong, false)
    }

    /// Adds text that stands back.
    pub(crate) fn dim(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Dim, false)
    }

    /// Adds text that is never broken, for example a path.
    pub(crate) fn whole(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Plain, true)
    }

    /// Adds a label that stands out; its spaces are kept, so that labels of one width make a column.
    pub(crate) fn label(self, text: impl Into<String>) -> Self {
        self.span(text, Tone::Dim, true)
    }

    fn span(mut self, text: impl Into<String>, tone: Tone, whole: bool) -> Self {
        self.spans.push((text.into(), tone, whole));
        self
    }
}

/// Lines in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    lines: Vec<Line>,
}

impl Page {
    /// Adds a line.
    pub(crate) fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds an empty line, unless the page begins here or one stands here already.
    pub(crate) fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.spans.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    /// The page in rows of at most `width` columns. Only what is never broken may be longer.
    pub(crate) fn render(&self, width: usize, styled: bool) -> String {
        let mut out = String::new();
        for line in &self.lines {
            render(line, width, styled, &mut out);
        }
        out
    }
}

/// A word: its text in parts of one tone each.
#[derive(Default)]
struct Word {
    parts: Vec<(String, Tone)>,
    width: usize,
    whole: bool,
}

impl Word {
    fn push(&mut self, c: char, tone: Tone) {
        self.width += c.width().unwrap_or(0);
        match self.parts.last_mut() {
            Some((text, last)) if *last == tone => text.push(c),
            _ => self.parts.push((c.to_string(), tone)),
        }
    }
}

fn render(line: &Line, width: usize, styled: bool, out: &mut String) {
    let rest = width.saturating_sub(line.rest).max(1);
    let mut row = Row::new(line.first);
    for word in words(line, rest) {
        if !row.empty && row.used + 1 + word.width > width {
            row.finish(styled, out);
            row = Row::new(line.rest);
        }
        row.push(&word);
    }
    row.finish(styled, out);
}

/// A row that is being filled: parts of one tone each.
struct Row {
    parts: Vec<(String, Tone)>,
    used: usize,
    empty: bool,
}

impl Row {
    fn new(indent: usize) -> Self {
        Self {
            parts: vec![(" ".repeat(indent), Tone::Plain)],
            used: indent,
            empty: true,
        }
    }

    fn push(&mut self, word: &Word) {
        if !self.empty {
            // A space between words of one tone has their tone, so that a phrase is styled as one.
            let next = word.parts.first().map(|(_, tone)| *tone);
            match self.parts.last() {
                Some((_, tone)) if Some(*tone) == next => self.add(" ", *tone),
                _ => self.add(" ", Tone::Plain),
            }
            self.used += 1;
        }
        for (text, tone) in &word.parts {
            self.add(text, *tone);
        }
        self.used += word.width;
        self.empty = false;
    }

    fn add(&mut self, text: &str, tone: Tone) {
        match self.parts.last_mut() {
            Some((last, known)) if *known == tone => last.push_str(text),
            _ => self.parts.push((text.to_owned(), tone)),
        }
    }

    fn finish(mut self, styled: bool, out: &mut String) {
        if let Some((last, _)) = self.parts.last_mut() {
            last.truncate(last.trim_end().len());
        }
        for (text, tone) in self.parts.iter().filter(|(text, _)| !text.is_empty()) {
            let style = if styled { tone.style() } else { Style::new() };
            let _ = write!(out, "{style}{text}{style:#}");
        }
        out.push('\n');
    }
}

/// The words of a line; one that is longer than `longest` and may be broken comes in pieces.
fn words(line: &Line, longest: usize) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut open = Word::default();
    let mut close = |word: &mut Word| {
        let word = std::mem::take(word);
        if !word.parts.is_empty() {
            out.push(word);
        }
    };
    for (text, tone, whole) in &line.spans {
        let text = clean(text);
        if *whole {
            // What stands before it without a space may be parted from it.
            close(&mut open);
            open = Word {
                parts: vec![(text.replace('\n', " "), *tone)],
                width: text.width(),
                whole: true,
            };
            continue;
        }
        for c in text.chars() {
            if c.is_whitespace() && c != '\u{a0}' {
                close(&mut open);
                continue;
            }
            if !open.whole && open.width + c.width().unwrap_or(0) > longest {
                close(&mut open);
            }
            // A space that does not part words.
            open.push(if c == '\u{a0}' { ' ' } else { c }, *tone);
        }
    }
    close(&mut open);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: Vec<Line>) -> Page {
        Page { lines }
    }

    #[test]
    fn lines_are_wrapped_at_words_and_indented() {
        let check = |line: Line, width: usize, want: &str| {
            assert_eq!(page(vec![line]).render(width, false), want);
        };
        check(Line::of("one two  three\tfour"), 9, "one two\nthree\nfour\n");
        check(
            Line::of("one two three four").indent(2, 4),
            9,
            "  one two\n    three\n    four\n",
        );
        check(Line::new(), 9, "\n");
        // Words that touch stay together, whatever their style.
        check(
            Line::of("see (").strong("bold").text(") there"),
            10,
            "see (bold)\nthere\n",
        );
        check(Line::of("abcdefghij"), 4, "abcd\nefgh\nij\n");
        check(
            Line::of("at ").whole("a long/path.pdf#page=2"),
            8,
            "at\na long/path.pdf#page=2\n",
        );
        // Columns, not characters; accents take none.
        check(
            Line::of("体重 增加 e\u{301}e\u{301}e\u{301}e\u{301} x"),
            6,
            "体重\n增加\ne\u{301}e\u{301}e\u{301}e\u{301} x\n",
        );
        check(Line::of("体重增加体重"), 6, "体重增\n加体重\n");
    }

    #[test]
    fn styles_come_from_us_alone() {
        let page = page(vec![Line::of("a ").strong("b\u{1b}[31m").dim(" c\u{202e}")]);
        assert_eq!(page.render(80, false), "a b�[31m c\n");
        assert_eq!(
            page.render(80, true),
            "a \u{1b}[1mb�[31m\u{1b}[0m \u{1b}[2mc\u{1b}[0m\n"
        );
    }

    #[test]
    fn no_row_is_wider_than_asked() {
        let text = "Quantities of 2.9 mL/kg/min (95% CI 2.2 to 3.6), or 体重増加を示した結果, were found. "
            .repeat(20);
        for width in [1, 2, 7, 20, 60, 100] {
            let line = Line::of(text.clone()).strong("and more").indent(0, width / 5);
            let out = page(vec![line]).render(width, false);
            assert!(
                out.lines().all(|row| row.width() <= width.max(2)),
                "{width}: {out}"
            );
            let joined: String = out.split_whitespace().collect();
            let all: String = format!("{text}and more").split_whitespace().collect();
            assert_eq!(joined, all, "nothing is lost at {width}");
        }
    }

    #[test]
    fn gaps_do_not_add_up() {
        let mut page = Page::default();
        page.gap();
        page.line(Line::of("a"));
        page.gap();
        page.gap();
        page.line(Line::of("b"));
        assert_eq!(page.render(80, false), "a\n\nb\n");
    }
}
