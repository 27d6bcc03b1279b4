//! Where the results come from, and the settings.

use crate::report::page::Page;
use crate::report::words::NONE;
use eval::report::{Evaluation, Setting};

/// The settings that differ from their defaults, all of them where defaults are not known; on a page, all with what they mean.
pub(super) fn page(evaluation: &Evaluation) -> Page {
    let from = &evaluation.provenance;
    let mut page = Page::new();
    page.fact("Query set hash", from.query_set_hash.as_str());
    page.fact("Commit", from.git_commit.as_str());
    page.fact("Seed of intervals and tests", from.seed.to_string());
    let all: Vec<&Setting> = from.architecture.iter().collect();
    let changed: Vec<&Setting> = all.iter().copied().filter(|own| evaluation.help.is_changed(own)).collect();
    match (all.len(), changed.len()) {
        (0, _) => page.line("The settings of this run are not known."),
        (_, 0) => page.line("Every setting has its default value."),
        _ => table(&mut page, evaluation, changed, false),
    }
    let mut every = Page::new();
    if !evaluation.help.0.is_empty() && !all.is_empty() {
        table(&mut every, evaluation, all, true);
    }
    page.folded_on_page("Every setting", every);
    page
}

fn table(page: &mut Page, evaluation: &Evaluation, settings: Vec<&Setting>, explained: bool) {
    let help = |own: &Setting| evaluation.help.of(own).cloned();
    page.rows(settings)
        .caption("Settings")
        .column("Setting", |own| format!("{}.{}", own.section, own.key))
        .column("Value", |own| own.value.clone())
        .column("Default", |own| help(own).map_or_else(|| NONE.to_owned(), |help| help.default))
        .column("What it means", |own| {
            help(own).filter(|_| explained).map(|help| help.text).unwrap_or_default()
        });
}
