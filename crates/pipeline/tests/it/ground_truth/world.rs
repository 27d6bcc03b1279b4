//! Three sample papers, their index, and a server that drafts.

use crate::common::Place;
use serde_json::{Value, json};
use std::fmt::Write;
use testkit::{Request, Step, reply};

const PAPERS: [&str; 3] =
    ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short", "nuvrakesh_2024_vitamin_d_null"];

/// An index of sample papers; `None`, with a message, where the natives are missing.
pub(crate) fn place() -> Option<Place> {
    let (place, _) = Place::indexed(&PAPERS)?;
    settings(&place, None, &[]);
    Some(place)
}

/// Writes the settings `llm.toml`: a server, if there is one, and `more` lines of dotted keys.
pub(crate) fn settings(place: &Place, base_url: Option<&str>, more: &[&str]) {
    let model = place.model(1);
    let (key, folder) = model.split_once('=').expect("a setting");
    let mut toml = format!("{key} = {folder:?}\n");
    if let Some(base_url) = base_url {
        let _ = write!(
            toml,
            "llm.provider = \"openai\"\nllm.base_url = {base_url:?}\nllm.model = \"m\"\nrerank.method = \"sentence\"\n"
        );
    }
    for line in more {
        let _ = writeln!(toml, "{line}");
    }
    place.write("llm.toml", toml.as_bytes());
}

/// `queries draft` with the settings and `more` arguments.
pub(crate) fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["queries", "draft", "--config", "llm.toml"], more].concat()
}

/// The rows of a query set.
pub(crate) fn rows(place: &Place, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place.path(name)).expect("a query set");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

/// Replies as a model would that follows the prompts: quotes that stand in the excerpts, and a question of their longest words.
pub(crate) fn good(request: &Request) -> Step {
    match request.schema() {
        "drafted_question" => Step::json(&drafted(request)),
        "near_miss" => Step::json(&near_miss(request)),
        "reference_answer" => Step::json(&json!({
            "usable": true,
            "quotes": quotes(request),
            "reference_answer": "The documents report a difference between the groups.",
        })),
        reply::JUDGE => Step::json(&unsupported(request)),
        _ => reply::good(request),
    }
}

pub(crate) fn drafted(request: &Request) -> Value {
    json!({
        "usable": true,
        "quotes": quotes(request),
        "question": question(request, "was reported"),
        "reference_answer": "There was a difference between the groups.",
    })
}

pub(crate) fn near_miss(request: &Request) -> Value {
    json!({
        "usable": true,
        "quotes": quotes(request),
        "question": question(request, "was missing"),
        "statement": "Forty volcanoes sang in Lisbon.",
    })
}

/// The first words of each excerpt.
fn quotes(request: &Request) -> Vec<Value> {
    let first = |text: &str| text.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
    let excerpts = reply::excerpts(request);
    let quote =
        |(at, excerpt): (usize, &reply::Excerpt)| json!({"excerpt": at + 1, "quote": first(&excerpt.text)});
    excerpts.iter().enumerate().map(quote).collect()
}

/// Asks about the five longest words, so that no two passages give the same question.
fn question(request: &Request, what: &str) -> String {
    let excerpts = reply::excerpts(request);
    let text = &excerpts.first().expect("an excerpt").text;
    let mut words: Vec<&str> =
        text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 4).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    words.truncate(5);
    format!("Concerning {}: which thing {what}?", words.join(", ").to_lowercase())
}

/// No claim is supported.
fn unsupported(request: &Request) -> Value {
    let mut verdicts = reply::verdicts(request);
    for claim in verdicts["claims"].as_array_mut().expect("claims") {
        claim["verdict"] = json!("unsupported");
        claim["chunk_id"] = json!(null);
    }
    verdicts
}
