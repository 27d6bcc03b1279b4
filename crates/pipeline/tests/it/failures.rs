//! What a failed file costs, and when it is tried again.
#![cfg(target_os = "linux")]

use crate::common::{Place, ctrl_c, natives, wait_for};
use serde_json::Value;
use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const PAPER: &str = "waxenhoult_2023_cadence_short.pdf";

struct World {
    place: Place,
    model: String,
}

impl World {
    fn new() -> Option<Self> {
        let place = Place::new(Some(natives()?));
        if !cfg!(debug_assertions) {
            eprintln!("skipped: faults can be asked for in debug builds only");
            return None;
        }
        place.paper(PAPER);
        let model = place.model(1);
        Some(Self { place, model })
    }

    fn command(&self, fault: &str, more: &[&str]) -> Command {
        let args = [&["ingest", "papers", "--format", "json", "--set", &self.model][..], more].concat();
        let mut command = self.place.command(&args);
        command.env("INGEST_WORKER_FAULT", fault);
        command
    }

    /// Ingests and gives how many files were added, failed now, and were not tried since they failed before.
    fn ingest(&self, fault: &str, more: &[&str]) -> (u64, usize, usize) {
        let out = self.command(fault, more).output().expect("runs");
        counts(&out.stdout)
    }
}

fn counts(stdout: &[u8]) -> (u64, usize, usize) {
    let summary: Value = serde_json::from_slice(stdout).expect("JSON");
    let list = |key: &str| summary[key].as_array().expect("a list").len();
    (summary["added"].as_u64().expect("a number"), list("failed"), list("failed_before"))
}

/// Processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("lists").flatten();
    let of_parent = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // Behind the name, which may hold anything: state, parent.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        rest.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(of_parent).collect()
}

#[test]
fn crashes_and_timeouts_are_remembered_until_something_changes() {
    let Some(world) = World::new() else { return };
    let again = ["--retry-failed"];
    let seconds = |n: &'static str| ["--set", n];
    // A crash is the file's own: it is not tried again until that is asked for.
    assert_eq!(world.ingest("abort:waxenhoult", &[]), (0, 1, 0));
    assert_eq!(world.ingest("", &[]), (0, 0, 1));
    // Asked for, it crashes and is remembered again; then other limits try it too.
    assert_eq!(world.ingest("abort:waxenhoult", &again), (0, 1, 0));
    assert_eq!(world.ingest("", &[]), (0, 0, 1));
    assert_eq!(world.ingest("hang:waxenhoult", &seconds("ingest.seconds_per_file=1")), (0, 1, 0));
    assert_eq!(world.ingest("", &seconds("ingest.seconds_per_file=1")), (0, 0, 1));
    assert_eq!(world.ingest("", &seconds("ingest.seconds_per_file=20")), (1, 0, 0));
    // Read once, it is no failure any more, whatever the limits.
    assert_eq!(world.ingest("", &seconds("ingest.seconds_per_file=1")), (0, 0, 0));
    let (_, stats) = world.place.json(&["index", "stats"]);
    assert_eq!(stats["failed"], serde_json::json!([]));
}

#[test]
fn a_reader_that_someone_else_ended_is_not_the_files_fault() {
    let Some(world) = World::new() else { return };
    for signal in ["KILL", "TERM"] {
        let ingest = world
            .command("hang:waxenhoult", &[])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        let deadline = Instant::now() + Duration::from_mins(1);
        let worker = loop {
            if let Some(worker) = children(ingest.id()).first() {
                break *worker;
            }
            assert!(Instant::now() < deadline, "no reader was started");
            std::thread::sleep(Duration::from_millis(20));
        };
        // Long enough to have begun with the file.
        std::thread::sleep(Duration::from_millis(300));
        let killed = Command::new("kill").args([format!("-{signal}"), worker.to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let out = ingest.wait_with_output().expect("ends");
        assert_eq!(counts(&out.stdout), (0, 1, 0), "{signal}");
        let (_, failed) = (signal, world.place.path("index/failed.json"));
        assert!(!failed.exists(), "{signal}: {:?}", fs::read_to_string(failed));
    }
    assert_eq!(world.ingest("", &[]), (1, 0, 0));
}

#[test]
fn a_stopped_run_keeps_what_it_learned() {
    let Some(world) = World::new() else { return };
    world.place.write("papers/a_broken.pdf", b"%PDF-1.7\nnothing of a PDF follows");
    let ingest = world
        .command("hang:waxenhoult", &["--workers", "1", "--set", "ingest.seconds_per_file=3"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    wait_for("a reader", || !children(ingest.id()).is_empty());
    std::thread::sleep(Duration::from_millis(300));
    // Ctrl-C: the file at hand is given up when its time is over, no other is begun.
    ctrl_c(ingest).0.fails_with(2, &[]);
    let kept = fs::read_to_string(world.place.path("index/failed.json")).expect("a list");
    assert!(kept.contains("a_broken.pdf"), "{kept}");
    assert_eq!(world.ingest("", &[]), (1, 0, 1));
}
