//! What was measured on, and what was measured.

use serde_json::{Value, json};
use std::fs;

/// Processor, cores, memory, versions of ours.
pub(crate) fn describe() -> Value {
    let field = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|l| l.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|kib| kib.split(' ').next()?.parse::<u64>().ok())
        .map(|kib| kib >> 10);
    json!({
        "processor": field("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        "memory_mib": memory,
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "commit": engine::COMMIT,
        "optimised": !cfg!(debug_assertions),
        // Processes that wanted a core beside ours when the run began and ended.
        "load": load(),
    })
}

/// The load average over one minute.
pub(crate) fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
