//! Hits to paste into a document.

use super::View;
use crate::{
    commands::{
        previews,
        references::{Named, place, sentence},
    },
    markdown::{below, escape, link, quote},
};
use std::fmt::Write;

/// A numbered list of passages.
pub(super) fn page(view: &View<'_>) -> String {
    let mut out = format!("**{}**\n\n", escape(&view.question.text));
    for (i, shown) in view.hits.iter().enumerate() {
        let item = format!("{}. ", i + 1);
        let indent = below(&item);
        let at = shown.preview.page;
        let label = place(Some(shown.hit.chunk().section), Some((at, at)));
        let label = match view.here.link(&shown.source, Some(at)) {
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
