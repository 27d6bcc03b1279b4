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

#[test]
fn the_run_has_what_measures_differ_on() {
    let (run, expected) = (run(), expected());
    assert!(expected.len() > 15 && run.len() < expected.len() + 3);
    assert!(expected.keys().any(|query| !run.contains_key(query)), "a query that returned nothing");
    let tied = run.values().filter(|documents| {
        let mut scores: Vec<u32> = documents.iter().map(|(_, score)| score.to_bits()).collect();
        scores.sort_unstable();
        scores.windows(2).any(|pair| pair[0] == pair[1])
    });
    assert!(tied.count() > 10, "queries with ties");
    // With ties in another order the figures are others: the test above notices.
    let qrels = Qrels::load(&file("qrels.tsv")).expect("judgements");
    let other_order = qrels.iter().filter(|(query, grades)| {
        let (Some(want), Some(documents)) = (expected.get(*query), run.get(*query)) else {
            return false;
        };
        let mut ordered = documents.clone();
        ordered.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let ids = ordered.into_iter().map(|(id, _)| id).collect();
        let ranking = Ranking::in_order(ids, 1000).expect("a ranking");
        let theirs = want["map"].as_f64().expect("a number");
        (Measure::Map.value(&ranking, grades) - theirs).abs() > 1e-3
    });
    assert!(other_order.count() > 5);
}
