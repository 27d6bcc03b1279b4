//! Programs that end with this one, whatever ends it.
//!
//! Nothing can be done in a killed process. So this program starts itself once more, and that child asks the system to
//! be killed with its parent and becomes the other program.

use super::{SetupError, last_line};
use crate::parse::WORKER_ARGUMENT;
use rustix::process::{Signal, set_parent_process_death_signal};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::unix::process::{CommandExt, parent_id},
    path::{Path, absolute},
    process::{Command, ExitCode, Output},
};

/// The exit code when the program could not be started, as in a shell.
const NOT_STARTED: u8 = 127;

/// Runs Python: isolated (`-I`), so that neither the working directory nor variables add modules, and in `work`, where
/// its temporary files lie too.
pub(super) fn python(python: &str, args: &[&OsStr], work: &Path) -> Result<Output, SetupError> {
    let failed = |source| SetupError::Python {
        python: python.to_owned(),
        source,
    };
    // A path is relative to the directory of the user, a name is looked up.
    let program = if python.contains('/') {
        absolute(python).map_err(failed)?
    } else {
        python.into()
    };
    let done = Command::new(std::env::current_exe().map_err(failed)?)
        .arg(WORKER_ARGUMENT)
        .arg(std::process::id().to_string())
        .arg(program)
        .arg("-I")
        .args(args)
        .current_dir(work)
        .env("TMPDIR", work)
        .output()
        .map_err(failed)?;
    if done.status.code() == Some(NOT_STARTED.into()) {
        return Err(failed(io::Error::other(last_line(&done))));
    }
    Ok(done)
}

/// Becomes a program that is killed when the parent ends: the parent's process id, the program, its arguments.
pub fn become_program(words: &[OsString]) -> ExitCode {
    let [parent, program, args @ ..] = words else {
        return ExitCode::from(2);
    };
    let bound = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    // The parent may have ended before.
    if !bound || *parent != *parent_id().to_string() {
        return ExitCode::from(2);
    }
    eprintln!("{}", Command::new(program).args(args).exec());
    ExitCode::from(NOT_STARTED)
}
