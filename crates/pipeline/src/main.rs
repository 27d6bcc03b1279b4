//! The `pipeline` command: arguments, progress bars, output, exit codes.
//!
//! Every job is done by the `engine` crate; this binary does not hold logic of a stage, and does not print
//! anything but results on standard output. Exit codes: 0 done, 1 a negative result, 2 an error; a broken pipe
//! is no error.

mod args;
mod clean;
mod commands;
mod markdown;
mod page;
mod printer;
mod progress;
mod style;
mod words;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use printer::Outcome;
use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let color = style::choose(style::requested(std::env::args_os()));
    let parsed = Cli::command().color(color).try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    if matches!(cli.command, Command::Worker) {
        // Before anything else: the worker's standard output is a private pipe to its parent.
        return engine::worker_main();
    }
    match commands::run(cli) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", clean::clean(&chain(&error)));
            ExitCode::from(2)
        }
    }
}

/// Prints help, version, or what is wrong with the arguments. It repeats arguments, which a shell may have made of
/// file names: where one could steer the terminal the message is cleaned, and has no colours.
fn refuse(error: &clap::Error) -> ExitCode {
    let unsafe_argument = std::env::args_os().any(|argument| {
        let argument = argument.to_string_lossy();
        clean::clean(&argument) != argument
    });
    if !error.use_stderr() || !unsafe_argument {
        error.exit();
    }
    eprint!("{}", clean::clean(&error.render().to_string()));
    ExitCode::from(2)
}

/// The error and its causes on one line; a cause that its error already prints is not said twice.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}
