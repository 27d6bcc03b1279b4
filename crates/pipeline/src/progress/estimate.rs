//! How long a task will still take, from how fast it went in the last minute.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// The speed is measured over this long at most.
const WINDOW: Duration = Duration::from_mins(1);
/// No estimate before the task was watched for this long.
const LEAST: Duration = Duration::from_secs(10);
/// Samples are this far apart at least.
const STEP: Duration = Duration::from_millis(500);
/// The two halves of what was watched may differ in speed by this factor; beyond it there is no estimate.
const STEADY: f64 = 2.0;

/// The recent course of a task.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    samples: VecDeque<(Instant, u64)>,
}

impl Estimate {
    /// `done` units are finished now.
    pub(super) fn record(&mut self, now: Instant, done: u64) {
        match self.samples.back() {
            Some((last, _)) if now.duration_since(*last) < STEP => return,
            _ => self.samples.push_back((now, done)),
        }
        // One sample beyond the window stays, so that the window is covered whole.
        while self.samples.len() > 2 && now.duration_since(self.samples[1].0) >= WINDOW {
            self.samples.pop_front();
        }
    }

    /// The time that `total` units need from now on; `None` while the speed is not known or not steady.
    pub(super) fn remaining(&self, now: Instant, done: u64, total: u64) -> Option<Duration> {
        let (since, first) = *self.samples.front()?;
        let watched = now.duration_since(since);
        if watched < LEAST || total < done {
            return None;
        }
        let middle = since + watched / 2;
        let (at, half) = *self.samples.iter().rev().find(|(at, _)| *at <= middle)?;
        let speed = |from: Instant, before: u64, to: Instant, after: u64| {
            let seconds = to.duration_since(from).as_secs_f64().max(1e-3);
            after.saturating_sub(before) as f64 / seconds
        };
        let early = speed(since, first, at, half);
        let late = speed(at, half, now, done);
        if early <= 0.0 || late <= 0.0 || early / late > STEADY || late / early > STEADY {
            return None;
        }
        let whole = speed(since, first, now, done);
        Some(Duration::from_secs_f64((total - done) as f64 / whole))
    }
}

/// A duration as precise as an estimate is: "about 3 min".
pub(super) fn about(left: Duration) -> String {
    let seconds = left.as_secs();
    match seconds {
        0..10 => "a few seconds".to_owned(),
        10..100 => format!("about {} s", (seconds + 5) / 10 * 10),
        100..5_400 => format!("about {} min", (seconds + 30) / 60),
        _ => format!("about {:.1} h", left.as_secs_f64() / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a task that finishes `amount(second, tenth)` units every tenth of a second, and gives its estimates each second
    /// with the time that was really left.
    fn watch(total: u64, amount: impl Fn(u64) -> u64) -> Vec<(Option<Duration>, Duration)> {
        let start = Instant::now();
        let (mut estimate, mut done, mut tenths) = (Estimate::default(), 0, 0_u64);
        let mut seen = Vec::new();
        while done < total {
            let now = start + Duration::from_millis(100 * tenths);
            estimate.record(now, done);
            if tenths.is_multiple_of(10) {
                seen.push((estimate.remaining(now, done, total), now.duration_since(start)));
            }
            done = (done + amount(tenths)).min(total);
            tenths += 1;
        }
        let end = Duration::from_millis(100 * tenths);
        seen.into_iter()
            .map(|(left, at)| (left, end.saturating_sub(at)))
            .collect()
    }

    #[test]
    fn there_is_no_estimate_before_it_is_known_and_then_a_good_one() {
        // Eight minutes of batches that come in fits and starts.
        let mut state = 7_u64;
        let noise: Vec<u64> = (0..10_000)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % 9
            })
            .collect();
        let amount = |tenth: u64| match tenth % 7 {
            0 => 20 + noise[tenth as usize],
            _ => 0,
        };
        let seen = watch(16_000, amount);
        assert!(seen.len() > 400, "{}", seen.len());
        assert!(seen[..10].iter().all(|(left, _)| left.is_none()));
        let told: Vec<_> = seen
            .iter()
            .filter_map(|(left, real)| Some(((*left)?, *real)))
            .collect();
        assert!(told.len() > 400, "{} estimates", told.len());
        for (left, real) in told {
            let off = left.abs_diff(real);
            assert!(off < real / 5 + Duration::from_secs(5), "{left:?} for {real:?}");
        }
    }

    #[test]
    fn a_task_that_stalls_or_changes_its_speed_has_no_estimate_until_it_is_steady_again() {
        let seen = watch(6_000, |tenth| match tenth / 10 {
            0..30 => 10,
            30..60 => 0,
            _ => 2,
        });
        assert!(seen[20].0.is_some());
        assert!(seen[50].0.is_none(), "{:?}", seen[50]);
        let last = seen.len() - 20;
        assert!(seen[last].0.is_some());
    }

    #[test]
    fn an_estimate_is_no_more_precise_than_it_can_be() {
        let check = |seconds, want: &str| assert_eq!(about(Duration::from_secs(seconds)), want);
        check(4, "a few seconds");
        check(47, "about 50 s");
        check(170, "about 3 min");
        check(3_599, "about 60 min");
        check(7_200, "about 2.0 h");
    }
}
