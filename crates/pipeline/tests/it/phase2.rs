//! `--config phase2`: each of its settings does what the preset says, through the binary.

use crate::common::Place;
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

const PAPERS: [&str; 2] = ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short"];
const QUESTION: &str = "How large was the difference between the two ways of walking?";

fn start(config: &[&str]) -> Option<(Place, Vec<String>)> {
    let (place, model) = Place::fast()?;
    for paper in PAPERS {
        place.paper(&format!("{paper}.pdf"));
    }
    let own: Vec<String> = [&["--set", &model], config].concat().iter().map(|s| (*s).to_owned()).collect();
    let (code, done) = json(&place, &own, &["ingest", "papers"]);
    assert_eq!(code, 0, "{done}");
    Some((place, own))
}

fn json(place: &Place, own: &[String], args: &[&str]) -> (i32, Value) {
    let all: Vec<&str> = args.iter().copied().chain(own.iter().map(String::as_str)).collect();
    place.json(&all)
}

/// The last record of the run log.
fn logged(place: &Place) -> Value {
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("a log");
    serde_json::from_str(log.lines().last().expect("a line")).expect("JSON")
}

fn ids(list: &Value) -> Vec<&str> {
    let id = |chunk: &'_ Value| chunk["chunk_id"].as_str().map(str::len);
    assert!(list.as_array().is_some_and(|l| l.iter().all(|c| id(c).is_some())), "{list}");
    list.as_array().into_iter().flatten().filter_map(|chunk| chunk["chunk_id"].as_str()).collect()
}

#[test]
fn both_modes_have_the_same_candidates_and_the_report_says_so() {
    let Some((place, own)) = start(&["--config", "phase2"]) else {
        return;
    };
    let line = |id: &str, query: &str, none: bool| {
        json!({"id": id, "type": "direct", "query": query, "target_papers": [], "expected_no_evidence": none})
            .to_string()
    };
    let set = [line("A", QUESTION, false), line("B", "Qwxyz vbnmk plokij?", true)].join("\n");
    place.write("set.jsonl", set.as_bytes());
    let (code, run) = json(&place, &own, &["eval", "--queries", "set.jsonl"]);
    assert_eq!(code, 0, "{run}");
    assert_eq!(run["same_candidates"], json!({"same": 2, "of": 2}));
    let row = |id: &str| {
        let rows = run["rows"].as_array().expect("rows");
        rows.iter().find(|row| row["query_id"] == id).expect("a row").clone()
    };
    // The topic check of keywords: no word of B occurs in the papers; A is answered without reserve.
    assert_eq!(row("B")["no_evidence"], true, "{}", row("B"));
    assert_eq!(row("A")["no_evidence"], false, "{}", row("A"));
    let hedged = |row: &Value| {
        row["guardrails"].as_array().is_some_and(|g| g.iter().any(|a| a["guardrail"] == "topic"))
    };
    assert!(!hedged(&row("A")), "{}", row("A"));
    // Refusals count as perfect.
    assert_eq!(row("B")["scores"]["citation_precision"], 1.0);
    assert_eq!(row("B")["scores"]["faithful"], 1.0);
    // The offline judge stands in, and is named.
    let judge = run["provenance"]["models"]["judge"].as_str().expect("a judge");
    assert!(judge.starts_with("lexical"), "{judge}");

    // The log lists what the generator saw, neighbours behind all kept chunks, and the candidates apart.
    json(&place, &own, &["ask", QUESTION]);
    let record = logged(&place);
    assert_eq!(ids(&record["retrieval"]["returned_chunks"]), ids(&record["context"]));
    let origins: Vec<&str> =
        record["context"].as_array().into_iter().flatten().filter_map(|c| c["origin"].as_str()).collect();
    let first_neighbour = origins.iter().position(|o| *o == "expanded").expect("neighbours");
    assert!(origins[first_neighbour..].iter().all(|o| *o == "expanded"), "{origins:?}");
    assert!(record["retrieval"]["candidates"].as_array().is_some_and(|c| c.len() >= first_neighbour));
}

#[test]
fn words_are_matched_as_written() {
    let Some((place, own)) = start(&["--set", "phase2.rules=true"]) else {
        return;
    };
    let hits = |query: &str| {
        let (_, found) = json(&place, &own, &["search", query, "--mode", "bm25"]);
        found["hits"].as_array().map_or(0, Vec::len)
    };
    assert!(hits("walking") > 0);
    // Neither case nor inflection is evened out.
    assert_eq!(hits("WALKING"), 0);
    assert_eq!(hits("walkings"), 0);
}

