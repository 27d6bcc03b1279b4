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
