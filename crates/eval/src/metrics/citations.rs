//! What an answer cites, in its list of citations and inside its text.

use super::documents;
use crate::{Cited, Passage, Sample};
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::sync::LazyLock;
use types::ChunkId;

/// An answer taken apart.
pub(super) struct Reading {
    /// The answer without citation marks.
    pub(super) text: String,
    /// Its claims, each with the ids of the passages that it cites, as [`passage_id`] gives them; what names no passage
    /// keeps the name that the answer uses. Where the text has no marks, every claim cites all that the row lists.
    pub(super) claims: Vec<evidence::support::Claim>,
    /// What the marks inside the text cite, in order.
    pub(super) marks: Vec<Cited>,
    /// What the answer cites: the list of the row, and the marks that name something else.
    pub(super) references: Vec<Cited>,
    /// Whether the row or the text tells what is cited.
    pub(super) tells: bool,
}

/// The id of a rewritten mark is this and its index.
const MARK: &str = "mark__cited__";

impl Reading {
    pub(super) fn new(sample: &Sample) -> Self {
        let answer = sample.answer.as_deref().unwrap_or_default();
        let passages = sample.passages.as_deref().unwrap_or_default();
        let mut marks = Vec::new();
        let mut marked = String::with_capacity(answer.len());
        let mut from = 0;
        for (span, cited) in found(answer, sample) {
            let before = &answer[from..span.start];
            marked.push_str(if cited.is_empty() { before.trim_end() } else { before });
            for one in cited {
                let _ = write!(marked, " (mark, {MARK}{:04})", marks.len());
                marks.push(one);
            }
            from = span.end;
        }
        marked.push_str(&answer[from..]);
        let listed = sample.citations.as_deref().unwrap_or_default();
        let mut claims = evidence::support::claims(&marked);
        for claim in &mut claims {
            let index = |id: &ChunkId| id.as_str().strip_prefix(MARK)?.parse::<usize>().ok();
            let own = claim.cited.iter().filter_map(index).filter_map(|at| marks.get(at));
            let cited: Vec<&Cited> = if marks.is_empty() { listed.iter().collect() } else { own.collect() };
            let mut ids: Vec<ChunkId> = cited.into_iter().flat_map(|one| ids_of(one, passages)).collect();
            let mut seen = BTreeSet::new();
            ids.retain(|id| seen.insert(id.clone()));
            claim.cited = ids;
        }
        let unlisted = |mark: &&Cited| !listed.iter().any(|one| same(one, mark, passages));
        let mut references = listed.to_vec();
        for mark in marks.iter().filter(unlisted) {
            if !references[listed.len()..].contains(mark) {
                references.push(mark.clone());
            }
        }
        Self {
            text: evidence::support::strip_marks(&marked),
            claims,
            tells: sample.citations.is_some() || !marks.is_empty(),
            references,
            marks,
        }
    }
}

/// What a judge calls a passage: its id, else its place, from 1.
pub(crate) fn passage_id(at: usize, passage: &Passage) -> String {
    passage.id.clone().unwrap_or_else(|| (at + 1).to_string())
}

/// The ids of the passages that a citation names; its own words if it names none.
fn ids_of(cited: &Cited, passages: &[Passage]) -> Vec<ChunkId> {
    let named = resolve(cited, passages);
    if named.is_empty() {
        let name = cited.passage.as_deref().or(cited.document.as_deref());
        return name.map(ChunkId::from).into_iter().collect();
    }
    let each = named.into_iter().map(|at| passage_id(at, &passages[at]));
    each.map(|id| ChunkId::from(id.as_str())).collect()
}

/// Whether two citations are of the same passage or, where they name none, of the same document.
fn same(a: &Cited, b: &Cited, passages: &[Passage]) -> bool {
    if let (Some(a), Some(b)) = (&a.passage, &b.passage) {
        return a == b;
    }
    let (of_a, of_b) = (resolve(a, passages), resolve(b, passages));
    if !of_a.is_empty() || !of_b.is_empty() {
        return of_a.iter().any(|at| of_b.contains(at));
    }
    let key = |one: &Cited| one.document.as_deref().map(documents::key);
    key(a).is_some() && key(a) == key(b)
}

