//! `pipeline eval --retrieval-only`.

use crate::{
    args::Eval,
    commands::{App, figures, interrupt},
    printer::Outcome,
    words::{NAMED, count, first_of},
};
use anyhow::Result;
use lab::retrieval_run::{self, Found, ModeRetrieval, Preset, RetrievalRequest, RetrievalRun};
use std::fmt::Write;
use types::{Mode, Reporter};

/// Results that count, if nothing else is said.
const K: usize = 10;
/// Characters of a question in the table.
const QUESTION_CHARS: usize = 80;

/// Measures retrieval; negative when a question is below `--min-recall`.
pub(super) async fn run(app: &App, args: &Eval, modes: Vec<Mode>) -> Result<Outcome> {
    let own = &args.retrieval;
    let preset = own.preset.as_deref().map(Preset::named).transpose()?;
    let ids = match preset {
        Some(preset) => preset.ids(),
        None => own.ids.clone(),
    };
    let request = RetrievalRequest {
        queries: args.queries.clone(),
        qrels: own.qrels.clone(),
        ids,
        limit: args.limit,
        modes,
        k: own
            .k
            .map(usize::from)
            .or(preset.map(|preset| preset.k))
            .unwrap_or(K),
        min_grade: own
            .min_grade
            .or(preset.map(|preset| preset.min_grade))
            .unwrap_or(1),
        min_recall: own.min_recall.or(preset.map(|preset| preset.min_recall)),
        stop: interrupt::discarding_stop(&app.reporter)?,
    };
    let done = retrieval_run::run(&app.settings, &request, &app.reporter).await?;
    app.printer.result(&done.document()?, || text(&done))?;
    for mode in &done.modes {
        let below: Vec<&str> = mode
            .questions
            .iter()
            .filter(|found| found.passes(request.min_recall) == Some(false))
            .map(|found| found.query_id.as_str())
            .collect();
        if let (Some(min), false) = (request.min_recall, below.is_empty()) {
            app.reporter.warn(&format!(
                "gate failed: {} of {} below --min-recall {min} in mode {}: {}",
                below.len(),
                count(mode.questions.len() as u64, "question"),
                mode.mode,
                first_of(&below, NAMED)
            ));
        }
    }
    Ok(if done.below() == 0 {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

// Writing to a string cannot fail: the results of `writeln!` are dropped.
fn text(done: &RetrievalRun) -> String {
    let mut out = String::new();
    for mode in &done.modes {
        table(&mut out, done, mode);
    }
    for (mode, compared) in &done.comparisons {
        if let Some(recall) = compared.get("recall_of_ceiling") {
            let tested = figures::tested("recall / ceiling", recall, "question", "questions");
            let _ = writeln!(out, "{} - {mode}: {tested}", done.modes[0].mode);
        }
    }
    if done.without_expected > 0 {
        let _ = writeln!(
            out,
            "not measured: {} for which no document is expected",
            count(done.without_expected as u64, "question")
        );
    }
    if done.not_indexed > 0 {
        let _ = writeln!(
            out,
            "{} not in the index; they count as missed",
            count(done.not_indexed as u64, "expected document")
        );
    }
    out
}

fn table(out: &mut String, done: &RetrievalRun, run: &ModeRetrieval) {
    let k = done.request.k;
    let wide = run.questions.iter().map(|found| found.query_id.chars().count());
    let id = wide.max().unwrap_or(0).max("question".len());
    let _ = writeln!(
        out,
        "{}, {} of {}\n\n{:<id$}  expected  found@{k:<3} recall  ceiling  recall/ceiling  rank 1st  lost",
        run.mode,
        count(run.questions.len() as u64, "question"),
        count(done.documents as u64, "document"),
        "question",
    );
    for found in &run.questions {
        let gate = match found.passes(done.request.min_recall) {
            Some(false) => "  below the gate",
            _ => "",
        };
        let rank = found
            .first_rank
            .map_or_else(|| "-".to_owned(), |rank| rank.to_string());
        let _ = writeln!(
            out,
            "{:<id$}  {:>8}  {:>9}  {:>5.3}  {:>7.3}  {:>14.3}  {rank:>8}  {}{gate}",
            found.query_id,
            found.expected,
            found.found,
            found.recall(),
            found.ceiling(),
            found.of_ceiling(),
            lost(found),
        );
        let _ = writeln!(out, "{:<id$}  {}", "", question(&found.query));
    }
    out.push('\n');
    let rows = [
        (
            "recall",
            "share of the expected documents among the first results",
        ),
        ("ceiling", "the highest recall that the number of results allows"),
        ("recall_of_ceiling", "recall as a share of its ceiling"),
        ("mrr", "1 / rank of the first expected document"),
        ("first_100", "expected documents among the first 100"),
        ("candidates", "among the candidates of the reranker"),
        ("reranked", "among the passages that it keeps"),
        ("context", "in the context of an answer"),
    ];
    for (key, says) in rows {
        let value = match run.summary.get(key) {
            // It follows from the questions alone: an interval would say nothing.
            Some(ceiling) if key == "ceiling" => {
                ceiling.mean.map_or_else(String::new, |mean| format!("{mean:.4}"))
            }
            Some(summary) => figures::mean(summary),
            None => String::new(),
        };
        let _ = writeln!(out, "{key:<19}{value:<24}{says}");
    }
    out.push('\n');
}

/// Where expected documents are lost.
fn lost(found: &Found) -> String {
    let Some(stage) = found.lost_at() else {
        return "-".to_owned();
    };
    let behind = found.missed.iter().filter(|(_, rank)| rank.is_some()).count();
    match found.missed.len() - behind {
        0 => stage.to_owned(),
        absent => format!(
            "{absent} not among the first 100, {behind} ranked below {}",
            found.k
        ),
    }
}

/// The beginning of a question.
fn question(query: &str) -> String {
    match query.char_indices().nth(QUESTION_CHARS) {
        Some((end, _)) => format!("{}…", query[..end].trim_end()),
        None => query.to_owned(),
    }
}
