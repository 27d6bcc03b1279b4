//! The query set of this repository detects six deliberately bad systems.

use crate::common::{Place, natives, root};
use serde_json::Value;

/// Set where minutes may be spent, as `scripts/test.sh` does.
const SLOW: &str = "PIPELINE_SLOW_TESTS";

fn corpus_indexed() -> Option<Place> {
    let natives = natives()?;
    let place = Place::new(Some(natives));
    let corpus = root().join("corpus");
    let (code, done) = place.json(&["ingest", &corpus.to_string_lossy()]);
    assert_eq!((code, &done["sources"]), (0, &18.into()), "{done}");
    Some(place)
}

#[test]
fn six_bad_systems_score_significantly_lower_on_a_third_of_the_extended_set() {
    if std::env::var_os(SLOW).is_none() {
        eprintln!("skipped: takes minutes; set {SLOW}=1");
        return;
    }
    let Some(place) = corpus_indexed() else { return };
    let all = std::fs::read_to_string(root().join("queries/extended.jsonl")).expect("the query set");
    let third: Vec<&str> = all.lines().step_by(3).collect();
    place.write("third.jsonl", third.join("\n").as_bytes());
    let set = place.path("third.jsonl");
    let set = set.to_string_lossy();
    let (code, run) = place.json(&["eval", "--mode", "hybrid", "--controls", "--queries", &set]);
    assert_eq!(code, 0, "{}", run["gates"]);
    let checks = run["controls"]["checks"].as_array().expect("checks");
    let mean = |control: &str, metric: &str| {
        let found = checks.iter().find(|c| c["control"] == control && c["metric"] == metric);
        found.map_or(Value::Null, |check| check["bad"]["mean"].clone())
    };
    // The controls are what they say.
    assert_eq!(mean("always_answer", "unanswerable_accuracy"), 0.0);
    assert_eq!(mean("always_answer", "balanced_accuracy"), 0.5);
    assert_eq!(mean("always_refuse", "coverage"), 0.0);
    assert_eq!(mean("always_refuse", "balanced_accuracy"), 0.5);
    // Whether the judge prefers an answer that tries to please it is a finding about the judge, not about the set.
    let games = ["repeats_question", "stuffed_quotes", "hedges", "addresses_judge"];
    let faulty = checks.iter().filter(|check| games.iter().all(|name| check["control"] != *name));
    for check in faulty {
        // Balanced accuracy over 52 questions differs, but not by enough for Holm's correction.
        let p = if check["metric"] == "balanced_accuracy" {
            &check["difference"]["p"]
        } else {
            assert_eq!(check["told_apart"], true, "{check}");
            &check["p_holm"]
        };
        assert!(p.as_f64().is_some_and(|p| p < 0.05), "{check}");
    }
}
