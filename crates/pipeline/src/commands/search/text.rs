//! Hits for people.

use super::{Shown, View, explain, overview};
use crate::{
    commands::{
        previews,
        references::{Named, place, sentence},
    },
    page::{Line, Page},
    printer::columns,
};

/// One entry for each hit: the source, the place, the passage around the match, the scores.
pub(super) fn page(view: &View<'_>) -> Page {
    let mut page = Page::default();
    overview::add(&mut page, view, columns());
    for (i, shown) in view.hits.iter().enumerate() {
        page.gap();
        hit(&mut page, view, i + 1, shown);
    }
    if view.hits.is_empty() {
        page.gap();
        page.line(Line::of(view.nothing.as_str()));
    }
    if !view.notes.is_empty() {
        page.gap();
    }
    for note in &view.notes {
        page.line(Line::new().strong("Note: ").text(sentence(note)));
    }
    page
}

fn hit(page: &mut Page, view: &View<'_>, number: usize, shown: &Shown<'_>) {
    let named = Named::of(&shown.source);
    let item = format!("{number}. ");
    let left = item.len();
    let line = Line::new().indent(0, left).text(item);
    let before = view.hits.iter().take(number - 1);
    let mut before = before.map(|earlier| &earlier.source.meta.source_id);
    match before.position(|id| *id == shown.source.meta.source_id) {
        Some(at) => page.line(named.again(line, at + 1)),
        None => page.line(named.marked(named.short(line))),
    }
    let chunk = shown.hit.chunk();
    let at = shown.preview.page;
    let mut line = Line::of(place(&shown.source, Some(chunk.section), Some((at, at)))).indent(left, left + 2);
    if let Some(link) = view.here.link(&shown.source, Some(at)) {
        line = line.text(": ").whole(link);
    }
    page.line(line);
    page.line(previews::line(Line::new().indent(left, left), &shown.preview));
    match shown.explanation {
        Some(explanation) => explain::lines(page, view, explanation, left),
        None => page.line(Line::new().indent(left, left).dim(scores(shown))),
    }
    page.line(
        Line::new()
            .indent(left, left)
            .dim(format!("chunk {}", chunk.chunk_id)),
    );
}

fn scores(shown: &Shown<'_>) -> String {
    format!(
        "score {:.3} (similarity {:.3}, BM25 {:.2})",
        shown.hit.combined_score, shown.hit.vector_score, shown.hit.bm25_score
    )
}