/// The marks of an answer with what they cite: `(source, source__section__003)`, `[file.pdf:3]`, `[file.pdf, p. 3]`, ids
/// of known documents and passages in brackets, and `[2]` for the second passage.
fn found(answer: &str, sample: &Sample) -> Vec<(Range<usize>, Vec<Cited>)> {
    let own = evidence::support::marks(answer).into_iter().map(|mark| {
        let cited = Cited {
            document: (!mark.source.is_empty()).then_some(mark.source),
            passage: Some(mark.chunk),
            ..Cited::default()
        };
        (mark.span, vec![cited])
    });
    let mut out: Vec<(Range<usize>, Vec<Cited>)> = own.collect();
    let known: BTreeSet<String> = known(sample);
    let passages = sample.passages.as_deref().unwrap_or_default();
    // A mark of ours may stand inside one of another system.
    let others = foreign(answer, &known, passages);
    out.retain(|(own, _)| others.iter().all(|(span, _)| own.end <= span.start || span.end <= own.start));
    out.extend(others);
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
        let numbered = answer[open..].starts_with('[').then(|| numbers(inner, passages)).flatten();
        if let Some(cited) = numbered.or_else(|| names(inner, &known, passages)) {
            out.push((open..close + 1, cited));
        }
    }
    out.sort_by_key(|(span, _)| span.start);
    out
}

/// Marks of OpenAI (`【4:0†a.pdf】`), of footnotes (`[^2]`), LaTeX (`\cite{a}`), RAGFlow (`##1$$`, `[ID:1]`, from 0), Pandoc (`[@a, p. 3]`)
/// and links (`[a.pdf](http://x/a.pdf#page=3)`). What names no passage is a mark all the same: it is no part of the sentence.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) 【 (?<openai>[^【】]*) 】
        | \[\^ (?<note>[^\[\]\s]+) \]
        | \\[A-Za-z]*cite[A-Za-z]*\*? (?:\[[^\[\]]*\])* \{ (?<key>[^{}]*) \}
        | \#\# (?<first>[0-9]+) \$\$ | \[ID:\s* (?<id>[0-9]+) \]
        | \[ (?<pandoc>(?:[^\[\]@]*\s)? -?@[^\[\]]+) \]
        | \( \[ (?<inner>[^\[\]]+) \] \( (?<address>[^()\s]+) \) \)
        | \[ (?<name>[^\[\]]+) \] \( (?<url>[^()\s]+) \)",
    )
    .expect("the pattern is valid")
});

fn foreign(answer: &str, known: &BTreeSet<String>, passages: &[Passage]) -> Vec<(Range<usize>, Vec<Cited>)> {
    let one = |name: &str| {
        let named = numbers(name, passages).or_else(|| names(name, known, passages));
        named.unwrap_or_else(|| {
            let document = (!name.is_empty()).then(|| name.to_owned());
            vec![Cited { document, ..Cited::default() }]
        })
    };
    let keys = |keys: &str| -> Vec<Cited> {
        let mut out: Vec<Cited> = Vec::new();
        for part in keys.split([';', ',']).map(|part| part.trim().trim_start_matches(['-', '@'])) {
            match (pages_alone(part), out.last_mut()) {
                (Some(pages), Some(last)) => last.pages = Some(pages),
                _ => out.extend(one(part)),
            }
        }
        out
    };
    let from_zero = |at: &str| {
        at.parse::<usize>().ok().and_then(|at| numbers(&(at + 1).to_string(), passages)).unwrap_or_default()
    };
    let cited = |found: &Captures<'_>| -> Option<Vec<Cited>> {
        let group = |name: &str| found.name(name).map(|group| group.as_str());
        if let Some(inner) = group("openai") {
            let name = inner.split('†').nth(1).unwrap_or_default().trim();
            return Some(names(name, known, passages).unwrap_or_default());
        }
        if let Some(note) = group("note") {
            return Some(numbers(note, passages).unwrap_or_default());
        }
        if let Some(at) = group("first").or(group("id")) {
            return Some(from_zero(at));
        }
        if let Some(pandoc) = group("pandoc") {
            return Some(keys(&pandoc[pandoc.find('@').unwrap_or_default()..]));
        }
        if let Some(list) = group("key") {
            return Some(keys(list));
        }
        let (name, url) = (group("inner").or(group("name"))?, group("address").or(group("url"))?);
        let (path, fragment) = url.split_once('#').unwrap_or((url, ""));
        let file = path.rsplit('/').next().unwrap_or_default();
        let mut named = numbers(name, passages)
            .or_else(|| names(name, known, passages))
            .or_else(|| known.contains(&documents::key(file)).then(|| one(file)))?;
        if let (Some(page), [only]) = (fragment.strip_prefix("page=").and_then(pages), &mut named[..]) {
            only.pages = only.pages.or(Some(page));
        }
        Some(named)
    };
    FOREIGN
        .captures_iter(answer)
        .filter_map(|found| Some((found.get_match().range(), cited(&found)?)))
        .collect()
}

