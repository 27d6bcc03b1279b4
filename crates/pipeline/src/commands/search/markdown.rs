//! Hits to paste into a document.

use super::{View, overview};
use crate::{
    commands::{
        previews,
        references::{Named, place, sentence},
    },
    markdown::{below, escape, link, quote},
    page::Page,
};
use std::fmt::Write;

/// Columns of the tables of `--explain`.
const COLUMNS: usize = 100;

/// A numbered list of passages, with `--explain` below tables of their scores.
pub(super) fn page(view: &View<'_>) -> String {
    let mut out = format!("**{}**\n\n", escape(&view.question.text));
    let mut explained = Page::default();
    overview::add(&mut explained, view, COLUMNS);
    // What stands in the question may not end the block.
    let explained = explained.render(COLUMNS, false).replace("```", "'''");
    if !explained.is_empty() {
        let _ = writeln!(out, "```text\n{explained}```\n");
    }
    for (i, shown) in view.hits.iter().enumerate() {
        let item = format!("{}. ", i + 1);
        let indent = below(&item);
        let at = shown.preview.page;
        let label = place(&shown.source, Some(shown.hit.chunk().section), Some((at, at)));
        let label = match view.here.address(&shown.source, Some(at)) {
            Some(target) => link(&label, &target),
            None => escape(&label),
        };
        let _ = writeln!(out, "{item}{} {label}\n", Named::of(&shown.source).markdown());
        out.push_str(&quote(&indent, &previews::markdown(&shown.preview)));
        out.push('\n');
    }
    if view.hits.is_empty() {
        let _ = writeln!(out, "{}", escape(&view.nothing));
    }
    for note in &view.notes {
        let _ = writeln!(out, "\nNote: {}", escape(&sentence(note)));
    }
    out.truncate(out.trim_end().len());
    out
}
