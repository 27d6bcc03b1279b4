//! One paper: all that is counted, and what is needed to explain it.

use super::authors::{self, Authors};
use super::fold::letters;
use super::headings::{self, Headings};
use super::jats::{Front, Truth};
use super::ours::Ours;
use super::paragraphs::{self, Outcome};
use super::share::Share;
use std::collections::{BTreeMap, BTreeSet};

/// A metric: its key, what it says, and whether a low value is the good one.
pub(super) struct Metric {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    pub(super) low_is_good: bool,
}

const fn metric(key: &'static str, label: &'static str) -> Metric {
    Metric {
        key,
        label,
        low_is_good: false,
    }
}

/// All metrics, in the order in which they are shown.
pub(super) const METRICS: [Metric; 22] = [
    metric("soft_precision", "heading precision, soft"),
    metric("soft_recall", "heading recall, soft"),
    metric("soft_f1", "heading F1, soft"),
    metric("strict_precision", "heading precision, strict"),
    metric("strict_recall", "heading recall, strict"),
    metric("strict_f1", "heading F1, strict"),
    metric("section_order", "sections in order"),
    metric("paragraphs_whole", "paragraphs whole"),
    metric("paragraphs_right_section", "paragraphs in right section"),
    metric("reading_order", "paragraphs in order"),
    Metric {
        key: "reference_leak",
        label: "references leaked",
        low_is_good: true,
    },
    metric("title", "title"),
    metric("title_precision", "title, of those given"),
    metric("first_author", "first author"),
    metric("author_precision", "author precision"),
    metric("author_recall", "author recall"),
    metric("author_f1", "author F1"),
    metric("authors_exact", "authors all right"),
    metric("year", "year"),
    metric("year_precision", "year, of those given"),
    metric("doi", "DOI"),
    metric("doi_precision", "DOI, of those given"),
];

/// A scored paper.
pub(super) struct Paper {
    /// The stem of its files.
    pub(super) name: String,
    pub(super) truth: Truth,
    pub(super) ours: Ours,
    /// Why there is no document.
    pub(super) failure: Option<String>,
    /// The PDF's own text, folded to letters; `None` when it could not be read.
    pub(super) printed: Option<String>,
    pub(super) headings: Headings,
    pub(super) paragraphs: Vec<Outcome>,
    pub(super) authors: Authors,
    /// Counts by metric key.
    pub(super) shares: BTreeMap<&'static str, Share>,
}

/// Compares one paper.
pub(super) fn score(
    name: String,
    truth: Truth,
    outcome: Result<Ours, String>,
    raw_text: Option<&str>,
) -> Paper {
    let printed = raw_text.map(letters);
    let (ours, failure) = match outcome {
        Ok(ours) => (ours, None),
        Err(reason) => (Ours::default(), Some(reason)),
    };
    let in_print = |text: &str| printed.as_deref().is_none_or(|all| all.contains(text));
    let headings = headings::compare(
        &ours.sections,
        &truth.headings,
        &truth.pardons,
        printed.as_deref(),
    );
    // A heading that we found is printed, whatever PDFium's text makes of its ligatures.
    let found: BTreeSet<&str> = headings
        .pairs
        .iter()
        .map(|(_, t)| truth.headings[*t].soft.as_str())
        .collect();
    let paragraphs = paragraphs::compare(&ours, &truth.paragraphs, |heading| {
        found.contains(heading.soft.as_str()) || in_print(&heading.soft)
    });
    let authors = authors::compare(&ours.authors, &truth.front.authors);
    let mut shares = front(&truth.front, &ours);
    let [precision, recall, f1] = headings.soft();
    let [strict_precision, strict_recall, strict_f1] = headings.strict();
    shares.extend([
        ("soft_precision", precision),
        ("soft_recall", recall),
        ("soft_f1", f1),
        ("strict_precision", strict_precision),
        ("strict_recall", strict_recall),
        ("strict_f1", strict_f1),
        ("section_order", headings.order()),
        ("paragraphs_whole", paragraphs::whole(&paragraphs)),
        ("paragraphs_right_section", paragraphs::right_section(&paragraphs)),
        ("reading_order", paragraphs::order(&paragraphs)),
        ("author_precision", authors.precision()),
        ("author_recall", authors.recall()),
        ("author_f1", authors.f1()),
        ("authors_exact", authors.exact()),
    ]);
    // A paper that was not read leaks nothing: that is no merit.
    let leak = if failure.is_none() {
        leaked(&truth.references, &ours, in_print)
    } else {
        Share::default()
    };
    shares.insert("reference_leak", leak);
    Paper {
        name,
        truth,
        ours,
        failure,
        printed,
        headings,
        paragraphs,
        authors,
        shares,
    }
}

/// References whose stretch stands in a section that is indexed, of those whose stretch stands in the PDF.
fn leaked(references: &[String], ours: &Ours, in_print: impl Fn(&str) -> bool) -> Share {
    let printed: Vec<&String> = references.iter().filter(|r| in_print(r)).collect();
    Share::new(printed.iter().filter(|r| leaks(r, ours)).count(), printed.len())
}

/// Whether a stretch of a reference stands in a section that is indexed.
pub(super) fn leaks(reference: &str, ours: &Ours) -> bool {
    ours.sections
        .iter()
        .any(|s| s.indexed && s.letters.contains(reference))
}

/// What is said of the paper as a whole; nothing where the truth is silent. A value that ours leaves empty counts as
/// missed, but not among those given.
fn front(truth: &Front, ours: &Ours) -> BTreeMap<&'static str, Share> {
    let title = letters(&ours.title);
    let titled = truth.titles.iter().any(|t| letters(t) == title);
    let dated = ours.year.is_some_and(|y| truth.years.contains(&y));
    let first = truth.authors.first();
    let named = first
        .zip(ours.authors.first())
        .is_some_and(|(t, o)| authors::is(o, t));
    let asked = |known: bool, hit: bool| if known { Share::flag(hit) } else { Share::default() };
    let [title_known, year_known] = [!truth.titles.is_empty(), !truth.years.is_empty()];
    let doi_known = !truth.doi.is_empty();
    let same_doi = ours.doi == truth.doi;
    BTreeMap::from([
        ("title", asked(title_known, titled)),
        ("title_precision", asked(title_known && !title.is_empty(), titled)),
        ("first_author", asked(first.is_some(), named)),
        ("year", asked(year_known, dated)),
        ("year_precision", asked(year_known && ours.year.is_some(), dated)),
        ("doi", asked(doi_known, same_doi)),
        (
            "doi_precision",
            asked(doi_known && !ours.doi.is_empty(), same_doi),
        ),
    ])
}
