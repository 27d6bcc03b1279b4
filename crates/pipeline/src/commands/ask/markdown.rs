//! An answer to paste into a document.

use super::View;
use crate::{
    commands::{
        previews,
        references::{Named, cues, place, sentence},
    },
    markdown::{below, escape, link, quote},
};
use engine::show::{Block, Cited, Piece};
use std::fmt::Write;

/// The question, the answer, its sources, and how far it can be trusted.
pub(super) fn page(view: &View<'_>) -> String {
    let mut out = format!("**{}**\n\n", escape(&view.record.query));
    if view.record.response.no_evidence {
        refusal(&mut out, view);
    } else {
        answer(&mut out, view);
    }
    for caveat in view.caveats() {
        let _ = writeln!(out, "Note: {}\n", escape(&sentence(caveat)));
    }
    for note in view.notes().into_iter().chain(view.further()) {
        let _ = writeln!(out, "Note: {}\n", escape(&sentence(&note)));
    }
    context(&mut out, view);
    out.truncate(out.trim_end().len());
    out
}

fn answer(out: &mut String, view: &View<'_>) {
    for (i, block) in view.numbered.blocks.iter().enumerate() {
        match block {
            Block::Quote { text, sources } => {
                out.push_str(&quote("", &format!("{} {}", escape(text), marks(sources))));
                out.push('\n');
            }
            Block::Prose { pieces, .. } => {
                let text: String = pieces.iter().map(piece).collect();
                let _ = writeln!(out, "{}", text.trim());
                // Lines of one list stay together; all else is a paragraph.
                let in_list = is_item(block) && view.numbered.blocks.get(i + 1).is_some_and(is_item);
                if !in_list {
                    out.push('\n');
                }
            }
        }
    }
    out.push_str("**Sources**\n\n");
    for (i, cited) in view.numbered.sources.iter().enumerate() {
        source(out, view, i + 1, cited);
    }
    let response = &view.record.response;
    let _ = writeln!(
        out,
        "\nConfidence: {}. {} {}\n",
        escape(&response.confidence),
        escape(&sentence(&response.evidence_quality)),
        escape(&view.made())
    );
}

fn is_item(block: &Block) -> bool {
    matches!(block, Block::Prose { pieces, .. }
        if matches!(pieces.first(), Some(Piece::Text(text)) if text.starts_with("- ") || text.starts_with("* ")))
}

fn piece(piece: &Piece) -> String {
    match piece {
        // Escaping trims; the spaces around a piece matter.
        Piece::Text(text) => {
            let (bullet, rest) = match text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
                Some(rest) => ("- ", rest),
                None => ("", text.as_str()),
            };
            let lead = if rest.starts_with(char::is_whitespace) {
                " "
            } else {
                ""
            };
            let tail = if rest.ends_with(char::is_whitespace) {
                " "
            } else {
                ""
            };
            format!("{bullet}{lead}{}{tail}", escape(rest))
        }
        Piece::Mark(number) => marks(&[*number]),
    }
}

fn marks(sources: &[usize]) -> String {
    sources.iter().fold(String::new(), |mut out, number| {
        let _ = write!(out, "[{number}]");
        out
    })
}

fn source(out: &mut String, view: &View<'_>, number: usize, cited: &Cited) {
    let item = format!("{number}. ");
    let indent = below(&item);
    let _ = writeln!(out, "{item}{}", Named::of(&cited.reference).markdown());
    for (one, cues) in cited.places.iter().zip(cues(cited)) {
        let at = place(&cited.reference, one.section, one.pages);
        let shown = match view
            .here
            .address(&cited.reference, one.pages.map(|(first, _)| first))
        {
            Some(target) => link(&at, &target),
            None => escape(&at),
        };
        let cues = if cues.is_empty() {
            cues
        } else {
            format!(", {}", escape(&cues))
        };
        let _ = writeln!(out, "{indent}- {shown}{cues}");
        for text in one.quotes.iter().filter(|q| !q.in_answer) {
            let _ = writeln!(out);
            out.push_str(&quote(&format!("{indent}    "), &escape(&text.text)));
        }
    }
}

fn refusal(out: &mut String, view: &View<'_>) {
    for line in view
        .record
        .response
        .answer
        .trim()
        .lines()
        .filter(|l| !l.trim().is_empty())
    {
        let _ = writeln!(out, "{}\n", escape(&sentence(line)));
    }
    if view.closest.is_empty() {
        return;
    }
    out.push_str("Closest passages:\n\n");
    for (i, (chunk, preview, source)) in view.closest.iter().enumerate() {
        let item = format!("{}. ", i + 1);
        let indent = below(&item);
        let at = place(source, Some(chunk.section), Some((preview.page, preview.page)));
        let at = match view.here.address(source, Some(preview.page)) {
            Some(target) => link(&at, &target),
            None => escape(&at),
        };
        let _ = writeln!(out, "{item}{} {at}\n", Named::of(source).markdown());
        out.push_str(&quote(&indent, &previews::markdown(preview)));
        out.push('\n');
    }
}

fn context(out: &mut String, view: &View<'_>) {
    if view.context.is_empty() {
        return;
    }
    out.push_str("**Context**\n\n");
    for (i, (chunk, source)) in view.context.iter().enumerate() {
        let item = format!("{}. ", i + 1);
        let indent = below(&item);
        let at = place(
            source,
            Some(chunk.section),
            Some((chunk.page_start, chunk.page_end)),
        );
        let at = match view.here.address(source, Some(chunk.page_start)) {
            Some(target) => link(&at, &target),
            None => escape(&at),
        };
        let _ = writeln!(out, "{item}{} {at}\n", Named::of(source).markdown());
        for paragraph in chunk.text.split('\n').filter(|p| !p.trim().is_empty()) {
            out.push_str(&quote(&indent, &escape(paragraph)));
            let _ = writeln!(out, "{indent}>");
        }
        out.push('\n');
    }
}
