//! Previews of passages, with the question's words marked.

use crate::{markdown::escape, page::Line};
use engine::show::Preview;

/// Behind what the line holds.
pub(super) fn line(line: Line, preview: &Preview) -> Line {
    let line = if preview.cut_start {
        line.text("… ")
    } else {
        line
    };
    let line = preview.parts.iter().fold(line, |line, part| {
        if part.matched {
            line.strong(&part.text)
        } else {
            line.text(&part.text)
        }
    });
    if preview.cut_end { line.text(" …") } else { line }
}

/// As one line of Markdown. The words of the question do not stand out here: the text is the paper's.
pub(super) fn markdown(preview: &Preview) -> String {
    let text: String = preview.parts.iter().map(|part| part.text.as_str()).collect();
    let start = if preview.cut_start { "… " } else { "" };
    let end = if preview.cut_end { " …" } else { "" };
    format!("{start}{}{end}", escape(&text))
}
