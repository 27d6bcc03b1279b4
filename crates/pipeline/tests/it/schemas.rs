//! What `--format json` prints is what `pipeline schema` says.

use crate::common::Place;
use serde_json::{Value, json};

const TRIAL: &str = "tandrik_2021_vo2_walkers";
const QUESTION: &str =
    "How large was the difference in peak oxygen uptake between alternating and steady walking?";

/// Conforms, and lacks no key.
fn holds(place: &Place, name: &str, document: &Value) {
    place.conforms(name, document);
    let mut less = document.clone();
    let first = less.as_object().and_then(|keys| keys.keys().next().cloned());
    less.as_object_mut().and_then(|keys| keys.remove(&first?));
    assert!(!place.faults(name, &less).is_empty(), "{name}");
}

#[test]
fn every_document_has_a_schema() {
    let place = Place::new(None);
    let all: Value = serde_json::from_str(&place.run(&["schema"]).stdout()).expect("JSON");
    let names: Vec<&String> = all.as_object().expect("by name").keys().collect();
    assert_eq!(
        names,
        [
            "ask",
            "ask-per-paper",
            "search",
            "parse",
            "sources",
            "source",
            "page",
            "ingest",
            "eval",
            "evaluate",
            "runs",
            "run-rows",
            "run-question",
            "run-comparison",
            "run-rejudged",
            "dry-run",
            "calibrate",
            "judge-line",
            "judge-check",
            "judge-corrected",
            "metrics",
            "queries-draft",
            "error",
            "retrieval",
            "bench-beir",
            "sweep",
            "verify"
        ]
    );
    let mut open = Vec::new();
    for name in names {
        assert!(jsonschema::meta::is_valid(&all[name]), "{name}");
        open_objects(&all[name], name, &mut open);
        let one: Value = serde_json::from_str(&place.run(&["schema", name]).stdout()).expect("JSON");
        assert_eq!(one, all[name], "{name}");
    }
    assert_eq!(open, Vec::<String>::new(), "schemas allow no other keys, or say of what type they are");
    place.run(&["schema", "odd"]).fails_with(2, &["odd", "search"]);
}

