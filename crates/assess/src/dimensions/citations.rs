//! Citations in the text of an answer, in the forms of several systems, and the passages that they mean.
//!
//! Read are `[file.pdf:3]`, `[file:3-5]`, `[a.pdf:3; b.pdf:4, 6]`, `(source_id, chunk_id)`, and brackets with nothing but ids of
//! passages or documents that the row has.

use rows::{AnswerRow, Cited, Passage};
use std::ops::Range;
use support::rewrite_marks;

/// A citation as written, and the passages of the row that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// As written, without brackets.
    pub text: String,
    /// What it names.
    pub cited: Cited,
    /// Places of the passages that it means, from 0; empty if it means none.
    pub passages: Vec<usize>,
}

/// An answer with its citations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedText {
    /// The citations, in order.
    pub references: Vec<Reference>,
    /// The answer with each citation written as `(source, chunk)`, so that claims can be told by [`support::claims`]; the
    /// chunks are those of [`CitedText::chunk_id`].
    pub marked: String,
    /// The answer without citations.
    pub bare: String,
}

impl CitedText {
    /// Reads the answer of a row; empty if it has none.
    pub fn read(row: &AnswerRow) -> Self {
        let answer = row.answer.as_deref().unwrap_or_default();
        let passages = row.passages.as_deref().unwrap_or_default();
        let mut marked = String::with_capacity(answer.len());
        let mut references = Vec::new();
        let mut from = 0;
        for (span, found) in brackets(answer, passages) {
            marked.push_str(&answer[from..span.start]);
            if !marked.ends_with(char::is_whitespace) && !marked.is_empty() {
                marked.push(' ');
            }
            let mut marks: Vec<String> = Vec::new();
            for (text, cited) in found {
                let means = resolve(&cited, passages);
                if means.is_empty() {
                    let missing = format!("missing{}", references.len());
                    marks.push(format!("({missing}, {missing}__body__000)"));
                }
                marks.extend(means.iter().map(|at| format!("(p{at}, {})", Self::chunk_id(*at))));
                references.push(Reference {
                    text,
                    cited,
                    passages: means,
                });
            }
            marked.push_str(&marks.join(" "));
            from = span.end;
        }
        marked.push_str(&answer[from..]);
        let bare = rewrite_marks(&marked, |_| None);
        Self {
            references,
            marked,
            bare,
        }
    }

    /// What citations in [`CitedText::marked`] call a passage.
    pub fn chunk_id(at: usize) -> String {
        format!("p{at}__body__000")
    }
}

/// The passages that a citation means: the one with its id, or those of its document and pages. A document may be named
/// without its extension. A passage without a page belongs to every page of its document.
pub(crate) fn resolve(cited: &Cited, passages: &[Passage]) -> Vec<usize> {
    let by_id = |passage: &Passage| {
        let id = cited.passage.as_deref();
        id.is_some() && passage.id.as_deref() == id
    };
    let by_page = |passage: &Passage| {
        let (Some(own), Some(named)) = (passage.document.as_deref(), cited.document.as_deref()) else {
            return false;
        };
        let page = match (passage.page, cited.pages) {
            (Some(page), Some((first, last))) => (first..=last).contains(&page),
            _ => true,
        };
        same_document(own, named) && page
    };
    let all = || passages.iter().enumerate();
    if cited.passage.is_some() {
        return all().filter(|(_, p)| by_id(p)).map(|(at, _)| at).collect();
    }
    all().filter(|(_, p)| by_page(p)).map(|(at, _)| at).collect()
}

/// Whether two names mean one document: the same, or the same but for the extension of one.
pub(crate) fn same_document(a: &str, b: &str) -> bool {
    let stem = |name: &str| -> Option<String> {
        let (stem, extension) = name.rsplit_once('.')?;
        let known =
            !extension.is_empty() && extension.len() <= 4 && extension.chars().all(char::is_alphanumeric);
        known.then(|| stem.to_owned())
    };
    a == b || stem(a).as_deref() == Some(b) || stem(b).as_deref() == Some(a)
}

type Found = Vec<(String, Cited)>;

/// The brackets that are citations, each with what it cites.
fn brackets(answer: &str, passages: &[Passage]) -> Vec<(Range<usize>, Found)> {
    let mut out: Vec<(Range<usize>, Found)> = Vec::new();
    // Our own form, with its variants, is read where the guardrails read it too.
    let own = support::marks(answer);
    let mut from = 0;
    while let Some(open) = answer[from..].find(['(', '[']).map(|at| from + at) {
        from = open + 1;
        let square = answer[open..].starts_with('[');
        let Some(length) = answer[from..].find(['(', ')', '[', ']']) else {
            break;
        };
        let close = from + length;
        if !answer[close..].starts_with([')', ']']) {
            continue;
        }
        let inside = |mark: &&support::Mark| mark.span.start >= open && mark.span.end <= close + 1;
        let marks: Vec<&support::Mark> = own.iter().filter(inside).collect();
        let found: Option<Found> = if marks.is_empty() {
            let parts = answer[from..close].split(';');
            parts.map(|part| part_of(part.trim(), square, passages)).collect()
        } else {
            let cited = |mark: &&support::Mark| {
                let document = Some(mark.source.clone()).filter(|source| !source.is_empty());
                let cited = Cited {
                    document,
                    passage: Some(mark.chunk.clone()),
                    ..Cited::default()
                };
                (mark.chunk.clone(), cited)
            };
            Some(marks.iter().map(cited).collect())
        };
        if let Some(found) = found.filter(|found| !found.is_empty()) {
            out.push((open..close + 1, found));
            from = close + 1;
        }
    }
    out
}

