//! Questions over articles: one JSON object a line, as SQuAD writes a paragraph's questions.

use crate::{EvalError, json_lines};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const HINT: &str = "each line is {\"id\", \"doc_id\", \"question\", \"answers\": [{\"text\", \"answer_start\"}], \"is_impossible\"}";

/// A question about one article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleQuestion {
    /// Its id, as written.
    pub id: String,
    /// The `_id` of the article that it was asked about.
    pub document: String,
    /// What it asks; never blank.
    pub text: String,
    /// The answers that annotators marked; empty if there is none.
    pub answers: Vec<GoldAnswer>,
    /// Whether annotators found that the article does not answer it.
    pub impossible: bool,
}

/// An answer that an annotator marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldAnswer {
    /// Its text; never blank.
    pub text: String,
    /// Where it starts in the text of the article, in characters from 0.
    pub start: usize,
}

#[derive(Deserialize)]
struct Raw {
    id: Value,
    doc_id: Value,
    question: String,
    #[serde(default)]
    answers: Vec<RawAnswer>,
    #[serde(default)]
    is_impossible: bool,
}

#[derive(Deserialize)]
struct RawAnswer {
    text: String,
    answer_start: usize,
}

/// Reads the questions of a file, in its order. Blank lines, other fields and blank answers are skipped.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Benchmark`] with every line that is not a question,
/// has no text, or repeats an id.
pub fn load_questions(path: &Path) -> Result<Vec<ArticleQuestion>, EvalError> {
    json_lines::load(path, HINT, |_, line| question(line), |question| ("id", question.id.clone()))
}

fn question(line: &str) -> Result<ArticleQuestion, String> {
    let raw: Raw = json_lines::parse(line)?;
    if raw.question.trim().is_empty() {
        return Err("its question is empty".to_owned());
    }
    let answers =
        raw.answers.into_iter().map(|answer| GoldAnswer { text: answer.text, start: answer.answer_start });
    Ok(ArticleQuestion {
        id: json_lines::written_id("id", &raw.id)?,
        document: json_lines::written_id("doc_id", &raw.doc_id)?,
        text: raw.question,
        answers: answers.filter(|answer| !answer.text.trim().is_empty()).collect(),
        impossible: raw.is_impossible,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Vec<ArticleQuestion>, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("qa.jsonl");
        std::fs::write(&path, text).expect("written");
        load_questions(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn questions_keep_their_order_and_their_answers() {
        let found = load(
            "{\"id\": 7, \"doc_id\": \"A\", \"question\": \"Why?\", \"answers\": [{\"text\": \"so\", \"answer_start\": 3}, {\"text\": \" \", \"answer_start\": 0}], \"is_impossible\": false}\n\n{\"id\": \"b\", \"doc_id\": 2, \"question\": \"How?\", \"answers\": [], \"is_impossible\": true}\n",
        )
        .expect("questions");
        assert_eq!((found[0].id.as_str(), found[0].document.as_str()), ("7", "A"));
        let so = GoldAnswer { text: "so".to_owned(), start: 3 };
        assert_eq!(found[0].answers, [so]);
        assert_eq!((found[1].document.as_str(), found[1].impossible), ("2", true));
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = load(
            "{\"id\": \"a\", \"doc_id\": \"A\", \"question\": \"x\"}\n{\"id\": \"a\", \"doc_id\": \"A\", \"question\": \"y\"}\n{\"id\": \"b\", \"question\": \"y\"}\n{\"id\": \"c\", \"doc_id\": \"A\", \"question\": \" \"}\n{\"id\": \"d\", \"doc_id\": \"A\", \"question\": \"z\", \"answers\": [{\"text\": \"t\", \"answer_start\": -1}]}\n",
        )
        .expect_err("wrong");
        for part in [
            "line 2: the id \"a\" is already on line 1",
            "line 3: missing field `doc_id`",
            "line 4: its question is empty",
            "line 5: ",
        ] {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
    }
}
