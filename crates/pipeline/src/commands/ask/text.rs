//! An answer for people.

use super::View;
use crate::{
    commands::{
        previews,
        references::{Named, cues, place, sentence},
    },
    page::{Line, Page},
};
use engine::show::{Block, Cited, Piece};

/// The answer, its sources, and how far it can be trusted.
pub(super) fn page(view: &View<'_>) -> Page {
    let mut page = Page::default();
    let refused = view.record.response.no_evidence;
    if refused {
        refusal(&mut page, view);
    } else {
        answer(&mut page, view);
    }
    context(&mut page, view);
    if refused || !view.context.is_empty() {
        page.gap();
    }
    page.line(Line::new().dim(view.made()));
    page
}

fn answer(page: &mut Page, view: &View<'_>) {
    for block in &view.numbered.blocks {
        match block {
            Block::Quote { text, sources } => {
                page.gap();
                page.line(marks(Line::of(format!("“{text}”")), sources));
            }
            Block::Prose { pieces, apart } => {
                if *apart {
                    page.gap();
                }
                page.line(prose(pieces));
            }
        }
    }
    page.gap();
    page.line(Line::new().strong(if view.numbered.sources.len() == 1 {
        "Source"
    } else {
        "Sources"
    }));
    for (i, cited) in view.numbered.sources.iter().enumerate() {
        source(page, view, i + 1, cited);
    }
    let response = &view.record.response;
    page.gap();
    page.line(Line::new().strong("Confidence: ").text(format!(
        "{}. {}",
        response.confidence,
        sentence(&response.evidence_quality)
    )));
    caveats(page, view);
}

/// Numbers of sources behind what they support.
fn marks(mut line: Line, sources: &[usize]) -> Line {
    for (i, number) in sources.iter().enumerate() {
        let gap = if i == 0 { "\u{a0}" } else { "" };
        line = line.text(gap).strong(format!("[{number}]"));
    }
    line
}

fn prose(pieces: &[Piece]) -> Line {
    let bullet =
        matches!(pieces.first(), Some(Piece::Text(text)) if text.starts_with("- ") || text.starts_with("* "));
    let line = Line::new().indent(0, if bullet { 2 } else { 0 });
    pieces.iter().fold(line, |line, piece| match piece {
        Piece::Text(text) => line.text(text),
        Piece::Mark(number) => line.strong(format!("[{number}]")),
    })
}

fn source(page: &mut Page, view: &View<'_>, number: usize, cited: &Cited) {
    let line = Line::new().indent(0, 4).strong(format!("[{number}] "));
    page.line(Named::of(&cited.reference).in_full(line));
    for (one, cues) in cited.places.iter().zip(cues(cited)) {
        let mut line = Line::of(place(&cited.reference, one.section, one.pages)).indent(4, 6);
        if !cues.is_empty() {
            line = line.dim(format!(", {cues}"));
        }
        let page_number = one.pages.map(|(first, _)| first);
        if let Some(link) = view.here.link(&cited.reference, page_number) {
            line = line.text(": ").whole(link);
        }
        page.line(line);
        for quote in one.quotes.iter().filter(|q| !q.in_answer) {
            page.line(Line::of(format!("“{}”", quote.text)).indent(6, 6));
        }
    }
}

fn refusal(page: &mut Page, view: &View<'_>) {
    for line in view.record.response.answer.trim().lines() {
        page.line(Line::of(sentence(line)));
    }
    if !view.closest.is_empty() {
        page.gap();
        page.line(Line::new().strong(if view.closest.len() == 1 {
            "Closest passage"
        } else {
            "Closest passages"
        }));
    }
    for (i, (chunk, preview, source)) in view.closest.iter().enumerate() {
        let named = Named::of(source);
        let line = Line::new().indent(0, 3).text(format!("{}. ", i + 1));
        let mut before = view.closest.iter().take(i).map(|(_, _, source)| source);
        match before.position(|earlier| earlier.meta.source_id == source.meta.source_id) {
            Some(at) => page.line(named.again(line, at + 1)),
            None => page.line(named.marked(named.short(line))),
        }
        let mut line = Line::of(place(
            source,
            Some(chunk.section),
            Some((preview.page, preview.page)),
        ))
        .indent(3, 5);
        if let Some(link) = view.here.link(source, Some(preview.page)) {
            line = line.text(": ").whole(link);
        }
        page.line(line);
        page.line(previews::line(Line::new().indent(3, 3), preview));
    }
    if view.caveats().next().is_some() || !view.notes().is_empty() || !view.further().is_empty() {
        page.gap();
    }
    caveats(page, view);
}

fn caveats(page: &mut Page, view: &View<'_>) {
    for caveat in view.caveats() {
        page.line(Line::new().strong("Note: ").text(sentence(caveat)));
    }
    for note in view.notes().into_iter().chain(view.further()) {
        page.line(Line::new().strong("Note: ").text(sentence(&note)));
    }
}

fn context(page: &mut Page, view: &View<'_>) {
    if view.context.is_empty() {
        return;
    }
    page.gap();
    page.line(Line::new().strong(format!("Context: {} passages", view.context.len())));
    for (chunk, source) in &view.context {
        page.gap();
        let named = Named::of(source);
        page.line(named.marked(named.short(Line::new())));
        let at = place(
            source,
            Some(chunk.section),
            Some((chunk.page_start, chunk.page_end)),
        );
        let mut line = Line::of(at);
        if let Some(link) = view.here.link(source, Some(chunk.page_start)) {
            line = line.text(": ").whole(link);
        }
        page.line(line.dim(format!(" {}", chunk.chunk_id)));
        for paragraph in chunk.text.split('\n').filter(|p| !p.trim().is_empty()) {
            page.line(Line::of(paragraph).indent(2, 2));
        }
    }
}
