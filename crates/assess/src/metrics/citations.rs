//! What an answer cites, in its list of citations and inside its text.

use super::documents;
use rows::{AnswerRow, Cited, Passage};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// An answer taken apart.
pub(super) struct Reading {
    /// The answer without citation marks.
    pub(super) text: String,
    /// Its claims; what they cite are marks that [`Reading::cited_by`] resolves.
    pub(super) claims: Vec<support::Claim>,
    /// What the marks inside the text cite, in order.
    pub(super) marks: Vec<Cited>,
    /// What the answer cites: the list of the row, else the marks.
    pub(super) references: Vec<Cited>,
    /// Whether the row or the text tells what is cited.
    pub(super) tells: bool,
}

/// The id of a rewritten mark is this and its index.
const MARK: &str = "mark__cited__";

impl Reading {
    pub(super) fn new(row: &AnswerRow) -> Self {
        let answer = row.answer.as_deref().unwrap_or_default();
        let mut marks = Vec::new();
        let mut marked = String::with_capacity(answer.len());
        let mut from = 0;
        for (span, cited) in found(answer, row) {
            marked.push_str(&answer[from..span.start]);
            for one in cited {
                let _ = write!(marked, " (mark, {MARK}{:04})", marks.len());
                marks.push(one);
            }
            from = span.end;
        }
        marked.push_str(&answer[from..]);
        Self {
            text: support::strip_marks(&marked),
            claims: support::claims(&marked),
            tells: row.citations.is_some() || !marks.is_empty(),
            references: row.citations.clone().unwrap_or_else(|| marks.clone()),
            marks,
        }
    }

    /// What a claim cites: by its marks, or the whole list if the text has none.
    pub(super) fn cited_by(&self, claim: &support::Claim) -> Vec<&Cited> {
        if self.marks.is_empty() {
            return self.references.iter().collect();
        }
        let index = |id: &types::ChunkId| id.as_str().strip_prefix(MARK)?.parse::<usize>().ok();
        let marks = claim.cited.iter().filter_map(index);
        marks.filter_map(|at| self.marks.get(at)).collect()
    }
}

/// The marks of an answer with what they cite: `(source, source__section__003)`, `[file.pdf:3]`, `[file.pdf, p. 3]`, ids
/// of known documents and passages in brackets, and `[2]` for the second passage.
fn found(answer: &str, row: &AnswerRow) -> Vec<(Range<usize>, Vec<Cited>)> {
    let own = support::marks(answer).into_iter().map(|mark| {
        let cited = Cited {
            document: (!mark.source.is_empty()).then_some(mark.source),
            passage: Some(mark.chunk),
            ..Cited::default()
        };
        (mark.span, vec![cited])
    });
    let mut out: Vec<(Range<usize>, Vec<Cited>)> = own.collect();
    let known: BTreeSet<String> = known(row);
    let passages = row.passages.as_deref().unwrap_or_default();
    let mut from = 0;
    while let Some(open) = answer[from..].find(['(', '[']).map(|at| from + at) {
        from = open + 1;
        let Some(close) = answer[from..].find(['(', ')', '[', ']']).map(|at| from + at) else {
            break;
        };
        let overlaps = out.iter().any(|(span, _)| span.start < close && open < span.end);
        if overlaps || !answer[close..].starts_with([')', ']']) {
            continue;
        }
        let inner = &answer[from..close];
        let numbered = answer[open..]
            .starts_with('[')
            .then(|| numbers(inner, passages))
            .flatten();
        if let Some(cited) = numbered.or_else(|| names(inner, &known, passages)) {
            out.push((open..close + 1, cited));
        }
    }
    out.sort_by_key(|(span, _)| span.start);
    out
}

fn known(row: &AnswerRow) -> BTreeSet<String> {
    let retrieved = documents::retrieved(row).unwrap_or_default().into_iter();
    let expected = row.expected.iter().flatten().map(|one| one.document.as_str());
    retrieved.chain(expected).map(documents::key).collect()
}

/// `1` or `1, 2`: places of passages, from 1.
fn numbers(inner: &str, passages: &[Passage]) -> Option<Vec<Cited>> {
    let place = |part: &str| {
        let at: usize = part.trim().parse().ok()?;
        let passage = passages.get(at.checked_sub(1)?)?;
        Some(Cited {
            document: passage.document.clone(),
            passage: Some(passage.id.clone().unwrap_or_else(|| at.to_string())),
            ..Cited::default()
        })
    };
    inner.split(',').map(place).collect()
}

