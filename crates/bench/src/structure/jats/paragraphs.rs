//! Paragraphs and references of the truth.

use super::headings::{Heading, heading};
use super::node::{apart, below, child, name, pieces, text};
use crate::structure::fold::letters;
use roxmltree::Node;

/// A paragraph of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Paragraph {
    /// Its text folded to letters, in runs between what is set apart from it (formulas, lists, floats); runs too
    /// short to be looked for are left out.
    pub(in super::super) runs: Vec<String>,
    /// Its first words, for people.
    pub(in super::super) start: String,
    /// The headings above it, nearest first.
    pub(in super::super) under: Vec<Heading>,
}

/// Folded characters of a paragraph at least: shorter ones may stand anywhere by chance.
const SHORTEST: usize = 80;
/// Folded characters of a run at least, for the same reason.
const SHORTEST_RUN: usize = 20;
/// Folded characters of a reference's stretch.
const STRETCH: usize = 30;

/// What interrupts the text of a paragraph.
const GAPS: [&str; 23] = [
    "fig",
    "fig-group",
    "table-wrap",
    "table-wrap-group",
    "disp-formula",
    "disp-formula-group",
    "inline-formula",
    "tex-math",
    "math",
    "list",
    "def-list",
    "disp-quote",
    "boxed-text",
    "supplementary-material",
    "media",
    "graphic",
    "inline-graphic",
    "fn",
    "code",
    "preformat",
    "array",
    "statement",
    "p",
];

/// Where a paragraph is no running text of the body, beside floats.
const APART: [&str; 4] = ["fn-group", "glossary", "ref-list", "ack"];

pub(super) fn paragraphs(article: Node<'_, '_>) -> Vec<Paragraph> {
    let Some(body) = child(article, "body") else {
        return Vec::new();
    };
    below(body, "p")
        .filter(|p| !apart(*p, &APART))
        .filter_map(paragraph)
        .collect()
}

fn paragraph(p: Node<'_, '_>) -> Option<Paragraph> {
    let mut raw = vec![String::new()];
    pieces(p, &GAPS, |piece| match (piece, raw.last_mut()) {
        (Some(text), Some(last)) => last.push_str(text),
        _ => raw.push(String::new()),
    });
    let mut runs: Vec<String> = raw.iter().map(|run| letters(run)).collect();
    let length: usize = runs.iter().map(|run| run.chars().count()).sum();
    runs.retain(|run| run.chars().count() >= SHORTEST_RUN);
    if length < SHORTEST || runs.is_empty() {
        return None;
    }
    let words = crate::structure::fold::strict(&raw.join(" "));
    let under = p
        .ancestors()
        .filter_map(|a| heading(child(a, "title")?))
        .collect();
    Some(Paragraph {
        runs,
        start: words.chars().take(80).collect(),
        under,
    })
}

/// For each entry of the reference lists a stretch of its text that hardly stands elsewhere: of the cited work's title
/// where it is long enough, else from the middle of the entry.
pub(super) fn references(article: Node<'_, '_>) -> Vec<String> {
    let Some(back) = child(article, "back") else {
        return Vec::new();
    };
    below(back, "ref").filter_map(stretch).collect()
}

fn stretch(reference: Node<'_, '_>) -> Option<String> {
    let titles = below(reference, "article-title").chain(below(reference, "source"));
    let title = titles
        .map(|t| letters(&text(t)))
        .find(|t| t.chars().count() >= STRETCH);
    if let Some(title) = title {
        // Its beginning: long titles are the likelier cut by a page.
        return Some(title.chars().take(2 * STRETCH).collect());
    }
    let cited = |n: &Node<'_, '_>| matches!(name(*n), "mixed-citation" | "citation" | "nlm-citation");
    let all: Vec<char> = letters(&text(reference.descendants().find(cited)?))
        .chars()
        .collect();
    let from = all.len().checked_sub(STRETCH)? / 2;
    (all.len() >= 2 * STRETCH).then(|| all[from..from + STRETCH].iter().collect())
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn paragraphs_are_cut_where_something_is_set_apart() {
        let long = "words that fill the line and more words ".repeat(3);
        let xml = format!(
            "<article><body><p>{long}</p><sec><title>Outer</title><sec><title>Inner</title>
             <p>{long}<disp-formula><tex-math>\\begin</tex-math></disp-formula>{long}<list><list-item><p>item {long}</p></list-item></list> so.</p>
             <p>Too short to tell.</p><fig><caption><p>{long}</p></caption></fig></sec></sec></body></article>"
        );
        let truth = read(&xml).expect("reads");
        let shape: Vec<(usize, Vec<&str>)> = truth
            .paragraphs
            .iter()
            .map(|p| (p.runs.len(), p.under.iter().map(|h| h.printed.as_str()).collect()))
            .collect();
        assert_eq!(
            shape,
            [
                (1, vec![]),
                (2, vec!["Inner", "Outer"]),
                (1, vec!["Inner", "Outer"])
            ]
        );
        assert!(truth.paragraphs[2].runs[0].starts_with("itemwords"));
    }

    #[test]
    fn references_are_known_by_their_titles() {
        let xml = "<article><back><ref-list>
            <ref><element-citation><article-title>A title that is long enough to be its own</article-title></element-citation></ref>
            <ref><mixed-citation>Someone A, Other B. Short. J Something 2001;12(3):455-67. With a lot of text behind it all.</mixed-citation></ref>
            <ref><mixed-citation>Too short.</mixed-citation></ref></ref-list></back></article>";
        let truth = read(xml).expect("reads");
        assert_eq!(truth.references[0], "atitlethatislongenoughtobeitsown");
        assert_eq!(truth.references.len(), 2);
        assert_eq!(truth.references[1].chars().count(), 30);
    }
}
