//! `calibrate` on invented papers.

use crate::common::animals::world;
use serde_json::Value;
use std::fs;

#[test]
fn a_threshold_that_refuses_nothing_is_raised() {
    let Some(place) = world(8) else { return };
    let loose = ["--set", "guardrail.refuse_below=0", "--set", "generate.high_confidence=1.0"];
    let question = "How tall are lighthouses?";
    let (_, answered) = place.json(&[&["ask", question], &loose[..]].concat());
    assert_eq!(answered["no_evidence"], false, "{answered}");

    let args = ["calibrate", "--queries", "mine.jsonl", "--output", "mine.toml"];
    let done = place.done(&[&args, &loose[..]].concat());
    assert_eq!(
        [&done["answerable"], &done["unanswerable"], &done["removed"], &done["papers"]],
        [24, 2, 24, 8],
        "{done}"
    );
    let refusals = &done["refusals"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {done}"));
    assert!(number(&refusals["chosen"]) > 0.3, "{done}");
    assert!(number(&refusals["held_out"]) > number(&refusals["balanced_accuracy"]) + 0.1, "{done}");
    assert!(number(&refusals["fitted"]) >= number(&refusals["held_out"]), "{done}");
    assert_eq!(done["changes"]["guardrail.refuse_below"], refusals["chosen"], "{done}");
    let (now, fitted) = (&done["high"]["now"], &done["high"]["fitted"]);
    assert_eq!(now["answers"], 0, "{done}");
    assert!(number(&fitted["right"]) >= 0.85 * number(&fitted["answers"]), "{done}");

    // The file is a settings file, and its threshold refuses.
    let file = fs::read_to_string(place.path("mine.toml")).expect("written");
    assert!(file.contains("mine.jsonl") && file.contains("[guardrail]\nrefuse_below = 0."), "{file}");
    let (_, refused) = place.json(&["--config", "mine.toml", "ask", question]);
    assert_eq!(refused["no_evidence"], true, "{refused}");
    let known = ["--config", "mine.toml", "ask", "How long did the otters sleep?"];
    let (_, answered) = place.json(&known);
    assert_eq!(answered["no_evidence"], false, "{answered}");

    let text = place.passes(&[&args[..3], &loose[..]].concat());
    for part in ["answerable    24", "refusals", "held out", "guardrail.refuse_below"] {
        assert!(text.stdout().contains(part), "{part}: {}", text.stdout());
    }
}

#[test]
fn what_cannot_be_calibrated_is_an_error() {
    let Some(place) = world(4) else { return };
    let calibrate = |more: &[&str]| place.run(&[&["calibrate", "--queries", "mine.jsonl"], more].concat());
    calibrate(&[]).fails_with(
        2,
        &["mine.jsonl has gold_evidence for 12 of the 20 queries that are needed", "add queries"],
    );
    calibrate(&["--output", "nowhere/mine.toml"])
        .fails_with(2, &["nowhere/mine.toml cannot be written: the folder nowhere does not exist"]);
}
