//! Files that share a name: their content decides whether they are one paper, and nothing readable is lost.

use crate::common::Place;
use serde_json::{Value, json};
use std::fs;

fn notes(animal: &str) -> String {
    let sentences: Vec<String> = (1..=12)
        .map(|i| format!("On night {i} the {animal} of garden {i} slept for {} hours.", i + 3))
        .collect();
    format!("# Sleep of {animal}\n\n## Results\n\n{}\n", sentences.join(" "))
}

/// The text that `pipeline parse` gives, as Markdown: another format of the same paper.
fn as_markdown(place: &Place, file: &str) -> String {
    let document = place.json(&["parse", file]).1;
    let sections = document["sections"].as_array().expect("sections");
    let each = sections.iter().map(|section| {
        let text = |key: &str| section[key].as_str().expect("text").to_owned();
        format!("## {}\n\n{}\n\n", text("heading"), text("text"))
    });
    format!("# {}\n\n{}", document["title"].as_str().unwrap_or("x"), each.collect::<String>())
}

fn list<'a>(summary: &'a Value, name: &str) -> &'a [Value] {
    summary[name].as_array().expect("a list")
}

fn ends(value: &Value, end: &str) -> bool {
    value.as_str().expect("text").ends_with(end)
}

#[test]
fn content_decides_what_is_read_and_an_unchanged_file_costs_nothing() {
    let Some((place, model)) = Place::fast() else { return };
    // Two papers, and one paper twice.
    place.paper("waxenhoult_2023_cadence_short.pdf");
    let paper = place.path("papers/waxenhoult_2023_cadence_short.pdf");
    fs::rename(&paper, place.path("papers/notes.pdf")).expect("renamed");
    place.write("papers/notes.md", notes("owls").as_bytes());
    place.paper("tandrik_2021_vo2_walkers.pdf");
    let twice = as_markdown(&place, "papers/tandrik_2021_vo2_walkers.pdf");
    place.write("papers/tandrik_2021_vo2_walkers.md", twice.as_bytes());

    let args = ["ingest", "papers", "--set", &model];
    let first = place.json(&args).1;
    assert_eq!((&first["added"], &first["sources"]), (&3.into(), &3.into()), "{first}");
    let same = list(&first, "same_paper");
    assert!(
        same.len() == 1 && ends(&same[0]["path"], "walkers.md") && ends(&same[0]["same_as"], "walkers.pdf"),
        "{first}"
    );
    let found = place.json(&["search", "owls", "--mode", "bm25", "-k", "1", "--set", &model]).1;
    let id = found["hits"][0]["source_id"].as_str().expect("an id");
    assert!(id.starts_with("notes-"), "{found}");

    // Again: nothing is read, and the answer is the same.
    let second = place.json(&args).1;
    assert_eq!((&second["unchanged"], &second["sources"]), (&3.into(), &3.into()), "{second}");
    assert_eq!(second["stages"]["parse"]["done"], 0, "{second}");
    assert_eq!((&second["pages_read"], &second["texts_read"]), (&0.into(), &0.into()), "{second}");
    assert_eq!(second["same_paper"], first["same_paper"], "{second}");
    let plan = place.json(&["ingest", "papers", "--dry-run", "--set", &model]).1;
    assert_eq!(plan["counts"], json!({"keep": 3, "skipped": 1}), "{plan}");

    // When the file that stood for a paper goes, the other takes its place and its name.
    fs::remove_file(place.path("papers/tandrik_2021_vo2_walkers.pdf")).expect("removed");
    let third = place.json(&args).1;
    assert_eq!((&third["sources"], list(&third, "same_paper").len()), (&3.into(), 0), "{third}");
    assert_eq!(list(&third, "removed").len(), 0, "{third}");
    let found = place
        .json(&[
            "search",
            "walkers",
            "--mode",
            "bm25",
            "--source",
            "tandrik_2021_vo2_walkers",
            "--set",
            &model,
        ])
        .1;
    assert!(!list(&found, "hits").is_empty(), "{found}");
}
