//! Dimensions scored by a language model: one prompt and one call for each.

use super::{Dimension, on_empty};
use crate::judge::{
    Decision, JudgeError,
    ask::{ask, not_json},
};
use crate::{Passage, Sample};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use types::{ChatModel, ChatRequest, JsonSchema, Prompt, Usage};

/// Characters of a whole input beyond which a judge refuses to judge; it never cuts.
const MAX_CHARS: usize = 200_000;

/// Scores the dimensions with a language model.
pub struct ChatDimensions {
    model: Arc<dyn ChatModel>,
    max_tokens: Option<u32>,
}

/// The prompt of a dimension, and its version.
fn prompt(dimension: Dimension) -> (&'static str, &'static str) {
    match dimension {
        Dimension::Faithfulness => ("faithfulness-2", include_str!("prompts/faithfulness.md")),
        Dimension::AnswerRelevance => ("answer-relevance-2", include_str!("prompts/answer_relevance.md")),
        Dimension::CitationQuality => ("citation-quality-1", include_str!("prompts/citation_quality.md")),
        Dimension::Completeness => ("completeness-2", include_str!("prompts/completeness.md")),
        Dimension::Correctness => ("correctness-2", include_str!("prompts/correctness.md")),
    }
}

impl ChatDimensions {
    /// A judge that asks `model`; a reply may have `max_tokens` of the model's tokens.
    pub fn new(model: Arc<dyn ChatModel>, max_tokens: Option<u32>) -> Self {
        Self { model, max_tokens }
    }

    /// Names the model.
    pub fn id(&self) -> &str {
        self.model.id()
    }

    /// The version of the prompt of a dimension.
    pub fn prompt_version(dimension: Dimension) -> &'static str {
        prompt(dimension).0
    }

    /// Scores one dimension of a sample, and the metric that passes or fails beside it, in one call: the verdicts by metric.
    ///
    /// # Errors
    /// [`JudgeError::NotApplicable`] if the sample has no score in this dimension, with the reason; other errors if there
    /// should be one.
    pub async fn judge(&self, dimension: Dimension, row: &Sample) -> Result<Vec<Decided>, JudgeError> {
        if let Some(reason) = dimension.lacks(row) {
            return Err(JudgeError::NotApplicable(reason));
        }
        if let Some(verdict) = on_empty(dimension, row) {
            return Ok(verdicts(dimension, verdict, Some(false)));
        }
        let (_, system) = prompt(dimension);
        let request = ChatRequest {
            system: system.into(),
            user: user_message(dimension, row),
            schema: Some(schema(dimension)),
            max_tokens: self.max_tokens,
        };
        let of_dimension = |reason: String| format!("{}: {reason}", dimension.key());
        let read = |reply: &str| read_reply(dimension, reply).map_err(of_dimension);
        let ((decision, passes), usage) = ask(&*self.model, self.id(), request, MAX_CHARS, read).await?;
        let decision = Decision {
            by: self.id().to_owned(),
            usage,
            ..decision
        };
        Ok(verdicts(dimension, decision, passes))
    }
}

/// A verdict, and the metric that it decides.
pub type Decided = (&'static str, Decision);

/// The verdicts on a dimension and on what passes beside it. The call is counted once.
fn verdicts(dimension: Dimension, decision: Decision, passes: Option<bool>) -> Vec<Decided> {
    let beside = dimension.pass().zip(passes).map(|((_, key), passes)| {
        let own = Decision {
            value: f64::from(u8::from(passes)),
            usage: Usage::default(),
            ..decision.clone()
        };
        (key, own)
    });
    [(dimension.key(), decision)].into_iter().chain(beside).collect()
}

/// The data as one JSON object.
fn user_message(dimension: Dimension, row: &Sample) -> Prompt {
    let mut data = Map::new();
    data.insert("question".to_owned(), json!(row.question));
    if dimension == Dimension::Correctness {
        data.insert("reference".to_owned(), json!(row.reference));
    }
    let reads = matches!(
        dimension,
        Dimension::Faithfulness | Dimension::CitationQuality | Dimension::Completeness
    );
    if reads {
        let passages = row.passages.as_deref().unwrap_or_default().iter().enumerate();
        let passages: Vec<Value> = passages.map(|(at, p)| passage(dimension, at, p)).collect();
        data.insert("passages".to_owned(), json!(passages));
    }
    data.insert("answer".to_owned(), json!(row.answer));
    let listed = row.citations.as_deref().unwrap_or_default();
    if dimension == Dimension::CitationQuality && !listed.is_empty() && !crate::metrics::has_marks(row) {
        let each = listed
            .iter()
            .map(|cited| json!({"document": cited.document, "id": cited.passage, "pages": cited.pages}));
        data.insert("listed_citations".to_owned(), each.collect());
    }
    Prompt::json(Value::Object(data))
}

fn passage(dimension: Dimension, at: usize, passage: &Passage) -> Value {
    let mut out = json!({"number": at + 1, "document": passage.document, "page": passage.page});
    if dimension == Dimension::CitationQuality {
        out["id"] = json!(passage.id);
    }
    out["text"] = json!(passage.text);
    out
}

/// The shape of the reply. The reasoning comes first, because servers write the fields in this order, and a score that
/// follows from written reasons is better than one that is explained afterwards.
fn schema(dimension: Dimension) -> JsonSchema {
    let findings = dimension.findings_key();
    let mut properties = Map::new();
    properties.insert("reasoning".to_owned(), json!({"type": "string"}));
    properties.insert(
        findings.to_owned(),
        json!({"type": "array", "items": {"type": "string"}}),
    );
    properties.insert("score".to_owned(), json!({"type": "number"}));
    let mut required = vec!["reasoning", findings, "score"];
    if let Some((field, _)) = dimension.pass() {
        properties.insert(field.to_owned(), json!({"type": "boolean"}));
        required.push(field);
    }
    JsonSchema {
        name: dimension.key().to_owned(),
        schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        }),
    }
}

/// The verdict of a reply, or what is wrong with it, in our own words.
fn read_reply(dimension: Dimension, reply: &str) -> Result<(Decision, Option<bool>), String> {
    let reply: Map<String, Value> = serde_json::from_str(reply).map_err(|error| not_json(&error))?;
    let score = match reply.get("score") {
        None => return Err("it has no score".to_owned()),
        Some(score) => score.as_f64().ok_or("score is not a number")?,
    };
    if !(0.0..=1.0).contains(&score) {
        return Err("score is not between 0 and 1".to_owned());
    }
    let reasoning = reply.get("reasoning").and_then(Value::as_str);
    let reasoning = reasoning.ok_or("reasoning is not a string")?.trim().to_owned();
    let key = dimension.findings_key();
    let findings = reply.get(key).and_then(Value::as_array);
    let findings: Option<Vec<String>> = findings.and_then(|items| {
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        texts.collect()
    });
    let passes = match dimension.pass() {
        None => None,
        Some((field, _)) => {
            let passes = reply.get(field).and_then(Value::as_bool);
            Some(passes.ok_or_else(|| format!("{field} is not true or false"))?)
        }
    };
    let decision = Decision {
        value: score,
        reason: reasoning,
        findings: findings.ok_or_else(|| format!("{key} is not a list of strings"))?,
        ..Decision::default()
    };
    Ok((decision, passes))
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
