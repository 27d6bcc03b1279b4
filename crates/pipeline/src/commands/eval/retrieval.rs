//! `pipeline eval --retrieval-only`.

use crate::{
    args::Eval,
    commands::{
        App, interrupt,
        measured::{mean, tested},
    },
    page::Page,
    printer::Outcome,
    words::{NAMED, count, first_of, value, when},
};
use anyhow::Result;
use lab::benchmark::retrieval::{
    self, Preset, RetrievalEval, RetrievalMode, RetrievalQuestion, RetrievalRequest,
};
use types::Reporter;

/// Results that count, if nothing else is said.
const K: usize = 10;
/// Characters of a question in the table.
const QUESTION_CHARS: usize = 80;

/// Measures retrieval; negative when a question is below `--min-recall`.
pub(super) async fn run(app: &App, args: &Eval) -> Result<Outcome> {
    let own = &args.retrieval;
    let preset = own.preset.as_deref().map(Preset::named).transpose()?;
    let ids = preset.map_or_else(|| own.ids.clone(), Preset::ids);
    let k = own.k.map(usize::from).or(preset.map(|preset| preset.k));
    let min_grade = own.min_grade.or(preset.map(|preset| preset.min_grade));
    let request = RetrievalRequest {
        queries: args.queries.clone(),
        qrels: own.qrels.clone(),
        ids,
        limit: args.limit,
        modes: args.mode.0.clone(),
        k: k.unwrap_or(K),
        min_grade: min_grade.unwrap_or(1),
        min_recall: own.min_recall.or(preset.map(|preset| preset.min_recall)),
        stop: interrupt::stop(&app.reporter, lab::eval::Remains::Nothing)?,
    };
    let done = retrieval::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || page(&done))?;
    for mode in &done.modes {
        let below = mode.questions.iter().filter(|found| found.passed == Some(false));
        let below: Vec<&str> = below.map(|found| found.query_id.as_str()).collect();
        if let (Some(min), false) = (request.min_recall, below.is_empty()) {
            let (n, questions) = (below.len(), count(mode.questions.len(), "question"));
            let (mode, ids) = (&mode.mode, first_of(&below, NAMED));
            app.reporter.warn(&format!(
                "gate failed: {n} of {questions} below --min-recall {min} in mode {mode}: {ids}"
            ));
        }
    }
    Ok(Outcome::of(done.below == 0))
}

fn page(done: &RetrievalEval) -> Page {
    let mut page = Page::new();
    for mode in &done.modes {
        add(&mut page, done, mode);
    }
    for mode in &done.modes {
        let compared = done.comparison.get(&mode.mode);
        if let Some(recall) = compared.and_then(|compared| compared.get("recall_of_ceiling")) {
            let (first, mode) = (&done.modes[0].mode, &mode.mode);
            let tested = tested("recall / ceiling", recall, "question");
            page.line(format!("{first} - {mode}: {tested}"));
        }
    }
    let without = "for which no document is expected: not measured";
    page.tally(done.without_expected, "question", without);
    let missing = "not in the index: they count as missed";
    page.tally(done.not_indexed, "expected document", missing);
    page
}

fn add(page: &mut Page, done: &RetrievalEval, run: &RetrievalMode) {
    let (questions, documents) = (run.questions.len(), count(done.documents, "document"));
    let questions = count(questions, "question");
    page.line(format!("{}, {questions} of {documents}", run.mode));
    page.gap();
    let found = format!("found@{}", done.k);
    let gate = |of: &RetrievalQuestion| when(of.passed == Some(false), "  below the gate");
    page.rows(&run.questions)
        .column("question", |of| of.query_id.clone())
        .column("expected", |of| of.expected.to_string())
        .column(found, |of| of.found.to_string())
        .column("recall", |of| format!("{:.3}", of.recall))
        .column("ceiling", |of| format!("{:.3}", of.ceiling))
        .column("recall/ceiling", |of| format!("{:.3}", of.recall_of_ceiling))
        .column("rank 1st", |of| of.first_rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string()))
        .column("lost", |of| lost(of, done.k) + gate(of))
        .column("asked", |of| question(&of.query));
    page.gap();
    let rows = [
        ("recall", "share of the expected documents among the first results"),
        ("ceiling", "the highest recall that the number of results allows"),
        ("recall_of_ceiling", "recall as a share of its ceiling"),
        ("mrr", "1 / rank of the first expected document"),
        ("first_100", "expected documents among the first 100"),
        ("candidates", "among the candidates of the reranker"),
        ("reranked", "among the passages that it keeps"),
        ("context", "in the context of an answer"),
    ];
    // The ceiling follows from the questions alone: an interval would say nothing.
    let mean = |key: &str| match run.measures.get(key) {
        Some(summary) if key == "ceiling" => value(summary.mean, 4),
        Some(summary) => mean(summary),
        None => String::new(),
    };
    page.rows(rows)
        .column("measure", |(key, _)| (*key).to_owned())
        .column("mean (95 % interval)", |(key, _)| mean(key))
        .column("", |(_, says)| (*says).to_owned());
    page.gap();
}

/// Where expected documents are lost.
fn lost(found: &RetrievalQuestion, k: usize) -> String {
    let Some(stage) = &found.lost_at else {
        return "-".to_owned();
    };
    let behind = found.missed.iter().filter(|missed| missed.rank.is_some()).count();
    match found.missed.len() - behind {
        0 => stage.clone(),
        absent => format!("{absent} not among the first 100, {behind} ranked below {k}"),
    }
}

/// The beginning of a question.
fn question(query: &str) -> String {
    match query.char_indices().nth(QUESTION_CHARS) {
        Some((end, _)) => format!("{}…", query[..end].trim_end()),
        None => query.to_owned(),
    }
}
