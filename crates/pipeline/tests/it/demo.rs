//! The samples of `demo`, and folders that are watched.

use crate::common::{Place, ctrl_c, wait_for};
use serde_json::json;
use std::process::Stdio;

/// What the README and the documents ask of the samples.
const SHOWN: [&str; 5] = [
    "How did coupled respiration of muscle fibres change with metformin and with placebo?",
    "Why did three participants leave the metformin study early?",
    "How many sites will take part in STEPWINDOW, and which?",
    "How long before tissue collection were the running wheels locked, and why?",
    "Did metformin add to the improvement of insulin sensitivity that training brings?",
];

#[test]
fn the_demo_answers_and_refuses_and_what_is_shown_is_answered_with_high_confidence() {
    let Some(place) = Place::with_natives() else { return };
    let ran = place.passes(&["demo", "tried"]);
    let said = ran.stdout();
    for part in [
        "18 added",
        "Three participants stopped because of diarrhoea",
        "Confidence: high",
        "No answer found in your papers",
        "pipeline serve --open --index tried/index",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.files(".").iter().filter(|name| !name.starts_with("tried/")).count(), 0);
    place.write("questions.txt", SHOWN.join("\n").as_bytes());
    let answers = place.done(&["--index", "tried/index", "ask", "--file", "questions.txt"]);
    for answer in answers.as_array().expect("answers") {
        assert_eq!(answer["confidence"], json!("high"), "{}", answer["query"]);
    }
    // Again: the samples are there, and nothing is read twice.
    let again = place.passes(&["demo", "tried"]).stdout();
    assert!(again.contains("0 added, 0 changed, 18 unchanged"), "{again}");
    place.write("tried/queries.jsonl", b"mine");
    place
        .run(&["demo", "tried"])
        .fails_with(2, &["tried/queries.jsonl is not the sample", "name another folder"]);
    place.run(&["demo", "--format", "json"]).fails_with(2, &["demo prints text only"]);
}

#[test]
fn a_watched_folder_is_ingested_again_when_its_papers_change() {
    let Some((place, model)) = Place::fast() else { return };
    let paper = |animal: &str| format!("# The {animal}\n\n## Results\n\nThe {animal} slept for 3 hours.\n");
    // Without papers, it waits for the first one.
    std::fs::create_dir_all(place.path("papers")).expect("made");
    // The index lies in the folder: what is written there is no change.
    let index = ["--index", "papers/index"];
    let mut watching =
        place.command(&[&index[..], &["ingest", "papers", "--watch", "--set", &model]].concat());
    let child = watching.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    // There is no index at first.
    let papers = || place.run(&[&index[..], &["papers", "--format", "json"]].concat()).stdout();
    let papers = || papers().matches("\"source_id\"").count();
    std::thread::sleep(std::time::Duration::from_secs(2));
    place.write("papers/one.md", paper("badger").as_bytes());
    wait_for("the first paper", || papers() == 1);
    place.write("papers/two.md", paper("otter").as_bytes());
    wait_for("the second paper", || papers() == 2);
    std::fs::remove_file(place.path("papers/one.md")).expect("removed");
    wait_for("the removal", || papers() == 1);
    // A folder that is empty for a moment does not end it.
    std::fs::remove_file(place.path("papers/two.md")).expect("removed");
    std::thread::sleep(std::time::Duration::from_secs(4));
    place.write("papers/three.md", paper("stoat").as_bytes());
    wait_for("the third paper", || place.run(&[&index[..], &["papers"]].concat()).stdout().contains("stoat"));
    let (ran, _) = ctrl_c(child);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(ran.stderr().contains("watching papers; press Ctrl-C to stop"), "{}", ran.stderr());
    // Three papers came and two went: no run was started by what the program writes itself.
    assert!(ran.stdout().matches(" added, ").count() <= 6, "{}", ran.stdout());
}
