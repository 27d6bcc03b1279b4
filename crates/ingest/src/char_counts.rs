//! Counts the characters of each page: kept in the document, left out deliberately, or lost.
//!
//! PDFium says how many characters a page shows. Running heads, numbers of lines, copies, the
//! title, authors and publisher's notices are left out deliberately. What is missing then was taken for labels of
//! figures, is rotated, or could not be put into an order: where that is much of a page, the document gets a warning.

use std::collections::BTreeMap;
use types::Document;

/// Fewer missing characters than these count as labels.
const FEW: usize = 100;
/// A page is named when so many in a hundred of its characters are missing.
const SHARE: usize = 50;

/// Characters of a text that show.
pub(crate) fn shown(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Pages much of whose text is missing from the document, as page, missing characters and all characters. `printed`
/// says how many characters each page shows, `removed` how many were left out deliberately.
pub(crate) fn missing(
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
    pages
        .filter(|(_, lost, all)| *lost >= FEW && lost * 100 >= all * SHARE)
        .collect()
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

/// The warning that names such pages; `None` without any.
pub(crate) fn warning(pages: &[(u32, usize, usize)]) -> Option<String> {
    const NAMED: usize = 5;
    let first = pages.first()?;
    let named: Vec<String> = pages
        .iter()
        .take(NAMED)
        .map(|(page, lost, all)| {
            let of = if *page == first.0 { " characters" } else { "" };
            format!(
                "page {page} ({lost} of {all}{of}, {} %)",
                lost * 100 / all.max(&1)
            )
        })
        .collect();
    let more = match pages.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more pages"),
    };
    Some(format!(
        "much text was left out of {}{more}: labels of figures, turned or scattered text; compare with the PDF",
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
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
            assert_eq!(
                missing(&document(), printed, &removed),
                want,
                "{printed:?} {removed:?}"
            );
        };
        check(&[(1, 18), (2, 22)], &[], &[]);
        check(&[(1, 18), (2, 400)], &[], &[(2, 379, 400)]);
        check(&[(1, 18), (2, 400)], &[(2, 350)], &[]);
        // Labels of one figure.
        check(&[(1, 100)], &[], &[]);
        assert_eq!(warning(&[]), None);
        let said = warning(&[(2, 584, 1161), (4, 200, 200)]).unwrap_or_default();
        assert!(
            said.contains("page 2 (584 of 1161 characters, 50 %), page 4 (200 of 200, 100 %)"),
            "{said}"
        );
    }
}
