//! The worker's side: one process that reads files for its parent until its standard input ends.
//!
//! PDFium is native code fed with hostile bytes. It lives only here, so that a crash, a hang or a memory bomb
//! costs one file. Before anything native runs, standard output is moved to a private descriptor and its
//! old number pointed at standard error: whatever a library prints cannot corrupt a frame.

use crate::error::guarded;
use crate::frames::{Event, Outcome, Report, Request, Wanted, read_frame, write_frame};
use crate::ocr::tesseract;
use crate::reading::{Limits, Progress, Reading};
use crate::sandbox::{lower, memory_of};
use crate::{ParseError, layout, pdfium::Library, source_id_of, structure, view};
use rustix::process::{Resource, Signal, set_parent_process_death_signal};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::process::ExitCode;
use types::Document;

/// The argument that makes a program a worker.
pub const WORKER_ARGUMENT: &str = "worker";

/// Runs a worker: reads requests from standard input and answers on standard output until the input ends.
/// Call it first thing in the process, before anything prints.
pub fn worker_main() -> ExitCode {
    if let Some(code) = tesseract::run_tesseract_if_asked() {
        return code;
    }
    // The parent may have died before this line ran: the end of standard input still ends the worker.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("worker: {e}");
            ExitCode::from(2)
        }
    }
}

fn run() -> io::Result<()> {
    let private = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    let mut out = BufWriter::new(File::from(private));
    let mut stdin = io::stdin().lock();
    lower(Resource::Core, 0);
    let mut library: Option<Library> = None;
    while let Some(request) = read_frame::<Request>(&mut stdin)? {
        lower(Resource::As, request.limits.memory_bytes);
        limit_processor_time(request.limits.seconds_per_file);
        // Resets the high-water mark of resident memory; where the kernel forbids it, the mark is the process's.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let result = guarded(|| serve(&mut library, &request, &mut out));
        let panicked = result.is_err();
        let outcome = result.flatten();
        let peak_bytes = memory_of("self").map(|m| m.resident_peak);
        let event = Event::Done { outcome, peak_bytes };
        write_frame(&mut out, &Report { id: request.id, event })?;
        if panicked {
            return Err(io::Error::other("left after a panic: its state is not to be trusted"));
        }
    }
    Ok(())
}

fn serve(
    library: &mut Option<Library>,
    request: &Request,
    out: &mut BufWriter<File>,
) -> Result<Outcome, ParseError> {
    fault(request);
    let library = match library {
        Some(library) => library,
        None => library.insert(Library::load(&request.libpdfium)?),
    };
    let id = request.id;
    let seconds = request.limits.seconds_per_file;
    let mut reported = None;
    let mut progress = |progress: Progress| {
        match progress {
            // Not every page: documents that take milliseconds would be reported in many frames.
            Progress::Page(page, _) if reported.is_some_and(|last| page < last + 8) => return,
            Progress::Page(page, _) => reported = Some(page),
            // Rendering the page costs this process time.
            Progress::Recognising(_) => limit_processor_time(seconds),
        }
        let event = Event::Progress(progress);
        // Should the parent be gone, the next report fails.
        let _ = write_frame(out, &Report { id, event });
    };
    let reading =
        Reading { passwords: &request.passwords, limits: &request.limits, ocr: request.ocr.as_ref() };
    match &request.wanted {
        Wanted::Document => {}
        Wanted::Page(query) => {
            let view = view::view(library, &request.path, &reading, query, &mut progress)?;
            return Ok(Outcome::Page(Box::new(view)));
        }
        Wanted::Highlights(wanted) => {
            let made = view::highlight(library, &request.path, &reading, wanted, &mut progress)?;
            return Ok(Outcome::Highlighted(Box::new(made)));
        }
    }
    let mut pages = layout::Pages::default();
    let opened = library.read(&request.path, &reading, &mut progress, &mut pages)?;
    let document = structure::build(pages, &opened, source_id_of(&request.path));
    match opened.repaired {
        // Without text, the reason why the file had to be repaired says more.
        Some(repaired) if document.text.trim().is_empty() => Err(repaired.error),
        _ => refuse_if_out_of_memory(document, request.limits)
            .map(|document| Outcome::Document(Box::new(document))),
    }
}

/// PDFium survives some failed allocations by showing an empty page. When a document came out without text
/// and the address space was nearly used up, memory is the reason.
fn refuse_if_out_of_memory(document: Document, limits: Limits) -> Result<Document, ParseError> {
    let starved = memory_of("self").is_some_and(|m| m.virtual_peak >= limits.memory_bytes / 5 * 4);
    if starved && document.text.trim().is_empty() {
        return Err(ParseError::OutOfMemory { limit_mib: limits.memory_bytes >> 20, page: None });
    }
    Ok(document)
}

/// Allows `seconds` more of processor time from now on.
fn limit_processor_time(seconds: u64) {
    let used = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| {
        // The second field is the program's name in brackets and may hold spaces; utime and stime are the
        // 14th and 15th field.
        let rest = stat.rsplit_once(')')?.1;
        let mut fields = rest.split_ascii_whitespace().skip(11);
        let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
        Some(ticks / rustix::param::clock_ticks_per_second().max(1))
    });
    lower(Resource::Cpu, used.unwrap_or(0) + seconds + 1);
}

/// Faults for tests: `INGEST_WORKER_FAULT=KIND:NAME` breaks the worker on files whose path holds NAME.
/// Debug builds only.
fn fault(request: &Request) {
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(spec) = std::env::var("INGEST_WORKER_FAULT") else {
        return;
    };
    let Some((kind, name)) = spec.split_once(':') else {
        return;
    };
    if !request.path.to_string_lossy().contains(name) {
        return;
    }
    match kind {
        "hang" => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        "spin" => loop {
            std::hint::spin_loop();
        },
        "memory" => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1u8; 8 << 20]);
                std::hint::black_box(&hoard);
            }
        }
        "abort" => std::process::abort(),
        "panic" => panic!("asked for by the test"),
        "noise" => println!("native code prints this where frames used to go"),
        "exit" => std::process::exit(3),
        other => eprintln!("worker: unknown fault {other}"),
    }
}
