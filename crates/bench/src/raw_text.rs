//! PDFium's plain text of a file, read in a child process: what is printed in a PDF, whatever our reader makes
//! of it.
//!
//! Scoring asks it whether a heading of the truth stands in the PDF at all. Our reader's own text would not do:
//! what the reader drops would count as never printed.

use crate::{error::BenchError, output::Outcome};
use pdfium_render::prelude::Pdfium;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
    process::{Command, Stdio},
};

/// Address space and processor time of a child.
const MEMORY_BYTES: u64 = 1 << 30;
const SECONDS: u64 = 60;
/// More text than this is cut off; it is far beyond any paper.
const MOST_BYTES: u64 = 64 << 20;

/// Has a child of this program read the file. Pages are set apart by form feeds.
pub(crate) fn read(library: &Path, file: &Path) -> Result<String, BenchError> {
    let broken = |reason: String| BenchError::RawText {
        path: file.to_owned(),
        reason,
    };
    let program = std::env::current_exe().map_err(|e| broken(e.to_string()))?;
    let mut child = Command::new(program)
        .arg("raw-text")
        .arg(library)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| broken(e.to_string()))?;
    let mut bytes = Vec::new();
    let copied = match child.stdout.take() {
        Some(pipe) => pipe.take(MOST_BYTES).read_to_end(&mut bytes),
        None => Ok(0),
    };
    let status = child.wait().map_err(|e| broken(e.to_string()))?;
    copied.map_err(|e| broken(e.to_string()))?;
    if status.success() {
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    } else {
        Err(broken(format!("the child ended with {status}")))
    }
}

/// The child's side: prints the text of one file.
pub(crate) fn child(library: &Path, file: &Path) -> Result<Outcome, BenchError> {
    limit(Resource::As, MEMORY_BYTES);
    limit(Resource::Cpu, SECONDS);
    let broken = |reason: String| BenchError::RawText {
        path: file.to_owned(),
        reason,
    };
    let bytes = fs::read(file).map_err(BenchError::io("read", file))?;
    let bindings = Pdfium::bind_to_library(library).map_err(|e| broken(format!("{e:?}")))?;
    let pdfium = Pdfium::new(bindings);
    let start = bytes.windows(5).position(|w| w == b"%PDF-").unwrap_or(0);
    let document = pdfium
        .load_pdf_from_byte_slice(&bytes[start..], None)
        .map_err(|e| broken(format!("{e:?}")))?;
    let mut out = io::stdout().lock();
    for page in document.pages().iter() {
        // A page that cannot be read prints nothing.
        let text = page.text().map(|text| text.all()).unwrap_or_default();
        out.write_all(text.as_bytes())?;
        out.write_all(b"\x0c")?;
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn limit(resource: Resource, to: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(to, |most| most.min(to)));
    // A limit that cannot be set leaves the child as free as its parent.
    let _ = setrlimit(resource, Rlimit { current, maximum });
}
