//! The context of a part, above and below it: a heading interrupts no sentence and has running text below it.

use super::heading_form::{MAX_WORDS, stands_out};
use super::names;
use super::parts::{Kind, Part};
use super::typography::Typography;

/// Whether the part stands inside a sentence that the part above it left open: a line of a figure or of a table.
pub(super) fn interrupts(parts: &[Part], i: usize) -> bool {
    let above = i.checked_sub(1).map(|a| &parts[a]);
    above.is_some_and(|a| {
        let open = !a
            .text
            .trim_end()
            .ends_with(['.', '?', '!', ':', ';', ')', ']', '”', '"', '\'', '’']);
        a.region == parts[i].region
            && a.kind == Kind::Text
            && a.words() > MAX_WORDS
            && open
            && !a.short_end
            && !a.text.ends_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a part reads like running text: the words of a cell or of a box wrap after few words.
pub(super) fn is_prose(part: &Part, typography: &Typography) -> bool {
    let (wide, column) = (part.x1 - part.x0, part.right - part.left);
    let full = wide > 0.6 * typography.width || column > 0.7 * typography.width;
    let sentence = part.text.ends_with(['.', ':', ';', '?', ')', ']']);
    part.words() >= 20 || full && part.words() >= 8 || sentence && part.words() >= 4
}

/// Whether running text, or a deeper heading, comes next.
pub(super) fn has_text_below(parts: &[Part], i: usize, typography: &Typography) -> bool {
    let part = &parts[i];
    for next in parts[i + 1..].iter().take(6) {
        match next.kind {
            Kind::Text => {
                // The number of the page, between a heading at its foot and the next column.
                if !next.text.contains(char::is_alphabetic) {
                    continue;
                }
                // Labels inside figures stand far from any text.
                let near = next.region != part.region
                    || next.top - part.bottom < 4.0 * typography.leading(part.size);
                if !near {
                    return false;
                }
                if next.words() >= 8 || next.lines >= 2 {
                    return is_prose(next, typography)
                        && (next.size <= typography.size * 1.15 || next.words() > 20);
                }
                let other_face = next.style.font != typography.font && next.short_end;
                if stands_out(next, typography) || other_face && !next.text.ends_with(['.', ',', ';']) {
                    continue;
                }
                if names::numbering(&next.text).depth > 0 {
                    continue;
                }
                // A full line goes on in the next column; "None.", "Not applicable." end.
                let full = !next.short_end && next.x1 - next.x0 > 0.7 * typography.width;
                let goes_on = full || next.text.ends_with(['.', ':', ';', '?']);
                return next.size >= typography.size * 0.95 && goes_on;
            }
            Kind::Heading(_) => return true,
            // Words at the foot of a figure, right above its caption.
            Kind::Caption
                if next.region == part.region
                    && next.top > part.bottom
                    && next.top - part.bottom < 2.5 * typography.leading(part.size)
                    && next
                        .label
                        .as_deref()
                        .is_some_and(|l| l.to_lowercase().contains("fig")) =>
            {
                return false;
            }
            // A group of rows, headed by a cell of its own.
            Kind::Row
                if next.region == part.region
                    && next.top > part.bottom
                    && next.top - part.bottom < 2.0 * typography.leading(part.size) =>
            {
                return false;
            }
            // A float at the top of the next column stands between a heading and its text.
            Kind::Caption | Kind::Row | Kind::Footnote | Kind::Equation | Kind::Noise => {}
        }
    }
    false
}
