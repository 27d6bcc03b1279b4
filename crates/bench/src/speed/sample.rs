//! One measurement, and what this process and its ended children have cost so far.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, time::Instant};

/// What one run of a contestant took.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Sample {
    /// Wall-clock seconds.
    pub(super) seconds: f64,
    /// Processor seconds of all processes that took part, where the system tells.
    pub(super) cpu_seconds: Option<f64>,
    /// Pages or tokens.
    pub(super) units: u64,
    /// Highest resident memory of one process, in bytes, where the system tells.
    pub(super) peak_bytes: Option<u64>,
    /// Versions of what was measured.
    #[serde(default)]
    pub(super) versions: BTreeMap<String, String>,
}

impl Sample {
    /// Units a second of the wall clock; `None` when nothing was measured.
    pub(super) fn rate(&self) -> Option<f64> {
        (self.units > 0 && self.seconds > 0.0).then(|| self.units as f64 / self.seconds)
    }

    /// Units a second of processor time.
    pub(super) fn cpu_rate(&self) -> Option<f64> {
        let cpu = self.cpu_seconds.filter(|s| *s > 0.0)?;
        (self.units > 0).then(|| self.units as f64 / cpu)
    }
}

/// Measures `work`, which returns units and a peak of memory.
pub(super) fn measure<E>(work: impl FnOnce() -> Result<(u64, Option<u64>), E>) -> Result<Sample, E> {
    let (before, started) = (cpu_seconds(), Instant::now());
    let (units, peak_bytes) = work()?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Sample {
        seconds,
        cpu_seconds: cpu_seconds().zip(before).map(|(now, then)| now - then),
        units,
        peak_bytes,
        versions: BTreeMap::new(),
    })
}

/// Processor seconds of the threads of this process (to the nanosecond) and of its children that ended and were
/// waited for (to the tick, commonly a hundredth).
pub(crate) fn cpu_seconds() -> Option<f64> {
    let mut own = 0;
    for thread in fs::read_dir("/proc/self/task").ok()? {
        // A thread may end between the two: its time is lost.
        let told = fs::read_to_string(thread.ok()?.path().join("schedstat")).unwrap_or_default();
        own += told
            .split(' ')
            .next()
            .and_then(|ns| ns.parse::<u64>().ok())
            .unwrap_or(0);
    }
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets and may hold spaces; the times are fields 16 and 17.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks = rest.split_ascii_whitespace().skip(13).take(2);
    let children: u64 = ticks.map(|t| t.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(own as f64 / 1e9 + children as f64 / rustix::param::clock_ticks_per_second().max(1) as f64)
}

/// Highest resident memory of this process so far, in bytes.
pub(super) fn own_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
}
