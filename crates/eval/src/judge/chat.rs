//! The judge that asks a language model.

use super::{
    Basis, ClaimVerdict, CompareInput, DEFAULT_TAU, Decision, Judge, JudgeError, JudgeInput, JudgeOutput,
    Verdict,
    ask::{ask, not_json},
    chat_compare,
};
use evidence::support::Claim;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use types::{BoxFuture, ChatModel, ChatRequest, JsonSchema, Prompt};

/// Version of the prompt, part of the judge's name.
const JUDGE_PROMPT_VERSION: &str = "judge-2";

const PROMPT: &str = include_str!("prompts/judge.md");

/// Settings of [`ChatJudge`].
#[derive(Clone, Debug, PartialEq)]
pub struct ChatJudgeSettings {
    /// Support that counts, 0 to 1.
    pub tau: f64,
    /// Characters of the whole input beyond which the judge refuses to judge; it never cuts.
    pub max_chars: usize,
    /// Limit of the reply in the model's tokens.
    pub max_tokens: Option<u32>,
}

impl Default for ChatJudgeSettings {
    fn default() -> Self {
        Self { tau: DEFAULT_TAU, max_chars: 200_000, max_tokens: None }
    }
}

/// Judges with a language model, by structured output: one verdict for each numbered claim. Claims are cut by
/// the same rules as for the offline judge, so that a model can leave none out. A verdict is turned into a
/// score of 1 (supported), 0.25 (partially) or 0; it is not calibrated.
pub struct ChatJudge {
    model: Arc<dyn ChatModel>,
    settings: ChatJudgeSettings,
}

impl ChatJudge {
    /// A judge that asks `model`.
    pub fn new(model: Arc<dyn ChatModel>, settings: ChatJudgeSettings) -> Self {
        Self { model, settings }
    }

    async fn ask(&self, input: &JudgeInput) -> Result<JudgeOutput, JudgeError> {
        let claims = &input.claims;
        if claims.is_empty() {
            return Ok(JudgeOutput::of(&self.id(), Vec::new(), self.settings.tau));
        }
        let request = ChatRequest {
            system: PROMPT.into(),
            user: user_message(input, claims),
            schema: Some(schema()),
            max_tokens: self.settings.max_tokens,
        };
        let read = |reply: &str| read_reply(reply, input);
        let max_chars = self.settings.max_chars;
        let (verdicts, usage) = ask(&*self.model, &self.id(), request, max_chars, read).await?;
        let judged = output(&self.id(), input, &verdicts, self.settings.tau);
        Ok(JudgeOutput { usage, ..judged })
    }
}

impl Judge for ChatJudge {
    fn id(&self) -> String {
        format!("{}@{JUDGE_PROMPT_VERSION}", self.model.id())
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        Box::pin(self.ask(input))
    }

    fn compare<'a>(&'a self, input: &'a CompareInput) -> Option<BoxFuture<'a, Result<Decision, JudgeError>>> {
        let ChatJudgeSettings { max_chars, max_tokens, .. } = self.settings;
        Some(Box::pin(chat_compare::compare(&*self.model, input, max_chars, max_tokens)))
    }
}

/// What the replies on the claims of an input come to.
pub(super) fn output(judge: &str, input: &JudgeInput, replies: &[ClaimReply], tau: f64) -> JudgeOutput {
    let each = input.claims.iter().zip(replies);
    let claims = each.map(|(claim, reply)| verdict(claim, reply, input.basis, tau));
    JudgeOutput::of(judge, claims.collect(), tau)
}

