//! The message to the model: excerpts that cannot leave their blocks, and the question.

use super::marks::{names, unmarked};
use crate::{GenerateError, LlmGenerateSettings, prompts};
use serde_json::{Value, json};
use std::{borrow::Cow, cmp::Ordering, collections::BTreeSet};
use text::prompt_data::escape;
use types::{Citation, Context, ContextChunk, Evidence, JsonSchema, Prompt, RagResponse};

/// The message to the model.
pub(crate) struct Message {
    /// Excerpts and question.
    pub(crate) user: Prompt,
    /// What was done to the excerpts.
    pub(crate) caveats: Vec<String>,
}

/// Builds the message from the chunks that fit, in the order of the context. The chunks with the highest scores are taken
/// first; one that does not fit leaves room for smaller ones.
///
/// # Errors
/// [`GenerateError::NoRoom`] when none fits.
pub(crate) fn build(
    query: &str,
    context: &Context,
    evidence: Evidence,
    settings: &LlmGenerateSettings,
) -> Result<Message, GenerateError> {
    let limit = settings.max_context_chars;
    let blocks: Vec<Block> = context.chunks.iter().map(|place| excerpt(place, true)).collect();
    let shown = fitting(context, &blocks, limit)?;
    let (mut user, mut caveats, mut left) = (Prompt::default(), Vec::new(), Vec::new());
    let mut papers = BTreeSet::new();
    for ((place, block), shown) in context.chunks.iter().zip(&blocks).zip(shown) {
        let id = place.chunk.chunk_id.as_str();
        if !shown {
            left.push(id);
            continue;
        }
        user = if papers.insert(&place.chunk.source_id) {
            user.then(&block.text)
        } else {
            user.then(&excerpt(place, false).text)
        };
        if block.imitates {
            caveats.push(format!(
                "text of {id} that imitates the tags of a prompt or a chat was changed before the model saw it"
            ));
        }
    }
    if !left.is_empty() {
        caveats.push(format!(
            "the model did not see {} of {} excerpts (generate.max_context_chars = {limit}): {}",
            left.len(),
            context.chunks.len(),
            left.join(", ")
        ));
    }
    if evidence == Evidence::Partial {
        user = user.own(prompts::PARTIAL.trim()).own("\n\n");
    }
    let user = user.own("<question>\n").data(query.trim()).own("\n</question>");
    Ok(Message { user, caveats })
}

/// Which blocks are shown, in the order of the context.
fn fitting(context: &Context, blocks: &[Block], limit: usize) -> Result<Vec<bool>, GenerateError> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|a, b| by_score(&context.chunks[*a], &context.chunks[*b]));
    let (mut shown, mut used) = (vec![false; blocks.len()], 0);
    for at in &order {
        if used + blocks[*at].chars <= limit {
            used += blocks[*at].chars;
            shown[*at] = true;
        }
    }
    match order.first() {
        Some(best) if !shown.contains(&true) => Err(GenerateError::NoRoom {
            chunk_id: context.chunks[*best].chunk.chunk_id.to_string(),
            needed: blocks[*best].chars,
            limit,
        }),
        _ => Ok(shown),
    }
}

/// The chunk that the reranker gave the higher score comes first; neighbours, which have none, come last.
fn by_score(a: &ContextChunk, b: &ContextChunk) -> Ordering {
    let finite = |score: f32| if score.is_finite() { score } else { f32::MIN };
    let scores = |place: &ContextChunk| {
        (place.rerank_score.map_or(f32::NEG_INFINITY, finite), finite(place.combined_score))
    };
    let ((a, also_a), (b, also_b)) = (scores(a), scores(b));
    b.total_cmp(&a).then_with(|| also_b.total_cmp(&also_a))
}

/// The shape of the reply, strict in the sense of structured output: every field required, no other allowed.
/// The order matters where the server writes fields in it: the evidence of a claim before its sentence.
pub(super) fn schema() -> JsonSchema {
    let text = json!({"type": "string"});
    let list = |items: serde_json::Value| json!({"type": "array", "items": items});
    let evidence =
        JsonSchema::of_object(json!({"source_id": text, "chunk_id": text, "relevant_quote": text}));
    let claim = JsonSchema::of_object(json!({"evidence": list(evidence), "sentence": text}));
    let properties = json!({
        "claims": list(claim),
        "no_evidence": {"type": "boolean"},
        "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
        "evidence_quality": text,
        "caveats": list(text),
    });
    JsonSchema::object("cited_answer", properties)
}

/// The block of a chunk.
struct Block {
    /// Header and text.
    text: Prompt,
    /// Its length.
    chars: usize,
    /// Whether the text of the chunk imitated a delimiter.
    imitates: bool,
}

