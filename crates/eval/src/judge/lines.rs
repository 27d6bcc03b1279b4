//! Responses of any system, one JSON object a line, to be judged or with the labels of people.

use super::{Basis, JudgeInput, Passage};
use crate::EvalError;
use crate::json_lines::{load, parse, parse_rows, written_id};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::Path;
use types::{MAX_ANSWER_CHARS, MAX_PASSAGE_CHARS, check_chars};

const ITEM: &str = "each line must be a JSON object with id, context (a string or a list of strings), response and, if known, question";
const LABELLED: &str = "each line must be a JSON object with id, context (a string or a list of strings), response and supported (1, 0, or null for no label)";

/// A response to judge. All other fields of its line are ignored: a judge must not see labels.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JudgeItem {
    /// A string or a number, handed back as it came.
    pub id: Value,
    /// What the response may rest on.
    pub context: OneOrMany,
    /// The response.
    pub response: String,
    /// The question; empty where unknown.
    #[serde(default, deserialize_with = "text_or_null")]
    pub question: String,
}

/// One passage, or several that are judged each on its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "context must be a string or a list of strings")]
pub enum OneOrMany {
    /// One passage.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// A response with the label of a person.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledItem {
    /// What a judge reads.
    pub item: JudgeItem,
    /// Whether a person calls it supported; `None` where nobody labelled it.
    pub label: Option<bool>,
}

/// The label of a person, of an answer that is known by its id.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The number of its line.
    pub line: usize,
    /// The id of the question, as text.
    pub id: String,
    /// Whether a person calls the answer supported; `None` where nobody labelled it.
    pub label: Option<bool>,
}

