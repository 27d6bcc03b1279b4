//! One worker process as its parent sees it: starts it, sends a file, watches it, ends it.

use super::{OnPage, WorkerCommand};
use crate::ParseError;
use crate::frames::{Event, Outcome, Report, Request, read_frame, write_frame};
use crate::reading::{Limits, Progress};
use crate::sandbox::{Memory, clear_environment, memory_of};
use rustix::process::Signal;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use types::{Stop, locked};

/// How often a working process is checked.
const TICK: Duration = Duration::from_millis(25);
/// A worker is replaced after so many files: native libraries leak, and fragments count as address space.
const FILES_PER_WORKER: u64 = 200;
/// Bytes of standard error that are kept for the diagnosis.
const STDERR_TAIL: usize = 4096;

/// What a worker answered for a file, or what its exit status means.
pub(super) struct Answer {
    pub(super) outcome: Result<Outcome, ParseError>,
    pub(super) peak_bytes: Option<u64>,
    /// Whether the process can take another file.
    pub(super) reusable: bool,
    /// Whether its last message was that it recognises a page.
    pub(super) recognising: bool,
}

/// A running worker. Dropping it kills it.
pub(super) struct WorkerProcess {
    child: Child,
    stdin: ChildStdin,
    reports: Receiver<io::Result<Report>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    asked: u64,
}

impl WorkerProcess {
    pub(super) fn start(command: &WorkerCommand) -> Result<Self, ParseError> {
        let broken =
            |what: &str| ParseError::Worker { detail: format!("{}: {what}", command.program.display()) };
        let mut starting = Command::new(&command.program);
        // A group of its own: Ctrl-C is for the parent, which lets its workers finish or ends them.
        let mut child = clear_environment(starting.process_group(0))
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| broken(&format!("cannot be started: {e}")))?;
        let (Some(stdin), Some(mut stdout), Some(mut stderr_pipe)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(broken("started without its pipes"));
        };
        let (sender, reports) = sync_channel(4);
        std::thread::spawn(move || {
            while let Some(report) = read_frame(&mut stdout).transpose() {
                let failed = report.is_err();
                if sender.send(report).is_err() || failed {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let tail = Arc::clone(&stderr);
        std::thread::spawn(move || {
            let mut buffer = [0u8; 1024];
            while let Ok(n @ 1..) = stderr_pipe.read(&mut buffer) {
                let mut tail = locked(&tail);
                tail.extend(&buffer[..n]);
                let surplus = tail.len().saturating_sub(STDERR_TAIL);
                tail.drain(..surplus);
            }
        });
        Ok(Self { child, stdin, reports, stderr, asked: 0 })
    }

    /// Reads one file. Waits no longer than the limit of time, that of each recognised page, and a moment; once `stop` is
    /// set, the answer is no longer wanted. Some of the pages are told to `on_page` as they are begun.
    pub(super) fn parse(&mut self, request: &mut Request, stop: &Stop, on_page: OnPage<'_>) -> Answer {
        self.asked += 1;
        request.id = self.asked;
        let limits = request.limits;
        let for_a_page = Duration::from_secs(request.ocr.as_ref().map_or(0, |ocr| ocr.seconds_per_page));
        let mut recognised = 0;
        let mut observed = Observed::default();
        if write_frame(&mut self.stdin, request).is_err() {
            return self.end_and_explain(&observed, limits);
        }
        let pid = self.child.id().to_string();
        let started = Instant::now();
        let mut deadline = started + Duration::from_secs(limits.seconds_per_file);
        loop {
            match self.reports.recv_timeout(TICK) {
                Ok(Ok(report)) if report.id != self.asked => {} // of an earlier request
                Ok(Ok(report)) => match report.event {
                    Event::Done { outcome, peak_bytes } => {
                        return self.answer(outcome, peak_bytes, limits);
                    }
                    Event::Progress(progress) => {
                        observed.progress = Some(progress);
                        if let Progress::Page(page, of) = progress {
                            on_page(&request.path, page, of);
                        }
                        // Each page counts once, so that a broken worker cannot buy time for ever.
                        if let Progress::Recognising(page) = progress
                            && page > recognised
                            && page <= limits.max_pages
                        {
                            recognised = page;
                            deadline += for_a_page;
                        }
                    }
                },
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return self.end_and_explain(&observed, limits);
                }
                Err(RecvTimeoutError::Timeout) => observed.memory = memory_of(&pid).or(observed.memory),
            }
            let stopped = stop.is_requested();
            if stopped || Instant::now() >= deadline {
                self.kill();
                return observed.failed(if stopped {
                    ParseError::Stopped
                } else {
                    ParseError::TimedOut {
                        // More than the limit of a file where pages were recognised.
                        seconds: started.elapsed().as_secs(),
                        page: observed.page(),
                    }
                });
            }
        }
    }

    fn answer(
        &self,
        outcome: Result<Outcome, ParseError>,
        peak_bytes: Option<u64>,
        limits: Limits,
    ) -> Answer {
        // A process that has once grown keeps address space that the next file would lack.
        let memory = memory_of(&self.child.id().to_string());
        let grown = memory.is_some_and(|m| m.virtual_peak > limits.memory_bytes / 2);
        let panicked = matches!(&outcome, Err(ParseError::Crashed { .. }));
        Answer {
            outcome,
            peak_bytes,
            reusable: !grown && !panicked && self.asked < FILES_PER_WORKER,
            recognising: false,
        }
    }

    /// The process exited or broke the protocol: ends it, and takes the reason from its status and standard error.
    fn end_and_explain(&mut self, observed: &Observed, limits: Limits) -> Answer {
        // Its end of the pipe closes a moment before its status can be read: wait for that moment, so that
        // a status of its own is not mistaken for our kill.
        let patience = Instant::now() + Duration::from_secs(2);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < patience => std::thread::sleep(Duration::from_millis(5)),
                _ => break None,
            }
        };
        self.kill();
        let error = match status {
            Some(status) => self.error_from_status(status, observed, limits),
            None => {
                ParseError::Worker { detail: format!("it broke the protocol{}", self.last_stderr_line()) }
            }
        };
        observed.failed(error)
    }

