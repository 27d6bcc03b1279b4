//! Reads a reply into a response, or says what is wrong with it in words that the model can act on.

use super::marks::{Place, marked};
use serde::Deserialize;
use types::{ChunkId, Citation, Confidence, RagResponse, SchemaViolation, SourceId, words::distinct};

/// Maximum number of caveats of a reply. Small models repeat themselves without end.
const CAVEATS: usize = 3;
/// Maximum number of characters of each.
const CAVEAT_CHARS: usize = 300;

#[derive(Deserialize)]
struct Reply {
    claims: Vec<Claim>,
    confidence: Confidence,
    #[serde(default)]
    evidence_quality: String,
    no_evidence: bool,
    #[serde(default)]
    caveats: Vec<String>,
}

#[derive(Deserialize)]
struct Claim {
    #[serde(default)]
    evidence: Vec<Evidence>,
    sentence: String,
}

#[derive(Deserialize)]
struct Evidence {
    source_id: SourceId,
    chunk_id: ChunkId,
    relevant_quote: String,
}

/// The response in a reply. Its answer has a mark behind each sentence for each chunk that its claim rests on; a claim
/// that is repeated word for word is one. Section and pages of its citations are open until they are verified. A refusal
/// may cite passages only with `accept_refusal_citations`.
///
/// # Errors
/// What is wrong, as a part of a sentence.
pub(super) fn response(text: &str, accept_refusal_citations: bool) -> Result<RagResponse, String> {
    let reply: Reply = serde_json::from_str(text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let claims = merged(reply.claims);
    let sentences: Vec<String> = claims.iter().map(sentence).filter(|s| !s.is_empty()).collect();
    let claimed = words(claims.iter().map(|claim| claim.sentence.as_str()));
    let adds = |note: &String| adds_to(&claimed, note);
    let response = RagResponse {
        answer: sentences.join(" "),
        citations: citations(claims),
        probability: None,
        confidence: reply.confidence,
        evidence_quality: Some(reply.evidence_quality).filter(adds).unwrap_or_default(),
        no_evidence: reply.no_evidence,
        caveats: bounded(reply.caveats.into_iter().filter(adds).collect()),
        refusal: None,
    };
    match response.validate() {
        Err(SchemaViolation::RefusalWithCitations(_)) if accept_refusal_citations => Ok(response),
        Err(violation) => Err(violation.to_string()),
        Ok(()) => Ok(response),
    }
}

/// The claims with what repeated ones rest on added to the first.
fn merged(claims: Vec<Claim>) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for claim in claims {
        match out.iter_mut().find(|known| known.sentence.trim() == claim.sentence.trim()) {
            Some(known) => known.evidence.extend(claim.evidence),
            None => out.push(claim),
        }
    }
    out
}

/// The sentence of a claim with its marks.
fn sentence(claim: &Claim) -> String {
    let places = claim.evidence.iter().map(|evidence| (&evidence.source_id, &evidence.chunk_id));
    let places: Vec<Place<'_>> = distinct(places);
    marked(&claim.sentence, &places)
}

/// All evidence, each quote of a chunk once.
fn citations(claims: Vec<Claim>) -> Vec<Citation> {
    let evidence = claims.into_iter().flat_map(|claim| claim.evidence);
    distinct(evidence.map(|evidence| Citation {
        source_id: evidence.source_id,
        chunk_id: evidence.chunk_id,
        relevant_quote: evidence.relevant_quote,
        ..Citation::default()
    }))
}

/// Whether a note says something that the answer does not. Small models copy their answer into every field.
fn adds_to(claimed: &str, note: &str) -> bool {
    !claimed.contains(&words([note]))
}

/// The words of texts in lower case, a space before and behind each, without punctuation.
fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = " ".to_owned();
    for word in texts
        .into_iter()
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
    {
        out.extend(word.chars().flat_map(char::to_lowercase));
        out.push(' ');
    }
    out
}

