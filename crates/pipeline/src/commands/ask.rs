//! `pipeline ask`.

mod per_paper;

use super::{
    App, calls,
    references::{Here, cues, named, passage, place, sentence},
};
use crate::{
    args, draft,
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::{Context as _, Result, bail};
use engine::{
    Answer, Pipeline,
    chat_models::ChatModels,
    documents::Ask,
    local_model,
    settings::Settings,
    show::{Block, Cited, Closest, Numbered, Piece, Reference, notes_of, numbered},
    stages::warn_without_reader,
};
use lab::dry_run;
use serde_json::json;
use std::{io::Read as _, path::Path, sync::Arc};
use types::{
    CheckedClaim, ContextRecord, FurtherSearch, Reporter as _, RunRecord, SourceMeta, Spent,
    files::read_text_bounded, path_text::shown, written::SIGNATURE,
};

const STOPPED: &str = "stopped before there was an answer";
/// A file of questions at most.
const MOST_BYTES: u64 = 1 << 20;

/// What `--budget small` reads: passages, and characters of all.
const SMALL: &str = "rerank.top_n=3 expand.max_chunks=3 generate.max_context_chars=8000";

/// The settings that the options of `ask` change.
pub(super) fn changes(settings: &Settings, args: &args::Ask) -> Vec<String> {
    let small = args.budget.iter().flat_map(|args::Budget::Small| SMALL.split(' '));
    let passages = args.k.map(|k| passages(settings, k)).unwrap_or_default();
    small.map(str::to_owned).chain(passages).collect()
}

/// The settings for answers from `k` passages: as many are retrieved as are to be kept.
fn passages(settings: &Settings, k: usize) -> Vec<String> {
    let search = &settings.retrieve.search;
    let at_least = |key: &str, now: usize| format!("{key}={}", now.max(k));
    vec![
        format!("rerank.top_n={k}"),
        at_least("retrieve.top_k", search.top_k),
        at_least("retrieve.vector_k", search.vector_k),
        at_least("retrieve.bm25_k", search.bm25_k),
        at_least("expand.max_chunks", settings.expand.max_chunks),
    ]
}

/// Answers, prints and logs the question, or those of the file; a refusal is a negative result, and in a file also a
/// failure.
pub(super) async fn run(app: &App, args: &args::Ask) -> Result<Outcome> {
    let file = args.file.as_deref().map(questions).transpose()?;
    if args.dry_run {
        let questions = file.unwrap_or_else(|| args.query.iter().cloned().collect());
        let from = args.file.as_deref().map_or("the command line".to_owned(), |file| match file {
            file if file == Path::new("-") => "standard input".to_owned(),
            file => shown(file),
        });
        let (mode, filter) = (app.settings.retrieve.mode, args.filters.to_filter()?);
        let planned = dry_run::of_questions(&app.settings, (&from, &questions), mode, &filter).await?;
        return calls::print(app, &planned, calls::of_questions(&planned));
    }
    let models = Arc::new(ChatModels::new(&app.settings)?.with_budget(args.cost.max_cost));
    let mut pipeline = Pipeline::open_with(&app.settings, models).await?;
    warn_without_reader(&app.settings, &app.reporter);
    if let Some(sink) = draft::sink(args.stream, app.reporter.is_quiet(), app.printer.is_text()) {
        pipeline = pipeline.showing_drafts(sink);
    }
    if args.per_paper {
        return per_paper::run(app, &pipeline, args, &file.unwrap_or_default()).await;
    }
    let Some(questions) = file else {
        let question = args.query.as_deref().unwrap_or_default();
        let Some(answer) = answer(app, &pipeline, args, question).await? else {
            bail!(STOPPED);
        };
        // Printed first: an answer must not be lost to a log that cannot be written, nor a log line to a reader
        // that went away.
        let printed = match app.printer.style() {
            Some(style) => app.printer.papers(cited(&answer).iter().map(|meta| &**meta), style),
            None => app.printer.page(&document(args, &answer), || View::of(args, &answer).page()),
        };
        let log_file = &app.settings.log.file;
        let is_first = !log_file.as_os_str().is_empty() && !log_file.exists();
        log(app, &answer);
        printed?;
        if is_first && app.printer.is_text() && app.settings.llm.model("").is_none() {
            point_out_model(app).await;
        }
        return Ok(Outcome::of(!answer.response().no_evidence));
    };
    let (mut documents, mut papers, mut well) = (Vec::new(), Vec::new(), true);
    for question in &questions {
        match answer(app, &pipeline, args, question).await {
            // What is answered is not lost.
            Ok(None) => {
                if app.printer.is_json() {
                    app.printer.page(&documents, Page::new)?;
                }
                bail!(STOPPED)
            }
            Ok(Some(answer)) => {
                well &= !answer.response().no_evidence;
                log(app, &answer);
                if app.printer.style().is_some() {
                    papers.extend(cited(&answer));
                } else if app.printer.is_json() {
                    documents.push(serde_json::to_value(document(args, &answer))?);
                } else {
                    if app.printer.is_text() {
                        app.printer.page(&(), || asked(question))?;
                    }
                    app.printer.page(&(), || View::of(args, &answer).page())?;
                    app.printer.raw("\n")?;
                }
            }
            Err(error) => {
                well = false;
                let said = crate::shown(&error);
                app.reporter.warn(&format!("{question}: {said}"));
                documents.push(json!({ "query": question, "error": said }));
            }
        }
    }
    if let Some(style) = app.printer.style() {
        app.printer.papers(papers.iter().map(|meta| &**meta), style)?;
    } else if app.printer.is_json() {
        app.printer.page(&documents, Page::new)?;
    }
    Ok(Outcome::of(well))
}

/// Says, after the first question, how a language model that runs on this machine can be used.
async fn point_out_model(app: &App) {
    if !app.reporter.is_quiet()
        && let Some(local) = local_model::running().await
    {
        let (server, options) = (local.provider, local.options());
        app.reporter.remark(&format!(
            "{server} runs on this machine; to let it choose the sentences of answers, add {options}"
        ));
    }
}

/// The papers that an answer cites.
fn cited(answer: &Answer) -> Vec<Arc<SourceMeta>> {
    let citations = answer.response().citations.iter();
    citations.map(|citation| answer.references.get(&citation.source_id).meta).collect()
}

/// The questions of a file, one a line.
fn questions(path: &Path) -> Result<Vec<String>> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        let mut input = std::io::stdin().lock().take(MOST_BYTES + 1);
        input.read_to_string(&mut text).context("cannot read questions from standard input")?;
        if text.len() as u64 > MOST_BYTES {
            bail!("standard input has more than {MOST_BYTES} bytes; ask in several files");
        }
        text
    } else {
        read_text_bounded(path, MOST_BYTES).with_context(|| format!("cannot read {}", shown(path)))?
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let questions: Vec<String> = lines.map(str::to_owned).collect();
    if questions.is_empty() {
        bail!("{} has no question; write one on each line", shown(path));
    }
    Ok(questions)
}

