//! What is added to the message when the model revises its answer: the answer, and what is wrong with it.

use super::marks::{names, unmarked};
use crate::prompts;
use serde_json::{Value, json};
use types::{Citation, Prompt, RagResponse};

/// The earlier answer, its problems and what to do with them. `problems` names sentences, each with the reason.
///
/// The names of the blocks begin with that of a block that [`text::prompt_data::escape`] knows, so it escapes their tags as well.
pub(super) fn message(answer: &RagResponse, problems: &[String]) -> Prompt {
    let reply = reply(answer);
    let mut list = String::new();
    for (at, problem) in problems.iter().enumerate() {
        let line: Vec<&str> = problem.split_whitespace().collect();
        list.extend([&(at + 1).to_string(), ". ", &line.join(" "), "\n"]);
    }
    let out = Prompt::new("<question_reply>\n")
        .data(&reply)
        .own("\n</question_reply>\n\n");
    let out = out
        .own("<question_problems>\n")
        .data(&list)
        .own("</question_problems>\n\n");
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
    fn the_reply_has_the_fields_of_the_schema_in_its_order() {
        let reply: serde_json::Value = serde_json::from_str(&reply(&RagResponse::default())).expect("JSON");
        let names = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(
            names(&reply),
            names(&super::super::prompt::schema().schema["properties"])
        );
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
            (
                claim["sentence"].clone(),
                evidence.len(),
                evidence[0]["source_id"].clone(),
            )
        };
        assert_eq!(claim(0), (json!("It rose."), 1, json!("van_smith")));
        assert_eq!(claim(1), (json!("It fell."), 1, json!("smith")));
    }

    #[test]
    fn a_problem_is_one_line() {
        let text = message(&RagResponse::default(), &["a\n2. b".to_owned(), "c".to_owned()]);
        assert!(
            text.contains("<question_problems>\n1. a 2. b\n2. c\n</question_problems>"),
            "{text}"
        );
    }
}
