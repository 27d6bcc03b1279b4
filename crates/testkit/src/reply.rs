//! Replies of a well-behaved model to the prompts of this project: to generation, reranking and judging.

use crate::{Request, Step};
use serde_json::{Value, json};

/// Names of the schemas that the stages ask for.
pub const GENERATE: &str = "cited_answer";
/// As [`GENERATE`].
pub const RERANK: &str = "relevance";
/// As [`GENERATE`].
pub const JUDGE: &str = "verdicts";

/// As [`GENERATE`].
pub const SELECT: &str = "selected_sentences";

/// As [`GENERATE`].
pub const VERIFY: &str = "checked_claims";

/// Answers any request as a well-behaved model would: an answer that quotes the first excerpt, grades that fall from
/// excerpt to excerpt, verdicts that support every claim by what it cites, the first of the sentences to choose from.
///
/// # Panics
/// When the request asks for none of these schemas.
pub fn good(request: &Request) -> Step {
    match request.schema() {
        GENERATE => Step::json(&answer(request)),
        RERANK => Step::json(&grades(request)),
        JUDGE => Step::json(&verdicts(request)),
        SELECT => Step::json(&selection(&[1])),
        VERIFY => Step::json(&checked(request, "supported")),
        "same_facts" => {
            Step::json(&json!({"reasoning": "Both say so.", "differences": [], "same_facts": true}))
        }
        other => panic!("no reply to the schema {other:?}"),
    }
}

/// An answer whose one sentence is a passage of the first excerpt, cited.
///
/// # Panics
/// When the prompt has no excerpt.
pub fn answer(request: &Request) -> Value {
    let excerpts = excerpts(request);
    let first = excerpts.first().expect("a prompt with an excerpt");
    let quote = &*passage(&first.text);
    json!({
        "claims": [claim(&first.source_id, &first.chunk_id, quote, quote)],
        "no_evidence": false,
        "confidence": "medium",
        "evidence_quality": "One study.",
        "caveats": [],
    })
}

/// A claim of an answer: a sentence that rests on a quote of a chunk.
pub fn claim(source_id: &str, chunk_id: &str, quote: &str, sentence: &str) -> Value {
    let evidence = json!({"source_id": source_id, "chunk_id": chunk_id, "relevant_quote": quote});
    json!({"evidence": [evidence], "sentence": sentence})
}

/// The same verdict on every claim of an answer.
pub fn checked(request: &Request, verdict: &str) -> Value {
    let count = request.user().matches("<claim ").count();
    let of = |at: usize| json!({"number": at + 1, "reason": "The excerpt says so.", "fault": "none", "verdict": verdict});
    json!({"claims": (0..count).map(of).collect::<Vec<_>>()})
}

/// A choice of numbered sentences.
pub fn selection(numbers: &[usize]) -> Value {
    json!({"sentences": numbers, "answers": true})
}

/// A grade for each excerpt: 10, 9, 8 and so on.
pub fn grades(request: &Request) -> Value {
    let count = request.user().matches("<excerpt ").count();
    let grade = |at: usize| json!({"excerpt": at + 1, "relevance": 10_usize.saturating_sub(at)});
    json!({"scores": (0..count).map(grade).collect::<Vec<_>>()})
}

/// `supported` for each claim, by the first chunk that it cites, or by the first excerpt.
///
/// # Panics
/// When the prompt is not the judge's JSON.
pub fn verdicts(request: &Request) -> Value {
    let data: Value = serde_json::from_str(request.user()).expect("the judge's prompt is JSON");
    let claims = data["claims"].as_array().expect("claims");
    let verdict = |claim: &Value| {
        let cited = claim["cites"].get(0).unwrap_or(&data["excerpts"][0]["id"]);
        json!({"number": claim["number"], "verdict": "supported", "chunk_id": cited, "reason": "It says so."})
    };
    json!({"claims": claims.iter().map(verdict).collect::<Vec<_>>()})
}

/// An excerpt of a generation prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Its paper.
    pub source_id: String,
    /// Its chunk.
    pub chunk_id: String,
    /// Its text.
    pub text: String,
}

/// The excerpts of a prompt in their order. Attributes that a prompt does not have are empty.
pub fn excerpts(request: &Request) -> Vec<Excerpt> {
    let blocks = request.user().split("<excerpt ").skip(1);
    let read = |block: &str| {
        let (header, rest) = block.split_once(">\n")?;
        let (text, _) = rest.split_once("\n</excerpt>")?;
        Some(Excerpt {
            source_id: attribute(header, "source_id"),
            chunk_id: attribute(header, "chunk_id"),
            text: text.to_owned(),
        })
    };
    blocks.filter_map(read).collect()
}

fn attribute(header: &str, name: &str) -> String {
    let start = header.split_once(&format!("{name}=\""));
    let value = start.and_then(|(_, rest)| rest.split_once('"'));
    value.map(|(value, _)| value.to_owned()).unwrap_or_default()
}

/// The first sentence of 8 to 40 words on one line, or the first 20 words.
fn passage(text: &str) -> String {
    let sentences = text.split_inclusive(". ").map(str::trim);
    let fits =
        |s: &&str| (8..=40).contains(&s.split_whitespace().count()) && !s.contains('\n') && s.ends_with('.');
    let words = || text.split_whitespace().take(20).collect::<Vec<_>>().join(" ");
    sentences.clone().find(fits).map_or_else(words, str::to_owned)
}
