//! kill -9 at seeded moments: the index opens with the old or the new generation, and the next run finishes.

mod common;

use common::{Place, natives};
use std::{thread, time::Duration};

/// A seeded spread of moments over a run of `total`.
fn moments(total: Duration, count: u32) -> impl Iterator<Item = Duration> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        total.mul_f64((state >> 11) as f64 / (1_u64 << 53) as f64)
    })
}

#[test]
fn a_killed_ingest_leaves_a_whole_index_and_the_next_run_finishes() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    place.paper("tandrik_2021_vo2_walkers.pdf");
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    for name in [
        "waxenhoult_2023_cadence_short.pdf",
        "crostellan_2021_fibre_crossover.pdf",
    ] {
        place.paper(name);
    }
    let started = std::time::Instant::now();
    let fresh = Place::new(Some(common::natives().expect("there a moment ago")));
    fresh.paper("waxenhoult_2023_cadence_short.pdf");
    assert_eq!(fresh.run(&["ingest", "papers"]).code(), 0);
    let whole = started.elapsed() * 2;

    for (round, moment) in moments(whole, 10).enumerate() {
        let mut child = place
            .command(&["ingest", "papers", "--quiet"])
            .spawn()
            .expect("runs");
        thread::sleep(moment);
        // SIGKILL; a run that has ended already is as good.
        let _ = child.kill();
        child.wait().expect("waited for");
        let (code, found) = place.json(&["search", "walking", "-k", "5"]);
        assert_eq!(code, 0, "round {round}: {found}");
    }
    let (code, done) = place.json(&["ingest", "papers"]);
    assert_eq!((code, &done["sources"]), (0, &3.into()), "{done}");
    let left: Vec<_> = std::fs::read_dir(place.path("index/generations"))
        .expect("there")
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|name| name.parse::<u64>().is_err())
        .collect();
    assert!(left.len() <= 1, "leftovers of killed writers: {left:?}");
}
