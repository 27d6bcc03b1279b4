//! Cases that people reported of other tools, for files and folders: run where `../shared/data/cases` is present.

mod common;

use common::{Place, natives, root};
use std::{fs, path::Path};

/// A place with the files of a case, and the setting of a small model; `None` with a message where they are not here.
fn case(name: &str) -> Option<(Place, String)> {
    let folder = root().join("../shared/data/cases").join(name);
    let place = Place::new(Some(natives()?));
    if !folder.is_dir() {
        eprintln!("skipped: {} is not here", folder.display());
        return None;
    }
    copy(&folder, &place.path("case"));
    let model = place.model(5);
    Some((place, model))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from)
        .expect("reads")
        .map(|entry| entry.expect("reads").path())
    {
        let to = to.join(entry.file_name().expect("has one"));
        if entry.is_dir() {
            copy(&entry, &to);
        } else {
            fs::write(to, fs::read(entry).expect("reads")).expect("written");
        }
    }
}

#[test]
fn files_of_macos_are_hidden_files() {
    let Some((place, model)) = case("55-apple-double") else {
        return;
    };
    let (code, done) = place.json(&["ingest", "case", "--set", &model]);
    assert_eq!((code, &done["added"]), (0, &1.into()), "{done}");
    let kinds = done["other_files"].to_string();
    assert!(kinds.contains("\"kind\":\"hidden file\",\"count\":3"), "{kinds}");
}

/// The scores of a file of answers: of each row its metrics.
fn scores(place: &Place, file: &str) -> serde_json::Value {
    let (code, document) = place.json(&["evaluate", file]);
    assert_eq!(code, 0, "{file}: {document}");
    let mut rows = document["results"].clone();
    for (_, row) in rows.as_object_mut().expect("rows") {
        row.as_object_mut().expect("a row").retain(|key, _| key != "line");
    }
    rows
}

#[test]
fn passages_that_deep_eval_joined_score_as_a_list() {
    let Some((place, _)) = case("01-deepeval-csv-pipe") else {
        return;
    };
    assert_eq!(
        scores(&place, "case/same-rows.csv"),
        scores(&place, "case/same-rows.json")
    );
    assert_eq!(
        scores(&place, "case/deepeval.csv"),
        scores(&place, "case/deepeval.jsonl")
    );
    let table = scores(&place, "case/deepeval-table.csv").to_string();
    assert!(table.contains("support 1 of 1 claims"), "{table}");
}

#[test]
fn tables_of_european_spreadsheets_are_read() {
    let Some((place, _)) = case("03-excel-semicolon-csv") else {
        return;
    };
    let want = scores(&place, "case/tab.csv");
    for file in ["tab.tsv", "semicolon.csv", "sep-line.csv"] {
        assert_eq!(scores(&place, &format!("case/{file}")), want, "{file}");
    }
}

#[test]
fn what_evaluate_advises_for_questions_works() {
    let Some((place, model)) = case("54-goldens-hint") else {
        return;
    };
    place.paper("waxenhoult_2023_cadence_short.pdf");
    assert_eq!(place.run(&["ingest", "papers", "--set", &model]).code(), 0);
    for file in [
        "deepeval-noactual.json",
        "ragas-nullresponse.jsonl",
        "ragas-testset.jsonl",
        "ragas-testset.json",
    ] {
        let file = format!("case/{file}");
        place.run(&["evaluate", &file]).fails_with(
            2,
            &[
                "has questions but no answers",
                &format!("`pipeline eval --queries {file}`"),
            ],
        );
        let ran = place.run(&["eval", "--queries", &file, "--set", &model]);
        assert_eq!(ran.code(), 0, "{file}: {}", ran.stderr());
        assert!(ran.stdout().contains("1 question was asked"), "{}", ran.stdout());
    }
}
