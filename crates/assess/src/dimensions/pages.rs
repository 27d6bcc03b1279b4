//! How many of the pages that answer were retrieved.

use super::citations::same_document;
use eval::Score;
use rows::AnswerRow;

/// Share of the pages of the ground truth that a retrieved passage is from, 0 to 1. A document without pages counts as one
/// page, found if any passage is from it. n/a if the row has no such documents or no passages that name theirs.
pub fn page_recall(row: &AnswerRow) -> Score {
    let Some(expected) = row.expected.as_ref().filter(|expected| !expected.is_empty()) else {
        return Score::n_a("the row has no expected documents");
    };
    let Some(passages) = &row.passages else {
        return Score::n_a("the row has no passages");
    };
    if !passages.is_empty() && passages.iter().all(|passage| passage.document.is_none()) {
        return Score::n_a("the passages do not name their documents");
    }
    if expected.iter().all(|expected| expected.pages.is_empty()) {
        return Score::n_a("the expected documents name no pages");
    }
    let from = |document: &str, page: Option<u32>| {
        passages.iter().any(|passage| {
            let own = passage.document.as_deref();
            own.is_some_and(|own| same_document(own, document)) && (page.is_none() || passage.page == page)
        })
    };
    let (mut found, mut all) = (0, 0);
    for gold in expected {
        let pages = gold.pages.iter().map(|page| Some(*page));
        let whole = gold.pages.is_empty().then_some(None);
        for page in pages.chain(whole) {
            all += 1;
            found += usize::from(from(&gold.document, page));
        }
    }
    Score::share(found, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rows::{Expected, Passage};

    #[test]
    fn pages_are_counted() {
        let passage = |document: &str, page: u32| Passage {
            document: Some(document.to_owned()),
            page: Some(page),
            ..Passage::default()
        };
        let gold = |document: &str, pages: &[u32]| Expected {
            document: document.to_owned(),
            pages: pages.to_vec(),
            grade: 1,
        };
        let mut row = AnswerRow {
            passages: Some(vec![passage("a.pdf", 3), passage("b.pdf", 1)]),
            expected: Some(vec![
                gold("a.pdf", &[3, 4]),
                gold("b.pdf", &[]),
                gold("c.pdf", &[3]),
            ]),
            ..AnswerRow::default()
        };
        assert_eq!(page_recall(&row).get(), Some(0.5));
        row.passages = Some(Vec::new());
        assert_eq!(page_recall(&row).get(), Some(0.0));
        row.passages = Some(vec![Passage::default()]);
        assert!(matches!(page_recall(&row), Score::NotApplicable(_)));
        row.expected = Some(vec![gold("a.pdf", &[])]);
        assert!(matches!(page_recall(&row), Score::NotApplicable(_)));
    }
}
