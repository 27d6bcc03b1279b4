//! Reads a reply into a response, or says what is wrong with it in words that the model can act on.

use serde::Deserialize;
use types::{ChunkId, Citation, Confidence, RagResponse, SchemaViolation, SourceId};

#[derive(Deserialize)]
struct Reply {
    answer: String,
    citations: Vec<Cited>,
    confidence: Confidence,
    #[serde(default)]
    evidence_quality: String,
    no_evidence: bool,
    #[serde(default)]
    caveats: Vec<String>,
}

#[derive(Deserialize)]
struct Cited {
    source_id: SourceId,
    chunk_id: ChunkId,
    relevant_quote: String,
}

/// The response in a reply. Section and pages of its citations are open until they are verified. A refusal may cite
/// passages only with `accept_refusal_citations`.
///
/// # Errors
/// What is wrong, as a part of a sentence.
pub(super) fn response(text: &str, accept_refusal_citations: bool) -> Result<RagResponse, String> {
    let reply: Reply = serde_json::from_str(text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let citation = |c: Cited| Citation {
        source_id: c.source_id,
        chunk_id: c.chunk_id,
        relevant_quote: c.relevant_quote,
        ..Citation::default()
    };
    let response = RagResponse {
        answer: reply.answer,
        citations: reply.citations.into_iter().map(citation).collect(),
        probability: None,
        confidence: reply.confidence,
        evidence_quality: reply.evidence_quality,
        no_evidence: reply.no_evidence,
        caveats: reply.caveats,
        refusal: None,
    };
    match response.validate() {
        Err(SchemaViolation::RefusalWithCitations(_)) if accept_refusal_citations => Ok(response),
        Err(violation) => Err(violation.to_string()),
        Ok(()) => Ok(response),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITED: &str = r#"{"source_id":"a","chunk_id":"a__body__000","relevant_quote":"q"}"#;

    #[test]
    fn replies_are_read_or_say_what_is_wrong() {
        let check = |answer: &str, citations: &str, more: &str, want: Result<usize, &str>| {
            let text = format!(r#" {{"answer":"{answer}","citations":[{citations}],{more}}}"#);
            match (response(&text, false), want) {
                (Ok(r), Ok(n)) => assert_eq!(r.citations.len(), n, "{text}"),
                (Err(e), Err(part)) => assert!(e.contains(part), "{text}: {e}"),
                (got, want) => panic!("{text}: {got:?}, not {want:?}"),
            }
        };
        let rest = r#""confidence":"high","evidence_quality":"e","no_evidence":false,"caveats":["c"]"#;
        check("x", CITED, rest, Ok(1));
        check("x", "", rest, Ok(0));
        check("x", "", r#""confidence":"low","no_evidence":true"#, Ok(0));
        check(
            "x",
            CITED,
            r#""confidence":"low","no_evidence":true"#,
            Err("no_evidence is true but 1 citations"),
        );
        check(" ", CITED, rest, Err("answer is empty"));
        check(
            "x",
            CITED,
            r#""confidence":"high""#,
            Err("missing field `no_evidence`"),
        );
        check(
            "x",
            CITED,
            r#""confidence":"sure","no_evidence":false"#,
            Err("unknown variant `sure`"),
        );
        check("x", r#"{"source_id":"a"}"#, rest, Err("missing field `chunk_id`"));
    }

    #[test]
    fn a_refusal_may_cite_passages_where_that_is_accepted() {
        let rest = r#""confidence":"low","no_evidence":true"#;
        let text = format!(r#"{{"answer":"x","citations":[{CITED}],{rest}}}"#);
        assert!(response(&text, false).is_err());
        let kept = response(&text, true).expect("both are kept");
        assert_eq!((kept.no_evidence, kept.citations.len()), (true, 1));
        let empty = text
            .replace(r#""answer":"x""#, r#""answer":"""#)
            .replace("true", "false");
        assert!(response(&empty, true).is_err(), "other violations stay");
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in ["", "The papers say so.", "[]", "{", "null"] {
            assert!(response(text, false).is_err(), "{text:?}");
        }
    }
}
