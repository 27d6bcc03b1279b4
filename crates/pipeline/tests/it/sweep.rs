//! `sweep` without a language model, on invented papers.

use crate::common::{Place, animals::world};
use serde_json::{Value, json};

const BASE: [&str; 3] = ["sweep", "--queries", "mine.jsonl"];

fn sweep(place: &Place, args: &[&str]) -> Value {
    place.done(&[&BASE, args].concat())
}

#[test]
fn each_combination_is_a_run_of_eval() {
    let Some(place) = world(4) else { return };
    let vary = [
        "--vary",
        "rerank.top_n=1,6",
        "--vary",
        "retrieve.mode=vector,hybrid",
        "--metric",
        "citation_precision",
    ];
    let done = sweep(&place, &vary);
    let combinations = done["combinations"].as_array().expect("combinations");
    assert_eq!(combinations.len(), 4, "the start, which the grid has too, once: {done}");
    for combination in combinations {
        let settings = combination["settings"].as_array().expect("settings").iter();
        let settings: Vec<&str> = settings.filter_map(Value::as_str).collect();
        let mode = settings.iter().find_map(|set| set.strip_prefix("retrieve.mode=")).unwrap_or("hybrid");
        let mut args = vec!["eval", "--queries", "mine.jsonl", "--mode", mode];
        args.extend(settings.iter().flat_map(|set| ["--set", set]));
        let eval = place.done(&args);
        assert_eq!(eval["provenance"]["config_hash"], combination["config_hash"]);
        assert_eq!(eval["modes"][mode]["citation_precision"]["mean"], combination["summary"]["mean"]);
        let (code, shown) = place.json(&["runs", "show", combination["run_id"].as_str().expect("an id")]);
        assert_eq!((code, shown["rows"].as_array().map(Vec::len)), (0, Some(14)), "{shown}");
    }
}

#[test]
fn settings_that_refuse_everything_are_found_and_replaced() {
    let Some(place) = world(8) else { return };
    let args = ["--set", "guardrail.refuse_below=1", "--vary", "guardrail.refuse_below=0.99999,0.4"];
    let done = sweep(&place, &args);
    assert_eq!(
        (&done["best"], &done["chosen"], &done["choice"]),
        (&json!(3), &json!([3, 3]), &json!(3)),
        "{done}"
    );
    assert_eq!(done["combinations"][2]["settings"], json!(["guardrail.refuse_below=0.4"]));
    assert!(done["against_start"]["ci_low"].as_f64() > Some(0.0), "{done}");
    let text = place.run(&[&BASE[..], &args].concat()).stdout();
    for part in ["use 3: ", "guardrail.refuse_below=0.4", "held out", "against start"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_cannot_be_swept_is_an_error_before_anything_runs() {
    let place = Place::new(None);
    let fails = |args: &[&str], parts: &[&str]| place.run(&[&["sweep"], args].concat()).fails_with(2, parts);
    fails(&[], &["--vary"]);
    fails(&["--vary", "rerank.top_n"], &["KEY=VALUE,VALUE"]);
    fails(&["--vary", "chunk.max_tokens=256,512"], &["chunk.max_tokens cannot be varied"]);
    fails(&["--vary", "eval.seed=1,2"], &["eval.seed cannot be varied"]);
    fails(&["--vary", "log.file=a,b"], &["log.file cannot be varied"]);
    fails(&["--vary", "rerank.topn=1,2"], &["did you mean \"rerank.top_n\"?"]);
    fails(&["--vary", "rerank.top_n=0,4"], &["rerank.top_n must be"]);
    fails(&["--vary", "rerank.top_n=4,6", "--metric", "speed"], &["no metric \"speed\""]);
    fails(&["--vary", "rerank.top_n=4,6", "--queries", "none.jsonl"], &["none.jsonl"]);
}

/// Papers about specimens whose codes only BM25 tells apart, with two questions about each.
fn specimens() -> Option<Place> {
    const CODES: [&str; 12] =
        ["K7Q2", "K7Q5", "K2Q7", "Q7K2", "K5Q2", "Q2K7", "K7Z2", "Z7K2", "K2Z7", "Q5K7", "K9Q2", "K7Q9"];
    let place = Place::with_natives()?;
    let mut rows: Vec<String> = Vec::new();
    for (at, code) in CODES.iter().enumerate() {
        let weighed = format!("Specimen {code} weighed {} grams at the end.", 17 + 3 * at);
        let kept = format!("Specimen {code} was kept in a dry room.");
        let text = format!("# Study {at}\n\n## Results\n\n{kept} {weighed} Nobody was hurt.\n");
        place.write(&format!("papers/paper_{at}.md"), text.as_bytes());
        for (query, gold) in [
            (format!("How much did specimen {code} weigh at the end?"), weighed),
            (format!("Was specimen {code} kept in a dry room?"), kept),
        ] {
            let (id, paper) = (format!("S{}", rows.len()), format!("paper_{at}"));
            let row = json!({"id": id, "type": "direct", "query": query, "target_papers": [paper],
                "expected_no_evidence": false, "gold_evidence": [{"source_id": paper, "quote": gold}]});
            rows.push(row.to_string());
        }
    }
    place.write("mine.jsonl", rows.join("\n").as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}

#[test]
fn the_same_rows_are_compared_with_the_same_numbers_everywhere() {
    const METRIC: &str = "gold_recall_answer";
    let Some(place) = specimens() else { return };
    let few = ["--set", "retrieve.vector_k=1", "--set", "retrieve.bm25_k=1", "--set", "retrieve.top_k=1"];
    let eval = |mode: &str| {
        let args = ["eval", "--queries", "mine.jsonl", "--mode", mode];
        place.done(&[&args, &few[..]].concat())
    };
    let (hybrid, vector, both) = (eval("hybrid"), eval("vector"), eval("both"));
    let of_eval = &both["comparison"][METRIC];
    let number = |key: &str| of_eval[key].as_f64().unwrap_or_else(|| panic!("{key} of {of_eval}"));
    let [delta, p, low, wins, losses] = ["delta", "p", "ci_low", "wins", "losses"].map(number);
    assert!(delta > 0.0 && wins > losses, "only BM25 tells the codes apart: {of_eval}");
    assert_eq!(low > 0.0, p < 0.05, "{of_eval}");
    // Two questions share a paper.
    assert_eq!(of_eval["test"], "paired_randomisation_exact");
    assert_eq!(both["comparison"]["quote_accuracy"]["in_family"], false);

    let (_, report) = place.json(&["report"]);
    assert_eq!(report["comparison"], both["comparison"]);

    // Two runs of one mode each.
    let run = |of: &Value| of["run_id"].as_str().expect("an id").to_owned();
    let compared = place.done(&["runs", "compare", &run(&hybrid), &run(&vector)]);
    for metric in compared["comparisons"][0]["metrics"].as_array().expect("metrics") {
        let key = metric["metric"].as_str().expect("a key");
        assert_eq!(metric["difference"], both["comparison"][key], "{key}");
        let significant = metric["difference"]["p_holm"].as_f64().is_some_and(|p| p < 0.05);
        assert_eq!(metric["separates"], significant, "{key}");
    }

    let vary = ["--vary", "retrieve.mode=hybrid,vector", "--metric", METRIC];
    let done = sweep(&place, &[&vary, &few[..]].concat());
    for (at, mode) in ["hybrid", "vector"].into_iter().enumerate() {
        let (found, expect) = (&done["combinations"][at]["summary"], &both["modes"][mode][METRIC]);
        assert_eq!(found, expect, "{mode}");
    }
}
