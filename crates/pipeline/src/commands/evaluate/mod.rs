//! `pipeline evaluate`.

mod text;

use super::{
    App,
    eval::{calls_text, check_junit, write_junit},
    interrupt,
};
use crate::{args::Evaluate, printer::Outcome, words::count};
use anyhow::Result;
use lab::evaluate_run::{EvaluateRequest, Evaluated, dry_run, evaluate};
use std::path::{Path, PathBuf};
use types::{Reporter, path_text::shown};

/// Scores answers; negative when the judge failed on a row.
pub(super) async fn run(app: &App, args: &Evaluate) -> Result<Outcome> {
    let input = args.file.as_deref().or(args.test_results.as_deref());
    let request = EvaluateRequest {
        input: input.filter(|path| *path != Path::new("-")).map(PathBuf::from),
        format: args.input_format,
        run: args.run.clone(),
        maps: args.maps.clone(),
        ground_truth: args.ground_truth.clone(),
        queries: args.queries.clone(),
        qrels: args.qrels.clone(),
        limit: args.limit,
        model: args.model.clone(),
        output: args.output.clone(),
        against: args.against.clone(),
        min: args.gates.min.clone(),
        max: args.gates.max.clone(),
        max_cost: args.cost.max_cost,
        stop: interrupt::stop(&app.reporter)?,
    };
    if args.dry_run {
        let planned = dry_run(&app.settings, &request, &app.reporter).await?;
        app.printer.result(&planned, || {
            let rows = count(planned.rows as u64, "row");
            format!("{rows} of {}\n\n{}", planned.query_set, calls_text(&planned))
        })?;
        return Ok(Outcome::Done);
    }
    check_junit(args.gates.junit.as_deref())?;
    let done = evaluate(&app.settings, &request, &app.reporter).await?;
    app.printer.text_or_markdown(
        &done.document,
        || text::summary(&done.document),
        || done.markdown(),
    )?;
    write_junit(args.gates.junit.as_deref(), || done.junit())?;
    remarks(app, args, &done);
    let failed = done.document.gates.iter().filter(|gate| !gate.passed);
    let failed: Vec<_> = failed.map(|gate| &gate.gate).collect();
    for gate in &failed {
        app.reporter.warn(&format!("gate failed: {gate}"));
    }
    let errors = done.document.metadata.errors;
    if errors > 0 {
        let rows = count(errors as u64, "row");
        let first = done
            .document
            .results
            .iter()
            .find_map(|(id, row)| Some((id, row.error.as_ref()?)));
        let first = first.map_or_else(String::new, |(id, error)| format!("; first, {id}: {error}"));
        app.reporter.warn(&format!(
            "{rows} without an overall score, because the judge failed{first}; run the same command again to ask only for these"
        ));
        return Ok(Outcome::Negative);
    }
    Ok(if failed.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

fn remarks(app: &App, args: &Evaluate, done: &Evaluated) {
    let metadata = &done.document.metadata;
    app.reporter.remark(&format!(
        "{}, format {}; judge {}",
        count(metadata.rows_in_file as u64, "row"),
        metadata.input_format,
        metadata.judge
    ));
    let (cached, asked) = done.cached_calls;
    if done.usage.requests > 0 || cached + asked > 0 {
        app.reporter.remark(&format!(
            "{} to the language model, {} tokens read, {} written; {cached} answered from the cache",
            count(u64::from(done.usage.requests), "request"),
            done.usage.prompt_tokens,
            done.usage.completion_tokens,
        ));
    }
    if let Some(path) = &args.output {
        app.reporter.remark(&format!("written: {}", shown(path)));
    }
}
