//! Dimensions scored by a language model: one prompt and one call for each.

use super::{Dimension, RECALL, on_empty, stated};
use crate::judge::{
    Decision, JudgeError, JudgeInput, JudgeOutput,
    ask::{ask, not_json},
    chat,
};
use crate::metrics::{judge_input, passage_id};
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
    tau: f64,
}

/// The prompt of a dimension, and its version.
fn prompt(dimension: Dimension) -> (&'static str, &'static str) {
    match dimension {
        Dimension::Faithfulness => ("faithfulness-3", include_str!("prompts/faithfulness.md")),
        Dimension::AnswerRelevance => ("answer-relevance-2", include_str!("prompts/answer_relevance.md")),
        Dimension::CitationQuality => ("citation-quality-1", include_str!("prompts/citation_quality.md")),
        Dimension::Completeness => ("completeness-3", include_str!("prompts/completeness.md")),
        Dimension::Correctness => ("correctness-2", include_str!("prompts/correctness.md")),
    }
}

impl ChatDimensions {
    /// A judge that asks `model`; a reply may have `max_tokens` of the model's tokens.
    /// A claim counts as supported from the score `tau` on.
    pub fn new(model: Arc<dyn ChatModel>, max_tokens: Option<u32>, tau: f64) -> Self {
        Self { model, max_tokens, tau }
    }

    /// Names the model.
    pub fn id(&self) -> &str {
        self.model.id()
    }

    /// The version of the prompt of a dimension.
    pub fn prompt_version(dimension: Dimension) -> &'static str {
        prompt(dimension).0
    }

    /// Scores one dimension of a sample in one call, with all that the reply decides beside it: a metric that passes or fails,
    /// the claims of the answer with the faithfulness, and the recall of the reference's claims with the completeness.
    ///
    /// # Errors
    /// [`JudgeError::NotApplicable`] if the sample has no score in this dimension, with the reason; other errors if there
    /// should be one.
    pub async fn judge(&self, dimension: Dimension, row: &Sample) -> Result<DimensionReply, JudgeError> {
        if let Some(reason) = dimension.lacks(row) {
            return Err(JudgeError::NotApplicable(reason));
        }
        if let Some(verdict) = on_empty(dimension, row) {
            return Ok(DimensionReply { decided: verdicts(dimension, verdict, Some(false)), claims: None });
        }
        let asked = Asked::new(dimension, row);
        let (_, system) = prompt(dimension);
        let request = ChatRequest {
            system: system.into(),
            user: asked.message(row),
            schema: Some(asked.schema()),
            max_tokens: self.max_tokens,
        };
        let of_dimension = |reason: String| format!("{}: {reason}", dimension.key());
        let read = |reply: &str| asked.read(reply, self.id(), self.tau).map_err(of_dimension);
        let (mut found, usage) = ask(&*self.model, self.id(), request, MAX_CHARS, read).await?;
        for (at, (_, decision)) in found.decided.iter_mut().enumerate() {
            self.id().clone_into(&mut decision.by);
            // The call is counted once.
            decision.usage = if at == 0 { usage } else { Usage::default() };
        }
        Ok(found)
    }
}

