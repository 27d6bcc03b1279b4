//! Papers that are no PDFs, manifests, and dry runs.

use crate::common::{self, Place};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};

const NOTES: &str = "---\ntitle: Sleep of garden snails\nauthors: [Jane Doe]\n---\n\n## Methods\n\nWe watched **twelve** snails.\n";
const ARTICLE: &str = "<article><front><article-meta><title-group><article-title>Slugs at night</article-title></title-group>\
    </article-meta></front><body><sec><title>Results</title><p>Slugs slept for seven hours.</p></sec></body></article>";

fn record(id: &str, text: &str) -> String {
    json!({"_id": id, "title": "A title", "text": text}).to_string()
}

/// How many entries of a dry run each action has.
fn actions(plan: &Value) -> BTreeMap<String, u64> {
    serde_json::from_value(plan["counts"].clone()).expect("counts")
}

#[test]
fn every_format_is_parsed_without_natives() {
    let place = Place::new(None);
    place.write("notes.md", NOTES.as_bytes());
    place.write("slugs.nxml", ARTICLE.as_bytes());
    place.write("plain.txt", b"A plain title\n\n1. Methods\n\nGr\xf6\xdfe matters.\n");
    place.write("corpus.jsonl", [record("MED-1", "One."), "{torn".to_owned()].join("\n").as_bytes());
    place.write("lying.txt", ARTICLE.as_bytes());
    let check = |file: &str, title: &str, section: (&str, &str), text: &str| {
        let (code, d) = place.json(&["parse", file]);
        assert_eq!((code, &d["title"], &d["pages"]), (0, &title.into(), &1.into()), "{d}");
        let first = &d["sections"][0];
        assert_eq!((&first["name"], &first["heading"]), (&section.0.into(), &section.1.into()), "{d}");
        assert_eq!(first["text"], text, "{d}");
    };
    check("notes.md", "Sleep of garden snails", ("methods", "Methods"), "We watched twelve snails.");
    check("slugs.nxml", "Slugs at night", ("results", "Results"), "Slugs slept for seven hours.");
    check("lying.txt", "Slugs at night", ("results", "Results"), "Slugs slept for seven hours.");
    check("plain.txt", "A plain title", ("methods", "1. Methods"), "Größe matters.");
    let (code, all) = place.json(&["parse", "corpus.jsonl"]);
    assert_eq!((code, &all["documents"][0]["source_id"]), (1, &"med-1".into()), "{all}");
    assert_eq!(all["refused"][0]["line"], 2, "{all}");
    let (code, one) = place.json(&["parse", "corpus.jsonl", "--record", "MED-1"]);
    assert_eq!((code, &one["sections"][0]["text"]), (0, &"One.".into()), "{one}");
    place.run(&["parse", "corpus.jsonl", "--record", "MED-2"]).fails_with(2, &["MED-2"]);
    place.write("zip.md", b"PK\x03\x04\0\0");
    place.run(&["parse", "zip.md"]).fails_with(2, &["zip.md", "the archive"]);
}

#[test]
fn a_dry_run_writes_nothing_and_needs_no_natives() {
    let place = Place::new(None);
    place.write("papers/notes.md", NOTES.as_bytes());
    place.write("papers/slugs.xml", ARTICLE.as_bytes());
    place.write("papers/slugs.pdf", b"%PDF-1.7");
    place.write("papers/queries.jsonl", b"{\"_id\": \"1\", \"text\": \"why?\"}");
    place.write("papers/README.md", b"words");
    place.write("papers/manifest.csv", b"source_id,title\nnotes,T\nnobody,T\n");
    let (code, plan) = place.json(&["ingest", "papers", "--dry-run"]);
    assert_eq!((code, &plan["dry_run"]), (0, &true.into()), "{plan}");
    let want = [("add", 3), ("skipped", 2)];
    assert_eq!(actions(&plan), want.map(|(a, n)| (a.to_owned(), n)).into(), "{plan}");
    let notes = plan["warnings"].to_string();
    assert!(notes.contains("line 3: no file is called nobody"), "{notes}");
    for name in ["index", "logs"] {
        assert!(!place.path(name).exists(), "{name}");
    }
    let text = place.run(&["ingest", "papers", "--dry-run"]).stdout();
    assert!(text.contains("slugs.pdf") && text.contains("3 to add"), "{text}");
    place.run(&["ingest", "nowhere", "--dry-run"]).fails_with(2, &["nowhere"]);
}

#[test]
fn the_sample_corpus_holds_its_papers_alone() {
    let place = Place::new(None);
    let corpus = common::root().join("corpus");
    let (_, plan) = place.json(&["ingest", corpus.to_str().expect("text"), "--dry-run"]);
    let entries = plan["entries"].as_array().expect("entries");
    let added: Vec<&str> = entries
        .iter()
        .filter(|e| e["action"] == "add")
        .filter_map(|e| Path::new(e["path"].as_str()?).file_stem()?.to_str())
        .collect();
    let manifest = std::fs::read_to_string(corpus.join("manifest.csv")).expect("a manifest");
    let mut rows: Vec<&str> = manifest.lines().skip(1).filter_map(|l| l.split(',').next()).collect();
    rows.sort_unstable();
    assert_eq!(added, rows, "{plan}");
}
