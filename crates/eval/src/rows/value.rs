//! Reads the values of fields: what is missing is `None`, what has another type is an error.

use crate::rows::{Cited, Expected, GoldQuote, Passage, literal, record::kind};
use serde_json::{Map, Value};
use types::words::distinct;

type Read<T> = Result<T, String>;

const TEXT: [&str; 6] = ["text", "content", "page_content", "chunk", "body", "passage"];
const PASSAGE_ID: [&str; 3] = ["chunk_id", "passage_id", "id"];
const DOCUMENT: [&str; 9] =
    ["doc_id", "source_id", "document_id", "document", "file_name", "filename", "file", "source", "_id"];
const PAGE: [&str; 3] = ["page", "page_start", "page_number"];
const SCORE: [&str; 3] = ["score", "combined_score", "similarity"];

/// The text of a field; several texts are joined by line feeds.
pub(crate) fn text(value: &Value) -> Read<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(items) => {
            let texts = items.iter().filter(|item| !item.is_null()).map(Value::as_str);
            let texts: Option<Vec<&str>> = texts.collect();
            let texts = texts.ok_or("must be a string, got a list that holds other things than strings")?;
            Ok(texts.join("\n"))
        }
        other => Err(format!("must be a string, got {}", kind(other))),
    }
}

/// One string alone.
pub(crate) fn string(value: &Value) -> Read<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(_) => Err(
            "must be a string, got a list; conversations of several turns cannot be read: give one question and its answer"
                .to_owned(),
        ),
        other => Err(format!("must be a string, got {}", kind(other))),
    }
}

/// An id: a string or a number, never empty.
pub(crate) fn id(value: &Value) -> Read<String> {
    match value {
        Value::String(id) if !id.trim().is_empty() => Ok(id.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(_) => Err("must not be empty".to_owned()),
        other => Err(format!("must be a string or a number, got {}", kind(other))),
    }
}

/// A truth value.
pub(crate) fn flag(value: &Value) -> Read<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::Number(number) if number.as_f64() == Some(1.0) => Ok(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Ok(false),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" => Ok(false),
            _ => Err(format!("must be true or false, got {text:?}")),
        },
        other => Err(format!("must be true or false, got {}", kind(other))),
    }
}

/// A number from 0 up.
pub(crate) fn amount(value: &Value) -> Read<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .filter(|number| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| format!("must be a number from 0 up, got {}", shown(value)))
}

/// The labels of a row.
pub(crate) fn tags(value: &Value) -> Read<Vec<String>> {
    each(value, |item| match item {
        Value::String(tag) => Ok(tag.clone()),
        Value::Number(tag) => Ok(tag.to_string()),
        other => Err(format!("must be a string, got {}", kind(other))),
    })
}

/// Passages: texts, or objects with a text.
pub(crate) fn passages(value: &Value) -> Read<Vec<Passage>> {
    each(value, |item| match item {
        Value::String(text) => Ok(Passage { text: text.clone(), ..Passage::default() }),
        Value::Object(fields) => passage(fields),
        other => Err(format!("must be a string or an object, got {}", kind(other))),
    })
}

fn passage(fields: &Map<String, Value>) -> Read<Passage> {
    let (key, own) = find(fields, &TEXT).ok_or_else(|| format!("has none of {}", TEXT.join(", ")))?;
    Ok(Passage {
        text: string(own).map_err(|reason| format!("{key} {reason}"))?,
        id: optional(fields, &PASSAGE_ID, id)?,
        source: source(fields),
        document: optional(fields, &DOCUMENT, id)?,
        page: optional(fields, &PAGE, page)?,
        score: optional(fields, &SCORE, number)?,
        distance: optional(fields, &["distance"], amount)?,
    })
}

/// The chunks that our retrieval returned: ids, scores and, from the cosine, the distance; their texts are previews.
pub(crate) fn returned(value: &Value) -> Read<Vec<Passage>> {
    each(value, |item| {
        let fields = item.as_object().ok_or_else(|| format!("must be an object, got {}", kind(item)))?;
        let cosine = optional(fields, &["vector_score"], number)?;
        Ok(Passage {
            id: optional(fields, &PASSAGE_ID, id)?,
            document: optional(fields, &DOCUMENT, id)?,
            score: optional(fields, &SCORE, number)?,
            distance: optional(fields, &["distance"], amount)?.or(cosine.map(|cosine| 2.0 - 2.0 * cosine)),
            ..Passage::default()
        })
    })
}

/// A probability, 0 to 1.
pub(crate) fn share(value: &Value) -> Read<f64> {
    let share = number(value)?;
    (0.0..=1.0)
        .contains(&share)
        .then_some(share)
        .ok_or_else(|| format!("must be between 0 and 1, got {share}"))
}

/// Title, authors and year of a passage's document, as our own context lists them.
fn source(fields: &Map<String, Value>) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let title = fields.get("title").and_then(text);
    let authors = fields.get("authors").and_then(Value::as_array).into_iter().flatten();
    let authors: Vec<String> = authors.filter_map(text).collect();
    let year = fields.get("year").and_then(Value::as_u64);
    let year = year.and_then(|year| u16::try_from(year).ok());
    let line = evidence::support::source_line(title.as_deref(), &authors, year);
    Some(line).filter(|line| !line.is_empty())
}