/// Where an object with named keys allows others.
fn open_objects(schema: &Value, path: &str, out: &mut Vec<String>) {
    match schema {
        Value::Object(keys) => {
            // Others are refused, or have a type, as the findings of a dimension have.
            let closed = ["additionalProperties", "unevaluatedProperties"].iter().any(|key| {
                let others = keys.get(*key);
                others == Some(&Value::Bool(false)) || others.is_some_and(|of| of["type"].is_string())
            });
            if keys.get("properties").is_some_and(Value::is_object) && !closed {
                out.push(path.to_owned());
            }
            for (key, value) in keys {
                open_objects(value, &format!("{path}/{key}"), out);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                open_objects(value, &format!("{path}/{at}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn parsed_papers_hold_their_schema() {
    let place = Place::new(None);
    place
        .write("paper.md", b"# Walking\n\n## Methods\n\nAdults walked.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    let paper = place.done(&["parse", "paper.md"]);
    holds(&place, "parse", &paper);
    place.write(
        "corpus.jsonl",
        b"{\"_id\": \"a\", \"title\": \"A\", \"text\": \"Adults walked far.\"}\nnot a record\n",
    );
    let (_, corpus) = place.json(&["parse", "corpus.jsonl"]);
    assert_eq!(corpus["refused"].as_array().map(Vec::len), Some(1), "{corpus}");
    holds(&place, "parse", &corpus);
}

#[test]
fn benchmarks_hold_their_schema() {
    let Some(place) = Place::with_natives() else { return };
    let line = |id: &str, text: &str| json!({"_id": id, "title": "", "text": text}).to_string();
    let corpus = [line("A", "Adults walked far on that day."), line("B", "Snails sleep.")].join("\n");
    place.write("set/corpus.jsonl", corpus.as_bytes());
    place.write("set/queries.jsonl", line("q", "Who walked?").as_bytes());
    place.write("set/qrels/test.tsv", b"q\tA\t1\n");
    let model = place.model(1);
    let check = |args: &[&str]| {
        let document = place.done(&[&["bench", "beir", "set", "--set", &model], args].concat());
        holds(&place, "bench-beir", &document);
        document
    };
    let one = check(&["--mode", "vector", "--rerank", "on", "--min", "map=0"]);
    assert_eq!(one["gates"][0]["passed"], true, "{one}");
    let all = check(&["--mode", "all"]);
    assert!(all["modes"]["hybrid"]["measures"]["map"].is_object(), "{all}");

    let (code, _) = place.json(&["ingest", "set/corpus.jsonl", "--set", &model]);
    assert_eq!(code, 0);
    for args in [&["--mode", "both"][..], &["--mode", "bm25", "--min-recall", "0.5", "-k", "1"]] {
        let ask =
            ["eval", "--retrieval-only", "--queries", "set/queries.jsonl", "--qrels", "set/qrels/test.tsv"];
        let document = place.done(&[&ask[..], args, &["--set", &model]].concat());
        holds(&place, "retrieval", &document);
    }
}

#[test]
fn answers_hits_and_evaluations_hold_their_schemas() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(&format!("{TRIAL}.pdf"));
    let slugs = b"# Slugs\n\n## Results\n\nThe mean lettuce intake (MLI) rose by 12 grams.\n";
    place.write("papers/slugs.md", slugs);
    let model = place.model(1);
    place.done(&["ingest", "papers", "--set", &model]);
    let open = ["--set", "guardrail.topic=false", "--set", "retrieve.min_similarity=0.0"];
    let check = |name: &str, args: &[&str], code: i32| {
        let (found, document) = place.json(&[args, &["--set", &model]].concat());
        assert_eq!(found, code, "{args:?}: {document}");
        holds(&place, name, &document);
        document
    };
    let answer = check("ask", &[&["ask", QUESTION][..], &open].concat(), 0);
    assert!(answer["citations"].as_array().is_some_and(|c| !c.is_empty()), "{answer}");
    let answer = check(
        "ask",
        &[
            &["ask", QUESTION, "--include-context", "--year-to", "2030"][..],
            &open,
            &["--set", "phase2.rules=true"],
        ]
        .concat(),
        0,
    );
    assert!(answer["context"].is_array() && answer["filters"].is_object(), "{answer}");
    // `score` reads what `ask` prints.
    place.write("answer.json", answer.to_string().as_bytes());
    let (code, scored) = place.json(&["score", "answer.json"]);
    let found = scored["results"].as_object().and_then(|rows| rows.values().next());
    assert_eq!((code, found.map(|row| &row["metrics"]["faithfulness"])), (0, Some(&json!(1.0))), "{scored}");
    let refusal = check("ask", &["ask", QUESTION, "--set", "retrieve.min_similarity=1.0"], 1);
    assert!(refusal["refusal"].is_object(), "{refusal}");
    let hits = check("search", &[&["search", QUESTION, "--explain"][..], &open].concat(), 0);
    assert!(hits["hits"][0]["explanation"].is_object(), "{hits}");
    assert!(hits["explanation"]["terms"][0].is_object(), "{hits}");
    check("search", &["search", QUESTION, "--source", TRIAL], 0);
    let drawn = check("page", &["papers", "page", TRIAL, "1", "--output", "page.png"], 0);
    assert!(drawn["boxes"][0]["area"].is_object(), "{drawn}");
    // A filter, a spelling and an abbreviation from the words.
    let words = check("search", &["search", "papers from 2021 on brisk walkin"], 0);
    assert_eq!(words["filters"]["year"], 2021, "{words}");
    assert_eq!(words["searched_also_for"][0]["word"], "walkin", "{words}");
    let short = check("search", &["search", "How much did MLI rise?"], 0);
    assert_eq!(short["abbreviations"][0]["words"], "MLI", "{short}");
    let short = check("ask", &[&["ask", "How much did MLI rise?"][..], &open].concat(), 0);
    assert_eq!(short["abbreviations"][0]["also"][0], "mean lettuce intake", "{short}");

    let question = json!({"id": "Z", "type": "direct", "query": QUESTION, "target_papers": [TRIAL],
        "expected_no_evidence": false, "difficulty": 2, "reference_answer": "1.6 mL/kg/min", "tags": ["number"],
        "gold_evidence": [{"source_id": TRIAL, "quote": "The difference between the two ways of walking was 1.6 mL/kg/min"}]});
    let other = json!({"id": "A", "type": "edge", "query": "Who won the football world cup?", "target_papers": [],
        "expected_no_evidence": true, "difficulty": 1, "tags": []});
    place.write("set.jsonl", format!("{question}\n{other}\n").as_bytes());
    let hosted = ["llm.provider=openai", "llm.model=gpt-4o-mini", "llm.base_url=https://models.example/v1"];
    let hosted = hosted.iter().flat_map(|set| ["--set", set]);
    let dry: Vec<&str> =
        ["eval", "--queries", "set.jsonl", "--dry-run"].into_iter().chain(hosted).chain(open).collect();
    let planned = check("dry-run", &dry, 0);
    assert!(
        planned["prompt_cost"].as_f64() > Some(0.0) && planned["stages"][0]["price_read"].is_string(),
        "{planned}"
    );
    let vary = ["sweep", "--queries", "set.jsonl", "--vary", "rerank.top_n=2,4"];
    let sweep = check("sweep", &[&vary[..], &open].concat(), 0);
    assert_eq!(sweep["combinations"].as_array().map(Vec::len), Some(3), "{sweep}");
    check("eval", &["eval", "--queries", "set.jsonl", "--controls", "--min", "faithful=0"], 0);
}
