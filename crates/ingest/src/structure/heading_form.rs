//! The form of headings, judged from one part alone: whether it stands out, and what is certainly no heading.

use super::names;
use super::parts::Part;
use super::typography::Typography;

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
