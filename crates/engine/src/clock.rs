//! How long each stage took.

use std::{
    collections::BTreeMap,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// Is told of each stage that ended, and how many milliseconds it took.
pub type StageSink = Arc<dyn Fn(&str, f64) + Send + Sync>;

/// Times stages that run one after the other.
#[derive(Clone)]
pub struct Clock {
    started: Instant,
    last: Instant,
    /// Milliseconds by stage.
    pub(crate) laps: BTreeMap<String, f64>,
    sink: Option<StageSink>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("laps", &self.laps).finish_non_exhaustive()
    }
}

impl Clock {
    /// Starts the clock. `sink` is told of each lap.
    pub(crate) fn start(sink: Option<StageSink>) -> Self {
        let now = Instant::now();
        Self { started: now, last: now, laps: BTreeMap::new(), sink }
    }

    /// Ends `stage`: adds the time since the last lap to what it took before.
    pub(crate) fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        let took = milliseconds(now - self.last);
        *self.laps.entry(stage.to_owned()).or_default() += took;
        if let Some(sink) = &self.sink {
            sink(stage, took);
        }
        self.last = now;
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