/// What one part of a bracket cites; `None` if it is no citation.
fn part_of(part: &str, square: bool, passages: &[Passage]) -> Option<(String, Cited)> {
    let known_document = |name: &str| {
        let documents = passages.iter().filter_map(|passage| passage.document.as_deref());
        documents
            .into_iter()
            .any(|document| same_document(document, name))
    };
    let known_passage = |id: &str| passages.iter().any(|passage| passage.id.as_deref() == Some(id));
    if known_passage(part) {
        let cited = Cited {
            passage: Some(part.to_owned()),
            ..Cited::default()
        };
        return Some((part.to_owned(), cited));
    }
    if let Some((document, id)) = part.split_once(',')
        && known_passage(id.trim())
    {
        let cited = Cited {
            document: Some(document.trim().to_owned()),
            passage: Some(id.trim().to_owned()),
            ..Cited::default()
        };
        return Some((part.to_owned(), cited));
    }
    if known_document(part) {
        let cited = Cited {
            document: Some(part.to_owned()),
            ..Cited::default()
        };
        return Some((part.to_owned(), cited));
    }
    let (document, pages) = part.rsplit_once(':')?;
    let (document, pages) = (document.trim(), pages_of(pages.trim())?);
    let named = document.chars().any(char::is_alphabetic);
    let certain = known_document(document) || (named && (square || document.contains('.')));
    let cited = Cited {
        document: Some(document.to_owned()),
        pages: Some(pages),
        ..Cited::default()
    };
    certain.then(|| (part.to_owned(), cited))
}

/// First and last page of `3`, `3-5`, `p. 3`, `3, 5`.
fn pages_of(text: &str) -> Option<(u32, u32)> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | ' '));
    let numbers = text
        .split(['-', '–', '—', ','])
        .map(|number| number.trim().parse::<u32>());
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().ok()?;
    let (first, last) = (*numbers.iter().min()?, *numbers.iter().max()?);
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(answer: &str) -> AnswerRow {
        let passage = |document: &str, page: Option<u32>, id: Option<&str>| Passage {
            text: "Text.".to_owned(),
            document: Some(document.to_owned()),
            page,
            id: id.map(str::to_owned),
            ..Passage::default()
        };
        AnswerRow {
            answer: Some(answer.to_owned()),
            passages: Some(vec![
                passage("Guide.pdf", Some(3), Some("Guide.pdf::0033")),
                passage("Guide.pdf", Some(5), None),
                passage("harbour_2020", None, Some("harbour_2020__results__001")),
            ]),
            ..AnswerRow::default()
        }
    }

    #[test]
    fn the_forms_of_several_systems() {
        let check = |answer: &str, want: &[&[usize]]| {
            let read = CitedText::read(&row(answer));
            let found: Vec<&[usize]> = read.references.iter().map(|r| r.passages.as_slice()).collect();
            assert_eq!(found, want, "{answer}: {read:?}");
        };
        check("Renewal began in May. [Guide.pdf:3]", &[&[0]]);
        check("In May [Guide:3-5].", &[&[0, 1]]);
        check("In May [Guide.pdf: p. 5; Guide.pdf:9].", &[&[1], &[]]);
        check("In May (Guide.pdf:3).", &[&[0]]);
        check(
            "In May [Guide.pdf, Guide.pdf::0033] [Guide.pdf::0033].",
            &[&[0], &[0]],
        );
        check("In May (harbour_2020, harbour_2020__results__001).", &[&[2]]);
        check("In May (harbour_2020__results__009).", &[&[]]);
        check("In May [Guide.pdf].", &[&[0, 1]]);
        check("In May [other.pdf:3].", &[&[]]);
        check("In May [harbour_2020:12].", &[&[2]]);
        // Text in brackets is no citation.
        check(
            "At noon (12:30) [12:30] (ratio:3), see [1] (Smith, 2014) [sic].",
            &[],
        );
        // Ids keep their case.
        check("In May [guide.pdf:3].", &[&[]]);
    }

    #[test]
    fn claims_keep_their_citations_and_the_text_loses_them() {
        let read = CitedText::read(&row(
            "Renewal of cards began in May [Guide.pdf:3]. The harbour office closed in June. [nowhere.pdf:1]",
        ));
        let claims = support::claims(&read.marked);
        let cited: Vec<Vec<&str>> = claims
            .iter()
            .map(|claim| claim.cited.iter().map(types::ChunkId::as_str).collect())
            .collect();
        assert_eq!(cited, [vec!["p0__body__000"], vec!["missing1__body__000"]]);
        assert_eq!(
            read.bare,
            "Renewal of cards began in May. The harbour office closed in June."
        );
    }
}
