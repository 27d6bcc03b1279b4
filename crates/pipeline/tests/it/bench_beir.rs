//! `bench beir` on an invented benchmark, with the shipped defaults.

use crate::common::Place;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

/// Two ids that differ in case alone; one document is much longer, so that BM25 prefers the other.
const CORPUS: [(&str, &str); 4] = [
    ("MED-1", "Zebras graze."),
    ("med-1", "Zebras graze near rivers and lakes in the dry season of a long and windless year."),
    ("B", "Foxes hunt at night."),
    ("C", "Owls catch mice at night."),
];
/// In this order: q3 finds nothing with BM25, q4 has no relevant document, q5 is not judged.
const QUERIES: [(&str, &str); 5] =
    [("q3", "unicorns"), ("q1", "zebras"), ("q2", "owls"), ("q4", "foxes"), ("q5", "mice")];
const QRELS: &str =
    "query-id\tcorpus-id\tscore\nq1\tMED-1\t0\nq1\tmed-1\t2\nq1\tB\t1\nq2\tC\t1\nq3\tB\t1\nq4\tB\t0\n";

fn place() -> Option<Place> {
    let place = Place::with_natives()?;
    write(&place);
    Some(place)
}

fn write(place: &Place) {
    let lines = |all: &[(&str, &str)], title: bool| {
        let line = |(id, text): &(&str, &str)| {
            let mut line = json!({"_id": id, "text": text});
            if title {
                line["title"] = json!("Animals");
            }
            line.to_string()
        };
        all.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    place.write("tiny/corpus.jsonl", lines(&CORPUS, true).as_bytes());
    place.write("tiny/queries.jsonl", lines(&QUERIES, false).as_bytes());
    place.write("tiny/qrels/test.tsv", QRELS.as_bytes());
}

#[track_caller]
fn near(document: &Value, key: &str, want: f64) {
    let mean = &document["measures"][key]["mean"];
    let found = mean.as_f64().or(document[key].as_f64()).unwrap_or(f64::NAN);
    assert!((found - want).abs() < 5e-5, "{key}: {found} instead of {want}\n{document:#}");
}

#[test]
fn bm25_has_the_figures_worked_out_by_hand() {
    let Some(place) = place() else { return };
    let bm25 = ["bench", "beir", "tiny", "--mode", "bm25"];
    let out = ["--output", "run.trec"];
    let done = place.done(&[&bm25[..], &out].concat());
    let named = [&done["dataset"], &done["mode"], &done["split"], &done["reranker"]];
    assert_eq!(named, [&json!("tiny"), &json!("bm25"), &json!("test"), &Value::Null]);
    // q1: MED-1 (grade 0), med-1 (2); B (1) is missed. nDCG = (2 / log2 3) / (2 + 1 / log2 3) = 1.26186 / 2.63093 =
    // 0.47963, recall 1/2, MAP (1/2)/2, RR 1/2. q2: C alone, all 1. q3: nothing, all 0. Means over these three.
    near(&done, "ndcg@10", (0.479_625 + 1.0) / 3.0);
    near(&done, "recall@10", 0.5);
    near(&done, "recall@100", 0.5);
    near(&done, "map", 1.25 / 3.0);
    near(&done, "mrr@10", 0.5);
    near(&done, "precision@10", 0.2 / 3.0);
    for (key, want) in [
        ("queries", 3),
        ("queries_without_documents", 1),
        ("queries_below_100", 3),
        ("queries_without_relevant", 1),
    ] {
        assert_eq!(done[key], want, "{key}: {done:#}");
    }
    let map = &done["measures"]["map"];
    assert!(map["ci_low"].as_f64() < map["mean"].as_f64(), "{map}");
    assert_eq!((&map["n"], &map["n_a"]), (&json!(3), &json!(1)), "{map}");
    assert!(done["qps"].as_f64() > Some(0.0) && done["index"]["seconds"].as_f64() > Some(0.0), "{done}");
    let index = &done["index"];
    assert_eq!((&index["documents"], &index["added"]), (&json!(4), &json!(4)), "{index}");
    let dir = index["dir"].as_str().expect("a folder");
    assert!(dir.starts_with("index-bench/tiny-") && place.path(dir).is_dir(), "{dir}");

    let run = fs::read_to_string(place.path("run.trec")).expect("a run");
    let lines: Vec<Vec<&str>> = run.lines().map(|line| line.split(' ').collect()).collect();
    let shape: Vec<_> = lines.iter().map(|f| (f[0], f[1], f[2], f[3], f[5], f.len())).collect();
    let tag = "pipeline-bm25";
    assert_eq!(
        shape,
        [
            ("q1", "Q0", "MED-1", "1", tag, 6),
            ("q1", "Q0", "med-1", "2", tag, 6),
            ("q2", "Q0", "C", "1", tag, 6)
        ]
    );
    let score = |at: usize| lines[at][4].parse::<f64>().expect("a number");
    assert!(score(0) > score(1), "{run}");

    // The index is there already; a limit takes the first judged queries.
    let (code, again) = place.json(&[&bm25[..], &["--limit", "2"]].concat());
    assert_eq!((code, &again["queries"], &again["index"]["added"]), (0, &json!(2), &json!(0)), "{again}");
    near(&again, "mrr@10", 0.25);
    let text = place.run(&bm25).stdout();
    for part in ["queries without documents  1", "queries below 100          3", "ndcg@10       0.493 ["] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn all_modes_are_compared() {
    let Some(place) = place() else { return };
    let done = place.done(&["bench", "beir", "tiny", "--mode", "all", "--output", "run.trec"]);
    assert_eq!(done["dataset"], "tiny");
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
    assert_eq!(keys(&done["modes"]), Some(vec!["hybrid".into(), "vector".into(), "bm25".into()]));
    assert_eq!(keys(&done["comparison"]), Some(vec!["vector".into(), "bm25".into()]));
    near(&done["modes"]["bm25"], "ndcg@10", 0.493_208);
    let mean = |mode: &str| done["modes"][mode]["measures"]["ndcg@10"]["mean"].as_f64().expect("a mean");
    for other in ["bm25", "vector"] {
        let compared = &done["comparison"][other]["ndcg@10"];
        near(compared, "delta", mean("hybrid") - mean(other));
        assert_eq!(
            (&compared["test"], &compared["n_pairs"]),
            (&json!("paired_randomisation_exact"), &json!(3)),
            "{compared}"
        );
    }
    for mode in ["bm25", "vector", "hybrid"] {
        assert!(place.path(&format!("run.{mode}.trec")).is_file(), "{mode}");
    }
    let text = place.run(&["bench", "beir", "tiny", "--mode", "all"]).stdout();
    assert!(text.contains("hybrid - bm25:\n  ndcg@10 ") && text.contains("p = "), "{text}");
}

/// The documents of each query, in the order of a run file.
fn rankings(place: &Place, file: &str) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in fs::read_to_string(place.path(file)).expect("a run").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        all.entry(fields[0].to_owned()).or_default().push(fields[2].to_owned());
    }
    all
}

