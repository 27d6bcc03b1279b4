//! A library that is moved, copied or renamed is the same library: nothing is read, embedded or added twice.

use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::fs;

/// A page without text.
const SCAN: &[u8] = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
    3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>\nendobj\ntrailer\n<</Root 1 0 R/Size 4>>\n%%EOF\n";
const PAPERS: [&str; 2] = ["waxenhoult_2023_cadence_short", "tandrik_2021_vo2_walkers"];

/// A folder `a` of two papers and a bibliography, ingested.
fn start() -> Option<(Place, String)> {
    let place = Place::new(Some(natives()?));
    for paper in PAPERS {
        place.paper(&format!("{paper}.pdf"));
    }
    fs::rename(place.path("papers"), place.path("a")).expect("moved");
    place.write(
        "a/refs.bib",
        b"@article{w, title = {Cadence}, doi = {10.99999/none}, year = 2023}\n",
    );
    let model = place.model(7);
    let first = place.json(&["ingest", "a", "--set", &model]).1;
    assert_eq!(
        (&first["added"], &first["sources"]),
        (&json!(2), &json!(2)),
        "{first}"
    );
    Some((place, model))
}

/// Ingests folders and checks that nothing was read or embedded twice. A paper whose paths change is chunked again.
#[track_caller]
fn ingest(place: &Place, model: &str, folders: &[&str]) -> Value {
    let args = [&["ingest"][..], folders, &["--set", model]].concat();
    let (code, done) = place.json(&args);
    assert_eq!(
        (code, &done["added"], &done["sources"]),
        (0, &json!(0), &json!(2)),
        "{done}"
    );
    for stage in ["parse", "embed"] {
        assert_eq!(done["stages"][stage]["done"], 0, "{stage}: {done}");
    }
    assert_eq!(done["removed"], json!([]), "{done}");
    done
}

/// The paths of a paper below the place's folder, the first one as links name it.
fn paths(place: &Place, id: &str) -> Vec<String> {
    let (code, shown) = place.json(&["sources", "show", id]);
    assert_eq!(code, 0, "{shown}");
    let base = place
        .path("")
        .canonicalize()
        .expect("there")
        .display()
        .to_string();
    let below = |path: &Value| path.as_str().expect("text").replace(&base, "");
    let mut paths: Vec<String> = shown["paths"]
        .as_array()
        .expect("a list")
        .iter()
        .map(below)
        .collect();
    let first = below(&shown["path"]);
    paths.retain(|path| *path != first);
    [vec![first], paths].concat()
}