/// The first caveats, each at most [`CAVEAT_CHARS`] long; what was left out is said.
fn bounded(caveats: Vec<String>) -> Vec<String> {
    let more = caveats.len().saturating_sub(CAVEATS);
    let cut = |caveat: String| match caveat.char_indices().nth(CAVEAT_CHARS) {
        Some((end, _)) => format!("{}…", caveat[..end].trim_end()),
        None => caveat,
    };
    let mut out: Vec<String> = caveats.into_iter().take(CAVEATS).map(cut).collect();
    match more {
        0 => {}
        1 => out.push("1 more caveat of the language model is left out.".to_owned()),
        more => out.push(format!("{more} more caveats of the language model are left out.")),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITED: &str = r#"{"source_id":"a","chunk_id":"a__body__000","relevant_quote":"q"}"#;
    const REST: &str = r#""confidence":"high","evidence_quality":"e","no_evidence":false,"caveats":["c"]"#;

    fn claim(evidence: &str, sentence: &str) -> String {
        format!(r#"{{"evidence":[{evidence}],"sentence":"{sentence}"}}"#)
    }

    #[test]
    fn replies_are_read_or_say_what_is_wrong() {
        let check = |sentence: &str, evidence: &str, more: &str, want: Result<usize, &str>| {
            let text = format!(r#" {{"claims":[{}],{more}}}"#, claim(evidence, sentence));
            match (response(&text, false), want) {
                (Ok(r), Ok(n)) => assert_eq!(r.citations.len(), n, "{text}"),
                (Err(e), Err(part)) => assert!(e.contains(part), "{text}: {e}"),
                (got, want) => panic!("{text}: {got:?}, not {want:?}"),
            }
        };
        check("x", CITED, REST, Ok(1));
        check("x", "", REST, Ok(0));
        check("x", "", r#""confidence":"low","no_evidence":true"#, Ok(0));
        check(
            "x",
            CITED,
            r#""confidence":"low","no_evidence":true"#,
            Err("no_evidence is true but 1 citations"),
        );
        check(" ", CITED, REST, Err("answer is empty"));
        check("x", CITED, r#""confidence":"high""#, Err("missing field `no_evidence`"));
        check("x", CITED, r#""confidence":"sure","no_evidence":false"#, Err("unknown variant `sure`"));
        check("x", r#"{"source_id":"a"}"#, REST, Err("missing field `chunk_id`"));
    }

    #[test]
    fn the_answer_says_behind_each_sentence_what_it_rests_on() {
        let other = CITED.replace("a__body__000", "a__results__001");
        let claims = [
            claim(CITED, "It rose."),
            claim(&format!("{CITED},{other}"), "It fell"),
            claim(&other, "It rose."),
            claim("", "Nobody knows."),
        ];
        let text = format!(r#"{{"claims":[{}],{REST}}}"#, claims.join(","));
        let response = response(&text, false).expect("a response");
        assert_eq!(
            response.answer,
            "It rose (a, a__body__000) (a, a__results__001). It fell (a, a__body__000) (a, a__results__001). \
             Nobody knows."
        );
        assert_eq!(response.citations.len(), 2, "each quote of a chunk once");
    }

    #[test]
    fn caveats_without_end_are_cut_and_counted() {
        let caveats = vec![format!("\"{}\"", "x ".repeat(400)); 5].join(",");
        let text = format!(
            r#"{{"claims":[{}],"confidence":"low","no_evidence":false,"caveats":[{caveats}]}}"#,
            claim(CITED, "x")
        );
        let caveats = response(&text, false).expect("a response").caveats;
        assert_eq!(caveats.len(), CAVEATS + 1);
        assert!(caveats[0].chars().count() <= CAVEAT_CHARS + 1 && caveats[0].ends_with('…'));
        assert!(caveats[CAVEATS].starts_with("2 more caveats"), "{caveats:?}");
    }

    #[test]
    fn notes_that_repeat_the_answer_are_left_out() {
        let check = |note: &str, kept: bool| {
            let text = format!(
                r#"{{"claims":[{},{}],"confidence":"low","evidence_quality":"{note}","no_evidence":false,"caveats":["{note}"]}}"#,
                claim(CITED, "It rose by 3.9 years."),
                claim(CITED, "Nobody died.")
            );
            let response = response(&text, false).expect("a response");
            let want = if kept { note } else { "" };
            assert_eq!(response.evidence_quality, want, "{note:?}");
            assert_eq!(response.caveats.len(), usize::from(kept), "{note:?}");
        };
        check("It rose by 3.9 years. Nobody died.", false);
        check("it rose by 3.9 years", false);
        check("", false);
        check("It rose by 3.9 months.", true);
        check("It rose by 3.9 years. One trial.", true);
        check("It rose by 3", false);
        check("Nobody", false);
        check("No", true);
    }

    #[test]
    fn a_refusal_may_cite_passages_where_that_is_accepted() {
        let rest = r#""confidence":"low","no_evidence":true"#;
        let text = format!(r#"{{"claims":[{}],{rest}}}"#, claim(CITED, "x"));
        assert!(response(&text, false).is_err());
        let kept = response(&text, true).expect("both are kept");
        assert_eq!((kept.no_evidence, kept.citations.len()), (true, 1));
        let empty = text.replace(r#""sentence":"x""#, r#""sentence":"""#).replace("true", "false");
        assert!(response(&empty, true).is_err(), "other violations stay");
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in ["", "The papers say so.", "[]", "{", "null"] {
            assert!(response(text, false).is_err(), "{text:?}");
        }
    }
}
