//! `pipeline queries draft`.

use super::{App, calls, interrupt};
use crate::{args::Draft, page::Page, printer::Outcome, words::count};
use anyhow::Result;
use lab::{
    benchmark::retrieval::Preset,
    draft::{DraftRequest, DraftedQueries, GivenQuestions, dry_run, run as draft},
    eval::Remains,
};
use types::Reporter;

/// A judged document is relevant from this grade on, if nothing else is said: highly relevant in most benchmarks.
const MIN_GRADE: i32 = 2;

/// Drafts; negative when fewer questions were drafted than were asked for.
pub(super) async fn run(app: &App, args: &Draft) -> Result<Outcome> {
    let remains = lab::remains(&app.settings);
    let request = DraftRequest {
        count: args.count,
        output: args.output.clone(),
        unanswerable: args.unanswerable,
        seed: args.seed,
        per_question: args.per_question,
        given: given(args)?,
        max_cost: args.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    if args.dry_run {
        let planned = dry_run(&app.settings, &request, &app.reporter).await?;
        let questions = count(planned.questions, "question");
        let head = format!("{questions} about {}, if no draft is dropped", planned.query_set);
        return calls::print(app, &planned, head);
    }
    if remains == Remains::Nothing {
        app.reporter.warn(
            "llm.cache is off: if the command stops before its end, the replies that were paid for are lost",
        );
    }
    let done = draft(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || page(&done))?;
    let short = done.kinds.iter().any(|kind| kind.drafted < kind.wanted);
    if done.failed > 0 && short {
        app.reporter.warn(&format!("{} failed; {remains}", count(done.failed, "draft")));
    }
    Ok(Outcome::of(!short))
}

fn given(args: &Draft) -> Result<Option<GivenQuestions>> {
    let own = &args.given;
    let Some(queries) = &own.queries else {
        return Ok(None);
    };
    let preset = own.preset.as_deref().map(Preset::named).transpose()?;
    let ids = match preset {
        Some(preset) => preset.ids(),
        None => own.ids.clone(),
    };
    let min_grade = own.min_grade.or(preset.map(|preset| preset.min_grade));
    Ok(Some(GivenQuestions {
        queries: queries.clone(),
        qrels: own.qrels.clone(),
        ids,
        min_grade: min_grade.unwrap_or(MIN_GRADE),
    }))
}

fn page(done: &DraftedQueries) -> Page {
    let mut page = Page::new();
    for kind in &done.kinds {
        page.fact(kind.kind, format!("{} of {}", kind.drafted, kind.wanted));
    }
    page.gap();
    let dropped: usize = done.dropped.values().sum();
    page.tally(dropped, "draft", "dropped:");
    for (reason, number) in &done.dropped {
        page.fact(format!("{number:>5}"), *reason);
    }
    page.gap();
    if let Some(usage) = &done.usage {
        let cost = done.cost.map_or_else(String::new, |cost| format!(", ${cost:.4}"));
        let requests = count(usage.requests, "request");
        let (read, written) = (usage.prompt_tokens, usage.completion_tokens);
        let cached = count(done.cached_calls, "more call");
        page.line(format!(
            "{requests} to language models, {read} tokens read, {written} written{cost}; {cached} answered from the cache"
        ));
    }
    match &done.output {
        Some(output) => {
            page.line(format!("written: {output}"));
            page.line(
                "Review every row before you use it: see docs/query-sets.md. Then check the file with `pipeline queries \
                 check`.",
            );
        }
        None => page.line("no query set was written"),
    }
    page
}
