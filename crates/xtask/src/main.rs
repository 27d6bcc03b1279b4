//! Checks of the repository itself: `cargo xtask check`, and the lines of each crate: `cargo xtask lines`.
//!
//! A rule about the code holds where a program enforces it. This one reads `cargo metadata`, the files that
//! git knows (tracked, or new and not ignored) and the lock file, applies the rules of [`rules`], one file
//! each, and prints every failure as `path: what is wrong` with a `hint:` line below it.
//!
//! It does not build, format or lint: `cargo` does. It depends on none of our crates, so that it runs even
//! when they do not compile, and on nothing heavy, so that it is built in seconds.
//!
//! Exit codes: 0 all rules hold (for `lines`, the budget), 1 some do not, 2 the check itself could not run.

mod repo;
mod rules;

use anyhow::{Result, bail};
use repo::Repo;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask check | lines";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all rules hold.
fn run() -> Result<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["check"] => {}
        ["lines"] => {
            let repo = Repo::load()?;
            print!("{}", rules::lines::table(&repo));
            return Ok(rules::lines::check(&repo).is_empty());
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return Ok(true);
        }
        other => bail!("unknown arguments {other:?}; {USAGE}"),
    }
    let repo = Repo::load()?;
    let mut failures = 0;
    for (name, rule) in rules::ALL {
        for failure in rule(&repo) {
            println!("{}: {}\n  hint: {} [{name}]", failure.path, failure.what, failure.hint);
            failures += 1;
        }
    }
    println!("xtask check: {} rules, {} files, {failures} failures", rules::ALL.len(), repo.files.len());
    Ok(failures == 0)
}