/// Ids of documents, in order: ids, or objects that have one.
pub(crate) fn documents_of(value: &Value) -> Read<Vec<String>> {
    each(value, |item| match item {
        Value::Object(fields) => match find(fields, &DOCUMENT).or_else(|| find(fields, &["id"])) {
            Some((key, own)) => id(own).map_err(|reason| format!("{key} {reason}")),
            None => Err(format!("has none of {}", DOCUMENT.join(", "))),
        },
        other => id(other),
    })
}

/// Ids of documents, best first, each once.
pub(crate) fn documents(value: &Value) -> Read<Vec<String>> {
    documents_of(value).map(distinct)
}

/// The documents that answer: ids, pages by id (`{"a.pdf": [3]}`), or grades by id (`{"a": 2}`). A grade of 0 or less means
/// that a document does not answer.
pub(crate) fn expected(value: &Value) -> Read<Vec<Expected>> {
    let Value::Object(entries) = value else {
        let whole = |document| Expected { document, pages: Vec::new(), grade: 1 };
        return Ok(documents(value)?.into_iter().map(whole).collect());
    };
    let mut out = Vec::new();
    for (document, value) in entries {
        let named = |reason: String| format!("{document:?} {reason}");
        let (pages, grade) = match value {
            Value::Null => (Vec::new(), 1),
            Value::Array(_) => (each(value, page).map_err(named)?, 1),
            Value::Number(number) => {
                let wrong = || named(format!("must have a whole number as its grade, got {number}"));
                let grade = number.as_i64().ok_or_else(wrong)?;
                (Vec::new(), u32::try_from(grade.max(0)).unwrap_or(u32::MAX))
            }
            other => {
                return Err(named(format!("must have a list of pages or a grade, got {}", kind(other))));
            }
        };
        if grade > 0 {
            out.push(Expected { document: document.clone(), pages, grade });
        }
    }
    Ok(out)
}

/// Sentences that answer: texts, or objects with a quote.
pub(crate) fn gold_quotes(value: &Value) -> Read<Vec<GoldQuote>> {
    each(value, |item| match item {
        Value::String(quote) => Ok(GoldQuote { document: None, quote: quote.clone() }),
        Value::Object(fields) => {
            let (key, own) =
                find(fields, &["quote"]).or_else(|| find(fields, &TEXT)).ok_or("has no quote")?;
            Ok(GoldQuote {
                document: optional(fields, &DOCUMENT, id)?,
                quote: string(own).map_err(|reason| format!("{key} {reason}"))?,
            })
        }
        other => Err(format!("must be a string or an object, got {}", kind(other))),
    })
}

/// Citations: ids of documents, or objects.
pub(crate) fn citations(value: &Value) -> Read<Vec<Cited>> {
    each(value, |item| match item {
        Value::Object(fields) => {
            let first = optional(fields, &PAGE, page)?;
            let last = optional(fields, &["page_end"], page)?;
            Ok(Cited {
                document: optional(fields, &DOCUMENT, id)?,
                passage: optional(fields, &PASSAGE_ID, id)?,
                pages: first.map(|first| (first, last.unwrap_or(first).max(first))),
                quote: optional(fields, &["relevant_quote", "quote"], string)?,
            })
        }
        other => Ok(Cited { document: Some(id(other)?), ..Cited::default() }),
    })
}

/// The items of a list, without nulls; a single value stands for a list of one.
fn each<T>(value: &Value, read: impl Fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    match value {
        Value::Array(items) => {
            let item = |(at, item): (usize, &Value)| {
                read(item).map_err(|reason| format!("item {} {reason}", at + 1))
            };
            let filled = items.iter().enumerate().filter(|(_, item)| !item.is_null());
            filled.map(item).collect()
        }
        Value::String(text) if text.trim().is_empty() => Ok(Vec::new()),
        Value::Number(_) | Value::Bool(_) => Err(format!("must be a list, got {}", kind(value))),
        other => read(other).map(|one| vec![one]),
    }
}

fn find<'f, 'k>(fields: &'f Map<String, Value>, keys: &[&'k str]) -> Option<(&'k str, &'f Value)> {
    let found = |key: &&'k str| Some((*key, fields.get(*key).filter(|value| !value.is_null())?));
    keys.iter().find_map(found)
}

fn optional<T>(
    fields: &Map<String, Value>,
    keys: &[&str],
    read: impl Fn(&Value) -> Read<T>,
) -> Read<Option<T>> {
    match find(fields, keys) {
        None => Ok(None),
        Some((key, value)) => read(value).map(Some).map_err(|reason| format!("{key} {reason}")),
    }
}

fn page(value: &Value) -> Read<u32> {
    let number = match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0)?;
            Some(whole as u64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .and_then(|number| u32::try_from(number).ok())
        .ok_or_else(|| format!("must be a page number, got {}", shown(value)))
}