impl OneOrMany {
    /// The passages.
    pub fn passages(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

impl JudgeItem {
    /// Reads the items of a text; messages name it `path`.
    ///
    /// # Errors
    /// [`EvalError::Lines`] with every line that is not an item, or repeats an id.
    pub fn parse_all(path: &Path, text: &str) -> Result<Vec<Self>, EvalError> {
        let row = |_, line: &str| {
            let item: Self = parse(line)?;
            written_id("id", &item.id)?;
            item.check_size().map(|()| item)
        };
        parse_rows(path, text, ITEM, row, |item| ("id", item.name()))
    }

    fn check_size(&self) -> Result<(), String> {
        for (what, text) in [("question", &self.question), ("response", &self.response)] {
            check_chars(text, MAX_ANSWER_CHARS).map_err(|error| format!("its {what} {error}"))?;
        }
        let mut passages = self.context.passages().iter();
        passages
            .try_for_each(|text| check_chars(text, MAX_PASSAGE_CHARS))
            .map_err(|error| format!("a passage of its context {error}"))
    }

    /// The id as text.
    pub fn name(&self) -> String {
        written_id("id", &self.id).unwrap_or_default()
    }

    /// What a judge reads. Such input cites nothing: each claim is judged by its best passage.
    pub fn input(&self) -> JudgeInput {
        let passage = |(at, text): (usize, &String)| Passage {
            id: format!("passage {}", at + 1),
            source: String::new(),
            text: text.clone(),
        };
        JudgeInput::new(
            self.question.clone(),
            self.context.passages().iter().enumerate().map(passage).collect(),
            self.response.clone(),
            Basis::BestPassage,
        )
    }
}

impl LabelledItem {
    /// Reads a file. A line without the field `supported` has no label.
    ///
    /// # Errors
    /// When the file cannot be read; [`EvalError::Lines`] with every line that is not an item, has another label than
    /// 1, 0, true, false or null, or repeats an id.
    pub fn load(path: &Path) -> Result<Vec<Self>, EvalError> {
        let row = |_, line: &str| {
            let item: JudgeItem = parse(line)?;
            written_id("id", &item.id)?;
            item.check_size()?;
            let label = label_of(&parse(line)?)?;
            Ok(Self { item, label })
        };
        load(path, LABELLED, row, |row| ("id", row.item.name()))
    }
}

impl Label {
    /// What each line must be.
    pub const HINT: &str = "each line must be a JSON object with id (of a question of the run) and supported (1, 0, or null for no label)";

    /// Reads a file. A line without the field `supported` has no label; other fields are ignored.
    ///
    /// # Errors
    /// As [`LabelledItem::load`].
    pub fn load(path: &Path) -> Result<Vec<Self>, EvalError> {
        let row = |line, text: &str| {
            let value: Value = parse(text)?;
            Ok(Self { line, id: written_id("id", &value["id"])?, label: label_of(&value)? })
        };
        load(path, Self::HINT, row, |row| ("id", row.id.clone()))
    }
}

/// The label in the field `supported` of a line, or in `faithful`, as it was named before; `None` for null.
///
/// # Errors
/// When it is not 1, 0, true, false or null.
fn label_of(line: &Value) -> Result<Option<bool>, String> {
    let name = if line.get("supported").is_some() { "supported" } else { "faithful" };
    match &line[name] {
        Value::Null => Ok(None),
        Value::Bool(label) => Ok(Some(*label)),
        Value::Number(number) if number.as_f64() == Some(1.0) => Ok(Some(true)),
        Value::Number(number) if number.as_f64() == Some(0.0) => Ok(Some(false)),
        other => Err(format!("{name} must be 1, 0 or null, got {other}")),
    }
}

fn text_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn strings_lists_and_null_are_read_and_labels_are_not() {
        let text = "{\"id\":\"x\",\"context\":\"Mice walked.\",\"response\":\"Mice ran.\",\"question\":null,\"faithful\":0}\n\n\
                    {\"id\":7,\"context\":[\"A.\",\"B.\"],\"response\":\"\",\"question\":\"Who?\"}\n";
        let items = JudgeItem::parse_all(Path::new("in"), text).expect("items");
        assert_eq!((items[0].name(), items[1].name()), ("x".to_owned(), "7".to_owned()));
        let input = items[1].input();
        assert_eq!((input.question.as_str(), input.context.len()), ("Who?", 2));
        assert_eq!(input.context[1].id, "passage 2");
        let other = text.replace("\"faithful\":0", "\"faithful\":1,\"label\":\"Supported\"");
        assert_eq!(JudgeItem::parse_all(Path::new("in"), &other).expect("items"), items);
    }

    #[test]
    fn every_bad_line_is_named() {
        let text = "{\"id\":\"a\",\"context\":\"c\",\"response\":\"r\"}\nnot JSON\n{\"id\":\"b\",\"context\":5,\"response\":\"r\"}\n\
                    {\"id\":\"a\",\"context\":\"c\",\"response\":\"r\"}\n{\"id\":[],\"context\":\"c\",\"response\":\"r\"}\n{\"id\":\"d\",\"context\":\"c\"}\n";
        let error = JudgeItem::parse_all(Path::new("in.jsonl"), text).expect_err("bad lines").to_string();
        for part in [
            "in.jsonl: line 2: expected",
            "line 3: context must be a string or a list of strings",
            "line 4: the id \"a\" is already on line 1",
            "line 5: id must be a string or a number",
            "line 6: missing field `response`",
            "each line must be a JSON object with id",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn labels_are_numbers_or_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("labels.jsonl");
        let line = |label: &str| {
            format!("{{\"id\":\"{}\",\"context\":\"c\",\"response\":\"r\"{label}}}", label.len())
        };
        let lines = [",\"supported\":1", ",\"faithful\":false", ",\"faithful\":null", ""].map(line);
        fs::write(&path, lines.join("\n")).expect("written");
        let labels: Vec<_> = LabelledItem::load(&path).expect("reads").iter().map(|row| row.label).collect();
        assert_eq!(labels, [Some(true), Some(false), None, None]);
        let labels: Vec<_> = Label::load(&path).expect("reads").iter().map(|row| row.label).collect();
        assert_eq!(labels, [Some(true), Some(false), None, None]);
        fs::write(&path, line(",\"supported\":1.0")).expect("written");
        assert_eq!(LabelledItem::load(&path).expect("reads")[0].label, Some(true));
        fs::write(&path, line(",\"supported\":\"yes\"")).expect("written");
        let error = LabelledItem::load(&path).expect_err("no label").to_string();
        assert!(error.contains("supported must be 1, 0 or null, got \"yes\""), "{error}");
    }
}
