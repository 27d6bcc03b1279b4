//! kill -9 at seeded moments of real runs: the old or the new generation opens, is whole and answers, the next
//! run finishes, and nothing is left lying about.

use crate::common::Place;
use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

const KEPT: [&str; 2] = ["tandrik_2021_vo2_walkers.pdf", "waxenhoult_2023_cadence_short.pdf"];
/// In the folder in every other round.
const COMES_AND_GOES: &str = "crostellan_2021_fibre_crossover.pdf";

/// A seeded spread of shares of a run: one in each of `count` equal parts, so that no part of it is left out.
fn shares(count: u32, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|at| (f64::from(at) + next()) / f64::from(count)).collect()
}

/// A folder whose index is killed and finished, round after round.
struct World {
    place: Place,
    model: String,
}

impl World {
    fn new() -> Option<Self> {
        let place = Place::with_natives()?;
        for paper in KEPT {
            place.paper(paper);
        }
        fs::create_dir(place.path("temporary")).expect("made");
        let model = place.model(1);
        Some(Self { place, model })
    }

    /// The run of a round: chunks of another size, so that every paper is made anew, and a paper more or less.
    fn args(&self, round: u32) -> Vec<String> {
        let size = format!("chunk.max_tokens={}", 300 + round);
        let args = ["ingest", "papers", "--quiet", "--set", &self.model, "--set", &size];
        args.map(str::to_owned).to_vec()
    }

    fn change(&self, round: u32) {
        if round.is_multiple_of(2) {
            fs::remove_file(self.place.path("papers").join(COMES_AND_GOES)).expect("removed");
        } else {
            self.place.paper(COMES_AND_GOES);
        }
    }

    /// Runs to the end, or kills the run at a moment; says whether it was killed.
    fn run(&self, round: u32, moment: Option<Duration>) -> bool {
        let args = self.args(round);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut child = self
            .place
            .command(&args)
            .env("TMPDIR", self.place.path("temporary"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        if let Some(moment) = moment {
            thread::sleep(moment);
            // SIGKILL; a run that has ended already is as good.
            let _ = child.kill();
        }
        let status = child.wait().expect("waited for");
        assert!(moment.is_some() || status.code() == Some(0), "round {round}: {status}");
        status.code().is_none()
    }

    /// The current generation, which is whole and answers.
    fn generation(&self, round: u32) -> Option<u64> {
        let search = ["search", "walking", "--mode", "bm25", "--set", &self.model];
        let (code, found) = self.place.json(&search);
        assert_eq!(code, 0, "round {round}: {found}");
        assert!(!found["hits"].as_array().expect("hits").is_empty(), "round {round}");
        let (code, verified) = self.place.json(&["index", "verify", "--no-sources"]);
        assert_eq!(code, 0, "round {round}: {verified}");
        verified["generation"].as_u64()
    }

    /// What a finished run must leave: no more than two generations, and nothing half-written.
    fn assert_tidy(&self, round: u32) {
        let listed = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(self.place.path(folder)).expect("lists");
            let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
            entries.map(|e| name(e).to_string_lossy().into_owned()).collect()
        };
        let names = listed("index/generations");
        let finished = |names: &[String]| names.iter().all(|name| name.parse::<u64>().is_ok());
        assert!(finished(&names) && names.len() <= 2, "round {round}: {names:?}");
        let segments = listed("index/segments");
        assert!(finished(&segments) && segments.len() <= 10, "round {round}: {segments:?}");
        let half = |name: &String| name.contains(".tmp") || name == "CURRENT.new";
        let left: Vec<String> = self.place.files("index").into_iter().filter(half).collect();
        assert!(left.is_empty(), "round {round}: {left:?}");
        let mut temporary = self.place.files("temporary");
        // ONNX Runtime writes one small file of this name, always the same.
        temporary.retain(|name| name != ".ses");
        assert!(temporary.is_empty(), "round {round}: {temporary:?}");
    }
}

#[test]
fn an_index_that_is_changed_is_the_old_or_the_new_one() {
    const COUNT: u32 = 38;
    let Some(world) = World::new() else { return };
    let timed = |round| {
        let started = Instant::now();
        world.run(round, None);
        started.elapsed()
    };
    timed(0);
    let mut whole = timed(COUNT + 1);
    let (mut killed, mut before) = (0, world.generation(0));
    for (round, share) in (1..).zip(shares(COUNT, 0x9e37_79b9_7f4a_7c15)) {
        world.change(round);
        killed += u32::from(world.run(round, Some(whole.mul_f64(share))));
        let after = world.generation(round);
        let next = Some(before.unwrap_or(0) + 1);
        assert!(after == before || after == next, "round {round}: {before:?}, {after:?}");
        let took = timed(round);
        if after == before {
            // What else the machine does changes: the moments follow.
            whole = (whole + took) / 2;
        }
        assert_eq!(world.generation(round), next, "round {round}");
        world.assert_tidy(round);
        before = next;
    }
    println!("{COUNT} moments, {killed} of them in a run");
    assert!(killed >= COUNT / 2, "{killed}");
}
