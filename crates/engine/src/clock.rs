//! How long each stage took.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Times stages that run one after the other.
#[derive(Clone, Debug)]
pub struct Clock {
    started: Instant,
    last: Instant,
    /// Milliseconds of stages that ran earlier.
    earlier: f64,
    /// Milliseconds by stage.
    pub(crate) laps: BTreeMap<String, f64>,
}

impl Clock {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self {
            started: now,
            last: now,
            earlier: 0.0,
            laps: BTreeMap::new(),
        }
    }

    /// Ends `stage`: adds the time since the last lap to what it took before. Returns that time in milliseconds.
    pub(crate) fn lap(&mut self, stage: &str) -> f64 {
        let now = Instant::now();
        let took = milliseconds(now - self.last);
        *self.laps.entry(stage.to_owned()).or_default() += took;
        self.last = now;
        took
    }

    /// Counts a stage as if it had run now, in the milliseconds that it took earlier.
    pub(crate) fn ran_earlier(&mut self, stage: &str, milliseconds: f64) {
        *self.laps.entry(stage.to_owned()).or_default() += milliseconds;
        self.earlier += milliseconds;
        self.last = Instant::now();
    }

    /// What a stage took so far.
    pub fn lap_of(&self, stage: &str) -> Duration {
        Duration::from_secs_f64(self.laps.get(stage).copied().unwrap_or_default() / 1e3)
    }

    /// The laps, with the time since the start as `total`.
    pub(crate) fn stop(mut self) -> BTreeMap<String, f64> {
        let total = milliseconds(self.started.elapsed()) + self.earlier;
        self.laps.insert("total".to_owned(), total);
        self.laps
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
