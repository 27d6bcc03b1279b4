//! What an answer may claim, and why there is none: in words, for programs, and in the log.

use crate::common::{Place, natives};
use serde_json::{Value, json};
use testkit::{ChatServer, Step, reply};

const PAPERS: [&str; 3] = [
    "tandrik_2021_vo2_walkers.pdf",
    "waxenhoult_2023_cadence_short.pdf",
    "crostellan_2021_fibre_crossover.pdf",
];
const QUESTION: &str = "How did walking change VO2max?";

/// An index of sample papers, made with a fast model.
fn indexed() -> Option<(Place, String)> {
    let place = Place::new(Some(natives()?));
    for paper in PAPERS {
        place.paper(paper);
    }
    let model = place.model(1);
    let (code, summary) = place.json(&["ingest", "papers", "--set", &model]);
    assert_eq!(code, 0, "{summary}");
    Some((place, model))
}

/// Exit code and document of `ask`, and the last line of the log.
fn ask(place: &Place, model: &str, more: &[&str]) -> (i32, Value, Value) {
    let args = [&["ask", QUESTION, "--set", model], more].concat();
    let (code, answer) = place.json(&args);
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("the answer was logged");
    let last = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    (code, answer, last)
}

#[test]
fn a_filter_that_excludes_every_paper_is_named() {
    let Some((place, model)) = indexed() else { return };
    let refused = |more: &[&str]| {
        let (code, answer, log) = ask(&place, &model, more);
        assert_eq!(code, 1, "{answer}");
        assert_eq!(answer["refusal"], log["response"]["refusal"], "{answer}");
        assert!(log["response_raw"].is_null(), "nothing was generated: {log}");
        let said = answer["answer"].as_str().unwrap_or_default().to_owned();
        (answer["refusal"]["reason"].clone(), said)
    };
    let (reason, said) = refused(&["--year-from", "2030"]);
    assert_eq!(reason, "filter_excluded_all");
    assert_eq!(
        said,
        "Nothing was searched: the filter (published in 2030 or later) excludes all 3 papers of the index."
    );
    let (reason, said) = refused(&["--set", "retrieve.threshold=1.0", "--year-to", "2022"]);
    assert_eq!(reason, "below_threshold");
    assert!(
        said.contains("among the 2 papers that pass the filter (published in 2022 or earlier)"),
        "{said}"
    );
}

#[test]
fn claims_of_a_language_model_are_compared_with_what_they_cite() {
    let Some((place, model)) = indexed() else { return };
    let lying = |quote: Option<&'static str>| {
        ChatServer::answering(move |request| {
            let mut answer = reply::answer(request);
            answer["claims"][0]["sentence"] = json!("The treatment killed every patient.");
            if let Some(quote) = quote {
                answer["claims"][0]["evidence"][0]["relevant_quote"] = json!(quote);
            }
            Step::json(&answer)
        })
    };
    let with = |server: &ChatServer, more: &[&str]| {
        let url = format!("llm.base_url={}", server.base_url());
        let settings = [
            "--set",
            "llm.provider=openai",
            "--set",
            "llm.model=fake",
            "--set",
            &url,
            "--set",
            "guardrail.topic=false",
        ];
        ask(&place, &model, &[&settings, more].concat())
    };
    let flags = |answer: &Value| {
        let all = answer["guardrails"].as_array().cloned().unwrap_or_default();
        all.iter().filter(|a| a["guardrail"] == "support" && a["action"] == "flagged").count()
    };
    // A true quote that says something else.
    let server = lying(None);
    let (code, answer, log) = with(&server, &[]);
    assert_eq!((code, &answer["confidence"]), (0, &json!("low")), "{answer}");
    assert_eq!(flags(&answer), 1, "{answer}");
    assert!(answer["answer"].as_str().is_some_and(|a| a.contains("killed every patient")), "{answer}");
    assert!(answer["caveats"].to_string().contains("killed every patient"), "{answer}");
    assert_eq!(log["response_raw"]["confidence"], "medium", "as the model said it: {log}");
    assert_eq!(log["response_raw"]["caveats"], json!([]));
    // Without the check it would go out as it is.
    let (_, answer, _) = with(&server, &["--set", "guardrail.support=false"]);
    assert_eq!((flags(&answer), &answer["confidence"]), (0, &json!("medium")), "{answer}");
    // A quote that stands nowhere: the answer is withheld, which is not to say that the papers are silent.
    let server = lying(Some("Not one of these words was ever printed in that paper."));
    let (code, answer, log) = with(&server, &[]);
    assert_eq!((code, &answer["refusal"]["reason"]), (1, &json!("withheld")), "{answer}");
    assert_eq!(
        answer["answer"],
        "An answer was generated but is withheld: its one citation could not be verified in the passages found."
    );
    assert_eq!(log["response_raw"]["citations"].as_array().map(Vec::len), Some(1), "{log}");
}
