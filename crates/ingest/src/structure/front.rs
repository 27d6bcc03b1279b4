//! The front of a paper: title and authors, and what stands around them without being text.

use super::names;
use super::parts::{Kind, Part};
use super::typography::Typography;

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
    let address = ["doi.org", "http", "www.", "doi:"]
        .iter()
        .any(|a| part.text.contains(a));
    address && part.words() < 30 && part.top > 0.85 * part.page_height
}

/// Where the title stands among the parts, and what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Title {
    pub(crate) text: Option<String>,
    /// First part of the title and the part behind its last.
    pub(crate) range: std::ops::Range<usize>,
}

/// Finds the title: what the file says it is, when the first page prints that; else the largest type.
pub(crate) fn title(parts: &[Part], title_in_file: Option<&str>, typography: &Typography) -> Title {
    let Some(first_page) = parts.first().map(|p| p.page) else {
        return Title::default();
    };
    let end = parts
        .iter()
        .position(|p| p.page > first_page + 1)
        .unwrap_or(parts.len());
    let title_in_file = title_in_file
        .map(names::fold)
        .filter(|t| t.split(' ').count() >= 3);
    if let Some(title_in_file) = &title_in_file
        && let Some(range) = printed_at(&parts[..end], title_in_file)
    {
        return Title {
            text: Some(joined(&parts[range.clone()])),
            range,
        };
    }
    let page_end = parts[..end]
        .iter()
        .position(|p| p.page > first_page)
        .unwrap_or(end);
    let largest = |least: usize| {
        (0..page_end)
            .filter(|i| could_be_title(&parts[*i], least, typography))
            .max_by(|a, b| weight(&parts[*a]).total_cmp(&weight(&parts[*b])).then(b.cmp(a)))
    };
    // A title of two words may also be the name of the journal.
    let Some(start) = largest(3).or_else(|| largest(2)) else {
        return Title {
            text: None,
            range: 0..0,
        };
    };
    let mut stop = start + 1;
    while stop < page_end && follows(&parts[stop - 1], &parts[stop]) {
        stop += 1;
    }
    let mut begin = start;
    while begin > 0 && follows(&parts[begin - 1], &parts[begin]) {
        begin -= 1;
    }
    Title {
        text: Some(without_type(&joined(&parts[begin..stop])).to_owned()),
        range: begin..stop,
    }
}

/// Takes the kind of article off a title that it is printed with.
fn without_type(title: &str) -> &str {
    const TYPES: &str = "Short Communication|Research Article|Review Article|Original Article|Original Research|\
        Open Access|Clinical Study|Case Report|OPEN|RESEARCH ARTICLE|REVIEW|ARTICLE|Research Paper";
    let rest = TYPES.split('|').find_map(|t| title.strip_prefix(t));
    let rest = rest.map(|r| r.trim_start_matches([':', ' ', '|', '-']));
    rest.filter(|r| r.split_whitespace().count() >= 3 && r.starts_with(|c: char| !c.is_lowercase()))
        .unwrap_or(title)
}

/// Size counts, but the banner of a journal is larger than many a title: it is short and names its publisher.
fn weight(part: &Part) -> f32 {
    const PUBLISHERS: &str = "BioMed Central|Hindawi|Elsevier|Springer|Wiley|ScienceDirect|PLOS|Frontiers|MDPI|Nature|Royal Society|Oxford";
    let banner = PUBLISHERS.split('|').any(|p| part.text.contains(p)) && part.words() <= 8;
    part.size
        * if banner {
            0.4
        } else if part.words() < 5 {
            0.75
        } else {
            1.0
        }
}

fn could_be_title(part: &Part, least: usize, typography: &Typography) -> bool {
    let words = part.words();
    let letters = part.text.chars().filter(|c| c.is_alphabetic()).count();
    matches!(part.kind, Kind::Text)
        && !part.margin
        && (least..=45).contains(&words)
        && (letters >= 12 || least < 3 && letters >= 7 && !is_date(&part.text))
        && part.top < part.page_height * 0.7
        && (part.size > typography.size * 1.1 || part.style.bold && !typography.bold)
        && !(part.text.contains("Journal") && words <= 7)
        && !is_notice(&part.text)
        && !names::is_known(&part.text)
        && !is_list_of_names(&part.text)
}

/// "Berlin, 21 March 2022".
fn is_date(text: &str) -> bool {
    let digits = |w: &str| w.bytes().filter(u8::is_ascii_digit).count();
    text.contains(',') || text.split_whitespace().any(|w| digits(w) >= 4)
}

/// A list of authors, in larger type than the title.
fn is_list_of_names(text: &str) -> bool {
    let found = super::person::names(text);
    found.list.len() >= 3 && found.rest.is_empty()
}

fn follows(last: &Part, next: &Part) -> bool {
    let ratio = last.size / next.size.max(0.1);
    next.kind == Kind::Text
        && last.kind == Kind::Text
        && last.region == next.region
        && (0.97..=1.03).contains(&ratio)
        && last.style.bold == next.style.bold
        && next.gap_above < 2.2
        && !is_notice(&next.text)
}

fn joined(parts: &[Part]) -> String {
    parts.iter().map(|p| p.text.trim()).collect::<Vec<_>>().join(" ")
}

/// The parts whose text together is the title that the file names.
fn printed_at(parts: &[Part], title_in_file: &str) -> Option<std::ops::Range<usize>> {
    for start in 0..parts.len() {
        let mut text = String::new();
        for (stop, part) in parts.iter().enumerate().skip(start).take(4) {
            if part.kind != Kind::Text {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&names::fold(&part.text));
            if text == title_in_file
                || text
                    .strip_suffix(|c: char| c.is_ascii_digit())
                    .is_some_and(|t| t.trim() == title_in_file)
            {
                return Some(start..stop + 1);
            }
            if text.len() > title_in_file.len() + 8 {
                break;
            }
        }
    }
    None
}

/// Where the paper's text may start: behind its title, or behind the last of several when a cover page prints it
/// first.
pub(crate) fn start(parts: &[Part], title: &Title) -> usize {
    let Some(text) = title.text.as_deref().map(names::fold) else {
        return 0;
    };
    let page = parts.get(title.range.start).map_or(1, |p| p.page);
    let near = parts
        .iter()
        .enumerate()
        .skip(title.range.end)
        .take_while(|(_, p)| p.page <= page + 2);
    let again = near
        .filter(|(_, p)| p.kind == Kind::Text && p.size > 12.0 && names::fold(&p.text) == text)
        .last();
    again.map_or(title.range.end, |(i, _)| i + 1)
}

/// Marks what stands on the first page around title and authors as no text of the paper: everything before the
/// first heading but an abstract without a heading, and notices. Returns the index of that abstract.
pub(crate) fn clear(parts: &mut [Part], title: &Title, start: usize) -> Option<usize> {
    let first_page = parts.first().map_or(1, |p| p.page);
    let heading = parts
        .iter()
        .position(|p| matches!(p.kind, Kind::Heading(_)) && !p.margin);
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
        if title.range.contains(&i) || i < start && matches!(part.kind, Kind::Text) {
            part.kind = Kind::Noise;
        }
    }
    drop_notices(parts);
    // Without any heading all prose is text.
    heading?;
    let prose = |p: &Part| {
        p.kind == Kind::Text && p.words() >= 45 && p.text.contains(". ") && !looks_like_names(&p.text)
    };
    let found = (title.range.end.min(end)..end).find(|i| prose(&parts[*i]));
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