/// A metric with what the reply decides of it.
type Decided = (&'static str, Decision);

/// What one reply decides.
#[derive(Clone, Debug)]
pub struct DimensionReply {
    /// The dimension, then the metrics beside it.
    pub decided: Vec<Decided>,
    /// The verdicts on the claims of the answer, with [`Dimension::Faithfulness`].
    pub claims: Option<JudgeOutput>,
}

fn verdicts(dimension: Dimension, decision: Decision, passes: Option<bool>) -> Vec<Decided> {
    let beside = dimension.pass().zip(passes).map(|((_, key), passes)| {
        let own = Decision { value: f64::from(passes), ..decision.clone() };
        (key, own)
    });
    [(dimension.key(), decision)].into_iter().chain(beside).collect()
}

/// What a call asks for.
struct Asked {
    dimension: Dimension,
    /// The claims of the answer; they are judged with the faithfulness.
    claims: Option<JudgeInput>,
    /// The statements of the reference; which of them the passages make is judged with the completeness.
    stated: Vec<String>,
}

impl Asked {
    fn new(dimension: Dimension, row: &Sample) -> Self {
        let of = |own: Dimension| dimension == own;
        Self {
            claims: judge_input(row).ok().filter(|_| of(Dimension::Faithfulness)),
            stated: if of(Dimension::Completeness) { stated(row) } else { Vec::new() },
            dimension,
        }
    }

    /// The data as one JSON object.
    fn message(&self, row: &Sample) -> Prompt {
        let dimension = self.dimension;
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
        if let Some(input) = &self.claims {
            data.insert("claims".to_owned(), chat::numbered(&input.claims));
        }
        if !self.stated.is_empty() {
            let statements = self.stated.iter().enumerate();
            let statements = statements.map(|(at, text)| json!({"number": at + 1, "text": text}));
            data.insert("reference_claims".to_owned(), statements.collect());
        }
        Prompt::json(Value::Object(data))
    }

    /// The shape of the reply. The reasoning comes first, because servers write the fields in this order, and a score that
    /// follows from written reasons is better than one that is explained afterwards.
    fn schema(&self) -> JsonSchema {
        let dimension = self.dimension;
        let findings = dimension.findings_key();
        let mut properties = Map::new();
        properties.insert("reasoning".to_owned(), json!({"type": "string"}));
        properties.insert(findings.to_owned(), json!({"type": "array", "items": {"type": "string"}}));
        properties.insert("score".to_owned(), json!({"type": "number"}));
        if let Some((field, _)) = dimension.pass() {
            properties.insert(field.to_owned(), json!({"type": "boolean"}));
        }
        if self.claims.is_some() {
            properties.insert("claims".to_owned(), chat::verdicts_schema());
        }
        if !self.stated.is_empty() {
            let statement = json!({"number": {"type": "integer"}, "passage": {"type": ["integer", "null"]}});
            let statement = JsonSchema::of_object(statement);
            properties.insert("reference_claims".to_owned(), json!({"type": "array", "items": statement}));
        }
        JsonSchema::object(dimension.key(), Value::Object(properties))
    }

    /// The verdict of a reply, or what is wrong with it, in our own words.
    fn read(&self, text: &str, judge: &str, tau: f64) -> Result<DimensionReply, String> {
        let dimension = self.dimension;
        let reply: Map<String, Value> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let score = reply.get("score").ok_or("it has no score")?.as_f64().ok_or("score is not a number")?;
        if !(0.0..=1.0).contains(&score) {
            return Err("score is not between 0 and 1".to_owned());
        }
        let reasoning = reply.get("reasoning").and_then(Value::as_str);
        let reasoning = reasoning.ok_or("reasoning is not a string")?.trim().to_owned();
        let key = dimension.findings_key();
        let findings = reply.get(key).and_then(Value::as_array);
        let findings: Option<Vec<String>> =
            findings.and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        let passes = dimension.pass().map(|(field, _)| {
            let passes = reply.get(field).and_then(Value::as_bool);
            passes.ok_or_else(|| format!("{field} is not true or false"))
        });
        let passes = passes.transpose()?;
        let decision = Decision {
            value: score,
            reason: reasoning,
            findings: findings.ok_or_else(|| format!("{key} is not a list of strings"))?,
            ..Decision::default()
        };
        let mut decided = verdicts(dimension, decision, passes);
        if !self.stated.is_empty() {
            decided.push((RECALL, self.recall(&reply)?));
        }
        let judged =
            |input| chat::read_reply(text, input).map(|replies| chat::output(judge, input, &replies, tau));
        Ok(DimensionReply { decided, claims: self.claims.as_ref().map(judged).transpose()? })
    }

    /// The share of the reference's statements for which the reply names a passage.
    fn recall(&self, reply: &Map<String, Value>) -> Result<Decision, String> {
        let entries = reply.get("reference_claims").and_then(Value::as_array);
        let entries = entries.ok_or("reference_claims is not a list")?;
        let mut missing = Vec::new();
        for (number, text) in (1..).zip(&self.stated) {
            let own = entries.iter().find(|entry| entry["number"].as_u64() == Some(number));
            let own = own.ok_or_else(|| format!("reference claim {number} has no entry"))?;
            match &own["passage"] {
                Value::Null => missing.push(text.clone()),
                passage if passage.is_u64() => {}
                _ => {
                    return Err(format!("the passage of reference claim {number} is not a number or null"));
                }
            }
        }
        let (all, made) = (self.stated.len(), self.stated.len() - missing.len());
        Ok(Decision {
            value: made as f64 / all as f64,
            reason: format!("passages make {made} of {all} statements of the reference"),
            findings: missing,
            ..Decision::default()
        })
    }
}

fn passage(dimension: Dimension, at: usize, passage: &Passage) -> Value {
    let mut out = json!({"number": at + 1, "document": passage.document, "page": passage.page});
    if matches!(dimension, Dimension::Faithfulness | Dimension::CitationQuality) {
        out["id"] = json!(passage_id(at, passage));
    }
    out["text"] = json!(passage.text);
    out
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
