//! Our measures against those of trec_eval 9.0.8 (pytrec_eval-terrier 0.5.11), for the run that `trec_eval/make.py` makes.

use eval::ranking::{Grades, Measure, Qrels, Ranking, ScoredQuery};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::PathBuf};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/trec_eval").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(file(name)).expect("committed")
}

/// Documents with their scores, by query, as the run lists them.
fn run() -> BTreeMap<String, Vec<(String, f32)>> {
    let mut run: BTreeMap<String, Vec<(String, f32)>> = BTreeMap::new();
    for line in read("run.trec").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [query, _, document, _, score, _] = fields[..] else { panic!("{line}") };
        let score = score.parse().expect("a number");
        run.entry(query.to_owned()).or_default().push((document.to_owned(), score));
    }
    run
}

fn expected() -> BTreeMap<String, Value> {
    let rows = read("expected.jsonl");
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    rows.map(|row| (row["query_id"].as_str().expect("an id").to_owned(), row)).collect()
}

#[test]
fn every_value_is_that_of_trec_eval() {
    let qrels = Qrels::load(&file("qrels.tsv")).expect("judgements");
    let (run, expected) = (run(), expected());
    let has_relevant = |grades: &Grades| grades.values().any(|grade| *grade > 0);
    let mut compared = 0;
    for (query, grades) in qrels.iter() {
        let Some(want) = expected.get(query) else {
            assert!(!has_relevant(grades), "{query}");
            continue;
        };
        let documents = run.get(query).cloned().unwrap_or_default();
        let ranking = Ranking::new(documents, 1000).expect("a ranking");
        let scored = ScoredQuery::new(query, &ranking, grades);
        for measure in Measure::ALL {
            let (ours, theirs) = (scored.value(measure), want[measure.key()].as_f64().expect("a number"));
            assert!((ours - theirs).abs() < 0.5e-4, "{query} {measure}: {ours}, trec_eval {theirs}");
            compared += 1;
        }
    }
    assert_eq!(compared, Measure::ALL.len() * expected.len());
}
