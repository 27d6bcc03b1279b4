//! Cases that people reported of other tools, for files and folders: run where `../shared/data/cases` is present.

use crate::common::{Place, natives, root};
use serde_json::{Value, json};
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
    for entry in fs::read_dir(from).expect("reads").map(|entry| entry.expect("reads").path()) {
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

#[test]
fn what_evaluate_advises_for_questions_works() {
    let Some((place, model)) = case("54-goldens-hint") else {
        return;
    };
    place.paper("waxenhoult_2023_cadence_short.pdf");
    assert_eq!(place.run(&["ingest", "papers", "--set", &model]).code(), 0);
    for file in
        ["deepeval-noactual.json", "ragas-nullresponse.jsonl", "ragas-testset.jsonl", "ragas-testset.json"]
    {
        let file = format!("case/{file}");
        place
            .run(&["evaluate", &file])
            .fails_with(2, &["has questions but no answers", &format!("`pipeline eval --queries {file}`")]);
        let ran = place.run(&["eval", "--queries", &file, "--set", &model]);
        assert_eq!(ran.code(), 0, "{file}: {}", ran.stderr());
        assert!(ran.stdout().contains(" 1 question, mode hybrid and vector"), "{}", ran.stdout());
    }
}

/// What is known of each paper, by title.
fn papers(place: &Place) -> Vec<(String, Value)> {
    let list = place.json(&["sources"]).1;
    let each = list["sources"].as_array().expect("a list").iter();
    each.map(|source| (source["title"].as_str().unwrap_or_default().to_owned(), source.clone())).collect()
}

#[test]
fn a_bibliography_of_accents_is_read() {
    let Some((place, model)) = case("30-bibtex-accents") else {
        return;
    };
    let (code, done) = place.json(&["ingest", "case", "--set", &model]);
    assert_eq!((code, &done["added"], &done["warnings"]), (0, &json!(7), &json!([])), "{done}");
    let papers = papers(&place);
    let of = |title: &str| {
        let found = papers.iter().find(|(own, _)| own == title);
        found.unwrap_or_else(|| panic!("{title:?} is none of {papers:?}")).1.clone()
    };
    assert_eq!(
        of("Capsule graphs in web ontologies of sleep")["authors"],
        json!(["Xuân Thắng Nguyễn", "Huu Tam Tran"])
    );
    let review = of("Magnesium > starch: an umbrella review of RCTs");
    assert_eq!(
        review["authors"],
        json!(["J. P. van der Berg", "María de la Cruz", "World Sleep Organization", "Pat O'Neil Jr."])
    );
    assert_eq!(
        of("Bounds on the Price of Night Capsules")["authors"],
        json!(["Tobias Brunnel", "Anna Großwend", "Heiko Röglin", "José Álvarez", "Øystein Løken"])
    );
    let verbs = of("Verbs of sleeping in the northern dialect");
    assert_eq!(verbs["authors"], json!(["Jolanta Kovalevskaitė", "İlker Bartş", "P. Šimůnek"]));
    assert_eq!((&verbs["venue"], &verbs["year"]), (&json!("Journal of Night Medicine"), &json!(2018)));
    assert_eq!(of("Strings and concatenation in sleep research")["year"], 2009);
}

#[test]
fn names_in_other_scripts_give_ids_to_read() {
    let Some((place, model)) = case("56-source-ids") else {
        return;
    };
    let name = "case/Nu\u{301}n\u{303}ez_2015_suen\u{303}o.md";
    place.write(name, "# Sue\u{f1}o\n\nThe marker of sleep rose by 12 percent in all adults.\n".as_bytes());
    assert_eq!(place.json(&["ingest", "case", "--set", &model]).1["added"], 4);
    let papers = papers(&place);
    let ids: Vec<&str> = papers.iter().filter_map(|(_, source)| source["source_id"].as_str()).collect();
    assert_eq!(ids, ["lun_wen_er", "lun_wen_yi", "nunez_2015_sueno", "statia"]);
    // Renamed, as a copy on another system is: the same paper.
    fs::rename(place.path(name), place.path("case/N\u{fa}\u{f1}ez_2015_sue\u{f1}o.md")).expect("renamed");
    let again = place.json(&["ingest", "case", "--set", &model]).1;
    assert_eq!(
        (&again["added"], &again["moved"], &again["sources"]),
        (&json!(0), &json!(1), &json!(4)),
        "{again}"
    );
}

#[test]
fn lines_of_chinese_are_joined_without_a_space() {
    let Some((place, _)) = case("64-chinese-pdf-lines") else {
        return;
    };
    let (_, paper) = place.json(&["parse", "case/yoga.pdf"]);
    let text = paper["sections"].to_string();
    for words in ["瑜伽组每周练习两次", "短暂的肌肉酸痛"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let headings = paper["sections"].as_array().expect("a list").iter();
    let headings: Vec<&str> = headings.filter_map(|section| section["heading"].as_str()).collect();
    assert!(!headings.concat().contains("2.8"), "{headings:?}");
}
