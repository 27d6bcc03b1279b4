//! Finds tesseract, and runs it once for each image.
//!
//! It must not outlive the worker, whatever ends that: a time limit, a crash, the end of the whole pipeline. So
//! the worker starts itself once more, and that child asks the system to be killed with its parent, lowers its own
//! limits and becomes the program. It inherits the worker's limit of memory.

use super::{Image, OcrSettings};
use crate::ParseError;
use crate::sandbox::{clear_environment, lower};
use rustix::process::{Resource, Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The variables that tell a worker to become the program: its path, languages, dots per inch, seconds.
const BECOME: [&str; 4] =
    ["INGEST_OCR_PROGRAM", "INGEST_OCR_LANGUAGES", "INGEST_OCR_DPI", "INGEST_OCR_SECONDS"];
/// More than any page of words.
const MAX_OUTPUT: u64 = 32 << 20;
/// How often a running program is looked at.
const TICK: Duration = Duration::from_millis(5);
/// Patience with a program that only has to name itself.
const INTRODUCTION: Duration = Duration::from_secs(10);
/// And with the pipes of one that has ended.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// An installed `tesseract`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tesseract {
    /// The program.
    pub program: PathBuf,
    /// Name and version as it gives them: "tesseract 5.3.0".
    pub version: String,
    /// The languages that it has been given data for.
    pub languages: Vec<String>,
}

impl Tesseract {
    /// Asks a program, by path or by a name on the search path, for its version and languages.
    ///
    /// # Errors
    /// [`ParseError::Ocr`] when it is not there or does not answer like `tesseract`.
    pub fn find(program: &Path) -> Result<Self, ParseError> {
        let lack = |what: String| ParseError::Ocr { detail: format!("{}: {what}", program.display()) };
        let introduction = ask(program, "--version").map_err(lack)?;
        let version = introduction
            .lines()
            .map(str::trim)
            .find(|l| l.starts_with("tesseract "))
            .ok_or_else(|| lack("it does not name itself tesseract".to_owned()))?;
        let listed = ask(program, "--list-langs").map_err(lack)?;
        let mut languages: Vec<String> = listed
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || "_-/".contains(c)))
            .map(str::to_owned)
            .collect();
        languages.sort();
        Ok(Self { program: program.to_owned(), version: version.to_owned(), languages })
    }

    /// The languages of a list such as "eng+deu" that it has no data for.
    pub fn missing<'a>(&self, languages: &'a str) -> Vec<&'a str> {
        let missing = |l: &&str| !self.languages.iter().any(|have| have == l);
        languages.split('+').filter(missing).collect()
    }
}

/// What the program prints for one argument, on either of its outputs.
fn ask(program: &Path, argument: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    clear_environment(&mut command).arg(argument);
    let said = run(&mut command, Vec::new(), Instant::now() + INTRODUCTION)?;
    Ok(format!("{}\n{}", said.output, said.errors))
}

/// Has one picture read; the answer is for [`super::hocr`].
pub(super) fn recognise(image: &Image, settings: &OcrSettings, deadline: Instant) -> Result<String, String> {
    let left = deadline.saturating_duration_since(Instant::now()).as_secs() + 1;
    // The path by which the system knows this program still works when its file has been replaced.
    let itself = Path::new("/proc/self/exe");
    let itself = if itself.exists() {
        itself.to_owned()
    } else {
        std::env::current_exe().map_err(|e| format!("the worker does not find itself: {e}"))?
    };
    let values: [OsString; 4] = [
        settings.tesseract.program.clone().into(),
        settings.languages.clone().into(),
        settings.dpi.to_string().into(),
        left.to_string().into(),
    ];
    let mut command = Command::new(itself);
    command.args(std::env::args_os().skip(1));
    command.envs(BECOME.into_iter().zip(values));
    let said = run(&mut command, image.to_bytes(), deadline)?;
    if said.success {
        return Ok(said.output);
    }
    let last = said.errors.lines().rev().find(|l| !l.trim().is_empty());
    Err(format!("tesseract failed: {}", last.unwrap_or("it says nothing").trim()))
}

/// Becomes the program when the variables say so; `None` in a worker that is to read files.
pub(crate) fn run_tesseract_if_asked() -> Option<ExitCode> {
    let [program, languages, dpi, seconds] = BECOME.map(std::env::var_os);
    let program = program?;
    if set_parent_process_death_signal(Some(Signal::KILL)).is_err() {
        eprintln!("cannot be bound to the worker's life");
        return Some(ExitCode::from(2));
    }
    let seconds = seconds.and_then(|s| s.to_str()?.parse().ok()).unwrap_or(60);
    lower(Resource::Cpu, seconds);
    lower(Resource::Core, 0);
    let mut command = Command::new(program);
    command
        .args(["stdin", "stdout", "-l"])
        .arg(languages.unwrap_or_default())
        .arg("--dpi")
        .arg(dpi.unwrap_or_default())
        // Page segmentation without a guess of the script; the answer as HTML.
        .args(["--psm", "3", "-c", "tessedit_create_hocr=1"])
        // Workers are parallel already, and threads make its memory grow.
        .env("OMP_THREAD_LIMIT", "1");
    for name in BECOME {
        command.env_remove(name);
    }
    eprintln!("{}", command.exec());
    Some(ExitCode::from(2))
}

/// What a program said until its end.
struct ProgramOutput {
    success: bool,
    output: String,
    errors: String,
}

/// Starts a program, feeds it, collects what it says, and ends it at the deadline.
fn run(command: &mut Command, input: Vec<u8>, deadline: Instant) -> Result<ProgramOutput, String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot be started: {e}"))?;
    let (output, errors) = (head(child.stdout.take()), head(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends early closes its end; its status says why.
        std::thread::spawn(move || stdin.write_all(&input));
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(TICK),
            Ok(None) => break Err("it took longer than the time limit".to_owned()),
            Err(e) => break Err(e.to_string()),
        }
    };
    if status.is_err() {
        // Errors mean that it is gone already.
        let _ = child.kill();
        let _ = child.wait();
    }
    let status = status?;
    // A program that left children behind leaves its pipes open: what it said is then not waited for for ever.
    let text = |from: Receiver<Vec<u8>>| {
        let bytes = from.recv_timeout(LAST_WORDS).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(ProgramOutput { success: status.success(), output: text(output), errors: text(errors) })
}

/// Reads a pipe to its end in a thread of its own, keeping so much from the start as any page of words needs: a
/// full pipe would stop the program.
fn head(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(mut pipe) = pipe {
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let _ = pipe.by_ref().take(MAX_OUTPUT).read_to_end(&mut kept);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            // Nobody listens any more when the program took too long.
            let _ = sender.send(kept);
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_with_the_remedy() {
        let check = |program: &str, want: &str| {
            let error = Tesseract::find(Path::new(program)).expect_err("is no tesseract").to_string();
            assert!(error.contains(want) && error.contains("install tesseract"), "{error}");
        };
        check("tesseract-that-is-not-there", "cannot be started");
        check("/nowhere/tesseract", "/nowhere/tesseract");
        check("true", "does not name itself");
    }

    #[test]
    fn missing_languages_are_named() {
        let tesseract = Tesseract {
            program: "tesseract".into(),
            version: "tesseract 5".into(),
            languages: vec!["eng".into(), "osd".into()],
        };
        assert!(tesseract.missing("eng").is_empty());
        assert_eq!(tesseract.missing("eng+deu+fra"), ["deu", "fra"]);
    }
}
