//! The chunks that contexts held, each once, with the gold quotes marked.

use super::super::{Details, Evaluation};
use super::quotes::{highlighted, places};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// The anchor of a chunk.
pub(super) fn anchor(at: usize) -> String {
    format!("c{at}")
}

/// The section; `None` where no context is known.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let details = evaluation
        .details
        .as_ref()
        .filter(|details| !details.passages.is_empty())?;
    let mut gold: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in evaluation.rows.iter().flat_map(|row| &row.gold) {
        gold.entry(path.source_id.as_str())
            .or_default()
            .insert(&path.quote);
    }
    Some(html! {
        p { "Every chunk that a context held. Gold quotes of any question are marked " mark class="gold" { "like this" } "." }
        @if details.without_text > 0 {
            p class="note" { "The texts of " (details.without_text) " chunks were left out, because they are too many for one page." }
        }
        @for at in 0..details.passages.len() { (passage(details, at, &gold)) }
    })
}

fn passage(details: &Details, at: usize, gold: &BTreeMap<&str, BTreeSet<&str>>) -> Markup {
    let passage = &details.passages[at];
    let quotes = gold.get(passage.source_id.as_str()).into_iter().flatten();
    html! {
        details class="passage" {
            summary { code { (passage.chunk_id.as_str()) } " " span { (passage.place) } }
            div id=(anchor(at)) class="text" {
                @match &passage.text {
                    Some(text) => (highlighted(text, &[], &places(text, quotes.copied()), 0..text.len())),
                    None => "The text was left out.",
                }
            }
        }
    }
}
