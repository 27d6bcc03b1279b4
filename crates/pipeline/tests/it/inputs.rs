//! Papers that are no PDFs, manifests, and dry runs.

use crate::common;
use crate::common::{Place, natives};
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

fn sources(found: &Value) -> Vec<&str> {
    let hits = found["hits"].as_array().expect("hits");
    hits.iter().map(|h| h["source_id"].as_str().expect("text")).collect()
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
    place.run(&["parse", "notes.md", "--record", "x"]).fails_with(2, &["one document"]);

    place.write("zip.md", b"PK\x03\x04\0\0");
    place.run(&["parse", "zip.md"]).fails_with(2, &["zip.md", "a zip archive"]);
    place.write("page.xml", b"<project/>");
    place.run(&["parse", "page.xml"]).fails_with(2, &["<project>"]);
    place.write("only/page.xml", b"<project/>");
    place.run(&["ingest", "only", "--dry-run"]).fails_with(2, &["no paper was found", "<project>"]);
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

#[test]
fn changes_reach_what_they_concern_and_a_dry_run_foretells_them() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let corpus = |lines: &[String]| place.write("papers/corpus.jsonl", lines.join("\n").as_bytes());
    corpus(&[
        record("a", "Whales sing in winter."),
        record("b", "Bats hang by day."),
        record("c", "Owls hunt by night."),
    ]);
    place.write("papers/notes.md", NOTES.as_bytes());
    place.write("papers/slugs.xml", ARTICLE.as_bytes());
    place.write(
        "papers/manifest.csv",
        b"source_id,title,tags\nslugs,Known slugs,slime; night\nb,Known bats,\n",
    );
    // Runs dry, then for good; the two must agree.
    let ingest = |want: [u64; 4]| {
        let plan = place.json(&["ingest", "papers", "--dry-run"]).1;
        let (code, done) = place.json(&["ingest", "papers"]);
        assert_eq!(code, 0, "{done}");
        let removed = done["removed"].as_array().expect("a list").len() as u64;
        let seen =
            [&done["added"], &done["changed"], &done["unchanged"]].map(|n| n.as_u64().expect("a number"));
        assert_eq!([seen[0], seen[1], seen[2], removed], want, "{done}");
        let of = |action| actions(&plan).get(action).copied().unwrap_or(0);
        assert_eq!(["add", "change", "keep", "remove"].map(of), want, "{plan}");
        done
    };
    ingest([5, 0, 0, 0]);
    ingest([0, 0, 5, 0]);
    let found = place.json(&["search", "when do bats hang", "-k", "2"]).1;
    assert_eq!(sources(&found)[0], "b", "{found}");
    let segment = std::fs::read_to_string(place.path("index/segments/1/segment.json")).expect("readable");
    let segment: Value = serde_json::from_str(&segment).expect("JSON");
    let slugs =
        segment["sources"].as_array().expect("sources").iter().find(|s| s["meta"]["source_id"] == "slugs");
    let meta = &slugs.expect("slugs")["meta"];
    assert_eq!(
        (&meta["title"], &meta["tags"]),
        (&"Known slugs".into(), &json!(["slime", "night"])),
        "{meta}"
    );

    // A row of the manifest changes: its source alone.
    place.write(
        "papers/manifest.csv",
        b"source_id,title,tags\nslugs,Known slugs,slime; night\nb,Other bats,\n",
    );
    ingest([0, 1, 4, 0]);
    // A line changes, one goes, one comes.
    corpus(&[
        record("a", "Whales sing in winter."),
        record("b", "Bats fly by night."),
        record("d", "Newts swim in spring."),
    ]);
    assert_eq!(ingest([1, 1, 3, 1])["removed"], json!(["c"]));
    let found = place.json(&["search", "when do bats hang", "--mode", "bm25"]).1;
    assert!(!found.to_string().contains("hang by day"), "{found}");
    // Another folder leaves the manifest's word in place.
    place.write("more/more.md", b"# More\n\n## Results\n\nFrogs croak.\n");
    let (_, more) = place.json(&["ingest", "more"]);
    assert_eq!((&more["added"], &more["sources"]), (&1.into(), &6.into()), "{more}");
    ingest([0, 0, 5, 0]);
    // A file that moves keeps its name; other chunks are other settings.
    std::fs::create_dir(place.path("papers/sub")).expect("made");
    std::fs::rename(place.path("papers/notes.md"), place.path("papers/sub/notes.md")).expect("moved");
    ingest([0, 1, 4, 0]);
    let plan = place.json(&["ingest", "papers", "--dry-run", "--set", "chunk.max_tokens=400"]).1;
    assert_eq!(actions(&plan)["change"], 6, "those of other folders too: {plan}");
}
