//! How many of the pages that answer were retrieved?

use super::{Metric, Need, Spec, View, documents, share, view::lacks};
use crate::Score;

/// The metric.
pub(super) struct PageRecall;

const SPEC: Spec = Spec {
    key: "page_recall",
    title: "Page recall",
    definition: "Share of the expected pages that a passage is from. An expected document without pages counts as one page, found \
         if any passage is from it.",
    edge_cases: "N/a if the expected documents name no page, and if the passages name no document.",
    source: "the ground truth of the five-dimension judge: documents with the pages that answer",
    needs: &[Need::Expected, Need::Context],
    ..Spec::SHARE
};

impl Metric for PageRecall {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let expected = sample.sample.expected.as_deref().filter(|all| !all.is_empty());
        let expected = expected.ok_or_else(|| lacks(Need::Expected))?;
        let passages = sample.passages()?;
        if expected.iter().all(|document| document.pages.is_empty()) {
            return Err(Score::n_a("the expected documents name no pages"));
        }
        if !passages.is_empty() && passages.iter().all(|passage| passage.document.is_none()) {
            return Err(Score::n_a("the passages do not name their documents"));
        }
        let from = |document: &str, page: Option<u32>| {
            passages.iter().any(|passage| {
                let own = passage.document.as_deref().map(documents::key);
                own == Some(documents::key(document)) && (page.is_none() || passage.page == page)
            })
        };
        let wanted = expected.iter().flat_map(|gold| {
            let whole = gold.pages.is_empty().then_some(None);
            let pages = gold.pages.iter().map(|page| Some(*page)).chain(whole);
            pages.map(|page| (gold.document.as_str(), page))
        });
        Ok(share(wanted.map(|(document, page)| from(document, page))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a};
    use crate::{Expected, Passage, Sample};

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
        let mut row = Sample {
            passages: Some(vec![passage("a.pdf", 3), passage("b.pdf", 1)]),
            expected: Some(vec![
                gold("a.pdf", &[3, 4]),
                gold("b.pdf", &[]),
                gold("c.pdf", &[3]),
            ]),
            ..Sample::default()
        };
        check(&PageRecall, &row, 0.5);
        row.passages = Some(Vec::new());
        check(&PageRecall, &row, 0.0);
        row.passages = Some(vec![Passage::default()]);
        check_n_a(&PageRecall, &row, "documents");
        row.expected = Some(vec![gold("a.pdf", &[])]);
        check_n_a(&PageRecall, &row, "pages");
    }
}
