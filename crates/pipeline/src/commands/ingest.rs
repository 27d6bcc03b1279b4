//! `pipeline ingest`, and what it would do.

mod grouped;
mod watch;

use super::{App, interrupt};
use crate::{
    args::Ingest,
    page::Page,
    printer::Outcome,
    words::{count, first_of, number, when},
};
use anyhow::Result;
use engine::Pipeline;
use engine::indexer::{
    Action, DryRun, Duplicate, Entry, Failure, IngestRequest, IngestSummary, OtherFiles, can_write_manifest,
};
use grouped::{Item, Lists, short};
use types::{Explain as _, Reporter as _};

/// Ingests and prints what was done; a file that fails makes the result negative.
pub(super) fn run(app: &App, args: &Ingest) -> Result<Outcome> {
    let request = IngestRequest {
        paths: args.paths.clone(),
        passwords: args.passwords.read()?,
        follow_links: args.follow_links,
        retry_failed: args.retry_failed,
        prune_all: args.prune_all,
        part: args.part,
        stop: interrupt::stop(&app.reporter, lab::eval::Remains::Work)?,
    };
    let indexer = app.indexer();
    // Every file and warning is named with --verbose.
    let lists = || Lists { page: Page::new(), all: app.verbose };
    if args.dry_run {
        let plan = indexer.dry_run(&request, &app.reporter)?;
        app.printer.listing(&plan, || plan_page(&plan, lists()))?;
        return Ok(Outcome::of(!plan.has_failures()));
    }
    if let Some(file) = &args.write_manifest {
        can_write_manifest(file, args.force)?;
    }
    if args.watch {
        let own = [&*app.settings.index.dir, &*app.settings.log.reports];
        watch::watched((&args.paths, &own), &request.stop, &app.reporter, || {
            let summary = match Pipeline::ingest(&app.settings, &request, &app.reporter) {
                // Papers may come.
                Err(error) if error.explain().code == "no_papers_found" => {
                    app.reporter.warn(&error.to_string());
                    return Ok(());
                }
                done => done?,
            };
            app.printer.listing(&summary, || summary_page(&summary, lists())).map(drop)
        })?;
        return Ok(Outcome::Done);
    }
    let mut summary = Pipeline::ingest(&app.settings, &request, &app.reporter)?;
    if let Some(file) = &args.write_manifest {
        summary.manifest = Some(indexer.write_manifest(&args.paths, file, args.force)?);
    }
    app.printer.listing(&summary, || summary_page(&summary, lists()))?;
    Ok(Outcome::of(!summary.has_failures()))
}

/// What a run did.
fn summary_page(s: &IngestSummary, mut lists: Lists) -> Page {
    let failure = |f: &Failure| Item::new(&f.path, &f.reason);
    let before = |f: &Failure| {
        let reason = format!("{} (in an earlier run; --retry-failed reads it again)", f.reason);
        Item::new(&f.path, &reason)
    };
    let pair = |kind| move |d: &Duplicate| Item::pair(&d.path, kind, &d.same_as);
    let removed = |id: &types::SourceId| Item::new(id.as_str(), "its file or record is gone");
    lists.add("failed", s.failed.iter().map(failure), "file");
    lists.add("failed", s.failed_before.iter().map(before), "file");
    lists.add("skipped", s.skipped.iter().map(failure), "file");
    others(&mut lists.page, &s.other_files);
    let empty = s.empty.iter().map(|path| Item::new(path, "no text to index"));
    lists.add("empty", empty, "file");
    lists.add("same", s.duplicates.iter().map(pair("same bytes as")), "file");
    lists.add("same", s.same_paper.iter().map(pair("same paper as")), "file");
    lists.add("removed", s.removed.iter().map(removed), "paper");
    lists.add("note", s.warnings.iter().map(|text| Item::warning(text)), "paper");
    let mut page = lists.page;
    totals(&mut page, s);
    if let Some(manifest) = &s.manifest {
        let (rows, file) = (count(manifest.rows, "row"), short(&manifest.path));
        let next = "correct it and save it as manifest.csv beside the papers";
        page.line(format!("wrote {rows} to {file}; {next}"));
    }
    page
}

