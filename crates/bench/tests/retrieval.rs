//! `bench retrieval` on small indexes: what is measured is there, and what is missing is said.

use serde_json::Value;
use std::{
    fs,
    process::{Command, Output},
};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--format", "json", "retrieval"])
        .args(args)
        .output()
        .expect("starts")
}

fn json(args: &[&str]) -> (Value, String) {
    let output = bench(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    (serde_json::from_slice(&output.stdout).expect("JSON"), said)
}

#[test]
fn growth_builds_searches_and_extends_an_index_of_each_size() {
    let dir = tempfile::tempdir().expect("a folder");
    let (plot, kept) = (dir.path().join("growth.svg"), dir.path().join("kept"));
    let args = |plot: &str, kept: &str| -> Vec<String> {
        let fixed = [
            "growth",
            "--chunks",
            "40,4200",
            "--questions",
            "4",
            "--rounds",
            "1",
        ];
        let own = ["--plot", plot, "--keep", kept];
        fixed.iter().chain(&own).map(|arg| (*arg).to_owned()).collect()
    };
    let args = args(&plot.to_string_lossy(), &kept.to_string_lossy());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (found, _) = json(&args);
    for (size, chunks) in found["sizes"].as_array().expect("sizes").iter().zip([40, 4200]) {
        let served = &size["served"];
        assert_eq!(served["chunks"], chunks, "{size}");
        assert_eq!(served["vector_bytes"], chunks * 384 * 4, "{size}");
        assert_eq!(served["recall"], 1.0, "{size}");
        for measured in [
            &served["hybrid"]["p50"],
            &served["open_ms"],
            &size["add_paper"],
            &size["built"]["seconds"],
        ] {
            assert!(measured.as_f64().is_some_and(|number| number > 0.0), "{size}");
        }
    }
    assert_eq!(found["sizes"].as_array().map(Vec::len), Some(2));
    let drawn = fs::read_to_string(&plot).expect("drawn");
    assert!(
        drawn.contains("hybrid p95") && drawn.contains("resident"),
        "{drawn}"
    );

    // An index that is kept is not built again, and the paper that was added to it counts as one of its own.
    let (again, said) = json(&args);
    assert!(
        !said.contains("chunks: build") && said.contains("chunks: search"),
        "{said}"
    );
    assert_eq!(again["sizes"][0]["built"], found["sizes"][0]["built"]);
    assert_eq!(again["sizes"][0]["served"]["chunks"], 60);
}

#[test]
fn missing_peers_are_said_aloud() {
    let dir = tempfile::tempdir().expect("a folder");
    let document = |n: usize| {
        let record = serde_json::json!({"_id": n.to_string(), "title": format!("Snails {n}"), "text": "Kale and beet"});
        format!("{record}\n")
    };
    let documents: String = (0..20).map(document).collect();
    fs::write(dir.path().join("corpus.jsonl"), documents).expect("written");
    let questions = "{\"_id\": \"q\", \"text\": \"which snails eat kale?\"}\n";
    fs::write(dir.path().join("queries.jsonl"), questions).expect("written");
    let folder = dir.path().to_string_lossy();
    let (found, said) = json(&["bm25", &folder, "--rounds", "1", "--python", "no/python"]);
    assert_eq!(found["documents"], 20);
    assert!(
        found["rates"][0]["one"].as_f64().is_some_and(|rate| rate > 0.0),
        "{found}"
    );
    for peer in ["bm25s", "rank_bm25", "tantivy", "pyserini"] {
        assert!(said.contains(&format!("note: {peer} is not measured")), "{said}");
    }
    let args = [
        "vectors",
        "--chunks",
        "5000",
        "--questions",
        "3",
        "--rounds",
        "1",
        "--python",
        "no/python",
    ];
    let (found, said) = json(&args);
    assert_eq!(found["programs"][0]["results"][0]["recall"], 1.0, "{found}");
    assert_eq!(found["missing"].as_array().map(Vec::len), Some(5), "{said}");
}

#[test]
fn a_folder_without_documents_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = bench(&["bm25", &dir.path().to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("corpus.jsonl"));
}