fn known(sample: &Sample) -> BTreeSet<String> {
    let retrieved = documents::retrieved(sample).unwrap_or_default().into_iter();
    let expected = sample.expected.iter().flatten().map(|one| one.document.as_str());
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
                _ => out.push(Cited { passage: Some(part.to_owned()), ..Cited::default() }),
            }
            continue;
        }
        // "smith2020 pages 3-4" is PaperQA's form.
        let (name, pages) = match part.rsplit_once(':').or_else(|| part.split_once(" pages ")) {
            Some((name, tail)) if pages(tail).is_some() => (name.trim(), pages(tail)),
            _ => (part, None),
        };
        let file = documents::is_file_name(name) && !name.contains(char::is_whitespace);
        if !file && !known.contains(&documents::key(name)) {
            return None;
        }
        out.push(Cited { document: Some(name.to_owned()), pages, ..Cited::default() });
    }
    (!out.is_empty()).then_some(out)
}

/// `p. 3`, `pp. 3-4`, `page 3`.
fn pages_alone(part: &str) -> Option<(u32, u32)> {
    let rest = ["pages", "page", "pp.", "pp", "p.", "p"].iter().find_map(|word| part.strip_prefix(word))?;
    pages(rest)
}

/// `3` or `3-4`.
fn pages(text: &str) -> Option<(u32, u32)> {
    let text = text.trim();
    let (first, last) = text.split_once(['-', '–']).unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first >= 1 && first <= last).then_some((first, last))
}

/// The places of the passages that a citation names; by the id of the passage if it has one, else by document and pages.
pub(super) fn resolve(cited: &Cited, passages: &[Passage]) -> Vec<usize> {
    let places = |keep: &dyn Fn(&Passage) -> bool| -> Vec<usize> {
        let all = passages.iter().enumerate();
        all.filter(|(_, passage)| keep(passage)).map(|(at, _)| at).collect()
    };
    if let Some(id) = &cited.passage {
        let own = places(&|passage| passage.id.as_deref() == Some(id));
        let numbered = || id.parse::<usize>().ok()?.checked_sub(1);
        return match numbered() {
            Some(at) if own.is_empty() && passages.get(at).is_some_and(|passage| passage.id.is_none()) => {
                vec![at]
            }
            _ => own,
        };
    }
    let Some(document) = cited.document.as_deref().map(documents::key) else {
        return Vec::new();
    };
    places(&|passage| {
        let same = passage.document.as_deref().map(documents::key).as_ref() == Some(&document);
        let page = match (cited.pages, passage.page) {
            (Some((first, last)), Some(page)) => (first..=last).contains(&page),
            _ => true,
        };
        same && page
    })
}

/// Whether a citation names a passage that the answer was written from, under that passage's own document, or, where it
/// names no passage, a retrieved document. `None` if the row does not tell, or the citation names nothing.
pub(super) fn names_context(cited: &Cited, sample: &Sample) -> Option<bool> {
    let seen = sample.passages.as_deref().or(sample.returned.as_deref());
    if let Some(passages) = seen {
        let document = cited.document.as_deref().map(documents::key);
        let named = resolve(cited, passages);
        let own = |at: &usize| match (&document, &passages[*at].document) {
            (Some(cited), Some(own)) => *cited == documents::key(own),
            _ => true,
        };
        if named.iter().any(own) {
            return Some(true);
        }
    }
    match (&cited.passage, &cited.document) {
        (None, None) => None,
        (Some(_), _) => seen.map(|_| false).or_else(|| listed(cited, sample)),
        (None, Some(_)) if seen.is_some_and(|all| all.iter().any(|passage| passage.document.is_some())) => {
            Some(false)
        }
        (None, Some(_)) => listed(cited, sample),
    }
}

/// Whether the document of a citation is among the retrieved ones.
fn listed(cited: &Cited, sample: &Sample) -> Option<bool> {
    let retrieved = documents::retrieved(sample)?;
    let document = documents::key(cited.document.as_deref()?);
    Some(retrieved.iter().any(|id| documents::key(id) == document))
}

/// Whether a citation names something that was retrieved and, if it quotes, quotes what stands there. `None` if the row
/// does not tell.
pub(super) fn is_right(cited: &Cited, sample: &Sample) -> Option<bool> {
    let quote = cited.quote.as_deref().filter(|quote| !quote.trim().is_empty());
    let stands =
        |passage: &Passage| quote.is_none_or(|quote| text::quote::find_quote(&passage.text, quote).is_some());
    let Some(passages) = sample.passages.as_deref() else {
        // Without texts a quote cannot be checked.
        let named = names_context(cited, sample)?;
        return if named && quote.is_some() { None } else { Some(named) };
    };
    if cited.passage.is_none() && cited.document.is_none() {
        // Only a quote: it is right if it stands anywhere.
        return quote.map(|_| passages.iter().any(stands));
    }
    let named = resolve(cited, passages);
    if !named.is_empty() {
        return Some(named.iter().any(|at| stands(&passages[*at])));
    }
    match names_context(cited, sample)? {
        true if quote.is_some() => Some(false),
        named => Some(named),
    }
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