/// The question above its answer; Markdown has it as the title.
fn asked(question: &str) -> Page {
    let mut page = Page::new();
    page.line(Line::new().strong(question));
    page.gap();
    page
}

/// The answer; `None` if the user stopped the program.
async fn answer(app: &App, pipeline: &Pipeline, args: &args::Ask, question: &str) -> Result<Option<Answer>> {
    let (filter, mode) = (args.filters.to_filter()?, app.settings.retrieve.mode);
    tokio::select! {
        // First, so that the handler is in place before anything is asked.
        biased;
        _ = tokio::signal::ctrl_c() => Ok(None),
        answered = pipeline.ask(question, mode, &filter) => Ok(Some(answered?)),
    }
}

fn document(args: &args::Ask, answer: &Answer) -> Ask {
    Ask::new(&answer.references, &answer.record, args.include_context)
}

fn log(app: &App, answer: &Answer) {
    if let Err(error) = lab::log::append(&app.settings, &answer.record) {
        app.reporter.warn(&lab::log::unwritten(&error));
    }
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
        let Answer { record, references, .. } = answer;
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
            page.line(Line::new().strong("Confidence: ").text(format!("{}. {quality}", response.confidence)));
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
                Block::Quote { text, first, sources } => {
                    page.gap();
                    let line = match first {
                        Some(first) if *first != (0..text.len()) => Line::new()
                            .text(format!("“{}", &text[..first.start]))
                            .bold(&text[first.clone()])
                            .text(format!("{}” ", &text[first.end..])),
                        _ => Line::new().quoted(text.as_str()).text(" "),
                    };
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
            let target = self.here.target(&cited.reference, one.pages.map(|(first, _)| first));
            let line = Line::link(place(&cited.reference, one.section, one.pages), target);
            page.below(if cues.is_empty() { line } else { line.dim(format!(", {cues}")) });
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
            let place = place(source, Some(chunk.section), Some((chunk.page_start, chunk.page_end)));
            page.below(Line::link(place, self.here.target(source, Some(chunk.page_start))));
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
            let FurtherSearch { query, found, new, kept } = search;
            format!("searched also for “{query}”: {found} found, {new} new, {} kept", kept.len())
        });
        let taken = notes_of(self.record);
        let taken = taken.iter().map(ToString::to_string);
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
        let time = if total < 1000.0 { format!("{total:.0} ms") } else { format!("{:.1} s", total / 1000.0) };
        let failed = self.record.fallbacks.iter().any(|stage| stage == Spent::GENERATE);
        let how = if self.record.response.no_evidence {
            "no answer"
        } else if failed {
            "sentences quoted from the papers and chosen offline, because the language model failed"
        } else if self.record.model == "extractive" {
            "sentences quoted from the papers, no language model"
        } else {
            let (model, verified) = (&self.record.model, self.verified());
            return if self.record.prompt_version.starts_with("select") {
                format!("{SIGNATURE}: sentences quoted from the papers, chosen by {model}; {time}{verified}.")
            } else {
                format!("{SIGNATURE} with {model} in {time}{verified}.")
            };
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
