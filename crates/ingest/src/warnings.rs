//! The warnings of a document: what could not be read, and how much text is missing.
//!
//! PDFium says how many characters a page shows. Running heads, numbers of lines, copies, the
//! title, authors and publisher's notices are left out deliberately. What is missing then was taken for labels of
//! figures, is rotated, or could not be put into an order: where that is much of a page, the document gets a warning.

use crate::glyph::UNREADABLE;
use crate::pdfium::Opened;
use std::collections::BTreeMap;
use types::Document;

/// Recognised pages whose words are less sure than this on average are named.
const SURE: f32 = 0.7;

/// The warnings of a document, `with_text` being its pages that hold text.
pub(crate) fn of(opened: &Opened, with_text: &[u32]) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(repaired) = &opened.repaired {
        let pages = repaired.pages;
        let were = if pages == 1 { " was" } else { "s were" };
        out.push(format!(
            "damaged: its table of contents could not be read, {pages} page{were} found by searching the file; \
             others may be missing"
        ));
    }
    if !opened.attached.is_empty() {
        let (files, are) = match opened.attached.len() {
            1 => ("1 attached PDF file".to_owned(), "is"),
            more => (format!("{more} attached PDF files"), "are"),
        };
        let names = types::words::first_of(&opened.attached, 5);
        out.push(format!("{files} {are} not read: save them as files of their own ({names})"));
    }
    if opened.hidden_layers {
        out.push("layers of the file are switched off: text that PDF viewers do not show may be quoted; compare with the PDF".to_owned());
    }
    out.extend(page_list(&opened.broken).map(|pages| format!("{pages} could not be loaded")));
    let remedy = if opened.ocr_tried {
        "OCR found no words there"
    } else {
        "OCR is needed: install tesseract and set ingest.ocr = \"auto\""
    };
    let hold = if opened.image_only.len() == 1 { "holds" } else { "hold" };
    let images = page_list(&opened.image_only);
    out.extend(images.map(|pages| format!("{pages} {hold} only images; {remedy}")));
    out.extend(page_list(&opened.garbled).map(|pages| {
        format!(
            "most characters on {pages} have no Unicode meaning, their text is not to be trusted; {remedy}"
        )
    }));
    let pages: Vec<u32> = opened.recognised.iter().map(|r| r.page).collect();
    let mean = opened.recognised.iter().map(|r| r.confidence).sum::<f32>() / pages.len() as f32;
    out.extend(
        page_list(&pages)
            .map(|pages| format!("{pages} read by OCR, mean confidence {mean:.2}: expect misread letters")),
    );
    let unsure = opened.recognised.iter().filter(|r| r.confidence < SURE);
    let unsure: Vec<u32> = unsure.map(|r| r.page).collect();
    let unsure = page_list(&unsure);
    out.extend(unsure.map(|pages| format!("OCR is unsure of {pages} (confidence below {SURE})")));
    let unrecognised = opened.unrecognised.iter();
    out.extend(unrecognised.map(|(page, why)| format!("page {page} was not read by OCR: {why}")));
    if with_text.is_empty() && opened.image_only.is_empty() && opened.garbled.is_empty() {
        out.push("no text on any page".to_owned());
    }
    out
}

/// The warning about pages whose words hardly look like words.
pub(crate) fn implausible(pages: &[u32]) -> Option<String> {
    let pages = page_list(pages)?;
    Some(format!(
        "the text of {pages} hardly looks like words, as after bad OCR or with a font that is wrongly encoded: do not \
         trust quotes from there"
    ))
}

/// The warning about characters that pages print again in the same place.
pub(crate) fn copied(pages: &BTreeMap<u32, usize>) -> Option<String> {
    let chars: usize = pages.values().sum();
    let pages: Vec<u32> = pages.keys().copied().collect();
    let pages = page_list(&pages)?;
    Some(format!(
        "{chars} characters on {pages} are printed twice in one place (bold type, shadows) and read once"
    ))
}

