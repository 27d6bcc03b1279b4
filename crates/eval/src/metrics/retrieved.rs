//! What was retrieved against what should have been.

use super::view::lacks;
use super::{Direction, Metric, Need, Range, Spec, documents, gold, share, share_of};
use crate::{Sample, Score};
use evidence::support::statements;

/// Was the labelled evidence put before the generator?
pub(super) static GOLD_RECALL_CONTEXT: Metric = Metric::new(
    Spec {
        key: "gold_recall_context",
        title: "Gold recall, context",
        needs: &[Need::Context, Need::GoldEvidence],
        in_runs: true,
        ..Spec::SHARE
    },
    |sample| {
        let quotes = gold::quotes(sample)?;
        let passages = sample.passages()?;
        Ok(share(quotes.iter().map(|quote| gold::stands_in_passages(passages, quote))))
    },
);

/// Whether a row has what a recall needs.
type HasLabel = fn(&Sample) -> bool;

/// The recalls that `context_recall` can be, from the most certain on, and whether a row has what they need.
const RECALLS: [(&str, HasLabel); 3] = [
    ("gold_recall_context", |row| has(row.gold_quotes.as_deref()) && row.passages.is_some()),
    ("context_recall_documents", |row| {
        has(row.expected.as_deref()) && (row.retrieved.is_some() || row.passages.is_some())
    }),
    ("context_recall_claims", |row| row.reference.is_some() && row.passages.is_some()),
];

fn has<T>(list: Option<&[T]>) -> bool {
    list.is_some_and(|list| !list.is_empty())
}

/// Makes `context_recall` one recall for all of these rows: a mean over several would mean nothing.
pub fn one_recall(rows: &mut [Sample]) {
    let labelled = |has: HasLabel| rows.iter().filter(|row| has(row)).count();
    let best = RECALLS.into_iter().rev().max_by_key(|(_, has)| labelled(*has));
    let recall = best.filter(|(_, has)| labelled(*has) > 0).map(|(recall, _)| recall);
    for row in rows {
        row.recall = recall;
    }
}

/// Did retrieval find what answers?
pub(super) static CONTEXT_RECALL: Metric = Metric::new(
    Spec {
        key: "context_recall",
        title: "Context recall",
        needs_one_of: &[Need::GoldEvidence, Need::Expected, Need::ReferenceAnswer],
        ..Spec::SHARE
    },
    |sample| {
        let row = sample.sample;
        for kind in
            RECALLS.map(|(kind, _)| kind).into_iter().filter(|kind| row.recall.is_none_or(|one| one == *kind))
        {
            match sample.value_of(kind) {
                Err(Score::NotApplicable(_)) => {}
                other => return other,
            }
        }
        if row.gold_quotes.is_none() && row.expected.is_none() && row.reference.is_none() {
            return Err(Score::n_a("the row has no `expected`, no `gold_quotes` and no `reference`"));
        }
        Err(Score::n_a(row.recall.map_or_else(
            || "the row has neither `passages` nor `retrieved` that match its labels".to_owned(),
            |recall| format!("it is {recall} in this file, and the row lacks the fields for it"),
        )))
    },
);

/// Were the documents that answer retrieved?
pub(super) static CONTEXT_RECALL_DOCUMENTS: Metric = Metric::new(
    Spec {
        key: "context_recall_documents",
        title: "Context recall, documents",
        needs: &[Need::Expected, Need::Retrieved],
        ..Spec::SHARE
    },
    |sample| {
        let grades = sample.grades()?;
        let retrieved = sample.retrieved()?.into_iter().map(documents::key);
        let found = retrieved.filter(|id| grades.contains_key(id)).count();
        Ok(found as f64 / grades.len() as f64)
    },
);

/// Do the passages say what the reference says?
pub(super) static CONTEXT_RECALL_CLAIMS: Metric = Metric::new(
    Spec {
        key: "context_recall_claims",
        title: "Context recall, claims",
        needs: &[Need::ReferenceAnswer, Need::Context],
        ..Spec::SHARE
    },
    |sample| {
        let claims = statements(sample.reference()?);
        let passages = sample.passages()?;
        let said = |claim: &String| {
            let (mut heard, mut incomparable) = (passages.is_empty(), None);
            for passage in passages {
                match sample.says(claim, &passage.text) {
                    Ok(true) => return Ok(true),
                    Ok(false) => heard = true,
                    Err(Score::NotApplicable(why)) => incomparable = Some(why),
                    Err(error) => return Err(error),
                }
            }
            incomparable.filter(|_| !heard).map_or(Ok(false), |why| Err(Score::n_a(why)))
        };
        share_of(claims.iter().map(said))
    },
);

