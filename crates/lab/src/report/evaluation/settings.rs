//! Where the results come from, and the settings.

use crate::report::page::Page;
use crate::report::words::or_none;
use engine::settings::{Described, described};
use eval::report::{Evaluation, Setting};
use std::collections::HashMap;

/// The settings that differ from their defaults; on a page, all with what they mean.
pub(super) fn page(evaluation: &Evaluation) -> Page {
    let from = &evaluation.provenance;
    let mut page = Page::new();
    page.fact("Query set hash", from.query_set_hash.as_str());
    page.fact("Commit", from.git_commit.as_str());
    page.fact("Seed of intervals and tests", from.seed.to_string());
    let all: Vec<&Setting> = from.architecture.iter().collect();
    // The compiled-in defaults can always be read; a setting that is no longer one has no default.
    let known: Known =
        described().unwrap_or_default().into_iter().map(|one| (one.key.clone(), one)).collect();
    let default = |own: &Setting| known.get(&key(own)).map(|known| known.default.to_string());
    let changed = all.iter().copied().filter(|own| default(own).as_ref() != Some(&own.value));
    let changed: Vec<&Setting> = changed.collect();
    match (all.len(), changed.len()) {
        (0, _) => page.line("The settings of this run are not known."),
        (_, 0) => page.line("Every setting has its default value."),
        _ => table(&mut page, &known, changed, false),
    }
    let mut every = Page::new();
    if !all.is_empty() {
        table(&mut every, &known, all, true);
    }
    page.folded_on_page("Every setting", every);
    page
}

type Known = HashMap<String, Described>;

fn key(own: &Setting) -> String {
    format!("{}.{}", own.section, own.key)
}

fn table(page: &mut Page, known: &Known, settings: Vec<&Setting>, explained: bool) {
    page.rows(settings)
        .caption("Settings")
        .column("Setting", |own| key(own))
        .column("Value", |own| own.value.clone())
        .column("Default", |own| or_none(known.get(&key(own)), |known| known.default.to_string()))
        .column("What it means", |own| {
            known.get(&key(own)).filter(|_| explained).map(|known| known.text.to_owned()).unwrap_or_default()
        });
}
