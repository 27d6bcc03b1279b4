//! The prompt: instructions that never hold text from papers, and a message whose excerpts cannot leave their
//! blocks.

use super::GenerateError;
use crate::LlmGenerateSettings;
use serde_json::json;
use std::borrow::Cow;
use text::prompt_data::{attribute, escape};
use types::{Context, ContextChunk, Evidence, JsonSchema};

/// The instructions.
pub(super) const SYSTEM: &str = include_str!("../prompts/answer.md");
/// Added when the topic check was not sure.
const PARTIAL: &str = include_str!("../prompts/partial.md");
/// Added to the second call.
const REPAIR: &str = include_str!("../prompts/repair.md");

/// The message to the model.
pub(super) struct Prompt {
    /// Excerpts and question.
    pub(super) user: String,
    /// What was done to the excerpts.
    pub(super) caveats: Vec<String>,
}

/// Builds the message from as many chunks as fit, best first.
///
/// # Errors
/// [`GenerateError::NoRoom`] when not even the first fits.
pub(super) fn build(
    query: &str,
    context: &Context,
    evidence: Evidence,
    settings: &LlmGenerateSettings,
) -> Result<Prompt, GenerateError> {
    let limit = settings.max_context_chars;
    let (mut user, mut caveats, mut used) = (String::new(), Vec::new(), 0);
    for (number, place) in context.chunks.iter().enumerate() {
        let (block, imitates) = excerpt(place);
        let needed = block.chars().count();
        if used + needed > limit {
            if number == 0 {
                return Err(GenerateError::NoRoom {
                    chunk_id: place.chunk.chunk_id.to_string(),
                    needed,
                    limit,
                });
            }
            let left: Vec<&str> = context.chunks[number..]
                .iter()
                .map(|c| c.chunk.chunk_id.as_str())
                .collect();
            caveats.push(format!(
                "the model did not see {} of {} excerpts (generate.max_context_chars = {limit}): {}",
                left.len(),
                context.chunks.len(),
                left.join(", ")
            ));
            break;
        }
        used += needed;
        user.push_str(&block);
        if imitates {
            let id = &place.chunk.chunk_id;
            caveats.push(format!(
                "text of {id} that imitates the tags of the prompt was changed before the model saw it"
            ));
        }
    }
    if evidence == Evidence::Partial {
        user.push_str(PARTIAL.trim());
        user.push_str("\n\n");
    }
    user.extend(["<question>\n", &escape(query.trim()), "\n</question>"]);
    Ok(Prompt { user, caveats })
}

/// What is added for the second call.
pub(super) fn repair(violation: &str) -> String {
    REPAIR.trim().replace("{error}", violation)
}

/// The shape of the reply, strict in the sense of structured output: every field required, no other allowed.
/// The order matters where the server writes fields in it: evidence before the answer that rests on it.
pub(super) fn schema() -> JsonSchema {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["citations", "no_evidence", "answer", "confidence", "evidence_quality", "caveats"],
        "properties": {
            "citations": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["source_id", "chunk_id", "relevant_quote"],
                "properties": {"source_id": text, "chunk_id": text, "relevant_quote": text},
            }},
            "no_evidence": {"type": "boolean"},
            "answer": text,
            "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
            "evidence_quality": text,
            "caveats": {"type": "array", "items": text},
        },
    });
    JsonSchema {
        name: "cited_answer".to_owned(),
        schema,
    }
}

/// The block of a chunk, and whether its text imitated a delimiter.
fn excerpt(place: &ContextChunk) -> (String, bool) {
    let (chunk, source) = (&place.chunk, &place.source);
    let pages = if chunk.page_start == chunk.page_end {
        chunk.page_start.to_string()
    } else {
        format!("{}-{}", chunk.page_start, chunk.page_end)
    };
    let mut header = String::new();
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            header.extend([" ", name, "=\"", &attribute(value), "\""]);
        }
    };
    // The order of a mark and of the schema: small models copy ids by position.
    field("source_id", chunk.source_id.as_str());
    field("chunk_id", chunk.chunk_id.as_str());
    field("title", source.title.as_deref().unwrap_or_default());
    field("authors", &source.authors.join(", "));
    field("year", &source.year.map(|y| y.to_string()).unwrap_or_default());
    field("section", chunk.section.as_str());
    field("heading", &chunk.heading);
    field("pages", &pages);
    let text = escape(chunk.text.trim());
    let imitates = matches!(text, Cow::Owned(_));
    (format!("<excerpt{header}>\n{text}\n</excerpt>\n\n"), imitates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PROMPT_FINGERPRINT, PROMPT_VERSION};

    #[test]
    fn a_changed_prompt_needs_a_new_version() {
        let bytes = [SYSTEM, PARTIAL, REPAIR]
            .into_iter()
            .flat_map(|p| p.bytes().chain([0]));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let print = bytes.fold(0xcbf2_9ce4_8422_2325, step);
        assert_eq!(
            print, PROMPT_FINGERPRINT,
            "a prompt changed: raise PROMPT_VERSION (now {PROMPT_VERSION}) and set PROMPT_FINGERPRINT to {print:#x}"
        );
    }

    #[test]
    fn the_schema_is_strict() {
        let schema = schema().schema;
        for object in [&schema, &schema["properties"]["citations"]["items"]] {
            let named: Vec<&String> = object["properties"]
                .as_object()
                .expect("an object")
                .keys()
                .collect();
            let required: Vec<&str> = object["required"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(|v| v.as_str())
                .collect();
            assert_eq!(named, required);
            assert_eq!(object["additionalProperties"], false);
        }
    }
}