#[test]
fn a_folder_is_moved_copied_and_deleted() {
    let Some((place, model)) = start() else { return };
    let [one, two] = PAPERS;
    fs::rename(place.path("a"), place.path("b")).expect("moved");
    let plan = place.json(&["ingest", "b", "--dry-run", "--set", &model]).1;
    assert_eq!(plan["counts"], json!({"move": 2}), "{plan}");
    let done = ingest(&place, &model, &["b"]);
    assert_eq!(
        (&done["changed"], &done["moved"]),
        (&json!(2), &json!(2)),
        "{done}"
    );
    assert_eq!(paths(&place, one), [format!("/b/{one}.pdf")]);
    let again = ingest(&place, &model, &["b"]);
    assert_eq!(
        (&again["unchanged"], &again["stages"]["chunk"]["done"]),
        (&json!(2), &json!(0))
    );

    // A copy, and both at once.
    fs::create_dir_all(place.path("copy/deep")).expect("made");
    for paper in PAPERS {
        let name = format!("{paper}.pdf");
        fs::copy(place.path("b").join(&name), place.path("copy/deep").join(&name)).expect("copied");
    }
    assert_eq!(ingest(&place, &model, &["copy"])["moved"], 2);
    assert_eq!(
        ingest(&place, &model, &["b", "copy"])["duplicates"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    assert_eq!(paths(&place, one).len(), 2);
    for folder in ["b", "copy"] {
        assert_eq!(ingest(&place, &model, &[folder])["unchanged"], 2, "{folder}");
    }
    let text = place.run(&["sources", "show", two]).stdout();
    assert!(text.contains("\nfile ") && text.contains("\nalso "), "{text}");

    // The original goes: first one file, then all.
    fs::remove_file(place.path(&format!("b/{one}.pdf"))).expect("removed");
    ingest(&place, &model, &["b"]);
    assert_eq!(paths(&place, one), [format!("/copy/deep/{one}.pdf")]);
    fs::remove_dir_all(place.path("b")).expect("removed");
    // Before anything is ingested again, links lead to what exists.
    let hit = |place: &Place| {
        let args = [
            "search",
            "walkers",
            "--source",
            &two.to_uppercase(),
            "--set",
            &model,
        ];
        let found = place.json(&args).1;
        let path = found["hits"][0]["path"].as_str().unwrap_or_default().to_owned();
        assert!(
            path.ends_with(&format!("deep/{two}.pdf")) && fs::exists(&path).is_ok_and(|is| is),
            "{found}"
        );
    };
    hit(&place);
    ingest(&place, &model, &["b"]);
    assert_eq!(paths(&place, two), [format!("/copy/deep/{two}.pdf")]);

    // Renamed in place: the id stays. Removed for good: it goes.
    fs::rename(
        place.path(&format!("copy/deep/{one}.pdf")),
        place.path("copy/new name.pdf"),
    )
    .expect("renamed");
    ingest(&place, &model, &["copy"]);
    assert_eq!(paths(&place, one), ["/copy/new name.pdf"]);
    fs::remove_file(place.path("copy/new name.pdf")).expect("removed");
    let last = place.json(&["ingest", "copy", "--set", &model]).1;
    assert_eq!(
        (&last["removed"], &last["sources"]),
        (&json!([one]), &json!(1)),
        "{last}"
    );
    hit(&place);
}

#[test]
fn an_index_is_moved_together_with_its_papers() {
    let Some((place, model)) = start() else { return };
    let [one, _] = PAPERS;
    fs::create_dir_all(place.path("lib")).expect("made");
    for name in ["index", "a"] {
        fs::rename(place.path(name), place.path("lib").join(name)).expect("moved");
    }
    let show = || {
        let shown = place.json(&["sources", "show", one, "--index", "lib/index"]).1;
        (
            shown["path"].as_str().expect("a path").to_owned(),
            shown["paths"].clone(),
        )
    };
    assert!(show().0.ends_with(&format!("/lib/a/{one}.pdf")), "{:?}", show());
    let args = ["ingest", "lib/a", "--index", "lib/index", "--set", &model];
    let done = place.json(&args).1;
    assert_eq!(
        (&done["moved"], &done["sources"]),
        (&json!(2), &json!(2)),
        "{done}"
    );
    assert_eq!(show().1, json!([show().0]));
}

#[test]
fn other_papers_of_one_name_stay_apart_and_one_paper_of_two_names_is_one() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let model = place.model(7);
    let note =
        |animal: &str| format!("# On {animal}\n\n## Results\n\nWe watched twelve {animal} at night.\n");
    place.write("a/note.md", note("snails").as_bytes());
    place.write("b/note.md", note("slugs").as_bytes());
    place.write("b/twin.md", note("slugs").as_bytes());
    let (_, done) = place.json(&["ingest", "a", "b", "--set", &model]);
    assert_eq!(
        (&done["added"], &done["sources"]),
        (&json!(2), &json!(2)),
        "{done}"
    );
    let list = place.json(&["sources"]).1;
    let ids: Vec<&str> = (list["sources"].as_array().expect("a list").iter())
        .map(|source| source["source_id"].as_str().expect("an id"))
        .collect();
    assert!(ids.iter().all(|id| id.starts_with("note-")), "{ids:?}");
    let twin = ids
        .iter()
        .find(|id| paths(&place, id).len() == 2)
        .expect("a paper of two files");
    fs::remove_file(place.path("b/note.md")).expect("removed");
    ingest(&place, &model, &["b"]);
    assert_eq!(paths(&place, twin), ["/b/twin.md"]);
}

#[test]
fn a_first_manifest_builds_again_only_what_it_changes() {
    let Some((place, model)) = start() else { return };
    let write = [
        "ingest",
        "a",
        "--set",
        &model,
        "--write-manifest",
        "a/manifest.csv",
    ];
    assert_eq!(place.json(&write).0, 0);
    assert_eq!(ingest(&place, &model, &["a"])["unchanged"], 2);
    let text = fs::read_to_string(place.path("a/manifest.csv")).expect("written");
    let corrected = text.replacen(
        &format!("{},", PAPERS[0]),
        &format!("{},New title: ", PAPERS[0]),
        1,
    );
    place.write("a/manifest.csv", corrected.as_bytes());
    let done = place.json(&["ingest", "a", "--set", &model]).1;
    assert_eq!(
        (&done["changed"], &done["unchanged"]),
        (&json!(1), &json!(1)),
        "{done}"
    );
    // Without the row, the document's own metadata come back.
    fs::remove_file(place.path("a/manifest.csv")).expect("removed");
    assert_eq!(place.json(&["ingest", "a", "--set", &model]).1["changed"], 1);
}

#[test]
fn a_scan_without_text_is_named_and_no_paper() {
    let Some((place, model)) = start() else { return };
    place.write("a/scan.pdf", SCAN);
    for run in 0..2 {
        let args = ["ingest", "a", "--set", &model, "--set", "ingest.ocr=off"];
        let done = place.json(&args).1;
        assert_eq!(
            (&done["added"], &done["sources"]),
            (&json!(0), &json!(2)),
            "{run}: {done}"
        );
        assert!(done["empty"].to_string().contains("scan.pdf"), "{run}: {done}");
        assert_eq!(done["stages"]["parse"]["done"], json!(1 - run), "{run}: {done}");
    }
    place
        .run(&["sources", "show", "scan"])
        .fails_with(2, &["no paper \"scan\"", "`pipeline sources`"]);
    place
        .run(&["search", "walkers", "--source", "scan", "--set", &model])
        .fails_with(2, &["no source \"scan\"", "`pipeline sources`"]);
}
