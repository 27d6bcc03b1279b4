//! One worker process as its parent sees it: starts it, sends a file, watches it, ends it.

use super::{Job, WorkerCommand};
use crate::environment;
use crate::frames::{Reply, Request, read_frame, write_frame};
use crate::worker::memory_of;
use crate::{Limits, OcrSettings, ParseError};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use types::{Document, Stop};

/// How often a working process is checked.
const TICK: Duration = Duration::from_millis(25);
/// A worker is replaced after so many files: native libraries leak, and fragments count as address space.
const FILES_PER_WORKER: u64 = 200;
/// Bytes of standard error that are kept for the diagnosis.
const STDERR_TAIL: usize = 4096;

/// What a worker is to read.
pub(super) struct FileRequest<'a> {
    pub(super) job: &'a Job,
    pub(super) libpdfium: &'a Path,
    pub(super) limits: Limits,
    pub(super) ocr: Option<&'a OcrSettings>,
    /// Set when the answer is no longer wanted.
    pub(super) stop: &'a Stop,
}

/// What a worker answered for a file, or what its exit status means.
pub(super) struct Answer {
    pub(super) outcome: Result<Document, ParseError>,
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
    replies: Receiver<io::Result<Reply>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    asked: u64,
}

impl WorkerProcess {
    pub(super) fn start(command: &WorkerCommand) -> Result<Self, ParseError> {
        let broken = |what: &str| ParseError::Worker {
            detail: format!("{}: {what}", command.program.display()),
        };
        let mut starting = Command::new(&command.program);
        // A group of its own: Ctrl-C is for the parent, which lets its workers finish or ends them.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut starting, 0);
        let mut child = environment::clear(&mut starting)
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
        let (sender, replies) = sync_channel(4);
        std::thread::spawn(move || {
            loop {
                let reply = match read_frame(&mut stdout) {
                    Ok(Some(reply)) => Ok(reply),
                    Ok(None) => break,
                    Err(e) => Err(e),
                };
                let failed = reply.is_err();
                if sender.send(reply).is_err() || failed {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let tail = Arc::clone(&stderr);
        std::thread::spawn(move || {
            let mut buffer = [0u8; 1024];
            while let Ok(n @ 1..) = stderr_pipe.read(&mut buffer) {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(&buffer[..n]);
                let surplus = tail.len().saturating_sub(STDERR_TAIL);
                tail.drain(..surplus);
            }
        });
        Ok(Self {
            child,
            stdin,
            replies,
            stderr,
            asked: 0,
        })
    }

    /// Reads one file. Waits no longer than the limit of time, that of each recognised page, and a moment.
    pub(super) fn parse(&mut self, file: &FileRequest<'_>) -> Answer {
        self.asked += 1;
        let id = self.asked;
        let limits = file.limits;
        let request = Request {
            id,
            path: file.job.path.clone(),
            passwords: file.job.passwords.clone(),
            libpdfium: file.libpdfium.to_owned(),
            limits,
            ocr: file.ocr.cloned(),
        };
        let for_a_page = Duration::from_secs(file.ocr.map_or(0, |o| o.seconds_per_page));
        let mut recognised = 0;
        let mut observed = Observed {
            page: None,
            virtual_peak: 0,
            resident_peak: None,
            recognising: false,
        };
        if write_frame(&mut self.stdin, &request).is_err() {
            return self.end_and_explain(&observed, limits);
        }
        let pid = self.child.id().to_string();
        let started = Instant::now();
        let mut deadline = started + Duration::from_secs(limits.seconds_per_file);
        loop {
            match self.replies.recv_timeout(TICK) {
                Ok(Ok(Reply::Page { id: of_id, page })) if of_id == id => {
                    observed.page = Some(page);
                    observed.recognising = false;
                }
                Ok(Ok(Reply::Recognising { id: of_id, page })) if of_id == id => {
                    observed.page = Some(page);
                    observed.recognising = true;
                    // Each page counts once, so that a broken worker cannot buy time for ever.
                    if page > recognised && page <= limits.max_pages {
                        recognised = page;
                        deadline += for_a_page;
                    }
                }
                Ok(Ok(Reply::Done {
                    id: of_id,
                    document,
                    peak_bytes,
                })) if of_id == id => {
                    return self.answer(Ok(*document), peak_bytes, limits);
                }
                Ok(Ok(Reply::Failed {
                    id: of_id,
                    error,
                    peak_bytes,
                })) if of_id == id => {
                    return self.answer(Err(error), peak_bytes, limits);
                }
                Ok(Ok(_)) => {} // of an earlier request
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return self.end_and_explain(&observed, limits);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(memory) = memory_of(&pid) {
                        observed.virtual_peak = memory.virtual_peak;
                        observed.resident_peak = Some(memory.resident_peak);
                    }
                }
            }
            let stopped = file.stop.is_requested();
            if stopped || Instant::now() >= deadline {
                self.kill();
                let error = if stopped {
                    ParseError::Stopped
                } else {
                    ParseError::TimedOut {
                        // More than the limit of a file where pages were recognised.
                        seconds: started.elapsed().as_secs(),
                        page: observed.page,
                    }
                };
                return Answer {
                    outcome: Err(error),
                    peak_bytes: observed.resident_peak,
                    reusable: false,
                    recognising: observed.recognising,
                };
            }
        }
    }

    fn answer(
        &self,
        outcome: Result<Document, ParseError>,
        peak_bytes: Option<u64>,
        limits: Limits,
    ) -> Answer {
        // A process that has once grown keeps address space that the next file would lack.
        let grown =
            memory_of(&self.child.id().to_string()).is_some_and(|m| m.virtual_peak > limits.memory_bytes / 2);
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
            None => ParseError::Worker {
                detail: format!("it broke the protocol{}", self.last_stderr_line()),
            },
        };
        Answer {
            outcome: Err(error),
            peak_bytes: observed.resident_peak,
            reusable: false,
            recognising: observed.recognising,
        }
    }

    fn error_from_status(&self, status: ExitStatus, observed: &Observed, limits: Limits) -> ParseError {
        let page = observed.page;
        let words = self.last_stderr_line();
        let Some(signal) = status.signal() else {
            let code = status.code().unwrap_or_default();
            return ParseError::Crashed {
                signal: format!("exit code {code}{words}"),
                page,
            };
        };
        if signal == rustix::process::Signal::XCPU.as_raw() {
            return ParseError::TimedOut {
                seconds: limits.seconds_per_file,
                page,
            };
        }
        // A failed allocation ends in an abort or a trap; C++ throws, and Rust aborts on what it cannot catch. Large buffers double, so that the one that did not
        // fit may have been as large as all that was there: half of the limit is close to it.
        let said = [
            "memory allocation of",
            "bad_alloc",
            "out of memory",
            "Out of memory",
            "Cannot allocate",
            "foreign exceptions",
        ];
        let aborted = matches!(
            signal_name(signal),
            "SIGABRT" | "SIGTRAP" | "SIGILL" | "SIGSEGV" | "SIGBUS"
        );
        if aborted
            && (said.iter().any(|s| words.contains(s)) || observed.virtual_peak >= limits.memory_bytes / 2)
        {
            return ParseError::OutOfMemory {
                limit_mib: limits.memory_bytes >> 20,
                page,
            };
        }
        let name = signal_name(signal);
        let signal = match name {
            "" => format!("signal {signal}"),
            "SIGKILL" => "SIGKILL: ended by another process, or by the system for lack of memory".to_owned(),
            name => name.to_owned(),
        };
        ParseError::Crashed { signal, page }
    }

    /// The last line on its standard error, as an addition to a message.
    fn last_stderr_line(&self) -> String {
        let tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
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
struct Observed {
    page: Option<u32>,
    virtual_peak: u64,
    resident_peak: Option<u64>,
    /// Whether its last message was that it recognises a page.
    recognising: bool,
}

fn signal_name(signal: i32) -> &'static str {
    use rustix::process::Signal;
    const NAMES: &[(Signal, &str)] = &[
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::HUP, "SIGHUP"),
        (Signal::ILL, "SIGILL"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::SYS, "SIGSYS"),
        (Signal::TERM, "SIGTERM"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::INT, "SIGINT"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    NAMES
        .iter()
        .find(|(s, _)| s.as_raw() == signal)
        .map_or("", |(_, name)| name)
}