/// What was passed over, one line a kind.
fn others(page: &mut Page, others: &[OtherFiles]) {
    for OtherFiles { kind, count: all, first } in others {
        let shown = first_of(first.iter().map(|path| short(path)), first.len());
        let more = format!(" and {} more", number(all - first.len()));
        let more = when(*all > first.len(), &more);
        page.fact("skipped", format!("{}: {shown}{more}", count(*all, kind)));
    }
}

fn totals(page: &mut Page, s: &IngestSummary) {
    let moved = format!(" ({} only in where the file lies)", s.moved);
    let moved = when(s.moved > 0, &moved);
    let (files, failed) = (count(s.found, "file"), s.failed.len() + s.failed_before.len());
    let (added, changed, unchanged, removed) = (s.added, s.changed, s.unchanged, s.removed.len());
    let pending = format!(", {} stored and not in the index before all parts are", s.pending);
    let pending = when(s.pending > 0, &pending);
    page.line(format!(
        "{files}: {added} added, {changed} changed{moved}, {unchanged} unchanged, {removed} removed, {failed} failed{pending}"
    ));
    if let Some(rate) = s.pages_per_second {
        let (pages, seconds) = (count(s.pages_read, "page"), s.read_seconds);
        page.line(format!("read {pages} of PDFs in {seconds:.1} s ({rate:.0} pages/s)"));
    }
    if s.texts_read > 0 {
        page.line(format!("read {} in other formats", count(s.texts_read, "paper")));
    }
    let (parse, chunk, embed) = (&s.stages.parse, &s.stages.chunk, &s.stages.embed);
    page.line(format!(
        "parsed {} ({} reused), chunked {} ({} reused), embedded {} of {} texts",
        parse.done,
        parse.reused,
        chunk.done,
        chunk.reused,
        number(embed.done),
        number(embed.total())
    ));
    if s.embedded_texts > 0 {
        let rate = s.embedded_texts as f64 / s.embed_seconds.max(1e-3);
        let seconds = s.embed_seconds;
        page.line(format!("embedding and writing took {seconds:.1} s ({rate:.0} texts/s)"));
    }
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let peak = s.peak_bytes.map_or_else(|| "unknown".to_owned(), mib);
    let worker = s.worker_peak_bytes.map(mib);
    let worker = worker.map_or_else(String::new, |mib| format!(", {mib} in a PDF worker"));
    let (papers, chunks) = (count(s.sources, "paper"), count(s.chunks, "chunk"));
    page.line(format!(
        "index: generation {}, {papers}, {chunks}; {:.1} s in total, peak memory {peak}{worker}",
        s.generation, s.seconds
    ));
}

/// What a run would do.
fn plan_page(plan: &DryRun, mut lists: Lists) -> Page {
    let mut counts = Vec::new();
    for (action, number) in &plan.counts {
        let (label, counted) = words(*action);
        counts.push(format!("{number} {counted}"));
        // What costs nothing is counted, not listed.
        if *action != Action::Keep {
            let entries = plan.entries.iter().filter(|e| e.action == *action);
            lists.add(label, entries.map(item), "file");
        }
    }
    others(&mut lists.page, &plan.other_files);
    lists.add("note", plan.warnings.iter().map(|text| Item::warning(text)), "paper");
    let mut page = lists.page;
    let (files, counts) = (count(plan.entries.len(), "file"), counts.join(", "));
    page.line(format!("dry run of {files}: {counts}; nothing was written"));
    page
}

fn item(entry: &Entry) -> Item {
    entry.reason.as_ref().map_or_else(|| Item::name(&entry.path), |reason| Item::new(&entry.path, reason))
}

/// The label of an action, and how its count reads.
fn words(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::Add => ("add", "to add"),
        Action::Change => ("update", "to update"),
        Action::Keep => ("keep", "unchanged"),
        Action::Remove => ("remove", "to remove"),
        Action::Skipped => ("skipped", "skipped"),
        Action::Failed => ("failed", "failed"),
    }
}
