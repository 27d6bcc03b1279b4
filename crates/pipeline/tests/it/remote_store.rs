//! The index in a Qdrant server: the answers of the embedded one, loaded whole or in parts, also when something is killed.

use crate::common::Place;
use serde_json::Value;
use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};
use testkit::qdrant::QdrantServer;

const PAPERS: [&str; 3] = [
    "tandrik_2021_vo2_walkers.pdf",
    "waxenhoult_2023_cadence_short.pdf",
    "crostellan_2021_fibre_crossover.pdf",
];
const QUESTION: &str = "Did walking raise VO2max, and by how much?";

/// Papers, the setting of their model, and a server.
struct World {
    place: Place,
    model: String,
    server: QdrantServer,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Option<Self> {
        let (place, model) = Place::fast()?;
        for paper in PAPERS {
            place.paper(paper);
        }
        let folder = QdrantServer::folder();
        let server = QdrantServer::any(folder.path());
        Some(Self { place, model, server, folder })
    }

    /// The arguments with those that name the model and a collection.
    fn args(&self, collection: &str, args: &[&str]) -> Vec<String> {
        let own = format!("{collection}-{}", std::process::id());
        let sets = [
            self.model.clone(),
            "store.kind=qdrant".to_owned(),
            format!("store.url={}", self.server.url),
            format!("store.collection={own}"),
            "store.timeout_seconds=3".to_owned(),
        ];
        let sets = sets.into_iter().flat_map(|set| ["--set".to_owned(), set]);
        args.iter().map(|arg| (*arg).to_owned()).chain(sets).collect()
    }

    fn done(&self, collection: &str, args: &[&str]) -> Value {
        let args = self.args(collection, args);
        self.place.done(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Hits of a search: chunk, and its scores.
    fn hits(found: &Value) -> Vec<(String, [f64; 3])> {
        let hit = |hit: &Value| {
            let scores = ["vector_score", "bm25_score", "combined_score"];
            (hit["chunk_id"].to_string(), scores.map(|name| hit[name].as_f64().unwrap_or(f64::NAN)))
        };
        let hits: Vec<_> = found["hits"].as_array().into_iter().flatten().map(hit).collect();
        assert!(hits.len() > 2, "{found}");
        hits
    }

    fn same_as_embedded(&self, collection: &str) {
        for mode in ["hybrid", "vector", "bm25"] {
            let search = ["search", QUESTION, "--mode", mode];
            let embedded = self.place.done(&[&search[..], &["--set", &self.model]].concat());
            let (remote, embedded) = (Self::hits(&self.done(collection, &search)), Self::hits(&embedded));
            assert_eq!(remote.len(), embedded.len(), "{mode}");
            for (one, other) in remote.iter().zip(&embedded) {
                let near = one.1.iter().zip(other.1).all(|(one, other)| (one - other).abs() < 1e-4);
                assert!(one.0 == other.0 && near, "{mode}: {one:?} {other:?}");
            }
        }
    }
}

#[test]
fn it_answers_as_the_embedded_index_does_and_says_when_the_server_is_gone() {
    let Some(mut world) = World::new() else { return };
    world.place.done(&["ingest", "papers", "--set", &world.model]);
    let summary = world.done("whole", &["ingest", "papers"]);
    assert_eq!((summary["sources"].as_u64(), summary["generation"].as_u64()), (Some(3), Some(1)));
    world.same_as_embedded("whole");
    let asked = ["ask", QUESTION];
    let embedded = world.place.json(&[&asked[..], &["--set", &world.model]].concat());
    let args = world.args("whole", &asked);
    let remote = world.place.json(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((remote.0, &remote.1["answer"]), (embedded.0, &embedded.1["answer"]));
    assert_eq!(world.done("whole", &["index", "verify"])["ok"], true);
    assert_eq!(world.done("whole", &["index", "stats"])["sources"], 3);
    // Another paper goes and comes back: the same again.
    std::fs::remove_file(world.place.path("papers").join(PAPERS[2])).expect("removed");
    assert_eq!(world.done("whole", &["ingest", "papers"])["sources"], 2);
    world.place.paper(PAPERS[2]);
    world.done("whole", &["ingest", "papers"]);
    world.same_as_embedded("whole");
    world.done("whole", &["index", "compact"]);
    world.same_as_embedded("whole");
    if world.server.process.is_none() {
        return;
    }
    world.server.kill();
    let started = Instant::now();
    let ran = world.place.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    ran.fails_with(2, &["cannot reach Qdrant", &world.server.url, "store.url"]);
    assert!(
        ran.stdout().is_empty() && started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn parts_that_are_killed_and_run_again_make_the_same_index() {
    let Some(mut world) = World::new() else { return };
    world.place.done(&["ingest", "papers", "--set", &world.model]);
    let owned = world.server.process.is_some();
    for (round, millis) in [400_u64, 1_500, 2_600].into_iter().enumerate() {
        for part in ["1/2", "2/2"] {
            let args = world.args("parts", &["ingest", "papers", "--part", part]);
            let mut command = world.place.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
            thread::sleep(Duration::from_millis(millis));
            let _ = child.kill();
            let _ = child.wait();
        }
        if owned && round == 1 {
            // The server, too.
            let port = world.server.port();
            world.server.kill();
            world.server = QdrantServer::stand_in(world.folder.path(), port, &[]);
        }
    }
    let first = world.done("waiting", &["ingest", "papers", "--part", "1/2"]);
    assert!(first["pending"].as_u64() > Some(0) && first["pending"] == first["found"], "{first}");
    assert_eq!(world.done("waiting", &["ingest", "papers", "--part", "2/2"])["sources"], 3);
    world.done("parts", &["ingest", "papers", "--part", "1/2"]);
    world.done("parts", &["ingest", "papers", "--part", "2/2"]);
    let verified = world.done("parts", &["index", "verify"]);
    assert_eq!((&verified["ok"], verified["sources"].as_u64()), (&Value::Bool(true), Some(3)), "{verified}");
    world.same_as_embedded("parts");
    // Once more: nothing is stored twice.
    world.done("parts", &["ingest", "papers", "--part", "2/2"]);
    assert_eq!(world.done("parts", &["index", "stats"])["sources"], 3);
    world.same_as_embedded("parts");
}
