//! A change reaches the stages that depend on it, and the papers that it concerns, and no others.

use crate::common::{Place, natives};
use serde_json::Value;
use std::collections::BTreeMap;

const PAPERS: [&str; 3] = [
    "tandrik_2021_vo2_walkers.pdf",
    "waxenhoult_2023_cadence_short.pdf",
    "crostellan_2021_fibre_crossover.pdf",
];
const OTHER: &str = "quessmere_2023_mvpa_mortality.pdf";

/// A folder of papers, and the arguments that ingest it with a fast model.
fn start(papers: &[&str]) -> Option<(Place, Vec<String>)> {
    let place = Place::new(Some(natives()?));
    for paper in papers {
        place.paper(paper);
    }
    let args = ["ingest", "papers", "--set", &place.model(1)].map(str::to_owned);
    Some((place, args.to_vec()))
}

fn ingest(place: &Place, args: &[String], more: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let (code, summary) = place.json(&args);
    assert_eq!(code, 0, "{summary}");
    summary
}

/// What was made by each stage: documents, documents, texts.
fn done(summary: &Value) -> [u64; 3] {
    ["parse", "chunk", "embed"].map(|stage| summary["stages"][stage]["done"].as_u64().expect("a number"))
}

#[test]
fn chunk_settings_neither_read_nor_embed_sentences_again() {
    let Some((place, args)) = start(&PAPERS) else {
        return;
    };
    let first = ingest(&place, &args, &[]);
    let (_, stats) = place.json(&["index", "stats"]);
    let count = |stats: &Value, key: &str| stats[key].as_u64().expect("a number");
    let texts = count(&stats, "windows") + count(&stats, "sentences");
    assert_eq!(done(&first), [3, 3, texts]);

    // Smaller chunks: windows that are new are embedded, sentences and windows that stay are not.
    let smaller = ingest(&place, &args, &["--set", "chunk.max_tokens=300"]);
    let (_, now) = place.json(&["index", "stats"]);
    let [parsed, cut, embedded] = done(&smaller);
    assert_eq!((parsed, cut), (0, 3), "{smaller}");
    assert_eq!(smaller["pages_read"], 0);
    assert!(0 < embedded && embedded <= count(&now, "windows"), "{smaller}");
    assert_eq!(count(&now, "sentences"), count(&stats, "sentences"));

    // Another overlap: not even all windows.
    let overlap =
        ingest(&place, &args, &["--set", "chunk.max_tokens=300", "--set", "chunk.overlap_tokens=40"]);
    let [parsed, cut, embedded] = done(&overlap);
    assert_eq!((parsed, cut), (0, 3), "{overlap}");
    assert!(embedded < count(&now, "windows"), "{overlap}");

    // Back again: everything comes from the cache. Then nothing at all.
    let [parsed, cut, embedded] = done(&ingest(&place, &args, &[]));
    assert_eq!((parsed, cut), (0, 3));
    assert_eq!(embedded, 0);
    assert_eq!(done(&ingest(&place, &args, &[])), [0, 0, 0]);
    let said = place.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).stdout();
    assert!(said.contains("parsed 0 (3 reused), chunked 0 (3 reused), embedded 0 of "), "{said}");
}

#[test]
fn another_model_reads_nothing_again() {
    let Some((place, args)) = start(&PAPERS) else {
        return;
    };
    let first = ingest(&place, &args, &[]);
    let before = content(&place, &first);
    let second = ingest(&place, &args, &["--set", &place.model(2)]);
    assert_eq!(done(&second), [0, 3, done(&first)[2]]);
    assert_eq!(second["changed"], 3);
    // The index has other vectors than the settings ask for.
    place
        .run(&["search", "walking speed", "--set", &args[3]])
        .fails_with(2, &["the index was made with the embedding model", "ingest again"]);
    let after = content(&place, &second);
    for (source, held) in &before {
        assert_eq!(held.chunks, after[source].chunks, "{source}");
        assert_ne!(held.sentences, after[source].sentences, "{source}");
    }
    // The same vectors whether they were made at once or in turn.
    let third = ingest(&place, &args, &[]);
    assert_eq!(content(&place, &third), before);
}

