//! The front of a paper: what stands around title and authors without being text.

use super::names;
use super::parts::{Kind, Part};

/// Starts of notices that papers print on their first or last pages.
const NOTICES: &str = "\
    received|accepted|published|revised|submitted|available online|first published|copyright|©|(c) 20|\
    correspondence|corresponding author|*correspondence|* correspondence|*corresponding|* corresponding|\
    e-mail|email|academic editor|edited by|reviewed by|editor:|handling editor|citation:|cite this|\
    how to cite|to cite this|please cite|keywords|key words|keyword|index terms|doi:|doi |https://doi|\
    http://dx.doi|www.|http://|https://|this is an open|this is an open-access|this article is an open|\
    open access|licensee|issn|vol.|creative commons|this work is licensed|this article is distributed|\
    article history|article info|specialty section|address correspondence|these authors contributed|\
    equal contribution|tel:|tel.|fax:|journal homepage|contents lists|full list of author|\
    data availability statement:|funding:|competing interests:|abbreviations:|pacs|jel |© the author|\
    department of|from the department|school of|institute of|faculty of|division of|college of|\
    university of|center for|centre for|laboratory of|* to whom|to whom correspondence|present address|\
    current address|authors' contributions|author contributions:|original article|research article|\
    review article|pmid|pmcid|reprints|for reprint|conflict of interest:|conflicts of interest:|\
    source of support|quick response code|access this article online|website:|article type|\
    running title|running head|short title|manuscript|responsible editor";

/// Whether a part is a notice about the paper, not text of it.
pub(crate) fn is_notice(text: &str) -> bool {
    let lower: String = text
        .trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '†')
        .chars()
        .take(40)
        .flat_map(char::to_lowercase)
        .collect();
    NOTICES.split('|').any(|n| lower.starts_with(n))
}

/// A line at the foot of the first page that names the journal and its address.
pub(crate) fn is_imprint(part: &Part) -> bool {
    let address = ["doi.org", "http", "www.", "doi:"].iter().any(|a| part.text.contains(a));
    address && part.words() < 30 && part.top > 0.85 * part.page_height
}

/// Marks what stands on the first page around title and authors as no text of the paper: everything before the
/// first heading but an abstract without a heading, and notices. Returns the index of that abstract.
pub(crate) fn clear(parts: &mut [Part], title: &std::ops::Range<usize>, start: usize) -> Option<usize> {
    let first_page = parts.first().map_or(1, |p| p.page);
    let heading = parts.iter().position(|p| matches!(p.kind, Kind::Heading(_)) && !p.margin);
    let end = heading.unwrap_or(parts.len());
    let last_page = parts.last().map_or(1, |p| p.page);
    for (i, part) in parts.iter_mut().enumerate() {
        let edge = part.page <= first_page + 1 || part.page == last_page;
        let note = part.words() >= 6 && part.text.ends_with('.') && !looks_like_names(&part.text);
        if part.kind == Kind::Text
            && (part.margin && part.page == first_page && !note
                || edge
                    && (is_notice(&part.text) || part.page == first_page && is_imprint(part))
                    && part.words() < 120)
        {
            part.kind = Kind::Noise;
        } else if part.kind == Kind::Text && part.margin && part.page == first_page {
            part.kind = Kind::Footnote;
        }
        if title.contains(&i) || i < start && matches!(part.kind, Kind::Text) {
            part.kind = Kind::Noise;
        }
    }
    drop_notices(parts);
    // Without any heading all prose is text.
    heading?;
    let prose = |p: &Part| {
        p.kind == Kind::Text && p.words() >= 45 && p.text.contains(". ") && !looks_like_names(&p.text)
    };
    let found = (title.end.min(end)..end).find(|i| prose(&parts[*i]));
    for (i, part) in parts[..end].iter_mut().enumerate() {
        if part.kind == Kind::Text
            && found.is_none_or(|f| i < f || !(part.words() >= 20 && part.text.contains(". ")))
        {
            part.kind = Kind::Noise;
        }
    }
    found
}

/// Takes the publisher's notices out, each with its heading and at most a few short paragraphs.
fn drop_notices(parts: &mut [Part]) {
    const MOST_WORDS: usize = 150;
    let mut budget = 0;
    for part in parts.iter_mut() {
        match part.kind {
            Kind::Heading(_) if names::is_notice_heading(&part.text) => {
                part.kind = Kind::Noise;
                budget = MOST_WORDS;
            }
            Kind::Heading(_) => budget = 0,
            Kind::Text | Kind::Footnote if budget > 0 => {
                let words = part.words();
                if words <= budget {
                    part.kind = Kind::Noise;
                }
                budget = budget.saturating_sub(words);
            }
            _ => {}
        }
    }
}

/// Lists of authors and of addresses are long too, but hold few small words.
pub(crate) fn looks_like_names(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = words.iter().filter(|w| w.starts_with(char::is_lowercase)).count();
    lower * 100 < words.len() * 45
}