    fn error_from_status(&self, status: ExitStatus, observed: &Observed, limits: Limits) -> ParseError {
        let page = observed.page();
        let words = self.last_stderr_line();
        let Some(signal) = status.signal() else {
            let code = status.code().unwrap_or_default();
            return ParseError::Crashed { signal: format!("exit code {code}{words}"), page };
        };
        if signal == Signal::XCPU.as_raw() {
            return ParseError::TimedOut { seconds: limits.seconds_per_file, page };
        }
        // A failed allocation ends in an abort or a trap; C++ throws, and Rust aborts on what it cannot catch. Large buffers double, so that the one that did not
        // fit may have been as large as all that was there: half of the limit is close to it.
        let said =
            "memory allocation of|bad_alloc|out of memory|Out of memory|Cannot allocate|foreign exceptions";
        let starved = observed.memory.is_some_and(|m| m.virtual_peak >= limits.memory_bytes / 2);
        let name = signal_name(signal);
        let aborted = matches!(name, "SIGABRT" | "SIGTRAP" | "SIGILL" | "SIGSEGV" | "SIGBUS");
        if aborted && (starved || said.split('|').any(|s| words.contains(s))) {
            let limit_mib = limits.memory_bytes >> 20;
            return ParseError::OutOfMemory { limit_mib, page };
        }
        let signal = match name {
            "" => format!("signal {signal}"),
            "SIGKILL" => "SIGKILL: ended by another process, or by the system for lack of memory".to_owned(),
            name => name.to_owned(),
        };
        ParseError::Crashed { signal, page }
    }

    /// The last line on its standard error, as an addition to a message.
    fn last_stderr_line(&self) -> String {
        let tail = locked(&self.stderr);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        text.lines()
            .rev()
            .find(|l| !l.trim().is_empty())
            .map_or_else(String::new, |l| format!(": {}", l.trim()))
    }

    fn kill(&mut self) {
        // Errors mean that it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What was observed of a process while it worked.
#[derive(Default)]
struct Observed {
    progress: Option<Progress>,
    memory: Option<Memory>,
}

impl Observed {
    /// The page being read, where known.
    fn page(&self) -> Option<u32> {
        self.progress.map(|(Progress::Page(page, _) | Progress::Recognising(page))| page)
    }

    /// The answer of a process that is gone.
    fn failed(&self, error: ParseError) -> Answer {
        Answer {
            outcome: Err(error),
            peak_bytes: self.memory.map(|m| m.resident_peak),
            reusable: false,
            recognising: matches!(self.progress, Some(Progress::Recognising(_))),
        }
    }
}

/// The usual name of a signal; empty for those that no crash and no kill sends.
fn signal_name(signal: i32) -> &'static str {
    match Signal::from_named_raw(signal) {
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::BUS) => "SIGBUS",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::TERM) => "SIGTERM",
        Some(Signal::TRAP) => "SIGTRAP",
        _ => "",
    }
}
