//! `pipeline ask`.

use super::{
    App,
    references::{Here, cues, named, passage, place, sentence},
};
use crate::{
    args, draft,
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::Result;
use engine::{
    Answer, Pipeline,
    chat_models::ChatModels,
    documents::Ask,
    show::{Block, Cited, Closest, Numbered, Piece, Reference, notes, numbered},
};
use std::sync::Arc;
use types::{
    CheckedClaim, ContextRecord, FurtherSearch, Reporter as _, RunRecord, Spent, written::SIGNATURE,
};

/// Answers, prints and logs; a refusal is a negative result.
pub(super) async fn run(app: &App, args: &args::Ask) -> Result<Outcome> {
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
    let document = Ask::new(&answer.references, &answer.record, args.include_context);
    let view = View::of(args, &answer);
    let printed = app.printer.page(&document, || view.page());
    if let Err(error) = lab::log::append(&app.settings, &answer.record) {
        app.reporter.warn(&lab::log::unwritten(&error));
    }
    printed?;
    Ok(Outcome::of(!answer.response().no_evidence))
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
    fn of(args: &args::Ask, answer: &'a Answer) -> Self {
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

    /// The question, the answer or what came closest, its sources, and how far it can be trusted.
    fn page(&self) -> Page {
        let mut page = Page::new();
        let response = &self.record.response;
        page.title(self.record.query.as_str());
        if response.no_evidence {
            self.refusal(&mut page);
        } else {
            self.answer(&mut page);
            let quality = sentence(&response.evidence_quality);
            page.gap();
            page.line(
                Line::new()
                    .strong("Confidence: ")
                    .text(format!("{}. {quality}", response.confidence)),
            );
        }
        for note in self.notes() {
            page.line(Line::new().strong("Note: ").text(sentence(&note)));
        }
        self.context(&mut page);
        if response.no_evidence || !self.context.is_empty() {
            page.gap();
        }
        page.line(Line::new().dim(self.made()));
        page
    }

    fn answer(&self, page: &mut Page) {
        for block in &self.numbered.blocks {
            match block {
                Block::Quote { text, sources } => {
                    page.gap();
                    let line = Line::new().quoted(text.as_str()).text(" ");
                    page.quote_line(sources.iter().fold(line, |line, number| line.mark(*number)));
                }
                Block::Prose { pieces, apart } => {
                    if *apart {
                        page.gap();
                    }
                    prose(page, pieces);
                }
            }
        }
        let sources = &self.numbered.sources;
        page.heading(if sources.len() == 1 { "Source" } else { "Sources" });
        for (at, cited) in sources.iter().enumerate() {
            self.source(page, at + 1, cited);
        }
    }

    fn source(&self, page: &mut Page, number: usize, cited: &Cited) {
        page.source(number, named(&cited.reference));
        for (one, cues) in cited.places.iter().zip(cues(cited)) {
            let target = self
                .here
                .target(&cited.reference, one.pages.map(|(first, _)| first));
            let line = Line::link(place(&cited.reference, one.section, one.pages), target);
            page.below(if cues.is_empty() {
                line
            } else {
                line.dim(format!(", {cues}"))
            });
            for quote in one.quotes.iter().filter(|q| !q.in_answer) {
                page.quote_line(Line::new().quoted(quote.text.as_str()));
            }
        }
    }

    fn refusal(&self, page: &mut Page) {
        for line in self.record.response.answer.trim().lines() {
            page.line(sentence(line));
        }
        match self.closest.len() {
            0 => {}
            1 => page.heading("Closest passage"),
            _ => page.heading("Closest passages"),
        }
        let sources: Vec<&Reference> = self.closest.iter().map(|(_, source)| source).collect();
        for (at, (Closest { chunk, preview }, source)) in self.closest.iter().enumerate() {
            passage(page, &self.here, &sources[..at], source, chunk.section, preview);
        }
        if !self.notes().is_empty() {
            page.gap();
        }
    }

    /// The passages that the answer was written from, whole.
    fn context(&self, page: &mut Page) {
        if !self.context.is_empty() {
            page.heading(format!("Context: {} passages", self.context.len()));
        }
        for (at, (chunk, source)) in self.context.iter().enumerate() {
            page.gap();
            page.entry(at + 1, named(source));
            let place = place(
                source,
                Some(chunk.section),
                Some((chunk.page_start, chunk.page_end)),
            );
            page.below(Line::link(
                place,
                self.here.target(source, Some(chunk.page_start)),
            ));
            page.aside(format!("chunk {}", chunk.chunk_id));
            page.quote(&chunk.text);
        }
    }

    /// What a reader needs to know beside the answer: caveats, if a refusal has not given its reason with them already;
    /// what was taken from the words of the question; and further searches.
    fn notes(&self) -> Vec<String> {
        let refused = self.record.response.no_evidence;
        let actions = self.record.guardrails.iter();
        let reasons: Vec<&str> = actions
            .filter(|action| refused && action.action == "refused")
            .map(|action| action.reason.as_str())
            .collect();
        let caveats = self.record.response.caveats.iter();
        let caveats = caveats.filter(|caveat| !reasons.iter().any(|reason| caveat.contains(reason)));
        let searches = self.record.further_searches.iter().map(|search| {
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
        });
        let taken = notes(&self.record.filters, &self.record.understood);
        caveats.cloned().chain(taken).chain(searches).collect()
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

    /// Who made the answer and how, and how long it took. Saved, the text is recognised by it.
    fn made(&self) -> String {
        let total = self.record.timings_ms.get("total").copied().unwrap_or_default();
        let time = if total < 1000.0 {
            format!("{total:.0} ms")
        } else {
            format!("{:.1} s", total / 1000.0)
        };
        let failed = self.record.fallbacks.iter().any(|stage| stage == Spent::GENERATE);
        let how = if self.record.response.no_evidence {
            "no answer"
        } else if failed {
            "sentences quoted from the papers and chosen offline, because the language model failed"
        } else if self.record.model == "extractive" {
            "sentences quoted from the papers, no language model"
        } else {
            let (model, verified) = (&self.record.model, self.verified());
            return format!("{SIGNATURE} with {model} in {time}{verified}.");
        };
        format!("{SIGNATURE}: {how}; {time}.")
    }
}

/// Adds a line of a written answer.
fn prose(page: &mut Page, pieces: &[Piece]) {
    let mut is_item = false;
    let mut line = Line::new();
    for (at, piece) in pieces.iter().enumerate() {
        line = match piece {
            Piece::Mark(number) => line.mark(*number),
            Piece::Text(text) => {
                let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
                is_item |= at == 0 && bullet.is_some();
                line.text(bullet.filter(|_| at == 0).unwrap_or(text))
            }
        };
    }
    if is_item {
        page.item(line);
    } else {
        page.line(line);
    }
}

#[cfg(test)]
mod tests;
