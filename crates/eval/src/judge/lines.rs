//! Judging responses of other systems, one JSON object a line.

use super::{Basis, Judge, JudgeError, JudgeInput, Passage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of input: at least `id`, `context` and `response`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JudgeItem {
    /// Handed back as it came.
    pub id: Value,
    /// One passage or several.
    pub context: OneOrMany,
    /// The response.
    pub response: String,
    /// The question, where known.
    #[serde(default)]
    pub question: String,
}

/// A string or a list of strings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One passage.
    One(String),
    /// Several, each judged on its own.
    Many(Vec<String>),
}

/// One line of output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeLine {
    /// As it came.
    pub id: Value,
    /// 1 or 0.
    pub faithful: u8,
    /// Probability that all is supported, 0 to 1.
    pub score: f64,
    /// 1 to 4.
    pub grade: u8,
    /// The unsupported claims.
    pub unsupported: Vec<String>,
}

/// Judges one item. Such input cites nothing, so each claim is judged by its best single passage.
///
/// # Errors
/// What the judge says.
pub async fn judge_item(judge: &dyn Judge, item: &JudgeItem) -> Result<JudgeLine, JudgeError> {
    let texts = match &item.context {
        OneOrMany::One(text) => std::slice::from_ref(text),
        OneOrMany::Many(texts) => texts,
    };
    let passage = |(at, text): (usize, &String)| Passage {
        id: format!("passage {}", at + 1),
        source: String::new(),
        text: text.clone(),
    };
    let input = JudgeInput {
        question: item.question.clone(),
        context: texts.iter().enumerate().map(passage).collect(),
        response: item.response.clone(),
        basis: Basis::BestPassage,
    };
    let output = judge.judge(&input).await?;
    Ok(JudgeLine {
        id: item.id.clone(),
        faithful: u8::from(output.faithful),
        score: output.score,
        grade: output.grade,
        unsupported: output.unsupported(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::OfflineJudge;
    use std::sync::Arc;
    use support::LexicalSupport;

    #[tokio::test]
    async fn strings_and_lists_are_judged() {
        let judge = OfflineJudge::new(Arc::new(LexicalSupport::new()));
        let check = async |line: &str, expect: &str| {
            let item: JudgeItem = serde_json::from_str(line).expect("an item");
            let judged = judge_item(&judge, &item).await.expect("judges");
            let got = serde_json::to_value(&judged).expect("serialises");
            assert_eq!(
                (got["id"].to_string(), got["faithful"].to_string()),
                (expect.to_owned(), "1".to_owned()),
                "{line}"
            );
        };
        check(r#"{"id":"x","context":"Regular walking lowered blood pressure in mice.","response":"Regular walking lowered blood pressure in mice."}"#, "\"x\"").await;
        check(r#"{"id":7,"context":["Nothing.","Regular walking lowered blood pressure in mice."],"response":"Regular walking lowered blood pressure in mice.","extra":1}"#, "7").await;
        let item: JudgeItem = serde_json::from_str(
            r#"{"id":1,"context":"Regular walking lowered blood pressure in mice.","response":"Quantum computers factor large integers quickly."}"#,
        )
        .expect("an item");
        let judged = judge_item(&judge, &item).await.expect("judges");
        assert_eq!(
            (judged.faithful, judged.grade, judged.unsupported.len()),
            (0, 1, 1)
        );
    }
}