fn number(value: &Value) -> Read<f64> {
    value.as_f64().ok_or_else(|| format!("must be a number, got {}", shown(value)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
        other => kind(other).to_owned(),
    }
}

/// Whether a text begins as a list does that a program printed.
pub(crate) fn is_list(text: &str) -> bool {
    let begins = text.trim_start();
    begins.starts_with(['[', '{', '(']) || begins.starts_with("array(")
}

/// A cell of a table as the value that a list field needs: a list literal is read, other text stays text.
pub(crate) fn cell(text: &str) -> Read<Value> {
    if is_list(text) {
        return literal::parse(text).map_err(|reason| format!("is not a list: {reason}"));
    }
    Ok(Value::String(text.to_owned()))
}

/// The passages of a text that were joined by `|`, as DeepEval joins them: a list of one where it holds none. A bar between
/// blanks, at an end or inside brackets is one of a table or a formula.
pub(crate) fn joined(text: &str) -> Value {
    let is_joint = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + 1..]);
        let brackets = ['(', ')', '[', ']'];
        let opens = before.rfind(brackets).is_some_and(|at| before[at..].starts_with(['(', '[']));
        let closes = after.find(brackets).is_some_and(|at| after[at..].starts_with([')', ']']));
        !(opens && closes || before.ends_with(' ') && after.starts_with(' '))
    };
    let joints: Vec<usize> = text.match_indices('|').map(|(at, _)| at).filter(is_joint).collect();
    let ends = joints.iter().copied().chain([text.len()]);
    let starts = [0].into_iter().chain(joints.iter().map(|at| at + 1));
    let parts: Vec<&str> = starts.zip(ends).map(|(from, to)| &text[from..to]).collect();
    if parts.iter().any(|part| part.trim().is_empty()) {
        return Value::from(text);
    }
    Value::from(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn passages_of_all_kinds() {
        let read = passages(&json!([
            "A.",
            {"text": "B.", "doc_id": "b.pdf", "chunk_id": "b::1", "page": 3, "score": -0.5, "distance": 0.8},
            {"content": "C.", "source": "c", "page_number": "7", "page": null},
        ]));
        let read = read.expect("passages");
        assert_eq!(read[0].text, "A.");
        assert_eq!(
            (read[1].document.as_deref(), read[1].page, read[1].score, read[1].distance),
            (Some("b.pdf"), Some(3), Some(-0.5), Some(0.8))
        );
        assert_eq!((read[2].document.as_deref(), read[2].page), (Some("c"), Some(7)));
        assert_eq!(passages(&json!("One.")).expect("one").len(), 1);
        assert_eq!(passages(&json!("")).expect("none").len(), 0);
        for (value, want) in [
            (json!(5), "must be a list, got a number"),
            (json!(["a", 5]), "item 2 must be a string or an object, got a number"),
            (json!([{"doc_id": "a"}]), "item 1 has none of text, content"),
            (json!([{"text": "a", "page": -1}]), "item 1 page must be a page number, got -1"),
            (json!([{"text": 5}]), "item 1 text must be a string, got a number"),
        ] {
            assert!(passages(&value).expect_err("wrong").contains(want), "{value}");
        }
    }

    #[test]
    fn joined_passages_are_parted_and_tables_are_not() {
        let check = |text: &str, want: Value| assert_eq!(joined(text), want);
        check("A b.|C d.", json!(["A b.", "C d."]));
        check("One.", json!(["One."]));
        check("A. \n|C | d, P(a|b) = 1.|E", json!(["A. \n", "C | d, P(a|b) = 1.", "E"]));
        for table in ["| a | b |\n| - | - |", "a || b", "|a|", ""] {
            check(table, json!(table));
        }
    }

    #[test]
    fn expected_documents_of_all_kinds() {
        let read = |value: Value| -> Vec<(String, Vec<u32>, u32)> {
            let read = expected(&value).expect("expected");
            read.into_iter().map(|e| (e.document, e.pages, e.grade)).collect()
        };
        assert_eq!(read(json!(["A", "a", "A"])), [("A".into(), vec![], 1), ("a".into(), vec![], 1)]);
        assert_eq!(
            read(json!({"a.pdf": [3, 4], "b.pdf": []})),
            [("a.pdf".into(), vec![3, 4], 1), ("b.pdf".into(), vec![], 1)]
        );
        assert_eq!(read(json!({"a": 2, "b": 0})), [("a".into(), vec![], 2)]);
        assert!(expected(&json!({"a": "x"})).expect_err("wrong").contains("list of pages"));
    }

    #[test]
    fn truth_values_amounts_and_ids() {
        assert_eq!((flag(&json!("True")), flag(&json!(0))), (Ok(true), Ok(false)));
        assert!(flag(&json!("maybe")).is_err());
        assert_eq!((amount(&json!("1.5")), amount(&json!(2))), (Ok(1.5), Ok(2.0)));
        assert!(amount(&json!(-1)).is_err() && amount(&json!("fast")).is_err());
        assert_eq!((id(&json!(" a ")), id(&json!(7))), (Ok("a".to_owned()), Ok("7".to_owned())));
        assert!(id(&json!("")).is_err() && id(&json!([])).is_err());
    }
}