/// The warning about signs that cannot be read, among these lines with their pages.
pub(crate) fn unreadable<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Option<String> {
    let mut pages: Vec<u32> =
        lines.flat_map(|(page, text)| text.matches(UNREADABLE).map(move |_| page)).collect();
    let (signs, s) = (pages.len(), if pages.len() == 1 { "" } else { "s" });
    pages.sort_unstable();
    pages.dedup();
    let pages = page_list(&pages)?;
    Some(format!(
        "{signs} character{s} on {pages} could not be read (shown as {UNREADABLE}): the font does not say which; compare with the PDF"
    ))
}

/// "page 3", "pages 3-5, 9"; `None` without any.
fn page_list(pages: &[u32]) -> Option<String> {
    let ranges = pages.chunk_by(|a, b| a + 1 == *b);
    let words = ranges.filter_map(|range| match range {
        [] => None,
        [page] => Some(page.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
    });
    let s = if pages.len() == 1 { "" } else { "s" };
    (!pages.is_empty()).then(|| format!("page{s} {}", words.collect::<Vec<_>>().join(", ")))
}

/// Fewer missing characters than these count as labels.
const FEW: usize = 100;
/// A page is named when so many in a hundred of its characters are missing.
const SHARE: usize = 50;

/// Characters of a text that show.
pub(crate) fn shown(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// What is missing of each page, as page, missing characters and all characters. `printed` says how many characters each
/// page shows, `removed` how many were left out deliberately.
pub(crate) fn missing_text(
    document: &Document,
    printed: &[(u32, usize)],
    removed: &BTreeMap<u32, usize>,
) -> Vec<(u32, usize, usize)> {
    let kept = kept(document);
    let of = |map: &BTreeMap<u32, usize>, page: u32| map.get(&page).copied().unwrap_or(0);
    let pages = printed.iter().map(|(page, all)| {
        let all = all.saturating_sub(of(removed, *page));
        (*page, all.saturating_sub(of(&kept, *page)), all)
    });
    pages.collect()
}

/// Characters of each page that the document holds.
fn kept(document: &Document) -> BTreeMap<u32, usize> {
    let mut kept: BTreeMap<u32, usize> = BTreeMap::new();
    for section in &document.sections {
        *kept.entry(section.page_start).or_default() += shown(&section.heading);
        for block in &section.blocks {
            let mut start = block.span.start;
            let mut page = block.page_start;
            let end = (block.span.end, block.page_end);
            for (at, next) in block.page_breaks.iter().copied().chain([end]) {
                let part = document.text.get(start..at).unwrap_or_default();
                *kept.entry(page).or_default() += shown(part);
                (start, page) = (at, next);
            }
        }
    }
    kept
}

/// The warning that names the pages much of whose text is missing or, without any, says that more than a twentieth of the whole is;
/// `None` for other documents.
pub(crate) fn missing(pages: &[(u32, usize, usize)]) -> Option<String> {
    const NAMED: usize = 5;
    const ENOUGH: usize = 500;
    let much = pages.iter().filter(|(_, lost, all)| *lost >= FEW && lost * 100 >= all * SHARE);
    let mut named: Vec<String> = much
        .map(|(page, lost, all)| {
            format!("page {page} ({lost} of {all} characters, {} %)", lost * 100 / all.max(&1))
        })
        .collect();
    if named.is_empty() {
        let sum = |of: fn(&(u32, usize, usize)) -> usize| pages.iter().map(of).sum::<usize>();
        let (lost, all) = (sum(|page| page.1), sum(|page| page.2).max(1));
        let share = lost * 100 / all;
        return (lost >= ENOUGH && share >= 5).then(|| {
            format!("{lost} of {all} characters ({share} %) were left out: labels of figures, or turned or scattered text; compare with the PDF")
        });
    }
    let more = named.len().saturating_sub(NAMED);
    named.truncate(NAMED);
    named.extend((more > 0).then(|| format!("and {more} more pages")));
    let named = named.join(", ");
    Some(format!(
        "much text was left out of {named}: labels of figures, turned or scattered text; compare with the PDF"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdfium::Recognised;

    #[test]
    fn pages_are_listed_as_people_write_them() {
        let check = |pages: &[u32], want: &str| assert_eq!(page_list(pages).as_deref(), Some(want));
        check(&[3], "page 3");
        check(&[1, 2, 3, 5, 7, 8], "pages 1-3, 5, 7-8");
    }

    #[test]
    fn what_was_not_read_is_said_with_the_remedy() {
        let check = |opened: &Opened, with_text: &[u32], want: &[&str]| {
            let found = of(opened, with_text);
            assert_eq!(found.len(), want.len(), "{found:?}");
            for (found, want) in found.iter().zip(want) {
                assert!(found.contains(want), "{found:?} holds {want:?}");
            }
        };
        check(&Opened::default(), &[], &["no text on any page"]);
        check(&Opened::default(), &[1], &[]);
        let scan = Opened { image_only: vec![1, 2], ..Opened::default() };
        check(&scan, &[], &["pages 1-2 hold only images; OCR is needed: install"]);
        let tried = Opened {
            image_only: vec![2],
            ocr_tried: true,
            recognised: vec![Recognised { page: 1, confidence: 0.5 }],
            unrecognised: vec![(3, "timed out".to_owned())],
            ..Opened::default()
        };
        check(
            &tried,
            &[1],
            &[
                "page 2 holds only images; OCR found no words",
                "page 1 read by OCR, mean confidence 0.50",
                "unsure of page 1",
                "page 3 was not read by OCR: timed out",
            ],
        );
    }
}

#[cfg(test)]
mod char_counts_tests {
    use super::*;
    use types::{Block, BlockKind, Section, SectionKind, Span};

    fn document() -> Document {
        let text = "Results\n\nOne page ends here and another begins.".to_owned();
        let span = Span::new(9, text.len());
        let block = Block {
            kind: BlockKind::Paragraph,
            page_start: 1,
            page_end: 2,
            span,
            page_breaks: vec![(23, 2)],
            label: None,
        };
        Document {
            pages: 2,
            text,
            sections: vec![Section {
                name: SectionKind::Results,
                heading: "Results".to_owned(),
                level: 1,
                page_start: 1,
                page_end: 2,
                span,
                blocks: vec![block],
            }],
            ..Document::default()
        }
    }

    #[test]
    fn characters_are_counted_by_page() {
        assert_eq!(kept(&document()), BTreeMap::from([(1, 7 + 11), (2, 21)]));
    }

    #[test]
    fn pages_that_lost_most_of_their_text_are_named() {
        let check = |printed: &[(u32, usize)], removed: &[(u32, usize)], want: &[(u32, usize, usize)]| {
            let removed = removed.iter().copied().collect();
            assert_eq!(missing_text(&document(), printed, &removed), want, "{printed:?} {removed:?}");
        };
        check(&[(1, 18), (2, 400)], &[], &[(1, 0, 18), (2, 379, 400)]);
        check(&[(2, 400)], &[(2, 350)], &[(2, 29, 50)]);
        let named = |pages: &[(u32, usize, usize)]| missing(pages).unwrap_or_default();
        // Labels of one figure; a little of each page.
        assert_eq!(missing(&[(1, 82, 100), (2, 60, 5000)]), None);
        assert!(named(&[(1, 300, 5000), (2, 310, 5000)]).starts_with("610 of 10000 characters (6 %)"));
        let said = named(&[(1, 0, 900), (2, 584, 1161), (4, 200, 200)]);
        assert!(
            said.contains("of page 2 (584 of 1161 characters, 50 %), page 4 (200 of 200 characters, 100 %):"),
            "{said}"
        );
    }
}
