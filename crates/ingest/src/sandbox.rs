//! What confines processes that read foreign files: their environment, their limits, and what they use.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::process::Command;

/// Leaves of this program's environment only what a worker and `tesseract` need: where programs, libraries and language data
/// are, where temporary files go, and the language. Anything else may be a key or a password, which hostile bytes must
/// not find in the process that reads them. `LD_LIBRARY_PATH` stays, since on some systems no library is found without it;
/// `LD_PRELOAD` goes: nothing is needed that it loads.
pub(crate) fn clear_environment(command: &mut Command) -> &mut Command {
    const NEEDED: &str = "PATH LD_LIBRARY_PATH TESSDATA_PREFIX TMPDIR LANG LANGUAGE";
    let is_kept = |name: &str| {
        // Tests break a worker through this variable.
        let fault = cfg!(debug_assertions) && name == "INGEST_WORKER_FAULT";
        NEEDED.split(' ').any(|needed| needed == name) || name.starts_with("LC_") || fault
    };
    let kept = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept));
    command.env_clear().envs(kept)
}

/// Lowers the soft limit of a resource of this process; never above the hard limit, which stays.
pub(crate) fn lower(resource: Resource, to: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(to, |max| max.min(to)));
    if setrlimit(resource, Rlimit { current, maximum }).is_err() {
        eprintln!("worker: cannot limit {resource:?} to {to}");
    }
}

/// Peaks of memory of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// Resident set, in bytes.
    pub(crate) resident_peak: u64,
    /// Address space, in bytes: what the limit acts on.
    pub(crate) virtual_peak: u64,
}

/// Reads the peaks of the process `pid` (or `self`); `None` where there is no such process or no `/proc`.
pub(crate) fn memory_of(pid: &str) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
    };
    Some(Memory { resident_peak: field("VmHWM:")?, virtual_peak: field("VmPeak:")? })
}
