//! A language model compares an answer with a reference answer, in one call.

use super::{CompareInput, Compared, JudgeError};
use serde::Deserialize;
use serde_json::json;
use types::{ChatModel, ChatReply, ChatRequest, JsonSchema, Prompt, Unanswered};

/// Version of the prompt; must change whenever its text does.
pub const COMPARE_PROMPT_VERSION: &str = "same-facts-1";

const PROMPT: &str = include_str!("prompts/same_facts.md");
/// Calls for one comparison: a reply that cannot be used is asked for once more.
const CALLS: u32 = 2;

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
) -> Result<Compared, JudgeError> {
    let data = json!({"question": input.question, "reference": input.reference, "answer": input.answer});
    let user = Prompt::json(data);
    let chars = user.chars().count();
    if chars > max_chars {
        return Err(JudgeError::TooLong {
            chars,
            limit: max_chars,
        });
    }
    let request = ChatRequest {
        system: PROMPT.into(),
        user,
        schema: Some(schema()),
        max_tokens,
    };
    // Our own words only: nothing of the reply goes back.
    let repair = |violation: &str| {
        Prompt::filled(
            "An earlier reply was not usable: {violation}.",
            "violation",
            violation,
        )
    };
    match types::ask(model, request, CALLS, repair, read).await {
        Ok((reply, usage)) => Ok(Compared {
            same_facts: reply.same_facts,
            by: format!("{}@{COMPARE_PROMPT_VERSION}", model.id()),
            reason: reply.reasoning,
            differences: reply.differences,
            usage,
        }),
        Err(Unanswered::Chat(failure)) => Err(JudgeError::Chat(failure)),
        Err(Unanswered::Unusable {
            model,
            violation,
            usage,
            ..
        }) => Err(JudgeError::Malformed {
            judge: format!("{model}@{COMPARE_PROMPT_VERSION}"),
            reason: violation,
            usage,
        }),
    }
}

/// The shape of the reply. The reasoning comes first, because servers write the fields in this order.
fn schema() -> JsonSchema {
    JsonSchema {
        name: "same_facts".to_owned(),
        schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["reasoning", "differences", "same_facts"],
            "properties": {
                "reasoning": {"type": "string"},
                "differences": {"type": "array", "items": {"type": "string"}},
                "same_facts": {"type": "boolean"}
            }
        }),
    }
}

fn read(reply: &ChatReply) -> Result<Reply, String> {
    if reply.truncated {
        return Err("it was cut at the token limit".to_owned());
    }
    let read: Reply = serde_json::from_str(reply.text.trim()).map_err(|error| {
        format!(
            "it is not the JSON object asked for (line {}, column {})",
            error.line(),
            error.column()
        )
    })?;
    if read.same_facts && !read.differences.is_empty() {
        return Err("same_facts is true, but differences is not empty".to_owned());
    }
    Ok(read)
}
