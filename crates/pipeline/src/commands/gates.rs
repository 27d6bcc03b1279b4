//! Gates, which become an exit code, and the file of test cases: the same for every command that has them.

use super::App;
use crate::{args::Gates, printer::Outcome};
use anyhow::{Context, Result};
use lab::eval::GateResult;
use types::{
    Reporter,
    path_text::shown,
    written::{refuse_foreign, write_output},
};

/// Warns of the gates that failed.
pub(super) fn outcome<'a>(app: &App, gates: impl IntoIterator<Item = &'a GateResult>) -> Outcome {
    let mut outcome = Outcome::Done;
    for failed in gates.into_iter().filter(|gate| !gate.passed) {
        app.reporter.warn(&format!("gate failed: {}", failed.gate));
        outcome = Outcome::Negative;
    }
    outcome
}

/// Refuses a file of `--junit` that may not be replaced, before anything is asked.
pub(super) fn check_junit(args: &Gates) -> Result<()> {
    let Some(path) = &args.junit else { return Ok(()) };
    refuse_foreign(path).with_context(|| format!("cannot write {}", shown(path)))
}

/// Writes the file of `--junit`, if there is one.
pub(super) fn write_junit(args: &Gates, xml: impl FnOnce() -> String) -> Result<()> {
    let Some(path) = &args.junit else { return Ok(()) };
    write_output(path, &[xml().as_bytes()]).with_context(|| format!("cannot write {}", shown(path)))
}
