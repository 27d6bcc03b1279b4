//! The warnings of a document: what could not be read.

use crate::pdfium::Opened;
use std::collections::BTreeMap;

/// Recognised pages whose words are less sure than this on average are named.
const SURE: f32 = 0.7;

/// The warnings of a document, `with_text` being its pages that hold text.
pub(crate) fn of(opened: &Opened, with_text: &[u32]) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(repaired) = &opened.repaired {
        let pages = repaired.pages;
        out.push(format!(
            "damaged: its table of contents could not be read, {pages} page{} found by searching the file; \
             others may be missing",
            if pages == 1 { " was" } else { "s were" }
        ));
    }
    if !opened.broken.is_empty() {
        out.push(format!("{} could not be loaded", page_list(&opened.broken)));
    }
    let remedy = if opened.ocr_tried {
        "OCR found no words there"
    } else {
        "OCR is needed: install tesseract and set ingest.ocr = \"auto\""
    };
    if !opened.image_only.is_empty() {
        let verb = if opened.image_only.len() == 1 {
            "holds"
        } else {
            "hold"
        };
        out.push(format!(
            "{} {verb} only images; {remedy}",
            page_list(&opened.image_only)
        ));
    }
    if !opened.garbled.is_empty() {
        out.push(format!(
            "most characters on {} have no Unicode meaning, their text is not to be trusted; {remedy}",
            page_list(&opened.garbled)
        ));
    }
    recognised(opened, &mut out);
    if with_text.is_empty() && opened.image_only.is_empty() && opened.garbled.is_empty() {
        out.push("no text on any page".to_owned());
    }
    out
}

/// The warning about pages whose words hardly look like words.
pub(crate) fn implausible(pages: &[u32]) -> Option<String> {
    (!pages.is_empty()).then(|| {
        format!(
            "the text of {} hardly looks like words, as after bad OCR or with a font that is wrongly encoded: do not \
             trust quotes from there",
            page_list(pages)
        )
    })
}

/// The warning about characters that pages print again in the same place.
pub(crate) fn copied(pages: &BTreeMap<u32, usize>) -> Option<String> {
    let chars: usize = pages.values().sum();
    let pages: Vec<u32> = pages.keys().copied().collect();
    (chars > 0).then(|| {
        format!(
            "{chars} characters on {} are printed twice in one place (bold type, shadows) and read once",
            page_list(&pages)
        )
    })
}

fn recognised(opened: &Opened, out: &mut Vec<String>) {
    let pages: Vec<u32> = opened.recognised.iter().map(|r| r.page).collect();
    if !pages.is_empty() {
        let mean = opened.recognised.iter().map(|r| r.confidence).sum::<f32>() / pages.len() as f32;
        out.push(format!(
            "{} read by OCR, mean confidence {mean:.2}: expect misread letters",
            page_list(&pages)
        ));
    }
    let unsure: Vec<u32> = opened
        .recognised
        .iter()
        .filter(|r| r.confidence < SURE)
        .map(|r| r.page)
        .collect();
    if !unsure.is_empty() {
        out.push(format!(
            "OCR is unsure of {} (confidence below {SURE})",
            page_list(&unsure)
        ));
    }
    for (page, why) in &opened.unrecognised {
        out.push(format!("page {page} was not read by OCR: {why}"));
    }
}

/// "page 3", "pages 3-5, 9".
fn page_list(pages: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == *page => *end = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let words: Vec<String> = ranges
        .iter()
        .map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") })
        .collect();
    format!(
        "page{} {}",
        if pages.len() == 1 { "" } else { "s" },
        words.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdfium::Recognised;

    #[test]
    fn pages_are_listed_as_people_write_them() {
        let check = |pages: &[u32], want: &str| assert_eq!(page_list(pages), want);
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
        let scan = Opened {
            image_only: vec![1, 2],
            ..Opened::default()
        };
        check(
            &scan,
            &[],
            &["pages 1-2 hold only images; OCR is needed: install"],
        );
        let tried = Opened {
            image_only: vec![2],
            ocr_tried: true,
            recognised: vec![Recognised {
                page: 1,
                confidence: 0.5,
            }],
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
