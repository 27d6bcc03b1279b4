//! Reads which sentences a model picked, or says what is wrong with its reply in words that it can act on.

use serde::Deserialize;

/// Sentences of an answer at most.
pub(super) const PARTS: usize = 5;

#[derive(Deserialize)]
struct Reply {
    parts: Vec<ReplyPart>,
    answers: bool,
}

#[derive(Deserialize)]
struct ReplyPart {
    sentence: i64,
    #[serde(default)]
    lead: Option<String>,
}

/// A sentence that the model picked.
#[derive(Debug, PartialEq)]
pub(super) struct Choice {
    /// Its index among those shown.
    pub(super) index: usize,
    /// The phrase before it, as the model wrote it.
    pub(super) lead: String,
}

/// What the model picked from `shown` sentences, numbered from 1; empty if it found no answer. Numbers that were not
/// shown, or that are repeated, are passed over.
///
/// # Errors
/// What is wrong, as a part of a sentence.
pub(super) fn choices(text: &str, shown: usize) -> Result<Vec<Choice>, String> {
    let reply: Reply = serde_json::from_str(text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    if !reply.answers {
        return Ok(Vec::new());
    }
    let mut out: Vec<Choice> = Vec::new();
    for part in reply.parts {
        let index = usize::try_from(part.sentence).ok().and_then(|n| n.checked_sub(1));
        let Some(index) = index.filter(|index| *index < shown) else {
            continue;
        };
        if out.len() < PARTS && out.iter().all(|choice| choice.index != index) {
            let lead = part.lead.unwrap_or_default();
            out.push(Choice { index, lead });
        }
    }
    if out.is_empty() {
        return Err(format!(
            "`answers` is true, but `parts` names no sentence from 1 to {shown}"
        ));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_or_say_what_is_wrong() {
        let check = |text: &str, want: Result<&[usize], &str>| match (choices(text, 7), want) {
            (Ok(got), Ok(want)) => {
                let got: Vec<usize> = got.iter().map(|choice| choice.index).collect();
                assert_eq!(got, want, "{text}");
            }
            (Err(got), Err(part)) => assert!(got.contains(part), "{text}: {got}"),
            (got, want) => panic!("{text}: {got:?}, not {want:?}"),
        };
        let parts = |numbers: &[i64], answers: bool| {
            let parts: Vec<String> = numbers
                .iter()
                .map(|n| format!(r#"{{"sentence":{n},"lead":""}}"#))
                .collect();
            format!(r#" {{"parts":[{}],"answers":{answers}}} "#, parts.join(","))
        };
        check(&parts(&[3, 1], true), Ok(&[2, 0]));
        check(&parts(&[0, 8, -1, 3, 3, i64::MAX, 7], true), Ok(&[2, 6]));
        check(&parts(&[1, 2, 3, 4, 5, 6, 7], true), Ok(&[0, 1, 2, 3, 4]));
        check(&parts(&[3, 1], false), Ok(&[]));
        check(&parts(&[], false), Ok(&[]));
        check(&parts(&[], true), Err("no sentence from 1 to 7"));
        check(&parts(&[8, 0], true), Err("no sentence from 1 to 7"));
        check(r#"{"parts":[{"sentence":2}],"answers":true}"#, Ok(&[1]));
        check(
            r#"{"parts":[{"sentence":2,"lead":null}],"answers":true}"#,
            Ok(&[1]),
        );
        check(r#"{"parts":[{"sentence":2}]}"#, Err("missing field `answers`"));
        check(
            r#"{"parts":[{"lead":"x"}],"answers":true}"#,
            Err("missing field `sentence`"),
        );
        for text in ["", "Sentence 3.", "[]", "{", "null"] {
            check(text, Err("it is not the JSON asked for"));
        }
    }
}
