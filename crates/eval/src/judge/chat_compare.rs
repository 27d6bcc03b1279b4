//! A language model compares an answer with a reference answer, in one call.

use super::{
    CompareInput, Decision, JudgeError,
    ask::{ask, not_json},
};
use serde::Deserialize;
use serde_json::json;
use types::{ChatModel, ChatRequest, JsonSchema, Prompt};

/// Version of the prompt; must change whenever its text does.
const COMPARE_PROMPT_VERSION: &str = "same-facts-1";

const PROMPT: &str = include_str!("prompts/same_facts.md");

#[derive(Deserialize)]
struct Reply {
    reasoning: String,
    differences: Vec<String>,
    same_facts: bool,
}

/// Asks `model`; the whole input may have `max_chars` characters and the reply `max_tokens` of the model's tokens.
pub(super) async fn compare(
    model: &dyn ChatModel,
    input: &CompareInput,
    max_chars: usize,
    max_tokens: Option<u32>,
) -> Result<Decision, JudgeError> {
    let data = json!({"question": input.question, "reference": input.reference, "answer": input.answer});
    let request =
        ChatRequest { system: PROMPT.into(), user: Prompt::json(data), schema: Some(schema()), max_tokens };
    let judge = format!("{}@{COMPARE_PROMPT_VERSION}", model.id());
    let (reply, usage) = ask(model, &judge, request, max_chars, read).await?;
    Ok(Decision {
        value: f64::from(reply.same_facts),
        reason: reply.reasoning,
        findings: reply.differences,
        by: judge,
        usage,
    })
}

/// The shape of the reply. The reasoning comes first, because servers write the fields in this order.
fn schema() -> JsonSchema {
    let properties = json!({
        "reasoning": {"type": "string"},
        "differences": {"type": "array", "items": {"type": "string"}},
        "same_facts": {"type": "boolean"}
    });
    JsonSchema::object("same_facts", properties)
}

fn read(reply: &str) -> Result<Reply, String> {
    let read: Reply = serde_json::from_str(reply).map_err(|error| not_json(&error))?;
    if read.same_facts && !read.differences.is_empty() {
        return Err("same_facts is true, but differences is not empty".to_owned());
    }
    Ok(read)
}
