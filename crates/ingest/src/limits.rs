//! Limits of the time, memory and size that reading one file may take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Bounds on one file. A file that passes one of them fails with the reason; nothing is cut off silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Address space of a worker process, in bytes.
    pub memory_bytes: u64,
    /// Wall-clock time and processor time of one file, in seconds.
    pub seconds_per_file: u64,
    /// Size of a file on disk, in bytes.
    pub max_file_bytes: u64,
    /// Pages of a file.
    pub max_pages: u32,
    /// Characters of one page.
    pub max_chars_per_page: u64,
    /// Characters of a whole file.
    pub max_chars: u64,
}

impl Default for Limits {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            seconds_per_file: 60,
            max_file_bytes: 256 << 20,
            max_pages: 2_000,
            max_chars_per_page: 400_000,
            max_chars: 8_000_000,
        }
    }
}

/// Lowers the soft limit of a resource of this process; never above the hard limit, which stays.
pub(crate) fn lower(resource: Resource, to: u64) {
    let now = getrlimit(resource);
    let current = now.maximum.map_or(to, |max| max.min(to));
    let limit = Rlimit {
        current: Some(current),
        maximum: now.maximum,
    };
    if setrlimit(resource, limit).is_err() {
        eprintln!("worker: cannot limit {resource:?} to {to}");
    }
}

/// Whether a text has at most `limit` characters.
pub(crate) fn has_at_most(text: &str, limit: u64) -> bool {
    // A character has at least one byte, so a short text needs no counting.
    text.len() as u64 <= limit || text.chars().count() as u64 <= limit
}
