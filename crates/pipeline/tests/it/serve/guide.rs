//! The requests of the guide.

use super::client::{Server, animals, guide};
use crate::common::root;
use std::process::Command;

#[test]
fn the_requests_of_the_guide_are_answered() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("skipped: curl is not installed");
        return;
    }
    let Some(place) = animals() else { return };
    let paper = std::fs::read(root().join("corpus/tandrik_2021_vo2_walkers.pdf")).expect("a paper");
    place.write("papers/walkers_2021.pdf", &paper);
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let guide = guide();
    let blocks = guide.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    // Commands of the program are no requests.
    let script: String =
        blocks.map(|(block, _)| block).filter(|block| !block.starts_with("pipeline ")).collect();
    assert!(script.matches("curl ").count() > 20, "{script}");
    let own = script.replace("http://127.0.0.1:8000", &format!("http://{}", server.address));
    let ran =
        Command::new("sh").args(["-eu", "-c", &own]).current_dir(place.path(".")).output().expect("runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{err}\n{out}");
    for part in
        ["event: answer", "\"overall_pass\"", "\"q_001\"", "\"rag_score\"", "otters_2020", "\"text_only\""]
    {
        assert!(out.contains(part), "{part} is not in {out}");
    }
    let image = std::fs::read(place.path("page.png")).expect("a picture");
    assert!(image.starts_with(b"\x89PNG"));
}
