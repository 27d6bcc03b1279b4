//! `pipeline ask`.

mod markdown;
mod text;

use super::{App, references::Here};
use crate::{args::Ask, draft, printer::Outcome};
use anyhow::Result;
use engine::{
    Answer, Pipeline,
    chat_models::ChatModels,
    documents,
    show::{Closest, Numbered, Reference, notes, numbered},
};
use std::sync::Arc;
use types::{
    CheckedClaim, ContextRecord, FurtherSearch, Reporter as _, RunRecord, Spent, written::SIGNATURE,
};

/// Answers, prints and logs; a refusal is a negative result.
pub(super) async fn run(app: &App, args: &Ask) -> Result<Outcome> {
    let models = Arc::new(ChatModels::new(&app.settings)?.with_budget(args.cost.max_cost));
    let mut pipeline = Pipeline::open_with(&app.settings, models).await?;
    if let Some(sink) = draft::sink(args.stream, app.reporter.is_quiet(), app.printer.is_text()) {
        pipeline = pipeline.showing_drafts(sink);
    }
    let filter = args.filters.to_filter();
    let mode = app.settings.retrieve.mode;
    let answer = tokio::select! {
        // First, so that the handler is in place before anything is asked.
        biased;
        _ = tokio::signal::ctrl_c() => anyhow::bail!("stopped before there was an answer"),
        answered = pipeline.ask(&args.query, mode, &filter) => answered?,
    };
    // Printed first: an answer must not be lost to a log that cannot be written, nor a log line to a reader
    // that went away.
    let document = documents::ask(&answer.references, &answer.record, args.include_context);
    let view = View::of(args, &answer);
    let printed = app
        .printer
        .page(&document, || text::page(&view), || markdown::page(&view));
    if let Err(error) = lab::log::append(&app.settings, &answer.record) {
        app.reporter.warn(&lab::log::unwritten(&error));
    }
    printed?;
    Ok(if answer.response().no_evidence {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

/// What people are shown of an answer.
struct View<'a> {
    record: &'a RunRecord,
    numbered: Numbered,
    /// For a refusal: what came closest.
    closest: Vec<(&'a Closest, Reference)>,
    /// The passages that the answer was written from, where they are asked for.
    context: Vec<(&'a ContextRecord, Reference)>,
    here: Here,
}

impl<'a> View<'a> {
    fn of(args: &Ask, answer: &'a Answer) -> Self {
        let Answer {
            record, references, ..
        } = answer;
        let context = record.context.iter().flatten();
        Self {
            record,
            numbered: numbered(record, references),
            closest: answer
                .closest
                .iter()
                .map(|closest| (closest, references.get(&closest.chunk.source_id)))
                .collect(),
            context: context
                .filter(|_| args.include_context)
                .map(|c| (c, references.get(&c.source_id)))
                .collect(),
            here: Here::find(),
        }
    }

    /// The caveats that a reader needs beside the answer: a refusal has given its reason already.
    fn caveats(&self) -> impl Iterator<Item = &str> {
        let refused = self.record.response.no_evidence;
        let reasons: Vec<&str> = self
            .record
            .guardrails
            .iter()
            .filter(|action| refused && action.action == "refused")
            .map(|action| action.reason.as_str())
            .collect();
        let caveats = self.record.response.caveats.iter().map(String::as_str);
        caveats.filter(move |caveat| !reasons.iter().any(|reason| caveat.contains(reason)))
    }

    /// What was taken from the words of the question.
    fn notes(&self) -> Vec<String> {
        notes(&self.record.filters, &self.record.understood)
    }

    /// What a language model verified, if one did.
    fn verified(&self) -> String {
        let (claims, model) = (&self.record.claims, self.record.models.get("verifier"));
        let asked = claims.iter().filter(|claim| claim.verdict.is_some()).count();
        let supported = |claim: &&CheckedClaim| claim.supported && claim.verdict.is_some();
        match model {
            Some(model) if asked > 0 => {
                let n = claims.iter().filter(supported).count();
                format!("; {n} of {asked} claims verified by {model}")
            }
            _ => String::new(),
        }
    }

    /// The further searches, each as a sentence.
    fn further(&self) -> Vec<String> {
        let searches = self.record.further_searches.iter();
        let line = |search: &FurtherSearch| {
            let FurtherSearch {
                query,
                found,
                new,
                kept,
            } = search;
            format!(
                "searched also for “{query}”: {found} found, {new} new, {} kept",
                kept.len()
            )
        };
        searches.map(line).collect()
    }

    /// Who made the answer and how, and how long it took. Saved, the text is recognised by it.
    fn made(&self) -> String {
        let total = self.record.timings_ms.get("total").copied().unwrap_or_default();
        let time = if total < 1000.0 {
            format!("{total:.0} ms")
        } else {
            format!("{:.1} s", total / 1000.0)
        };
        if self.record.response.no_evidence {
            format!("{SIGNATURE}: no answer; {time}.")
        } else if self.record.fallbacks.iter().any(|stage| stage == Spent::GENERATE) {
            format!(
                "{SIGNATURE}: sentences quoted from the papers and chosen offline, because the language model failed; {time}."
            )
        } else if self.record.model == "extractive" {
            format!("{SIGNATURE}: sentences quoted from the papers, no language model; {time}.")
        } else {
            let (model, verified) = (&self.record.model, self.verified());
            format!("{SIGNATURE} with {model} in {time}{verified}.")
        }
    }
}

#[cfg(test)]
mod tests;