/// Names of files or ids of known documents, each with its pages or without, and ids of passages, alone or after their document.
fn names(inner: &str, known: &BTreeSet<String>, passages: &[Passage]) -> Option<Vec<Cited>> {
    // A number in parentheses is an enumeration more often than a passage.
    let is_passage = |part: &str| {
        !part.chars().all(|c| c.is_ascii_digit())
            && passages.iter().any(|passage| passage.id.as_deref() == Some(part))
    };
    let mut out: Vec<Cited> = Vec::new();
    for part in inner.split([';', ',']).map(str::trim) {
        if let (Some(pages), Some(last)) = (pages_alone(part), out.last_mut()) {
            last.pages = Some(pages);
            continue;
        }
        if is_passage(part) {
            match out.last_mut() {
                Some(last) if last.passage.is_none() && last.pages.is_none() => {
                    last.passage = Some(part.to_owned());
                }
                _ => out.push(Cited {
                    passage: Some(part.to_owned()),
                    ..Cited::default()
                }),
            }
            continue;
        }
        let (name, pages) = match part.rsplit_once(':') {
            Some((name, tail)) if pages(tail).is_some() => (name.trim(), pages(tail)),
            _ => (part, None),
        };
        let file = documents::is_file_name(name) && !name.contains(char::is_whitespace);
        if !file && !known.contains(&documents::key(name)) {
            return None;
        }
        out.push(Cited {
            document: Some(name.to_owned()),
            pages,
            ..Cited::default()
        });
    }
    (!out.is_empty()).then_some(out)
}

/// `p. 3`, `pp. 3-4`, `page 3`.
fn pages_alone(part: &str) -> Option<(u32, u32)> {
    let rest = ["pages", "page", "pp.", "pp", "p.", "p"]
        .iter()
        .find_map(|word| part.strip_prefix(word))?;
    pages(rest)
}

/// `3` or `3-4`.
fn pages(text: &str) -> Option<(u32, u32)> {
    let text = text.trim();
    let (first, last) = text.split_once(['-', '–']).unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first >= 1 && first <= last).then_some((first, last))
}

/// The passages that a citation names; by the id of the passage if it has one, else by document and pages.
pub(super) fn resolve<'a>(cited: &Cited, passages: &'a [Passage]) -> Vec<&'a Passage> {
    let by_id = |id: &str| -> Vec<&'a Passage> {
        let numbered = id
            .parse::<usize>()
            .ok()
            .and_then(|at| passages.get(at.checked_sub(1)?));
        let own = passages
            .iter()
            .filter(|passage| passage.id.as_deref() == Some(id));
        let own: Vec<&Passage> = own.collect();
        if own.is_empty() {
            numbered
                .filter(|passage| passage.id.is_none())
                .into_iter()
                .collect()
        } else {
            own
        }
    };
    if let Some(id) = &cited.passage {
        return by_id(id);
    }
    let Some(document) = cited.document.as_deref().map(documents::key) else {
        return Vec::new();
    };
    let holds = |passage: &&Passage| {
        let same = passage.document.as_deref().map(documents::key).as_ref() == Some(&document);
        let page = match (cited.pages, passage.page) {
            (Some((first, last)), Some(page)) => (first..=last).contains(&page),
            _ => true,
        };
        same && page
    };
    passages.iter().filter(holds).collect()
}

/// Whether a citation names something that was retrieved and, if it quotes, quotes what stands there. `None` if the row
/// does not tell.
pub(super) fn is_right(cited: &Cited, row: &AnswerRow) -> Option<bool> {
    let passages = row.passages.as_deref().unwrap_or_default();
    let named = resolve(cited, passages);
    let quote = cited.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    if !named.is_empty() {
        let stands = |quote: &str| {
            named
                .iter()
                .any(|p| text::quote::find_quote(&p.text, quote).is_some())
        };
        return Some(quote.is_none_or(stands));
    }
    if cited.passage.is_none() && cited.document.is_none() {
        // Only a quote: it is right if it stands anywhere.
        let quote = quote?;
        row.passages.as_ref()?;
        return Some(
            passages
                .iter()
                .any(|p| text::quote::find_quote(&p.text, quote).is_some()),
        );
    }
    let retrieved = documents::retrieved(row)?;
    let document = cited.document.as_deref().map(documents::key);
    let listed = document.is_some_and(|document| retrieved.iter().any(|id| documents::key(id) == document));
    // A document that was retrieved, with passages that the row does not hold: a quote cannot be checked.
    match (listed, row.passages.is_some(), quote) {
        (false, ..) | (true, true, _) => Some(false),
        (true, false, Some(_)) => None,
        (true, false, None) => Some(true),
    }
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