#[test]
fn the_prefix_counts_only_where_asked() {
    let chunks = |rules: &str| -> Option<u64> {
        let rules = format!("phase2.rules={rules}");
        let (place, own) =
            start(&["--set", "chunk.max_tokens=120", "--set", "chunk.overlap_tokens=0", "--set", &rules])?;
        let (_, stats) = place.json(&["index", "stats"]);
        // The check of an index knows which limit its chunks keep.
        let (code, verified) = json(&place, &own, &["index", "verify"]);
        assert_eq!(code, 0, "{rules}: {verified}");
        Some(stats["chunks"].as_u64().expect("a number of chunks"))
    };
    let Some(counted) = chunks("false") else { return };
    let Some(free) = chunks("true") else { return };
    assert!(free < counted, "{free} of {counted}");
}

/// How the metadata prefix of a chunk begins.
const PREFIX: &str = "[Source: ";

/// A model that answers every question with `change` made to a good answer.
fn model_that(change: impl Fn(&mut Value, &Request) + Send + Sync + 'static) -> ChatServer {
    ChatServer::answering(move |request| {
        if request.schema() != reply::GENERATE {
            return reply::good(request);
        }
        let mut answer = reply::answer(request);
        change(&mut answer, request);
        Step::json(&answer)
    })
}

/// The settings that make the pipeline use this server, and `more`.
fn with_model(own: &[String], server: &ChatServer, more: &[&str]) -> Vec<String> {
    let url = format!("llm.base_url={}", server.base_url());
    let settings = ["llm.provider=openai", "llm.model=fake", "llm.cache=off", url.as_str()];
    let all = settings.iter().chain(more);
    own.iter().cloned().chain(all.flat_map(|set| ["--set".to_owned(), (*set).to_owned()])).collect()
}

fn requests(server: &ChatServer, schema: &str) -> Vec<Request> {
    let mut all = server.requests();
    all.retain(|request| request.schema() == schema);
    all
}

#[test]
fn high_confidence_becomes_medium_when_a_citation_was_dropped() {
    let Some((place, own)) = start(&["--config", "phase2"]) else {
        return;
    };
    let confidence = |nowhere: bool| {
        let server = model_that(move |answer, _| {
            answer["confidence"] = json!("high");
            if nowhere {
                let evidence = answer["claims"][0]["evidence"].as_array_mut().expect("a list");
                let mut other = evidence[0].clone();
                other["chunk_id"] = json!("nowhere__results__x");
                evidence.push(other);
            }
        });
        let (code, answer) = json(&place, &with_model(&own, &server, &[]), &["ask", QUESTION]);
        assert_eq!(code, 0, "{answer}");
        assert_eq!(ids(&answer["citations"]).len(), 1, "{answer}");
        answer["confidence"].clone()
    };
    assert_eq!(confidence(true), "medium");
    assert_eq!(confidence(false), "high", "nothing was dropped");
}

#[test]
fn the_reranker_reads_the_prefix_and_the_model_judges() {
    let Some((place, own)) = start(&["--config", "phase2"]) else {
        return;
    };
    let server = ChatServer::answering(reply::good);
    let shown = |more: &[&str]| {
        let before = requests(&server, reply::RERANK).len();
        json(&place, &with_model(&own, &server, more), &["ask", QUESTION]);
        requests(&server, reply::RERANK)[before].user().to_owned()
    };
    let with_prefix = shown(&[]);
    assert!(with_prefix.contains(PREFIX), "{with_prefix}");
    assert!(!shown(&["phase2.rules=false"]).contains(PREFIX));

    let line = json!({"id": "A", "type": "direct", "query": QUESTION, "target_papers": [],
        "expected_no_evidence": false});
    place.write("set.jsonl", line.to_string().as_bytes());
    let with_judge = with_model(&own, &server, &[]);
    let (code, run) = json(&place, &with_judge, &["eval", "--queries", "set.jsonl"]);
    assert_eq!(code, 0, "{run}");
    assert!(!requests(&server, reply::JUDGE).is_empty(), "the model was asked to judge");
    let judge = run["provenance"]["models"]["judge"].as_str().expect("a judge");
    assert!(!judge.starts_with("lexical"), "{judge}");
}