/// Do the documents that answer rank first?
pub(super) static CONTEXT_AVERAGE_PRECISION: Metric = Metric::new(
    Spec {
        key: "context_average_precision",
        title: "Context average precision",
        needs: &[Need::Expected, Need::Retrieved],
        ..Spec::SHARE
    },
    |sample| {
        let grades = sample.grades()?;
        let (mut found, mut sum) = (0, 0.0);
        for (at, id) in sample.retrieved()?.into_iter().enumerate() {
            if grades.contains_key(&documents::key(id)) {
                found += 1;
                sum += f64::from(found) / (at + 1) as f64;
            }
        }
        Ok(if found == 0 { 0.0 } else { sum / f64::from(found) })
    },
);

/// How many of the pages that answer were retrieved?
pub(super) static PAGE_RECALL: Metric = Metric::new(
    Spec { key: "page_recall", title: "Page recall", needs: &[Need::Expected, Need::Context], ..Spec::SHARE },
    |sample| {
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
    },
);

/// How far are the passages from the question?
pub(super) static AVERAGE_DISTANCE: Metric = Metric::new(
    Spec {
        key: "average_distance",
        title: "Average distance",
        range: Range { low: 0.0, high: 4.0 },
        direction: Direction::Lower,
        needs: &[Need::Distance],
        in_runs: true,
        ..Spec::SHARE
    },
    |sample| {
        let returned = sample.sample.returned.as_deref();
        let passages = returned.map_or_else(|| sample.passages(), Ok)?;
        if passages.is_empty() {
            return Err(Score::n_a("no passage was retrieved"));
        }
        let distances: Option<Vec<f64>> = passages.iter().map(|passage| passage.distance).collect();
        let distances = distances.ok_or_else(|| lacks(Need::Distance))?;
        Ok(distances.iter().sum::<f64>() / distances.len() as f64)
    },
);

const COUNT: Spec = Spec {
    range: Range { low: 0.0, high: f64::INFINITY },
    direction: Direction::Neither,
    in_runs: true,
    ..Spec::SHARE
};

/// How many documents were retrieved?
pub(super) static DOCUMENTS_PER_QUERY: Metric = Metric::new(
    Spec { key: "documents_per_query", title: "Documents retrieved", needs: &[Need::Retrieved], ..COUNT },
    |sample| Ok(sample.retrieved()?.len() as f64),
);

