//! A token bucket.

use std::time::Duration;
use tokio::time::Instant;

/// Seconds of refill that a bucket holds: what may be spent at once after a pause.
const HELD_SECONDS: f64 = 6.0;

/// What may be spent within a time. It may fall below zero: who comes later then waits longer.
#[derive(Debug)]
pub(super) struct Bucket {
    per_second: f64,
    capacity: f64,
    level: f64,
    at: Instant,
}

impl Bucket {
    /// A full bucket that refills by `per_minute`, which is not 0.
    pub(super) fn new(per_minute: u32) -> Self {
        let per_second = f64::from(per_minute) / 60.0;
        let capacity = (per_second * HELD_SECONDS).max(1.0);
        Self { per_second, capacity, level: capacity, at: Instant::now() }
    }

    /// How long to wait before `cost` may be spent. What costs more than the bucket holds waits until it is full.
    pub(super) fn wait(&mut self, cost: u64, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.level = (self.level + passed * self.per_second).min(self.capacity);
        self.at = self.at.max(now);
        let missing = (cost as f64).min(self.capacity) - self.level;
        Duration::try_from_secs_f64((missing / self.per_second).max(0.0)).unwrap_or(Duration::MAX)
    }

    /// Spends, also what is not there yet.
    pub(super) fn spend(&mut self, cost: u64) {
        self.level -= cost as f64;
    }

    /// Takes back what was spent and not used.
    pub(super) fn give_back(&mut self, cost: u64) {
        self.level = (self.level + cost as f64).min(self.capacity);
    }
}