#[test]
fn a_file_changes_only_its_own_chunks() {
    let Some((place, args)) = start(&PAPERS) else {
        return;
    };
    let first = ingest(&place, &args, &[]);
    let before = content(&place, &first);
    let same = |after: &BTreeMap<String, Held>, except: &[&str]| {
        for (source, held) in before.iter().filter(|(source, _)| !except.contains(&source.as_str())) {
            assert_eq!(after.get(source), Some(held), "{source}");
        }
    };

    place.paper(OTHER);
    let added = ingest(&place, &args, &[]);
    assert_eq!(done(&added)[..2], [1, 1]);
    let after = content(&place, &added);
    assert_eq!(after.len(), 4);
    same(&after, &[]);
    // One more under a name that is taken: the new one gives way.
    std::fs::create_dir(place.path("papers/sub")).expect("made");
    let other = std::fs::read(place.path("papers").join(OTHER)).expect("reads");
    place.write(&format!("papers/sub/{}", PAPERS[0]), &[&other[..], b"\n"].concat());
    let added = ingest(&place, &args, &[]);
    let after = content(&place, &added);
    assert_eq!(after.len(), 5);
    assert!(after.keys().any(|id| id.starts_with("tandrik_2021_vo2_walkers-")), "{:?}", after.keys());
    same(&after, &[]);
    std::fs::remove_dir_all(place.path("papers/sub")).expect("removed");
    ingest(&place, &args, &[]);

    // Another paper under the name of one that is indexed.
    std::fs::remove_file(place.path("papers").join(OTHER)).expect("removed");
    place.write(&format!("papers/{}", PAPERS[0]), &[&other[..], b"\n\n"].concat());
    let changed = ingest(&place, &args, &[]);
    assert_eq!((done(&changed)[0], &changed["changed"], &changed["sources"]), (1, &1.into(), &3.into()));
    let after = content(&place, &changed);
    same(&after, &["tandrik_2021_vo2_walkers"]);
    assert_ne!(after["tandrik_2021_vo2_walkers"], before["tandrik_2021_vo2_walkers"]);

    std::fs::remove_file(place.path("papers").join(PAPERS[0])).expect("removed");
    let removed = ingest(&place, &args, &[]);
    assert_eq!((done(&removed), &removed["sources"]), ([0, 0, 0], &2.into()));
    let after = content(&place, &removed);
    assert_eq!(after.len(), 2);
    same(&after, &["tandrik_2021_vo2_walkers"]);
}

/// What a generation holds of a source, as bytes.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    chunks: Vec<u8>,
    windows: Vec<u8>,
    sentences: Vec<u8>,
}

/// The content of the generation that a run made current, by source.
fn content(place: &Place, summary: &Value) -> BTreeMap<String, Held> {
    let path = place.path(&format!("index/generations/{}/manifest.json", summary["generation"]));
    let manifest: Value = serde_json::from_slice(&std::fs::read(path).expect("reads")).expect("JSON");
    let dimension = manifest["dimension"].as_u64().expect("a number") as usize;
    let mut content = BTreeMap::new();
    for entry in manifest["segments"].as_array().expect("a list") {
        let dead: Vec<&Value> = entry["dead"].as_array().expect("a list").iter().collect();
        let mut segment = segment_content(place, &entry["segment"], dimension);
        segment.retain(|id, _| !dead.contains(&&Value::from(id.as_str())));
        content.extend(segment);
    }
    content
}

/// The content of a segment, by source.
fn segment_content(place: &Place, number: &Value, dimension: usize) -> BTreeMap<String, Held> {
    let folder = place.path(&format!("index/segments/{number}"));
    let read = |name: &str| std::fs::read(folder.join(name)).expect("reads");
    let record: Value = serde_json::from_slice(&read("segment.json")).expect("JSON");
    let lines: Vec<Vec<u8>> =
        read("chunks.jsonl").split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let (windows, sentences) = (read("windows.f32"), read("sentences.i8"));
    let one = |source: &Value| {
        let rows = |key: &str| {
            let row = |at: usize| source[key][at].as_u64().expect("a row") as usize;
            row(0)..row(1)
        };
        let bytes = |table: &[u8], rows: std::ops::Range<usize>, width: usize| {
            table[rows.start * width..rows.end * width].to_vec()
        };
        let held = Held {
            chunks: lines[rows("chunks")].concat(),
            windows: bytes(&windows, rows("windows"), 4 * dimension),
            sentences: bytes(&sentences, rows("sentences"), dimension),
        };
        (source["meta"]["source_id"].as_str().expect("an id").to_owned(), held)
    };
    let sources = record["sources"].as_array().expect("a list");
    sources.iter().map(one).collect()
}