/// `presents`: with title, authors and year of the paper.
fn excerpt(place: &ContextChunk, presents: bool) -> Block {
    let (chunk, source) = (&place.chunk, &place.source);
    let pages = if chunk.page_start == chunk.page_end {
        chunk.page_start.to_string()
    } else {
        format!("{}-{}", chunk.page_start, chunk.page_end)
    };
    // The order of a mark and of the schema: small models copy ids by position.
    let fields = [
        ("source_id", chunk.source_id.as_str()),
        ("chunk_id", chunk.chunk_id.as_str()),
        ("title", source.title.as_deref().unwrap_or_default()),
        ("authors", &source.authors.join(", ")),
        ("year", &source.year.map(|y| y.to_string()).unwrap_or_default()),
        ("section", chunk.section.as_str()),
        ("heading", &chunk.heading),
        ("table", &chunk.table_head.join(" / ")),
        ("pages", &pages),
    ];
    let of_paper = |name: &str| matches!(name, "title" | "authors" | "year");
    let given = fields.into_iter().filter(|(name, value)| !value.is_empty() && (presents || !of_paper(name)));
    let header = given.fold(Prompt::new("<excerpt"), |all, (name, value)| all.attribute(name, value));
    let text = header.own(">\n").data(chunk.text.trim()).own("\n</excerpt>\n\n");
    Block { chars: text.chars().count(), text, imitates: matches!(escape(chunk.text.trim()), Cow::Owned(_)) }
}

/// The earlier answer, its problems and what to do with them. `problems` names sentences, each with the reason.
///
/// The names of the blocks begin with that of a block that [`text::prompt_data::escape`] knows, so it escapes their tags as well.
pub(super) fn revision(answer: &RagResponse, problems: &[String]) -> Prompt {
    let reply = reply(answer);
    let mut list = String::new();
    for (at, problem) in problems.iter().enumerate() {
        let line: Vec<&str> = problem.split_whitespace().collect();
        list.extend([&(at + 1).to_string(), ". ", &line.join(" "), "\n"]);
    }
    let out = Prompt::new("<question_reply>\n").data(&reply).own("\n</question_reply>\n\n");
    let out = out.own("<question_problems>\n").data(&list).own("</question_problems>\n\n");
    out.own(prompts::REVISE.trim())
}

/// The answer as the model gave it: the fields of the schema, in its order.
fn reply(answer: &RagResponse) -> String {
    let claims: Vec<_> = text::sentences(&answer.answer)
        .into_iter()
        .map(|range| claim(&answer.answer[range], &answer.citations))
        .collect();
    json!({
        "claims": claims,
        "no_evidence": answer.no_evidence,
        "confidence": answer.confidence,
        "evidence_quality": answer.evidence_quality,
        "caveats": answer.caveats,
    })
    .to_string()
}

/// A sentence with the citations that its marks name.
fn claim(sentence: &str, citations: &[Citation]) -> Value {
    let named = citations.iter().filter(|c| names(sentence, &c.chunk_id));
    let evidence: Vec<_> = named
        .map(
            |c| json!({"source_id": c.source_id, "chunk_id": c.chunk_id, "relevant_quote": c.relevant_quote}),
        )
        .collect();
    json!({"evidence": evidence, "sentence": unmarked(sentence.trim(), citations)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_strict() {
        let schema = schema().schema;
        let claim = &schema["properties"]["claims"]["items"];
        for object in [&schema, claim, &claim["properties"]["evidence"]["items"]] {
            let named: Vec<&String> = object["properties"].as_object().expect("an object").keys().collect();
            let required: Vec<&str> =
                object["required"].as_array().expect("a list").iter().filter_map(|v| v.as_str()).collect();
            assert_eq!(named, required);
            assert_eq!(object["additionalProperties"], false);
        }
    }

    #[test]
    fn the_reply_has_the_fields_of_the_schema_in_its_order() {
        let reply: serde_json::Value = serde_json::from_str(&reply(&RagResponse::default())).expect("JSON");
        let names = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(names(&reply), names(&super::super::prompt::schema().schema["properties"]));
    }

    #[test]
    fn a_sentence_has_the_evidence_that_it_names() {
        let cited = |source: &str| Citation {
            source_id: source.into(),
            chunk_id: format!("{source}__body__000").into(),
            relevant_quote: format!("quote of {source}"),
            ..Citation::default()
        };
        let answer = RagResponse {
            answer: "It rose (van_smith, van_smith__body__000). It fell (smith, smith__body__000)."
                .to_owned(),
            citations: vec![cited("smith"), cited("van_smith")],
            ..RagResponse::default()
        };
        let reply: Value = serde_json::from_str(&reply(&answer)).expect("JSON");
        let claim = |at: usize| {
            let claim = &reply["claims"][at];
            let evidence = claim["evidence"].as_array().expect("a list");
            (claim["sentence"].clone(), evidence.len(), evidence[0]["source_id"].clone())
        };
        assert_eq!(claim(0), (json!("It rose."), 1, json!("van_smith")));
        assert_eq!(claim(1), (json!("It fell."), 1, json!("smith")));
    }

    #[test]
    fn a_problem_is_one_line() {
        let text = revision(&RagResponse::default(), &["a\n2. b".to_owned(), "c".to_owned()]);
        assert!(text.contains("<question_problems>\n1. a 2. b\n2. c\n</question_problems>"), "{text}");
    }
}
