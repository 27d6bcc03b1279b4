//! One paper: all that is counted, and what is needed to explain it.

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
pub(super) const METRICS: [Metric; 15] = [
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
    metric("first_author", "first author"),
    metric("year", "year"),
    metric("doi", "DOI"),
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

/// What is said of the paper as a whole; nothing where the truth is silent.
fn front(truth: &Front, ours: &Ours) -> BTreeMap<&'static str, Share> {
    let title = letters(&ours.title);
    let asked = |known: bool, hit: bool| if known { Share::flag(hit) } else { Share::default() };
    BTreeMap::from([
        (
            "title",
            asked(
                !truth.titles.is_empty(),
                truth.titles.iter().any(|t| letters(t) == title),
            ),
        ),
        (
            "first_author",
            asked(
                !truth.first_author.is_empty(),
                names(&ours.first_author, &truth.first_author),
            ),
        ),
        (
            "year",
            asked(
                !truth.years.is_empty(),
                ours.year.is_some_and(|y| truth.years.contains(&y)),
            ),
        ),
        ("doi", asked(!truth.doi.is_empty(), ours.doi == truth.doi)),
    ])
}

/// Whether the author's words hold the words of the surname, one after the other.
fn names(author: &str, surname: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | '.' | '‐' | '–'))
            .map(letters)
            .filter(|w| !w.is_empty())
            .collect()
    };
    let (author, surname) = (words(author), words(surname));
    !surname.is_empty() && author.windows(surname.len()).any(|w| w == surname)
}
