//! Programs that end with this one, whatever ends it, and with them the programs that they started.
//!
//! Nothing can be done in a killed process. So this program starts itself once more, and that child runs the other
//! program in a process group of its own, which it kills when the pipe from its parent closes.

use super::{SetupError, last_line};
use ingest::WORKER_ARGUMENT;
use rustix::process::{Signal, kill_current_process_group, setpgid};
use std::{
    ffi::{OsStr, OsString},
    io::{self, Read},
    path::{Path, absolute},
    process::{Command, ExitCode, Output, Stdio},
    thread,
};

/// The exit code when the program could not be started, as in a shell.
const NOT_STARTED: u8 = 127;

/// Runs Python: isolated (`-I`), so that neither the working directory nor variables add modules, and in `work`, where
/// its temporary files lie too.
pub(super) fn python(python: &str, args: &[&OsStr], work: &Path) -> Result<Output, SetupError> {
    let failed = |source| SetupError::Python { python: python.to_owned(), source };
    // A path is relative to the directory of the user, a name is looked up.
    let program = if python.contains('/') { absolute(python).map_err(failed)? } else { python.into() };
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .arg(WORKER_ARGUMENT)
        .arg(program)
        .arg("-I")
        .args(args)
        .current_dir(work)
        .env("TMPDIR", work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // Waiting would close it.
    let _pipe = child.stdin.take();
    let done = child.wait_with_output().map_err(failed)?;
    if done.status.code() == Some(NOT_STARTED.into()) {
        return Err(failed(io::Error::other(last_line(&done))));
    }
    Ok(done)
}

/// Runs a program, given with its arguments, until standard input ends.
pub fn run_for_parent(words: &[OsString]) -> ExitCode {
    let [program, args @ ..] = words else {
        return ExitCode::FAILURE;
    };
    if setpgid(None, None).is_err() {
        return ExitCode::FAILURE;
    }
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        kill_current_process_group(Signal::KILL)
    });
    match Command::new(program).args(args).stdin(Stdio::null()).status() {
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(NOT_STARTED)
        }
    }
}
