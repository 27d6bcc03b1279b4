//! The message to the model, numbered sentences that cannot leave their blocks and the question, and how its reply is read.

use crate::extractive::{compose, select::Picked};
use evidence::AskedTerms;
use serde::Deserialize;
use serde_json::json;
use types::{JsonSchema, Prompt, SourceMeta, surname};

/// Sentences of an answer at most.
pub(super) const PARTS: usize = 5;
/// Characters of a title that stands for an unknown author.
const TITLE_CHARS: usize = 60;

/// The sentences, numbered from 1, and the question.
pub(super) fn message(question: &str, shown: &[Picked<'_>], asked: &AskedTerms) -> Prompt {
    let block = |all: Prompt, (at, picked): (usize, &Picked<'_>)| {
        let numbered = all.own("<excerpt").attribute("number", &(at + 1).to_string());
        let header = numbered.attribute("source", &source(&picked.place.source));
        let header = header.attribute("section", picked.place.chunk.section.as_str());
        header.own(">\n").data(&compose::said(picked, asked)).own("\n</excerpt>\n")
    };
    let out = shown.iter().enumerate().fold(Prompt::default(), block);
    out.own("\n<question>\n").data(question.trim()).own("\n</question>")
}

/// "Orvella 2021", or the start of the title where no author is known.
fn source(meta: &SourceMeta) -> String {
    let author = meta.authors.first().and_then(|author| surname(author));
    let name = author.or(meta.title.as_deref()).unwrap_or(meta.source_id.as_str());
    let mut out: String = name.chars().take(TITLE_CHARS).collect();
    if let Some(year) = meta.year {
        out.extend([" ", &year.to_string()]);
    }
    out
}

/// The shape of the reply. The order matters where the server writes fields in it: the model judges whether its
/// sentences answer after it picked them.
pub(super) fn schema() -> JsonSchema {
    let sentences = json!({"type": "array", "maxItems": PARTS, "items": {"type": "integer"}});
    JsonSchema::object("selected_sentences", json!({"sentences": sentences, "answers": {"type": "boolean"}}))
}

#[derive(Deserialize)]
struct Reply {
    sentences: Vec<i64>,
    answers: bool,
}

/// The sentences that the model picked from `shown`, which are numbered from 1, by their index; empty if it found no answer.
/// Numbers that were not shown, or that are repeated, are passed over.
///
/// # Errors
/// What is wrong, as a part of a sentence.
pub(super) fn choices(text: &str, shown: usize) -> Result<Vec<usize>, String> {
    let reply: Reply = serde_json::from_str(text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    if !reply.answers {
        return Ok(Vec::new());
    }
    let mut out: Vec<usize> = Vec::new();
    for number in reply.sentences {
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        if let Some(index) = index.filter(|index| *index < shown && !out.contains(index)) {
            out.push(index);
        }
    }
    out.truncate(PARTS);
    if out.is_empty() {
        return Err(format!("`answers` is true, but `sentences` names none from 1 to {shown}"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_or_say_what_is_wrong() {
        let check = |text: &str, want: Result<&[usize], &str>| match (choices(text, 7), want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want, "{text}"),
            (Err(got), Err(part)) => assert!(got.contains(part), "{text}: {got}"),
            (got, want) => panic!("{text}: {got:?}, not {want:?}"),
        };
        let picks =
            |numbers: &[i64], answers: bool| json!({"sentences": numbers, "answers": answers}).to_string();
        check(&picks(&[3, 1], true), Ok(&[2, 0]));
        check(&picks(&[0, 8, -1, 3, 3, i64::MAX, 7], true), Ok(&[2, 6]));
        check(&picks(&[1, 2, 3, 4, 5, 6, 7], true), Ok(&[0, 1, 2, 3, 4]));
        check(&picks(&[3, 1], false), Ok(&[]));
        check(&picks(&[], false), Ok(&[]));
        check(&picks(&[], true), Err("names none from 1 to 7"));
        check(&picks(&[8, 0], true), Err("names none from 1 to 7"));
        check(r#"{"sentences":[2]}"#, Err("missing field `answers`"));
        check(r#"{"answers":true}"#, Err("missing field `sentences`"));
        for text in ["", "Sentence 3.", "[]", "{", "null"] {
            check(text, Err("it is not the JSON asked for"));
        }
    }

    #[test]
    fn a_source_is_its_first_author_or_its_title() {
        let check = |authors: &[&str], title: Option<&str>, year: Option<u16>, want: &str| {
            let meta = SourceMeta {
                source_id: "a_2020".into(),
                authors: authors.iter().map(|a| (*a).to_owned()).collect(),
                title: title.map(str::to_owned),
                year,
                ..SourceMeta::default()
            };
            assert_eq!(source(&meta), want);
        };
        check(&["Ada Orvella", "Ben Tandrik"], Some("Title"), Some(2021), "Orvella 2021");
        check(&[], Some("A study of sleep"), None, "A study of sleep");
        check(&[], Some(&"long ".repeat(30)), None, &"long ".repeat(12));
        check(&[], None, Some(2020), "a_2020 2020");
    }
}