fn verdict(claim: &Claim, reply_on: &ClaimReply, basis: Basis, tau: f64) -> ClaimVerdict {
    let score = match reply_on.verdict {
        Verdict::Supported => 1.0,
        Verdict::Partially => 0.25,
        Verdict::Unsupported | Verdict::Contradicted => 0.0,
    };
    let named = reply_on.chunk_id.as_deref();
    let counts = match basis {
        Basis::Cited => claim.cited.iter().any(|id| Some(id.as_str()) == named),
        Basis::BestPassage => true,
    };
    let reason = if claim.cited.is_empty() && basis == Basis::Cited {
        "no citation".to_owned()
    } else if !counts && reply_on.verdict == Verdict::Supported {
        format!("supported by {}, which it does not cite", named.unwrap_or("no excerpt"))
    } else {
        reply_on.reason.clone()
    };
    let by_basis = if counts { score } else { 0.0 };
    let verdict = match reply_on.verdict {
        Verdict::Supported | Verdict::Partially if !counts => Verdict::Unsupported,
        verdict => verdict,
    };
    ClaimVerdict::new(&claim.text, &claim.cited, (by_basis, score), verdict, &reason, tau)
}

/// The data as one JSON object.
fn user_message(input: &JudgeInput, claims: &[Claim]) -> Prompt {
    let excerpts: Vec<Value> =
        input.context.iter().map(|p| json!({"id": p.id, "source": p.source, "text": p.text})).collect();
    let (question, response) = (&input.question, &input.response);
    Prompt::json(
        json!({"question": question, "excerpts": excerpts, "response": response, "claims": numbered(claims)}),
    )
}

/// The claims as a request has them.
pub(super) fn numbered(claims: &[Claim]) -> Value {
    let claims = claims.iter().enumerate();
    claims.map(|(at, c)| json!({"number": at + 1, "text": c.text, "cites": c.cited})).collect()
}

/// The shape of the reply. The reason comes first, because servers write the fields in this order, and a verdict that
/// follows from a written reason is better than one that is explained afterwards.
fn schema() -> JsonSchema {
    JsonSchema::object("verdicts", json!({"claims": verdicts_schema()}))
}

/// The shape of the list of verdicts.
pub(super) fn verdicts_schema() -> Value {
    let claim = JsonSchema::of_object(json!({
        "number": {"type": "integer"},
        "reason": {"type": "string"},
        "chunk_id": {"type": ["string", "null"]},
        "verdict": {"type": "string", "enum": ["supported", "partially", "unsupported", "contradicted"]}
    }));
    json!({"type": "array", "items": claim})
}

/// What the model says of one claim.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ClaimReply {
    number: usize,
    verdict: Verdict,
    #[serde(default)]
    chunk_id: Option<String>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Reply {
    claims: Vec<ClaimReply>,
}

/// The verdicts in the order of the claims, or what is wrong, in our own words.
pub(super) fn read_reply(text: &str, input: &JudgeInput) -> Result<Vec<ClaimReply>, String> {
    let claims = &input.claims;
    let reply: Reply = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let known: BTreeSet<&str> = input.context.iter().map(|p| p.id.as_str()).collect();
    let mut by_number: BTreeMap<usize, ClaimReply> = BTreeMap::new();
    for mut reply_on in reply.claims {
        let number = reply_on.number;
        if number == 0 || number > claims.len() {
            return Err(format!("there is no claim {number}; claims are numbered 1 to {}", claims.len()));
        }
        reply_on.chunk_id = reply_on.chunk_id.filter(|id| !id.is_empty());
        // Small models put the name of a part, a word or nothing where the id belongs. With a single excerpt, no other can be
        // meant.
        let names_one = reply_on.chunk_id.is_some() || reply_on.verdict == Verdict::Supported;
        if let (true, [only]) = (names_one, input.context.as_slice()) {
            reply_on.chunk_id = Some(only.id.clone());
        }
        if reply_on.chunk_id.as_deref().is_some_and(|id| !known.contains(id)) {
            return Err(format!("the chunk_id given for claim {number} is not the id of an excerpt"));
        }
        if reply_on.verdict == Verdict::Supported && reply_on.chunk_id.is_none() {
            return Err(format!("claim {number} is said to be supported, but no excerpt is named"));
        }
        if by_number.insert(number, reply_on).is_some() {
            return Err(format!("claim {number} has two verdicts"));
        }
    }
    match (1..=claims.len()).find(|number| !by_number.contains_key(number)) {
        Some(number) => Err(format!("claim {number} has no verdict")),
        None => Ok(by_number.into_values().collect()),
    }
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
