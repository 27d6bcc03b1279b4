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
            laps: BTreeMap::new(),
        }
    }

    /// Ends `stage`: adds the time since the last lap to what it took before.
    pub(crate) fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        *self.laps.entry(stage.to_owned()).or_default() += milliseconds(now - self.last);
        self.last = now;
    }

    /// What a stage took so far.
    pub fn lap_of(&self, stage: &str) -> Duration {
        Duration::from_secs_f64(self.laps.get(stage).copied().unwrap_or_default() / 1e3)
    }

    /// The laps, with the time since the start as `total`.
    pub(crate) fn stop(mut self) -> BTreeMap<String, f64> {
        let total = milliseconds(self.started.elapsed());
        self.laps.insert("total".to_owned(), total);
        self.laps
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}
