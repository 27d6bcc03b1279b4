//! The parent's side: sends files to a few worker processes and takes documents as they are ready.

mod process;

use crate::frames::{Outcome, Request, Wanted};
use crate::{Highlight, Highlighted, Limits, OcrSettings, PageQuery, PageView, ParseError, Password};
use process::WorkerProcess;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Instant;
use types::{Document, Stop, locked};

/// How to start a worker: a program that calls [`crate::worker_main`], and the library that it is to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Path of the PDFium library.
    pub libpdfium: PathBuf,
}

/// Is told of a file, the page of it that is about to be read, from 1, and how many it has.
pub type OnPage<'a> = &'a (dyn Fn(&Path, u32, u32) + Sync);

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The caller's number, handed back with the result: results come in the order in which they are ready.
    pub index: usize,
    /// The file.
    pub path: PathBuf,
    /// Passwords to try, where it wants one.
    pub passwords: Vec<Password>,
}

impl From<(usize, PathBuf)> for Job {
    fn from((index, path): (usize, PathBuf)) -> Self {
        Self { index, path, passwords: Vec::new() }
    }
}

/// The outcome of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The number of its job.
    pub index: usize,
    /// The file.
    pub path: PathBuf,
    /// The document; its source id is the slug of the file's stem, which other files may have too.
    pub outcome: Result<Document, ParseError>,
    /// Wall-clock seconds in the worker.
    pub seconds: f64,
    /// Highest resident memory of the worker on this file, in bytes, where the system tells.
    pub peak_bytes: Option<u64>,
}

/// Worker processes that read files. Workers start when they are first needed and end with the call.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    command: WorkerCommand,
    limits: Limits,
    ocr: Option<OcrSettings>,
    workers: usize,
    stop: Stop,
}

impl WorkerPool {
    /// A pool of `workers` processes, at least one.
    pub fn new(command: WorkerCommand, limits: Limits, workers: usize) -> Self {
        Self { command, limits, ocr: None, workers: workers.max(1), stop: Stop::default() }
    }

    /// Turns on the recognition of pages without text.
    #[must_use]
    pub fn with_ocr(mut self, ocr: Option<OcrSettings>) -> Self {
        self.ocr = ocr;
        self
    }

    /// Once `stop` is set, workers are ended where they are and the files that they were reading fail with
    /// [`ParseError::Stopped`]; no further file is begun.
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Reads every file and passes each result to `on_result` as it comes. At most one document per worker and as many
    /// in the queue are in memory at a time.
    pub fn parse_all<I>(&self, jobs: I, on_result: impl FnMut(Parsed))
    where
        I: IntoIterator<Item: Into<Job>>,
        I::IntoIter: Send,
    {
        self.parse_watched(jobs, &|_, _, _| {}, on_result);
    }

    /// As [`Self::parse_all`]; some of the pages of a PDF, every eighth at least, are told to `on_page` as they are begun.
    pub fn parse_watched<I>(&self, jobs: I, on_page: OnPage<'_>, mut on_result: impl FnMut(Parsed))
    where
        I: IntoIterator<Item: Into<Job>>,
        I::IntoIter: Send,
    {
        let queue = Mutex::new(jobs.into_iter());
        let (sender, results) = sync_channel::<Parsed>(self.workers);
        std::thread::scope(|scope| {
            for _ in 0..self.workers {
                let (sender, queue) = (sender.clone(), &queue);
                scope.spawn(move || {
                    let mut worker = None;
                    while !self.stop.is_requested() {
                        let job = locked(queue).next();
                        let Some(job) = job else { break };
                        if sender.send(self.parse_one(&mut worker, job.into(), on_page)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            results.into_iter().for_each(&mut on_result);
        });
    }

    /// One page of a PDF as its reader sees it, read in a worker of its own.
    ///
    /// # Errors
    /// When the file or the page cannot be read or drawn.
    pub fn view(
        &self,
        path: &Path,
        query: PageQuery,
        passwords: Vec<Password>,
    ) -> Result<PageView, ParseError> {
        match self.look(path, Wanted::Page(query), passwords)? {
            Outcome::Page(view) => Ok(*view),
            _ => Err(unasked()),
        }
    }

    /// A copy of a PDF in which quotes are highlighted, made in a worker of its own.
    ///
    /// # Errors
    /// When the file or one of the pages cannot be read, or the copy cannot be written.
    pub fn highlight(
        &self,
        path: &Path,
        highlights: Vec<Highlight>,
        passwords: Vec<Password>,
    ) -> Result<Highlighted, ParseError> {
        match self.look(path, Wanted::Highlights(highlights), passwords)? {
            Outcome::Highlighted(made) => Ok(*made),
            _ => Err(unasked()),
        }
    }

    fn look(&self, path: &Path, wanted: Wanted, passwords: Vec<Password>) -> Result<Outcome, ParseError> {
        let mut request = Request { wanted, ..self.request(path.to_owned(), passwords) };
        let mut answer = WorkerProcess::start(&self.command)?.parse(&mut request, &self.stop, &|_, _, _| {});
        // The page can be shown without what recognition failed to read on it.
        if answer.outcome.is_err() && answer.recognising && !self.stop.is_requested() {
            request.ocr = None;
            answer = WorkerProcess::start(&self.command)?.parse(&mut request, &self.stop, &|_, _, _| {});
        }
        answer.outcome
    }

    fn request(&self, path: PathBuf, passwords: Vec<Password>) -> Request {
        Request {
            id: 0,
            path,
            passwords,
            libpdfium: self.command.libpdfium.clone(),
            limits: self.limits,
            ocr: self.ocr.clone(),
            wanted: Wanted::Document,
        }
    }

    /// Reads one file; again in a new worker when a used one crashed on it, since an earlier file may be the cause.
    fn parse_one(&self, worker: &mut Option<WorkerProcess>, job: Job, on_page: OnPage<'_>) -> Parsed {
        let started = Instant::now();
        let mut request = self.request(job.path, job.passwords);
        let mut given_up = None;
        let (outcome, peak_bytes) = loop {
            let used = worker.is_some();
            let running = worker.take().map_or_else(|| WorkerProcess::start(&self.command), Ok);
            let mut running = match running {
                Ok(running) => running,
                Err(error) => break (Err(error), None),
            };
            let answer = running.parse(&mut request, &self.stop, on_page);
            if answer.reusable {
                *worker = Some(running);
            }
            let Err(error) = &answer.outcome else {
                break (answer.outcome, answer.peak_bytes);
            };
            let stopped = matches!(error, ParseError::Stopped);
            let died = !answer.reusable
                && matches!(error, ParseError::Crashed { .. } | ParseError::OutOfMemory { .. });
            if used && died {
                continue;
            }
            // Rendering a page costs more than reading it: without recognition the file's text may still be read.
            if !stopped && answer.recognising && request.ocr.take().is_some() {
                given_up = Some(error.to_string());
                continue;
            }
            break (answer.outcome, answer.peak_bytes);
        };
        let mut outcome = outcome.and_then(|outcome| match outcome {
            Outcome::Document(document) => Ok(*document),
            _ => Err(unasked()),
        });
        if let (Ok(document), Some(why)) = (&mut outcome, given_up) {
            document.warnings.push(format!("OCR was given up: {why}"));
        }
        Parsed {
            index: job.index,
            path: request.path,
            outcome,
            seconds: started.elapsed().as_secs_f64(),
            peak_bytes,
        }
    }
}

/// A worker that answers another question than it was asked is broken.
fn unasked() -> ParseError {
    ParseError::Worker { detail: "it broke the protocol".to_owned() }
}
