//! Whole documents from made-up pages, without PDFium: a typesetter for characters, and what must hold for any
//! page whatever.

use super::build;
use crate::glyph::{Font, Glyph, Layer};
use crate::layout::Pages;
use crate::pdfium::{Opened, PageSink};
use types::{BlockKind, Document, SectionKind, SourceId};

const PLAIN: u16 = 0;
const BOLD: u16 = 1;

fn fonts() -> Vec<Font> {
    let font = |name: &str| Font::from_name(name, false, false);
    vec![font("Times-Roman"), font("Times-Bold"), font("Times-Italic")]
}

/// Sets one line; every character is half an em wide.
fn set(layer: &mut Layer, x: f32, y: f32, size: f32, font: u16, text: &str) {
    let mut at = x;
    let mut spaced = false;
    for ch in text.chars() {
        if ch == ' ' {
            spaced = true;
        } else {
            layer.glyphs.push(Glyph { ch, x0: at, x1: at + size / 2.0, y, size, font, spaced });
            spaced = false;
        }
        at += size / 2.0;
    }
}

/// Sets lines below each other from `y` on and returns the next baseline.
fn lines(layer: &mut Layer, x: f32, mut y: f32, text: &[&str]) -> f32 {
    for line in text {
        set(layer, x, y, 10.0, PLAIN, line);
        y += 12.0;
    }
    y
}

fn heading(layer: &mut Layer, x: f32, y: f32, text: &str) -> f32 {
    set(layer, x, y + 12.0, 12.0, BOLD, text);
    y + 30.0
}

fn page() -> Layer {
    Layer { width: 612.0, height: 792.0, ..Layer::default() }
}

fn document(layers: Vec<Layer>) -> Document {
    let mut pages = Pages::default();
    let opened = Opened { pages: layers.len() as u32, ..Opened::default() };
    for (layer, number) in layers.into_iter().zip(1..) {
        pages.page(number, vec![layer], &fonts());
    }
    let document = build(pages, &opened, SourceId::from("made_up"));
    holds(&document);
    document
}

/// What is true of every document.
fn holds(document: &Document) {
    let mut end = 0;
    for section in &document.sections {
        assert!(section.span.start >= end && section.page_start <= section.page_end);
        assert!(section.span.slice(&document.text).is_some());
        assert!(section.level >= 1);
        for block in &section.blocks {
            assert!(section.span.contains(block.span) && block.span.start >= end);
            let text = block.span.slice(&document.text).expect("on boundaries of characters");
            assert!(!text.trim().is_empty());
            assert!(block.page_start <= block.page_end && block.page_end <= document.pages);
            let mut before = block.span.start;
            for (at, page) in &block.page_breaks {
                assert!(*at >= before && *at <= block.span.end && document.text.is_char_boundary(*at));
                assert!((block.page_start..=block.page_end).contains(page));
                before = *at;
            }
            end = block.span.end;
        }
        end = end.max(section.span.end);
    }
}

fn text_of<'a>(document: &'a Document, heading: &str) -> &'a str {
    let section = document.sections.iter().find(|s| s.heading == heading);
    let section = section.unwrap_or_else(|| panic!("{heading} is a heading: {:?}", document.sections));
    document.section_text(section)
}

const PROSE: &[&str] = &[
    "The first line of this paragraph says something new and",
    "the second line goes on with it for quite a while until",
    "the third line brings the whole matter to its good end.",
];

#[test]
fn a_paragraph_goes_on_over_a_page_and_its_float() {
    let mut first = page();
    let y = heading(&mut first, 50.0, 60.0, "1. Introduction");
    let y = lines(&mut first, 50.0, y, PROSE);
    lines(&mut first, 50.0, y, &["The last sentence of this page is not yet over when"]);
    let mut second = page();
    set(&mut second, 50.0, 60.0, 8.0, PLAIN, "Figure 1. Something that was drawn and is explained here.");
    let y = lines(&mut second, 50.0, 120.0, &["it goes on to the next page, below the figure, and ends."]);
    let y = heading(&mut second, 50.0, y, "2. Methods");
    lines(&mut second, 50.0, y, PROSE);
    let document = document(vec![first, second]);
    let introduction = text_of(&document, "1. Introduction");
    assert!(introduction.contains("not yet over when it goes on to the next page"), "{introduction}");
    let section = &document.sections[0];
    let crossing = section.blocks.iter().find(|b| b.page_end == 2 && b.page_start == 1).expect("it crosses");
    assert_eq!(crossing.page_breaks.len(), 1);
    let at = crossing.page_breaks[0].0;
    assert!(document.text[at..].trim_start().starts_with("it goes on"), "{}", &document.text[at..]);
    let caption = section.blocks.iter().find(|b| b.kind == BlockKind::Caption).expect("a caption");
    assert_eq!(caption.label.as_deref(), Some("Figure 1"));
}

