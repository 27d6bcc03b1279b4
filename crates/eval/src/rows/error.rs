//! What can be wrong with a file.

use types::{Explain, Problem};

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Explain)]
#[explain(code = "answers", values(name, map))]
pub enum RowsError {
    /// The file has wrong lines, or is wrong as a whole.
    #[error("{name}: {}; {hint}", Problem::list(problems))]
    Unusable {
        /// The file.
        name: String,
        /// Everything wrong with it, in line order.
        problems: Vec<Problem>,
        /// What to do.
        hint: String,
    },
    /// The file has questions and no answers.
    #[explain(hint = answer(name))]
    #[error("{name} has questions but no answers; {}", answer(name))]
    OnlyQuestions {
        /// The file.
        name: String,
    },
    /// A `--map` that cannot be read.
    #[error(
        "cannot read the map {map:?}: {reason}; write FIELD=KEY pairs, for example id=my_id,response=output.text"
    )]
    Map {
        /// The map as given.
        map: String,
        /// What is wrong.
        reason: String,
    },
}

impl RowsError {
    /// An error of a whole file.
    pub(crate) fn file(name: &str, reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::unusable(name, vec![Problem::whole(reason)], hint)
    }

    /// An error of these places in a file.
    pub(crate) fn unusable(name: &str, problems: Vec<Problem>, hint: impl Into<String>) -> Self {
        Self::Unusable { name: name.to_owned(), problems, hint: hint.into() }
    }
}

/// The command that answers a file of questions.
fn answer(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    let quoted = format!("'{}'", name.replace('\'', "'\\''"));
    let file = if is_plain { name } else { &quoted };
    format!("run `pipeline eval --queries {file}` to answer and score them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_typed_as_it_stands() {
        assert!(answer("a/b-1.csv").contains("--queries a/b-1.csv`"));
        assert!(answer("it's here.csv").contains(r"--queries 'it'\''s here.csv'`"));
    }

    #[test]
    fn many_problems_are_counted() {
        let problems: Vec<Problem> = (1..=23).map(|line| Problem::at(line, "odd")).collect();
        let error = RowsError::Unusable { name: "f.jsonl".to_owned(), problems, hint: "fix it".to_owned() };
        let text = error.to_string();
        assert!(text.starts_with("f.jsonl: line 1: odd; line 2: odd; "), "{text}");
        assert!(text.ends_with("line 20: odd; and 3 more; fix it"), "{text}");
    }
}
