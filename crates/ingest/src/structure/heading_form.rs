//! The form of headings: what stands out from the body, what is certainly no heading, what stands above and below one, and
//! which styles, other than that of the body, headings have.
//!
//! Journals set headings of the second and third level in italics, in small bold or in another face, at the size of
//! the body and on lines of their own. The same italics may set an abstract, quotes or names of species, so the look
//! alone says little. What counts is how often a line in that look stands where headings stand: short, below the end
//! of a sentence or a heading, right above running text.

use super::names;
use super::parts::{Kind, Part, Style};
use super::typography::Typography;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of words of a heading.
pub(super) const MAX_WORDS: usize = 26;

/// Whether a part is set apart from the body: by size, weight, slope, capitals, font or position.
pub(super) fn stands_out(part: &Part, typography: &Typography) -> bool {
    part.size > typography.size * 1.07
        || part.style.bold && !typography.bold
        || part.style.caps
        || part.style.italic
        || part.centred && part.short_end && part.gap_above > 1.15
        || part.style.font != typography.font && part.size > typography.size * 0.85 && part.gap_above > 1.15
}

/// Whether a text in bold is a piece of a mail address, a formula or a web address, and no heading.
pub(super) fn is_no_heading_text(text: &str) -> bool {
    let lower = text.to_lowercase();
    // Brackets and signs of formulas, as fonts without a table of characters give them.
    let formula = text.contains(['ð', 'Þ', '¼']) && text.split_whitespace().count() < 6;
    let longest = text.split(|c: char| !c.is_alphabetic()).map(str::len).max();
    text.contains('@')
        || formula
        || longest.is_none_or(|n| n < 3) && !is_letter_spaced(text) && names::numbering(text).depth == 0
        || text.contains('=')
        || lower.contains("http")
        || lower.contains("doi.org")
        || lower.contains("www.")
}

/// Whether a text is letter-spaced ("a b s t r a c t").
pub(super) fn is_letter_spaced(text: &str) -> bool {
    text.chars().count() > 6 && text.split(' ').all(|w| w.chars().count() == 1)
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
                    && next.label.as_deref().is_some_and(|l| l.to_lowercase().contains("fig")) =>
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

/// A heading of such a look has at most so many words.
const MAX_STYLED: usize = 22;

/// How many parts of one style stand where headings stand.
#[derive(Debug, Default, Clone, Copy)]
struct StyleCounts {
    /// Parts that stand like headings and end without a stop.
    open: usize,
    /// Parts that stand like headings and end with a full stop.
    stopped: usize,
    /// Parts that do not stand like headings.
    other: usize,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct HeadingStyles(BTreeMap<Style, StyleCounts>);

impl HeadingStyles {
    /// Counts the styles of the parts from `from` on; `candidates` are those with the form of a heading.
    pub(super) fn measure(
        parts: &[Part],
        from: usize,
        candidates: &[usize],
        typography: &Typography,
    ) -> Self {
        let shaped: BTreeSet<usize> = candidates.iter().copied().collect();
        let mut styles: BTreeMap<Style, StyleCounts> = BTreeMap::new();
        for (i, part) in parts.iter().enumerate().skip(from) {
            if part.kind != Kind::Text || part.margin || is_body(part, typography) {
                continue;
            }
            let counts = styles.entry(part.style).or_default();
            if shaped.contains(&i) && stands_like_heading(parts, i, &shaped, typography) {
                if part.text.ends_with('.') {
                    counts.stopped += 1;
                } else {
                    counts.open += 1;
                }
            } else if part.words() > 9 || !names::is_known(&part.text) {
                counts.other += 1;
            }
        }
        Self(styles)
    }

    /// Whether the part, one of the candidates, is a heading because parts of its style are.
    pub(super) fn is_heading(&self, parts: &[Part], i: usize, typography: &Typography) -> bool {
        let part = &parts[i];
        if part.margin || is_body(part, typography) || self.is_odd(part) {
            return false;
        }
        let counts = self.0.get(&part.style).copied().unwrap_or_default();
        let alike = counts.open.max(counts.stopped);
        let none = BTreeSet::new();
        let company = alike >= 2 && counts.other <= 2 * alike;
        let alone =
            alike == 1 && counts.other == 0 && (1.25..8.0).contains(&part.gap_above) && part.words() <= 12;
        (company || alone)
            && (stands_like_heading(parts, i, &none, typography) || stacked(parts, i, typography))
    }

    /// Whether the part ends with a full stop though headings of its look do not: a quote, a sentence in italics.
    pub(super) fn is_odd(&self, part: &Part) -> bool {
        let counts = self.0.get(&part.style).copied().unwrap_or_default();
        let quoted = part.indented && !part.centred || part.words() > 8;
        part.text.ends_with('.') && (counts.open > counts.stopped || quoted)
    }
}

/// Whether a part looks like the body.
fn is_body(part: &Part, typography: &Typography) -> bool {
    part.style.font == typography.font
        && (part.size - typography.size).abs() < 0.06 * typography.size
        && !part.style.caps
        && part.style.bold == typography.bold
        && !part.style.italic
}

/// Whether a part with the form of a heading stands where a heading stands: below the end of a sentence, a float or
/// another heading, and right above running text. `shaped` are parts with the form of a heading, one of which may
/// stand between.
fn stands_like_heading(parts: &[Part], i: usize, shaped: &BTreeSet<usize>, typography: &Typography) -> bool {
    let part = &parts[i];
    let short = part.short_end && part.lines <= 3 && part.words() <= MAX_STYLED && !part.centred
        || part.lines == 1 && part.centred;
    let closed = i.checked_sub(1).map(|a| &parts[a]).is_none_or(|above| {
        above.region != part.region
            || above.kind != Kind::Text
            || above.text.trim_end().ends_with(['.', '?', '!', ':', ')', ']', '”', '"', '’'])
            || above.words() <= MAX_STYLED && stands_out(above, typography)
    });
    let below = parts.get(i + 1).is_some_and(|next| {
        next.region != part.region && next.kind != Kind::Text
            || is_text_below(part, next, typography)
            || shaped.contains(&(i + 1)) && next.style != part.style && next.short_end
    });
    // A stop in the middle belongs to a sentence.
    short && closed && below && !part.text.ends_with([':', ',']) && part.lead_bold == 0 && !part.celled
}

fn is_text_below(part: &Part, next: &Part, typography: &Typography) -> bool {
    let near = next.region != part.region || next.top - part.bottom < 2.6 * typography.leading(part.size);
    let alike = (next.size - typography.size).abs() < 0.07 * typography.size && next.style != part.style;
    next.kind == Kind::Text
        && near
        && alike
        && (is_prose(next, typography) && next.words() >= 8
            || !next.short_end && next.x1 - next.x0 > 0.7 * typography.width)
}

/// Whether a heading stands right below the part, which stands below the end of a sentence.
fn stacked(parts: &[Part], i: usize, typography: &Typography) -> bool {
    let (part, next) = (&parts[i], parts.get(i + 1));
    next.is_some_and(|n| {
        n.kind == Kind::Text
            && n.region == part.region
            && n.short_end
            && n.words() <= MAX_STYLED
            && stands_out(n, typography)
            && n.style != part.style
            && n.top - part.bottom < 2.6 * typography.leading(part.size)
    }) && part.short_end
        && part.lines <= 2
        && part.words() <= MAX_STYLED
        && !part.text.ends_with(['.', ',', ':'])
}
