//! What answers took and cost.

use crate::report::page::Page;
use crate::report::words::{NONE, dollars};
use eval::report::Evaluation;
use std::collections::BTreeSet;

/// The share of the time of an answer from which a stage is worth a line.
const SLOW: f64 = 0.05;

pub(super) fn page(evaluation: &Evaluation) -> Page {
    let mut page = Page::new();
    if evaluation.latency.is_empty() {
        page.line("The log holds no timings.");
    } else {
        times(&mut page, evaluation);
    }
    if evaluation.spent.is_empty() {
        page.line(nothing_spent(evaluation));
        return page;
    }
    let prices = &evaluation.provenance.prices;
    let spent: Vec<_> = evaluation
        .spent
        .iter()
        .flat_map(|(mode, stages)| stages.iter().map(move |(stage, usage)| (mode, stage, usage)))
        .collect();
    page.gap();
    page.rows(&spent)
        .caption("Calls, tokens and cost by mode and stage")
        .column("Mode", |(mode, ..)| (*mode).to_owned())
        .column("Stage", |(_, stage, _)| (*stage).to_owned())
        .column("Requests", |(.., usage)| usage.requests.to_string())
        .column("Of these failed", |(.., usage)| usage.failed_requests.to_string())
        .column("Tokens read", |(.., usage)| usage.prompt_tokens.to_string())
        .column("Tokens written", |(.., usage)| usage.completion_tokens.to_string())
        .column("Cost", |(_, stage, usage)| {
            prices.get(*stage).map_or_else(|| NONE.to_owned(), |price| dollars(price.of(**usage)))
        });
    page.line(format!("{} Replies from the cache cost nothing and are not counted.", total(evaluation)));
    page
}

/// A log may name a model and not what it spent.
fn nothing_spent(evaluation: &Evaluation) -> &'static str {
    let models = &evaluation.provenance.models;
    let named = |role: &str| models.get(role).map_or("", String::as_str);
    let is_offline = evaluation.provenance.extractive() && !named("judge").starts_with("llm");
    if is_offline {
        "No language model was used."
    } else {
        "The log does not say what language models spent."
    }
}

/// The stages that take a part of the time.
fn times(page: &mut Page, evaluation: &Evaluation) {
    let latency = &evaluation.latency;
    let mut stages: Vec<&str> = Vec::new();
    for (_, own) in latency.iter() {
        let total = own.get("total").map_or(0.0, |time| time.median);
        for (stage, time) in own.iter().filter(|(_, time)| time.median >= SLOW * total) {
            if !stages.contains(&stage) && time.n > 0 {
                stages.push(stage);
            }
        }
    }
    let mut rows =
        page.rows(stages).caption("Time by stage").column("Milliseconds", |stage| (*stage).to_owned());
    for (mode, own) in latency.iter() {
        rows = rows.column(format!("{mode}: median, p95 (rows)"), |stage| {
            own.get(stage).map_or_else(
                || NONE.to_owned(),
                |time| format!("{:.1}, {:.1} ({})", time.median, time.p95, time.n),
            )
        });
    }
    page.line("Of an answer, judging not included; stages of at least 5 % of the time.");
}

/// What all of it cost, one sentence.
fn total(evaluation: &Evaluation) -> String {
    let prices = &evaluation.provenance.prices;
    let costs = evaluation.spent.iter().flat_map(|(_, stages)| stages.iter());
    let total: Option<f64> = costs.map(|(stage, usage)| Some(prices.get(stage)?.of(*usage))).sum();
    let read = prices.values().map(|price| price.read.as_str()).filter(|date| !date.is_empty());
    let dates = Vec::from_iter(read.collect::<BTreeSet<_>>()).join(" and ");
    let dates = if dates.is_empty() { dates } else { format!(" at prices of {dates}") };
    match total {
        Some(total) => format!("Total cost: {}{dates}.", dollars(total)),
        None => "The cost is not known: set llm.price_input and llm.price_output.".to_owned(),
    }
}
