//! `pipeline score`.

mod page;

use super::{App, calls, gates, interrupt};
use crate::{args::Evaluate, printer::Outcome, words::count};
use anyhow::Result;
use lab::evaluate_run::{EvaluateRequest, Evaluated, dry_run, evaluate};
use std::path::{Path, PathBuf};
use types::{Reporter, path_text::shown};

/// Scores answers; negative when the judge failed on a row.
pub(super) async fn run(app: &App, args: &Evaluate) -> Result<Outcome> {
    let input = args.file.as_deref().or(args.test_results.as_deref());
    let remains = lab::remains(&app.settings);
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
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    if args.dry_run {
        let planned = dry_run(&app.settings, &request, &app.reporter).await?;
        let head = format!("{} of {}", count(planned.rows, "row"), planned.query_set);
        return calls::print(app, &planned, head);
    }
    gates::check_junit(&args.gates)?;
    let done = evaluate(&app.settings, &request, &app.reporter).await?;
    let document = &done.document;
    app.printer.page(document, || page::page(document))?;
    gates::write_junit(&args.gates, || document.junit())?;
    remarks(app, args, &done);
    let outcome = gates::outcome(app, &document.gates);
    let errors = document.metadata.errors;
    if errors > 0 {
        let mut rows = document.results.iter();
        let first = rows.find_map(|(id, row)| Some(format!("; first, {id}: {}", row.error.as_ref()?)));
        let (rows, first) = (count(errors, "row"), first.unwrap_or_default());
        app.reporter
            .warn(&format!("{rows} without an overall score, because the judge failed{first}; {remains}"));
        return Ok(Outcome::Negative);
    }
    Ok(outcome)
}

fn remarks(app: &App, args: &Evaluate, done: &Evaluated) {
    let (metadata, usage) = (&done.document.metadata, &done.usage);
    let rows = count(metadata.rows_in_file, "row");
    let (format, judge) = (&metadata.input_format, &metadata.judge);
    app.reporter.remark(&format!("{rows}, format {format}; judge {judge}"));
    let (cached, asked) = done.cached_calls;
    if usage.requests > 0 || cached + asked > 0 {
        let requests = count(usage.requests, "request");
        let (read, written) = (usage.prompt_tokens, usage.completion_tokens);
        app.reporter.remark(&format!(
            "{requests} to the language model, {read} tokens read, {written} written; {cached} answered from the cache"
        ));
    }
    if let Some(path) = &args.output {
        app.reporter.remark(&format!("written: {}", shown(path)));
    }
}
