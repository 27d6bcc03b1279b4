//! `pipeline queries draft`.

use super::{App, calls, interrupt};
use crate::{args::Draft, printer::Outcome, words::count};
use anyhow::Result;
use lab::{
    benchmark::{Questions, retrieval::Preset},
    draft::{DraftRequest, dry_run, run as draft},
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
    app.printer.document(&done, &["config_hash"])?;
    if done.output.is_some() {
        app.reporter.remark(
            "review every row before you use it: see docs/query-sets.md; then check the file with `pipeline queries check`",
        );
    }
    let short = done.kinds.iter().any(|kind| kind.drafted < kind.wanted);
    if done.failed > 0 && short {
        app.reporter.warn(&format!("{} failed; {remains}", count(done.failed, "draft")));
    }
    Ok(Outcome::of(!short))
}

fn given(args: &Draft) -> Result<Option<Questions>> {
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
    Ok(Some(Questions {
        queries: queries.clone(),
        qrels: own.qrels.clone(),
        ids,
        limit: None,
        min_grade: min_grade.unwrap_or(MIN_GRADE),
    }))
}
