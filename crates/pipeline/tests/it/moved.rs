//! A library that is moved, copied or renamed is the same library: nothing is read, embedded or added twice.

use crate::common::Place;
use serde_json::{Value, json};
use std::fs;

const PAPERS: [&str; 2] = ["waxenhoult_2023_cadence_short", "tandrik_2021_vo2_walkers"];

/// A folder `a` of two papers and a bibliography, ingested.
fn start() -> Option<(Place, String)> {
    let (place, model) = Place::fast()?;
    for paper in PAPERS {
        place.paper(&format!("{paper}.pdf"));
    }
    fs::rename(place.path("papers"), place.path("a")).expect("moved");
    place.write("a/refs.bib", b"@article{w, title = {Cadence}, doi = {10.99999/none}, year = 2023}\n");
    let first = place.json(&["ingest", "a", "--set", &model]).1;
    assert_eq!((&first["added"], &first["sources"]), (&json!(2), &json!(2)), "{first}");
    Some((place, model))
}

/// Ingests folders and checks that nothing was read or embedded twice. A paper whose paths change is chunked again.
#[track_caller]
fn ingest(place: &Place, model: &str, folders: &[&str]) -> Value {
    let args = [&["ingest"][..], folders, &["--set", model]].concat();
    let (code, done) = place.json(&args);
    assert_eq!((code, &done["added"], &done["sources"]), (0, &json!(0), &json!(2)), "{done}");
    for stage in ["parse", "embed"] {
        assert_eq!(done["stages"][stage]["done"], 0, "{stage}: {done}");
    }
    assert_eq!(done["removed"], json!([]), "{done}");
    done
}

/// The paths of a paper below the place's folder, the first one as links name it.
fn paths(place: &Place, id: &str) -> Vec<String> {
    let shown = place.done(&["papers", "show", id]);
    let base = place.path("").canonicalize().expect("there").display().to_string();
    let below = |path: &Value| path.as_str().expect("text").replace(&base, "");
    let mut paths: Vec<String> = shown["paths"].as_array().expect("a list").iter().map(below).collect();
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
    assert_eq!(plan["counts"], json!({"change": 2}), "{plan}");
    let done = ingest(&place, &model, &["b"]);
    assert_eq!((&done["changed"], &done["moved"]), (&json!(2), &json!(2)), "{done}");
    assert_eq!(paths(&place, one), [format!("/b/{one}.pdf")]);
    let again = ingest(&place, &model, &["b"]);
    assert_eq!((&again["unchanged"], &again["stages"]["chunk"]["done"]), (&json!(2), &json!(0)));

    // A copy, and both at once.
    fs::create_dir_all(place.path("copy/deep")).expect("made");
    for paper in PAPERS {
        let name = format!("{paper}.pdf");
        fs::copy(place.path("b").join(&name), place.path("copy/deep").join(&name)).expect("copied");
    }
    assert_eq!(ingest(&place, &model, &["copy"])["moved"], 2);
    assert_eq!(ingest(&place, &model, &["b", "copy"])["duplicates"].as_array().map(Vec::len), Some(2));
    assert_eq!(paths(&place, one).len(), 2);
    for folder in ["b", "copy"] {
        assert_eq!(ingest(&place, &model, &[folder])["unchanged"], 2, "{folder}");
    }
    let text = place.run(&["papers", "show", two]).stdout();
    assert!(text.contains("\nfile ") && text.contains("\nalso "), "{text}");

    // The original goes: first one file, then all.
    fs::remove_file(place.path(&format!("b/{one}.pdf"))).expect("removed");
    ingest(&place, &model, &["b"]);
    assert_eq!(paths(&place, one), [format!("/copy/deep/{one}.pdf")]);
    fs::remove_dir_all(place.path("b")).expect("removed");
    // Before anything is ingested again, links lead to what exists.
    let hit = |place: &Place| {
        let args = ["search", "walkers", "--source", &two.to_uppercase(), "--set", &model];
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
    fs::rename(place.path(&format!("copy/deep/{one}.pdf")), place.path("copy/new name.pdf"))
        .expect("renamed");
    ingest(&place, &model, &["copy"]);
    assert_eq!(paths(&place, one), ["/copy/new name.pdf"]);
    fs::remove_file(place.path("copy/new name.pdf")).expect("removed");
    let last = place.json(&["ingest", "copy", "--set", &model]).1;
    assert_eq!((&last["removed"], &last["sources"]), (&json!([one]), &json!(1)), "{last}");
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
        let shown = place.json(&["papers", "show", one, "--index", "lib/index"]).1;
        (shown["path"].as_str().expect("a path").to_owned(), shown["paths"].clone())
    };
    assert!(show().0.ends_with(&format!("/lib/a/{one}.pdf")), "{:?}", show());
    let args = ["ingest", "lib/a", "--index", "lib/index", "--set", &model];
    let done = place.json(&args).1;
    assert_eq!((&done["moved"], &done["sources"]), (&json!(2), &json!(2)), "{done}");
    assert_eq!(show().1, json!([show().0]));
}
