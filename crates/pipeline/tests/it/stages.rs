//! A change reaches the stages that depend on it, and no others.

use crate::common::Place;
use serde_json::Value;

const PAPERS: [&str; 3] = [
    "tandrik_2021_vo2_walkers.pdf",
    "waxenhoult_2023_cadence_short.pdf",
    "crostellan_2021_fibre_crossover.pdf",
];

/// A folder of papers, and the arguments that ingest it with a fast model.
fn start() -> Option<(Place, Vec<String>)> {
    let place = Place::with_natives()?;
    for paper in PAPERS {
        place.paper(paper);
    }
    let args = ["ingest", "papers", "--set", &place.model(1)].map(str::to_owned);
    Some((place, args.to_vec()))
}

fn ingest(place: &Place, args: &[String], more: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    place.done(&args)
}

/// What was made by each stage: documents, documents, texts.
fn done(summary: &Value) -> [u64; 3] {
    ["parse", "chunk", "embed"].map(|stage| summary["stages"][stage]["done"].as_u64().expect("a number"))
}

#[test]
fn chunk_settings_neither_read_nor_embed_sentences_again() {
    let Some((place, args)) = start() else {
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

    // Back again: everything comes from the cache. Then nothing at all.
    assert_eq!(done(&ingest(&place, &args, &[])), [0, 3, 0]);
    assert_eq!(done(&ingest(&place, &args, &[])), [0, 0, 0]);
    // Another model reads nothing again, and its index has other vectors than the settings ask for.
    assert_eq!(done(&ingest(&place, &args, &["--set", &place.model(2)])), [0, 3, texts]);
    place
        .run(&["search", "walking speed", "--set", &args[3]])
        .fails_with(2, &["the index was made with the embedding model", "ingest again"]);
}