#[test]
fn run_in_headings_are_split_off() {
    let mut first = page();
    let mut y = heading(&mut first, 50.0, 60.0, "Methods");
    for (head, text) in [
        ("Animals.", "We kept one hundred snails in glass boxes."),
        ("Statistics.", "All tests were two-sided and exact."),
    ] {
        set(&mut first, 50.0, y, 10.0, BOLD, head);
        set(&mut first, 50.0 + 5.0 * (head.len() + 1) as f32, y, 10.0, PLAIN, text);
        y = lines(&mut first, 50.0, y + 12.0, &["They were the same in every way that we could think of."]);
        y += 10.0;
    }
    let document = document(vec![first]);
    let heads: Vec<(&str, SectionKind)> =
        document.sections.iter().map(|s| (s.heading.as_str(), s.name)).collect();
    assert_eq!(
        heads,
        [
            ("Methods", SectionKind::Methods),
            ("Animals.", SectionKind::Methods),
            ("Statistics.", SectionKind::Methods)
        ]
    );
    assert!(text_of(&document, "Animals.").starts_with("We kept one hundred snails"));
}

/// A notice is dropped where publishers print them, on the first two pages and the last; a sentence of the body that
/// begins like one is text.
#[test]
fn notices_of_the_first_and_last_pages_stand_behind_the_text() {
    const NOTICE: &str = "Received wisdom on 3 May; accepted in its revised form on 9 June.";
    let headings = ["1. Introduction", "2. Methods", "3. Results", "4. Discussion", "5. Conclusions"];
    let mut pages = Vec::new();
    for (number, title) in headings.iter().enumerate() {
        let mut layer = page();
        // At another height on each page: what repeats at one height is a running head.
        let y = heading(&mut layer, 50.0, 200.0 + 20.0 * number as f32, title);
        let y = lines(&mut layer, 50.0, y, PROSE);
        let y = lines(&mut layer, 50.0, y + 24.0, &[NOTICE]);
        lines(&mut layer, 50.0, y + 24.0, PROSE);
        pages.push(layer);
    }
    let document = document(pages);
    let notices = document.sections.iter().map(|section| {
        let count = document.section_text(section).matches("Received wisdom").count();
        (section.heading.as_str(), count)
    });
    let with_notice: Vec<(&str, usize)> = notices.filter(|(_, count)| *count > 0).collect();
    assert_eq!(with_notice, [("3. Results", 1), ("4. Discussion", 1), ("", 3)], "{}", document.text);
    assert_eq!(document.text.matches("third line brings").count(), 10);
}

/// A page whose summary goes on for long is read, though the next one prints the title again; a cover with a notice is not
/// taken for the paper's text.
#[test]
fn a_summary_before_the_title_page_is_text() {
    const TITLE: &str = "The long sleep of the snails of the garden";
    let cover = |summary: bool| {
        let mut layer = page();
        set(&mut layer, 50.0, 60.0, 20.0, BOLD, TITLE);
        set(&mut layer, 50.0, 90.0, 10.0, PLAIN, "Anna Berg, Tom Ash");
        let mut y = 100.0;
        for title in ["INTRODUCTION", "RATIONALE", "RESULTS"].iter().take(if summary { 3 } else { 1 }) {
            y = heading(&mut layer, 50.0, y, title);
            for _ in 0..if summary { 4 } else { 1 } {
                y = lines(&mut layer, 50.0, y, PROSE);
            }
        }
        layer
    };
    let title_page = || {
        let mut layer = page();
        set(&mut layer, 50.0, 140.0, 20.0, BOLD, TITLE);
        let y = lines(&mut layer, 50.0, 180.0, PROSE);
        let y = heading(&mut layer, 50.0, y + 40.0, "Methods");
        lines(&mut layer, 50.0, y, PROSE);
        layer
    };
    let read = document(vec![cover(true), title_page()]);
    let headings: Vec<&str> =
        read.sections.iter().map(|s| s.heading.as_str()).filter(|h| !h.is_empty()).collect();
    assert_eq!(headings, ["INTRODUCTION", "RATIONALE", "RESULTS", "Methods"], "{}", read.text);
    assert_eq!(read.meta.title.as_deref(), Some(TITLE));
    assert!(!read.text.contains(TITLE));
    let read = document(vec![cover(false), title_page()]);
    assert!(read.sections.iter().all(|s| s.heading != "INTRODUCTION"), "{}", read.text);
}

/// An introduction without a heading, in other type than the abstract above it, is a section of its own.
#[test]
fn an_introduction_without_a_heading_is_no_abstract() {
    let mut first = page();
    set(&mut first, 50.0, 60.0, 20.0, BOLD, "The long sleep of the snails of the garden");
    set(&mut first, 50.0, 90.0, 10.0, PLAIN, "Anna Berg, Tom Ash");
    let mut y = 120.0;
    for line in PROSE.iter().chain(PROSE) {
        set(&mut first, 50.0, y, 10.0, BOLD, line);
        y += 12.0;
    }
    let y = lines(&mut first, 50.0, y, PROSE);
    let y = lines(&mut first, 50.0, y, PROSE);
    let y = heading(&mut first, 50.0, y, "Results");
    lines(&mut first, 50.0, y, PROSE);
    let read = document(vec![first]);
    let kinds: Vec<SectionKind> = read.sections.iter().map(|s| s.name).take(3).collect();
    let want = [SectionKind::Abstract, SectionKind::Introduction, SectionKind::Results];
    assert_eq!(kinds, want, "{}", read.text);
}

#[test]
fn an_empty_document_is_a_document() {
    assert!(document(vec![page()]).text.is_empty());
    assert!(document(Vec::new()).sections.is_empty());
}
