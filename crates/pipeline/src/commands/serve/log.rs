//! The log of the server: lines go to standard error by a thread of their own, so that no request waits for who reads them.

use crate::clean::clean_json;
use engine::timestamp;
use serde_json::{Value, json};
use server::LogSink;
use std::{
    io::Write,
    panic,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Lines that wait to be written; further ones are dropped and counted.
const WAITING: usize = 4096;
/// The time that the last lines have once the server has stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// Lines that are not written yet, and those that were dropped since the last one that was.
#[derive(Debug, Default)]
struct Counts {
    waiting: AtomicUsize,
    dropped: AtomicUsize,
}

/// Takes lines and never waits. A clone is the same log.
#[derive(Clone)]
pub(in crate::commands) struct Log {
    lines: SyncSender<String>,
    counts: Arc<Counts>,
}

fn text(line: &Value) -> String {
    clean_json(&line.to_string()).into_owned() + "\n"
}

impl Log {
    /// A log that is written to `out`.
    pub(in crate::commands) fn new(mut out: impl Write + Send + 'static) -> Self {
        let (lines, from) = sync_channel::<String>(WAITING);
        let counts = Arc::new(Counts::default());
        let own = Arc::clone(&counts);
        thread::spawn(move || {
            for line in from {
                // One write, so that lines stay whole; nobody is left to tell when standard error is closed.
                let _ = out.write_all(line.as_bytes());
                let dropped = own.dropped.swap(0, Ordering::SeqCst);
                if dropped > 0 {
                    let told = json!({"time": timestamp(), "level": "warn", "what": "log lines dropped", "count": dropped});
                    let _ = out.write_all(text(&told).as_bytes());
                }
                own.waiting.fetch_sub(1, Ordering::SeqCst);
            }
        });
        Self { lines, counts }
    }

    fn add(&self, line: &Value) {
        self.counts.waiting.fetch_add(1, Ordering::SeqCst);
        if self.lines.try_send(text(line)).is_err() {
            self.counts.waiting.fetch_sub(1, Ordering::SeqCst);
            self.counts.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// What the server is given.
    pub(in crate::commands) fn sink(&self) -> LogSink {
        let log = self.clone();
        Arc::new(move |line| log.add(line))
    }

    /// Panics become lines of the log: to print them would wait for who reads it.
    pub(super) fn take_panics(&self) {
        let log = self.clone();
        panic::set_hook(Box::new(move |panic| {
            log.add(
                &json!({"time": timestamp(), "level": "error", "what": "panic", "error": panic.to_string()}),
            );
        }));
    }

    /// Waits a moment for the last lines to be written.
    pub(in crate::commands) fn flush(&self) {
        let started = Instant::now();
        while self.counts.waiting.load(Ordering::SeqCst) > 0 && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};

    #[test]
    fn a_log_that_nobody_reads_stops_nobody_and_says_what_is_missing() {
        let (from, to) = std::io::pipe().expect("a pipe");
        let (sink, lines) = (Log::new(to).sink(), WAITING + 500);
        for _ in 0..lines {
            sink(&json!({ "line": "a".repeat(500) }));
        }
        let (mut read, mut dropped) = (0, 0);
        for line in BufReader::new(from).lines() {
            let line: Value = serde_json::from_str(&line.expect("a line")).expect("whole");
            read += usize::from(line["line"].is_string());
            dropped += line["count"].as_u64().unwrap_or_default() as usize;
            if read + dropped == lines {
                break;
            }
        }
        assert!(dropped > 0);
    }
}
