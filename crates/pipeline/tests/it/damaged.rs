//! An index of an older format, and folders that lost their papers.

use crate::common::Place;
use serde_json::Value;
use std::fs;

const FIRST: &str = "tandrik_2021_vo2_walkers";
const SECOND: &str = "waxenhoult_2023_cadence_short";
const QUESTION: &str = "How many people were screened and randomised in the BRISKLINE trial?";

/// An index of two papers, and the setting that names its model.
fn start() -> Option<(Place, String)> {
    Place::indexed(&[FIRST, SECOND])
}

fn ingest(place: &Place, model: &str, more: &[&str]) -> (i32, Value) {
    place.json(&[&["ingest", "papers", "--set", model][..], more].concat())
}

#[test]
fn an_index_of_an_older_format_is_built_again_from_the_caches() {
    let Some((place, model)) = start() else { return };
    let ask = ["ask", QUESTION, "--set", &model];
    let (_, before) = place.json(&ask);
    let folder = place.path("index/generations/1");
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("reads");
    let older = manifest.replacen("\"format\": 7", "\"format\": 6", 1);
    assert_ne!(manifest, older);
    let hash = types::digest::sha256(older.as_bytes());
    fs::write(folder.join("manifest.json"), older).expect("writes");
    place.write("index/CURRENT", format!("1 {hash}\n").as_bytes());
    let advice = ["has format 6", "pipeline ingest", "cache"];
    place.run(&ask).fails_with(2, &advice);
    // One of the two papers is named; the other one comes along.
    let one = format!("papers/{FIRST}.pdf");
    let ran = place.passes(&["ingest", &one, "--set", &model]);
    assert!(ran.stderr().contains("has format 6"), "{}", ran.stderr());
    let said = ran.stdout();
    assert!(said.contains("parsed 0 (2 reused)") && said.contains("embedded 0 of "), "{said}");
    assert_eq!(place.json(&["index", "verify"]).0, 0);
    let (_, after) = place.json(&ask);
    assert_eq!(after["citations"], before["citations"]);
}

#[test]
fn a_folder_that_lost_all_its_papers_keeps_them_in_the_index() {
    let Some((place, model)) = start() else { return };
    let moved = place.path("elsewhere");
    fs::rename(place.path("papers"), &moved).expect("moved");
    for state in ["is missing", "holds no paper"] {
        for more in [&[][..], &["--dry-run"]] {
            let args = [&["ingest", "papers", "--set", &model][..], more].concat();
            place.run(&args).fails_with(2, &[state, "2 papers", "are kept", "--prune-all"]);
        }
        assert_eq!(place.json(&["index", "stats"]).1["sources"], 2);
        place.write("papers/notes.tmp", b"no paper");
    }
    let (code, pruned) = ingest(&place, &model, &["--prune-all"]);
    assert_eq!((code, &pruned["sources"]), (0, &0.into()), "{pruned}");
    assert_eq!(pruned["removed"].as_array().map(Vec::len), Some(2));
    fs::remove_dir_all(place.path("papers")).expect("removed");
    fs::rename(&moved, place.path("papers")).expect("moved");
    assert_eq!(ingest(&place, &model, &[]).1["sources"], 2);
    // One of two papers may go.
    fs::remove_file(place.path(&format!("papers/{SECOND}.pdf"))).expect("removed");
    assert_eq!(ingest(&place, &model, &[]).1["sources"], 1);
}