#[test]
fn the_reranker_reorders_the_head_alone() {
    let Some(place) = place() else { return };
    let ranked = |args: &[&str], file: &str| {
        let all = ["bench", "beir", "tiny", "--set", "retrieve.min_similarity=0.0", "--output", file];
        let (code, done) = place.json(&[&all, args].concat());
        assert_eq!((code, &done["mode"]), (0, &json!("hybrid")), "{done}");
        (done["reranker"].clone(), rankings(&place, file))
    };
    let (none, plain) = ranked(&[], "plain.trec");
    assert_eq!((none, plain.len(), plain["q1"].len()), (Value::Null, 3, 4), "{plain:?}");
    let one = ["--rerank", "on", "--set", "rerank.top_n=1"];
    let (method, reranked) = ranked(&one, "reranked.trec");
    assert_eq!(method, "sentence");
    for (query, documents) in &reranked {
        let first = &documents[0];
        let others = plain[query].iter().filter(|id| *id != first);
        assert_eq!(documents[1..], *others.cloned().collect::<Vec<_>>(), "{query}");
    }
    // The order of retrieval stays where the reranker is none.
    let (method, same) = ranked(&[&one[..], &["--set", "rerank.method=none"]].concat(), "none.trec");
    assert_eq!((method, &same), (json!("none"), &plain));
    let run = fs::read_to_string(place.path("reranked.trec")).expect("a run");
    assert!(run.lines().all(|line| line.ends_with(" pipeline-hybrid-rerank")), "{run}");
}

#[test]
fn a_query_that_is_a_document_is_left_out_of_its_own_ranking() {
    let Some(place) = place() else { return };
    place.write("tiny/qrels/test.tsv", b"MED-1\tmed-1\t1\n");
    // The second has the id of another text, as where queries and documents are numbered.
    for (text, mrr, left_out) in [("Zebras graze.", 1.0, 1), ("zebras", 0.5, 0)] {
        let query = json!({"_id": "MED-1", "text": text}).to_string();
        place.write("tiny/queries.jsonl", query.as_bytes());
        let (_, done) = place.json(&["bench", "beir", "tiny", "--mode", "bm25"]);
        near(&done, "mrr@10", mrr);
        assert_eq!(done["queries_among_documents"], left_out, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_is_indexed() {
    let place = Place::new(None);
    write(&place);
    let fails = |args: &[&str], parts: &[&str]| {
        place.run(&[&["bench", "beir"], args].concat()).fails_with(2, parts);
        assert!(!place.path("index-bench").exists(), "{args:?}");
    };
    fails(&["nowhere"], &["nowhere does not exist", "qrels/SPLIT.tsv"]);
    fails(&["tiny", "--split", "dev"], &["dev.tsv does not exist", "--split takes test"]);
    fails(&["tiny", "--output", "no/run.trec"], &["no/run.trec cannot be written"]);
    fails(&["tiny", "--limit", "0"], &["must be at least 1"]);
    place.write("tiny/qrels/other.tsv", b"q1\tB\t1\nq77\tB\t1\n");
    fails(&["tiny", "--split", "other"], &["not in queries.jsonl, the first is \"q77\""]);
    place.write("tiny/qrels/none.tsv", b"q1\tB\t0\n");
    fails(
        &["tiny", "--split", "none"],
        &["none.tsv gives none of 1 questions a document of grade 1 or higher"],
    );
    fs::remove_file(place.path("tiny/corpus.jsonl")).expect("removed");
    fails(&["tiny"], &["corpus.jsonl does not exist"]);
}

#[test]
fn an_index_of_other_papers_is_left_alone() {
    let Some(place) = place() else { return };
    place.write("papers/notes.md", b"# Snails\n\n## Results\n\nSnails sleep at night.\n");
    assert_eq!(place.run(&["ingest", "papers", "--index", "mine"]).code(), 0);
    let before = place.files("mine");
    let bench = ["bench", "beir", "tiny", "--mode", "bm25", "--index"];
    place
        .run(&[&bench[..], &["mine"]].concat())
        .fails_with(2, &["mine already contains papers from other files (1)", "notes.md", "--index"]);
    assert_eq!(place.files("mine"), before);
    assert_eq!(place.run(&[&bench[..], &["own"]].concat()).code(), 0);
    assert!(place.path("own").is_dir() && !place.path("index-bench").exists());
}
