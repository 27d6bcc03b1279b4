//! `pipeline ground-truth`.

use super::{App, eval::calls_text, interrupt};
use crate::{args::GroundTruth, printer::Outcome, words::count};
use anyhow::Result;
use contract::GroundTruthCandidate;
use lab::{
    ground_truth::{Dropped, GivenQuestions, GroundTruthRequest, dry_run, run as draft},
    retrieval_run::Preset,
};
use std::fmt::Write;
use types::Reporter;

/// A judged document is relevant from this grade on, if nothing else is said: highly relevant in most benchmarks.
const MIN_GRADE: i32 = 2;

/// Drafts or lists; negative when fewer questions were drafted than were asked for.
pub(super) async fn run(app: &App, args: &GroundTruth) -> Result<Outcome> {
    let request = GroundTruthRequest {
        count: args.count,
        output: args.output.clone(),
        unanswerable: args.unanswerable,
        seed: args.seed,
        per_question: args.per_question.clone(),
        given: given(args)?,
        list: args.list,
        max_cost: args.cost.max_cost,
        stop: interrupt::stop(&app.reporter)?,
    };
    if args.dry_run {
        let planned = dry_run(&app.settings, &request, &app.reporter).await?;
        app.printer.result(&planned, || {
            let questions = count(planned.questions as u64, "question");
            format!(
                "{questions} about {}, if no draft is dropped\n\n{}",
                planned.query_set,
                calls_text(&planned)
            )
        })?;
        return Ok(Outcome::Done);
    }
    let done = draft(&app.settings, &request, &app.reporter).await?;
    app.printer.result(&done, || text(&done))?;
    let short = done.kinds.iter().any(|kind| kind.drafted < kind.wanted);
    if done.failed > 0 && short {
        app.reporter.warn(&format!(
            "{} failed; run the same command again to try only these",
            count(done.failed as u64, "draft")
        ));
    }
    Ok(if short { Outcome::Negative } else { Outcome::Done })
}

fn given(args: &GroundTruth) -> Result<Option<GivenQuestions>> {
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

// Writing to a string cannot fail: the results of `writeln!` are dropped.
fn text(done: &contract::GroundTruth) -> String {
    let mut out = String::new();
    if done.kinds.is_empty() {
        for (at, candidate) in done.candidates.iter().enumerate() {
            out.push_str(&passage(at + 1, candidate));
        }
        let passages = count(done.candidates.len() as u64, "passage");
        let _ = writeln!(out, "{passages} to write questions for (seed {})", done.seed);
        if let Some(output) = &done.output {
            let _ = writeln!(
                out,
                "written: {output}; fill in each query and reference_answer, and correct gold_evidence"
            );
        }
        return out;
    }
    for kind in &done.kinds {
        let _ = writeln!(out, "{:<13} {} of {}", kind.kind, kind.drafted, kind.wanted);
    }
    let dropped: usize = done.dropped.values().sum();
    if dropped > 0 {
        let _ = writeln!(out, "\n{} dropped:", count(dropped as u64, "draft"));
        for reason in Dropped::ALL {
            if let Some(number) = done.dropped.get(reason.key()) {
                let _ = writeln!(out, "{number:>5}  {reason}");
            }
        }
    }
    out.push('\n');
    if done.resumed > 0 {
        let _ = writeln!(
            out,
            "{} from an unfinished run",
            count(done.resumed as u64, "draft")
        );
    }
    if let Some(usage) = &done.usage {
        let cost = done.cost.map_or_else(String::new, |cost| format!(", ${cost:.4}"));
        let _ = writeln!(
            out,
            "{} to language models, {} tokens read, {} written{cost}; {} answered from the cache",
            count(u64::from(usage.requests), "request"),
            usage.prompt_tokens,
            usage.completion_tokens,
            count(done.cached_calls, "more call")
        );
    }
    match &done.output {
        Some(output) => {
            let _ = writeln!(
                out,
                "written: {output}\nReview every row before you use it: see docs/ground-truth.md. Then check the file with \
                 `pipeline queries check`."
            );
        }
        None => out.push_str("no query set was written\n"),
    }
    out
}

fn passage(number: usize, candidate: &GroundTruthCandidate) -> String {
    let pages = if candidate.page_start == candidate.page_end {
        format!("page {}", candidate.page_start)
    } else {
        format!("pages {}-{}", candidate.page_start, candidate.page_end)
    };
    format!(
        "{number:>3}. {}  {}, {pages}  ({})\n     \"{}\"\n\n",
        candidate.chunk_id,
        candidate.section,
        candidate.reasons.join(", "),
        candidate.sentence
    )
}