/// How many passages were retrieved?
pub(super) static PASSAGES_PER_QUERY: Metric = Metric::new(
    Spec { key: "passages_per_query", title: "Passages retrieved", needs: &[Need::Context], ..COUNT },
    |sample| {
        let own = sample.sample;
        let all = own.returned.as_ref().or(own.passages.as_ref());
        Ok(all.ok_or_else(|| lacks(Need::Context))?.len() as f64)
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, expected, ranked, row, score_of};
    use crate::{Expected, Passage, Sample};

    #[test]
    fn the_most_certain_label_counts() {
        let mut row = row("q", "x", &[("a", "Walking lowered blood pressure by 6 mmHg.")]);
        check_n_a(&CONTEXT_RECALL, &row, "`expected`");
        row.reference = Some("Walking lowered blood pressure by 6 mmHg.".to_owned());
        check(&CONTEXT_RECALL, &row, 1.0);
        row.expected = ranked(&[], &["a", "b"]).expected;
        check(&CONTEXT_RECALL, &row, 0.5);
        row.gold_quotes = Some(vec![crate::GoldQuote { document: None, quote: "Mice slept.".to_owned() }]);
        check(&CONTEXT_RECALL, &row, 0.0);
        // Of several rows, most have a reference, and one has documents.
        let mut rows = [row.clone(), row.clone(), row.clone()];
        for row in &mut rows[..2] {
            (row.gold_quotes, row.expected) = (None, None);
        }
        one_recall(&mut rows);
        check(&CONTEXT_RECALL, &rows[2], 1.0);
        rows[1].reference = None;
        check_n_a(&CONTEXT_RECALL, &rows[1], "no `reference`");
        rows[1].expected = Some(Vec::new());
        let mut empty = [rows[0].clone(), rows[0].clone()];
        for row in &mut empty {
            row.expected = Some(Vec::new());
        }
        one_recall(&mut empty);
        check(&CONTEXT_RECALL, &empty[0], 1.0);
        check_n_a(&CONTEXT_RECALL, &rows[1], "it is context_recall_claims in this file");
        row.passages = None;
        check_n_a(&CONTEXT_RECALL, &row, "neither `passages`");
    }

    #[test]
    fn found_documents_over_expected_ones() {
        check(&CONTEXT_RECALL_DOCUMENTS, &ranked(&["x", "A.pdf"], &["a", "b"]), 0.5);
        check(&CONTEXT_RECALL_DOCUMENTS, &ranked(&[], &["a"]), 0.0);
        check_n_a(&CONTEXT_RECALL_DOCUMENTS, &ranked(&["a"], &[]), "grade 1");
        let mut row = ranked(&["a"], &[]);
        row.expected = Some(vec![expected("a", 1), expected("b", 0)]);
        check(&CONTEXT_RECALL_DOCUMENTS, &row, 1.0);
        row.retrieved = None;
        check_n_a(&CONTEXT_RECALL_DOCUMENTS, &row, "`retrieved`");
    }

    #[test]
    fn claims_of_the_reference() {
        let mut row = row(
            "q",
            "x",
            &[("a", "In the trial, walking lowered blood pressure by 6 mmHg."), ("b", "Mice ran.")],
        );
        check_n_a(&CONTEXT_RECALL_CLAIMS, &row, "`reference`");
        row.reference =
            Some("Walking lowered blood pressure by 6 mmHg. Zebrafish swam for nine hours.".to_owned());
        check(&CONTEXT_RECALL_CLAIMS, &row, 0.5);
        row.passages = Some(Vec::new());
        check(&CONTEXT_RECALL_CLAIMS, &row, 0.0);
    }

    #[test]
    fn precision_at_the_ranks_of_what_is_relevant() {
        check(&CONTEXT_AVERAGE_PRECISION, &ranked(&["a", "x", "b"], &["a", "b", "c"]), 5.0 / 6.0);
        check(&CONTEXT_AVERAGE_PRECISION, &ranked(&["x", "a"], &["a"]), 0.5);
        check(&CONTEXT_AVERAGE_PRECISION, &ranked(&["x"], &["a"]), 0.0);
        check(&CONTEXT_AVERAGE_PRECISION, &ranked(&[], &["a"]), 0.0);
        check_n_a(&CONTEXT_AVERAGE_PRECISION, &ranked(&["a"], &[]), "`expected`");
    }

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
            expected: Some(vec![gold("a.pdf", &[3, 4]), gold("b.pdf", &[]), gold("c.pdf", &[3])]),
            ..Sample::default()
        };
        check(&PAGE_RECALL, &row, 0.5);
        row.passages = Some(Vec::new());
        check(&PAGE_RECALL, &row, 0.0);
        row.passages = Some(vec![Passage::default()]);
        check_n_a(&PAGE_RECALL, &row, "documents");
        row.expected = Some(vec![gold("a.pdf", &[])]);
        check_n_a(&PAGE_RECALL, &row, "pages");
    }

    #[test]
    fn mean_of_stated_distances() {
        let mut row = row("q", "x", &[("a", "y"), ("b", "z")]);
        check_n_a(&AVERAGE_DISTANCE, &row, "distance");
        let mut set = |distances: [Option<f64>; 2]| {
            let passages = row.passages.as_mut().expect("passages").iter_mut();
            passages.zip(distances).for_each(|(passage, distance)| passage.distance = distance);
            row.clone()
        };
        // Cosines of 0.75 and 0.5.
        check(&AVERAGE_DISTANCE, &set([Some(0.5), Some(1.0)]), 0.75);
        check_n_a(&AVERAGE_DISTANCE, &set([Some(0.5), None]), "distance");
        let outside = score_of(&AVERAGE_DISTANCE, &set([Some(9.0), Some(9.0)]));
        assert!(matches!(outside, Score::Error(_)), "{outside:?}");
    }

    #[test]
    fn distinct_documents_and_all_passages() {
        let mut row = row("q", "a", &[("a", "x"), ("b", "y"), ("a", "z")]);
        check(&DOCUMENTS_PER_QUERY, &row, 2.0);
        check(&PASSAGES_PER_QUERY, &row, 3.0);
        row.passages = None;
        check_n_a(&DOCUMENTS_PER_QUERY, &row, "`retrieved`");
        check_n_a(&PASSAGES_PER_QUERY, &row, "`passages`");
        row.retrieved = Some(vec![]);
        check(&DOCUMENTS_PER_QUERY, &row, 0.0);
    }
}
