//! The `pipeline` command: arguments, progress bars, output, exit codes.
//!
//! The `engine` crate does every job; this binary has no logic of a stage, and prints only results on standard output.
//! Exit codes: 0 done, 1 a negative result, 2 an error; a broken pipe is not an error.

mod args;
mod commands;
mod draft;
mod passwords;
mod printer;
mod progress;
mod style;

use args::{Cli, Command};
use engine::settings::SettingsError;
use lab::report::{clean, document, page, words};
use printer::Outcome;
use std::{
    io::{self, Write as _},
    process::ExitCode,
};
use types::{ErrorParts, Explain};

fn main() -> ExitCode {
    let color = style::requested(std::env::args_os());
    style::choose(color);
    let parsed = args::command().color(color).try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::of(&matches)) {
        Ok(cli) => cli,
        Err(error) => return refuse(&args::with_tip(error)),
    };
    if let Command::Worker { program } = &cli.command {
        // Before anything else: the worker's standard output is a private pipe to its parent.
        return match program.as_slice() {
            [] => engine::worker_main(),
            program => engine::natives::run_for_parent(program),
        };
    }
    // The only runtime; what computes waits for it or runs beside it.
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            let done = runtime.block_on(commands::run(cli));
            // Work that was given up, as by a server that stops, is not waited for.
            runtime.shutdown_background();
            done
        });
    let code = match done {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Negative) => 1,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            eprintln!("error: {}", clean::clean(&shown(&error)));
            2
        }
    };
    // Nobody is left to tell when standard output is closed.
    let _ = io::stdout().flush();
    // Work that was given up, as after a time limit, may still go on.
    commands::end(code)
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

/// The error on one line: what was wrong, then what to do; with causes that its own text does not include.
fn shown(error: &anyhow::Error) -> String {
    let text = chain(error);
    let document = document(error).filter(|_| text == error.to_string());
    match document.map(|document| (document.message, document.hint)) {
        Some((message, Some(hint))) => format!("{message}; {hint}"),
        Some((message, None)) => message,
        None => text,
    }
}

/// The error as a JSON document; `None` for errors that only this binary raises.
fn document(error: &anyhow::Error) -> Option<ErrorParts> {
    fn parts<E: Explain + Send + Sync + 'static>(error: &anyhow::Error) -> Option<ErrorParts> {
        error.downcast_ref::<E>().map(E::explain)
    }
    let engine = parts::<engine::EngineError>(error);
    let lab = || parts::<lab::LabError>(error);
    engine.or_else(lab).or_else(|| parts::<SettingsError>(error))
}

/// The error and its causes on one line; a cause that its error already prints is not repeated.
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
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EngineError, settings::Loaded};
    use serde_json::json;

    #[test]
    fn an_error_is_a_value_and_is_printed_as_its_text() {
        let (_, schema) =
            lab::schemas::DOCUMENTS.into_iter().find(|(name, _)| *name == "error").expect("a document");
        let schema = jsonschema::validator_for(&schema().to_value());
        let schema = schema.expect("a schema");
        let check = |error: anyhow::Error, want: serde_json::Value| {
            assert_eq!(shown(&error), error.to_string());
            let found = serde_json::to_value(document(&error).expect("known")).expect("serialises");
            assert!(schema.is_valid(&found), "{found}");
            assert_eq!(found, want);
        };
        let setting = |set: &str| Loaded::load(None, [], &[set.to_owned()]).expect_err("wrong").into();
        check(
            EngineError::NoSuchPath { path: "a; b".into() }.into(),
            json!({"code": "no_such_path", "message": "a; b does not exist", "value": "a; b",
                "hint": "name a paper (PDF, HTML, DOCX, Markdown, text, JATS, BEIR, zip) or a folder of papers"}),
        );
        check(
            setting("retrieve.min_similarty=1"),
            json!({"code": "settings_unknown", "message": "unknown setting \"retrieve.min_similarty\" in --set",
                "value": "retrieve.min_similarty", "hint": "did you mean \"retrieve.min_similarity\"?"}),
        );
        check(
            setting("rerank.top_n=0"),
            json!({"code": "settings_range", "message": "rerank.top_n must be at least 1, got 0", "value": "0",
                "hint": null}),
        );
    }
}
