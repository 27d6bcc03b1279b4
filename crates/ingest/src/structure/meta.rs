//! Authors, year and DOI, from the first page.

use super::names;
use super::parts::{Kind, Part};
use crate::layout::line::Line;
use regex::Regex;
use std::sync::LazyLock;

static DOI: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"10\.\d{4,9}/[^\s"<>,;|\]\}]+"#).expect("the pattern is valid"));
static YEAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(19[5-9]\d|20\d\d)\b").expect("the pattern is valid"));
/// A year, the volume and a page behind it: "2004;13:447".
static VOLUME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\d{4}\s*[;,]\s*\d+\s*(\(\d+\))?\s*:\s*[a-z]?\d+").expect("the pattern is valid")
});

/// The paper's own DOI: the first that its first pages or running heads print, before any reference list.
pub(crate) fn doi(lines: &[Line], running: &[(u32, String)], info: &[Option<&str>]) -> Option<String> {
    let first = lines.first().map_or(1, |l| l.page);
    let last = lines.last().map_or(1, |l| l.page);
    let heads = running
        .iter()
        .filter(|(page, _)| *page <= first + 1)
        .map(|(_, text)| text.as_str());
    let mut spare: Option<String> = None;
    for page in [first, first + 1, last] {
        let mut on_page: Vec<&str> = Vec::new();
        for line in lines.iter().filter(|l| l.page == page) {
            if page != first
                && line.words() < 4
                && names::kind_of(&line.text) == types::SectionKind::References
            {
                break;
            }
            on_page.push(&line.text);
        }
        if page == first {
            on_page.extend(heads.clone());
        }
        for (i, text) in on_page.iter().enumerate() {
            let Some(found) = DOI.find(text) else { continue };
            let mut doi = found.as_str().to_owned();
            // Broken at the end of its line.
            if found.end() == text.len()
                && doi.ends_with(['-', '.', '/', '_'])
                && let Some(next) = on_page.get(i + 1)
                && (!doi.ends_with('.') || next.starts_with(|c: char| c.is_ascii_digit()))
            {
                doi.push_str(next.split_whitespace().next().unwrap_or_default());
            }
            match trimmed(&doi) {
                Some(doi) if is_deposit(&doi) => spare = spare.or(Some(doi)),
                Some(doi) => return Some(doi),
                None => {}
            }
        }
    }
    info.iter()
        .flatten()
        .find_map(|text| trimmed(DOI.find(text)?.as_str()))
        .or(spare)
}

/// Whether a DOI names data, code or a protocol, which papers print beside their own.
fn is_deposit(doi: &str) -> bool {
    const PREFIXES: &str = "\
        10.17605/|10.5281/|10.6084/|10.5061/|10.17504/|10.7910/|10.24433/|10.1186/isrctn|10.17632/|\
        10.3886/";
    PREFIXES.split('|').any(|p| doi.starts_with(p))
}

fn trimmed(doi: &str) -> Option<String> {
    let mut doi = doi.trim_end_matches(['.', ',', ';', ':', '\'', '’', '”', '*', '-', '\u{AD}', '/', '_']);
    while doi.ends_with(')') && doi.matches(')').count() > doi.matches('(').count() {
        doi = doi[..doi.len() - 1].trim_end_matches(['.', ',', ';']);
    }
    // A word of the text that follows without a space.
    if let Some((front, word)) = doi.rsplit_once('.')
        && word.len() >= 5
        && word.starts_with(char::is_uppercase)
        && word[1..].bytes().all(|b| b.is_ascii_lowercase())
    {
        doi = front;
    }
    (doi.split_once('/').is_some_and(|(_, suffix)| suffix.len() >= 2)).then(|| doi.to_lowercase())
}

/// The year of publication, by the most telling line that names one on the first pages.
pub(crate) fn year(lines: &[Line], running: &[(u32, String)]) -> Option<u16> {
    const CUES: &[(&str, u32)] = &[
        ("published", 9),
        ("publication date", 9),
        ("citation", 7),
        ("cite", 7),
        ("available online", 7),
        ("epub", 6),
        ("posted", 6),
        ("copyright", 6),
        ("©", 6),
        ("(c)", 5),
        ("vol", 4),
        ("doi", 3),
        ("accepted", 3),
        ("revised", 1),
        ("received", 1),
        ("submitted", 1),
    ];
    let first = lines.first().map_or(1, |l| l.page);
    let mut best: Option<(u32, u16)> = None;
    let edge = |l: &Line| l.y < 0.12 * l.page_height || l.y > 0.88 * l.page_height;
    let heads = running.iter().map(|(page, text)| (*page, text.as_str(), true));
    let all = lines
        .iter()
        .map(|l| (l.page, l.text.as_str(), edge(l)))
        .chain(heads);
    for (page, text, edge) in all.filter(|(page, ..)| *page <= first + 1) {
        let lower = text.to_lowercase();
        // When somebody fetched the file.
        if lower.contains("downloaded") || lower.contains("accessed") {
            continue;
        }
        let years: Vec<(usize, u16)> = YEAR
            .find_iter(&lower)
            .filter_map(|m| Some((m.start(), m.as_str().parse().ok()?)))
            .collect();
        if years.is_empty() {
            continue;
        }
        let early = u32::from(page == first);
        for (at, year) in years {
            // The cue nearest before the year counts.
            let cue = CUES
                .iter()
                .filter_map(|(cue, score)| Some((lower[..at].rfind(cue)?, *score)))
                .max_by_key(|(at, _)| *at)
                .map(|(_, score)| score);
            let in_volume = edge && VOLUME.is_match(&lower[at..]);
            let Some(score) = in_volume.then_some(7).or(cue).or(edge.then_some(4)) else {
                continue;
            };
            let score = score * 2 + early;
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, year));
            }
        }
    }
    best.map(|(_, year)| year)
}

/// The authors: names in the parts below the title, marks of affiliation and degrees taken off.
pub(crate) fn authors(parts: &[Part], after: usize, told: Option<&str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let page = parts.get(after.saturating_sub(1)).map_or(1, |p| p.page);
    for part in parts.iter().skip(after).take(12) {
        if part.page > page || matches!(part.kind, Kind::Heading(_)) {
            break;
        }
        if part.margin || super::front::is_notice(&part.text) && out.is_empty() {
            continue;
        }
        let found = names_in(&part.text);
        if found.is_empty() || super::front::is_notice(&part.text) {
            if out.is_empty() {
                continue;
            }
            break;
        }
        out.extend(found);
        if part.text.trim_end().ends_with(|c: char| c != ',' && c != '&') && !out.is_empty() && part.lines > 1
        {
            break;
        }
    }
    if out.is_empty()
        && let Some(told) = told
    {
        out = names_in(told);
    }
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|name| seen.insert(name.clone()));
    out
}

/// The names in a line of authors; empty when it is something else.
fn names_in(text: &str) -> Vec<String> {
    const NOT_NAMES: &str = "\
        university|department|institute|school|hospital|faculty|centre|center|college|laboratory|\
        division|street|usa|china|india|abstract|journal|article|research|review|sciences|science|\
        medicine|health|foundation|academy|group|clinic|corporation|the|of|in|for|on|with|by|an";
    let mut clean = String::with_capacity(text.len());
    let text = text
        .strip_prefix("By ")
        .or_else(|| text.strip_prefix("by "))
        .unwrap_or(text);
    for c in text.chars() {
        match c {
            '0'..='9' | '\u{E000}'..='\u{F8FF}' => clean.push(','),
            c if "*+†‡§¶#∗¹²³⁴⁵⁶⁷⁸⁹⁰✉;•·|&/()[]".contains(c) => clean.push(','),
            _ => clean.push(c),
        }
    }
    // What is left of the icon of a researcher id.
    let clean = clean.replace("ID,", ",");
    let clean = clean.strip_suffix("ID").unwrap_or(&clean);
    let clean = clean
        .replace(" and ", ",")
        .replace(" AND ", ",")
        .replace(" und ", ",");
    let mut names = Vec::new();
    let mut bad = 0;
    for piece in clean.split(',') {
        let words: Vec<&str> = piece
            .split_whitespace()
            .filter(|w| !is_degree(w) && !is_mark(w))
            .collect();
        if words.is_empty() || words.len() == 1 && words[0].chars().count() <= 3 {
            continue;
        }
        let lower = piece.to_lowercase();
        let named = lower
            .split_whitespace()
            .any(|w| NOT_NAMES.split('|').any(|n| n == w));
        let particle = |w: &str| {
            matches!(
                w,
                "de" | "van"
                    | "von"
                    | "der"
                    | "den"
                    | "di"
                    | "da"
                    | "del"
                    | "la"
                    | "le"
                    | "el"
                    | "al"
                    | "bin"
                    | "ter"
                    | "dos"
                    | "du"
                    | "dela"
                    | "y"
                    | "e"
                    | "do"
                    | "ten"
                    | "la."
            )
        };
        let shaped = (2..=6).contains(&words.len())
            && words.iter().all(|w| {
                w.starts_with(|c: char| c.is_uppercase() || c == '\'' || c == '’')
                    || particle(w)
                    || w.contains('-')
            })
            && words.iter().any(|w| w.chars().count() > 2)
            && words
                .iter()
                .all(|w| w.chars().all(|c| c.is_alphabetic() || "-.'’‐`´".contains(c)));
        if named || !shaped {
            bad += 1;
        } else {
            names.push(words.join(" "));
        }
    }
    if bad > names.len() { Vec::new() } else { names }
}

fn is_degree(word: &str) -> bool {
    const DEGREES: &str = "\
        PhD|MD|MSc|BSc|MPH|DPhil|MS|BS|RN|FRCP|MBBS|DrPH|ScD|RD|DVM|MA|BA|PharmD|MBA|Dr|Prof|DSc|MRCP|\
        FACP|Jr|PT|EdD|DDS|MPhil|FRCPC|MHS|MBChB|DO|BN|FAHA|FACC|MHSc|MEd|ORCID";
    let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    DEGREES.split('|').any(|w| w == bare.as_str()) && (bare.len() > 2 || word.to_uppercase() == word)
}

/// A single small letter, as affiliations are marked, or a lone sign.
fn is_mark(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if c.is_lowercase() || !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_marks() {
        let check = |text: &str, want: &[&str]| assert_eq!(names_in(text), want, "{text}");
        check(
            "Jane A. Smith 1,2, Li Wei1* and Óscar de la Cruz3",
            &["Jane A. Smith", "Li Wei", "Óscar de la Cruz"],
        );
        check("Anna Berg, MD, PhD; Tom O’Neil, RN", &["Anna Berg", "Tom O’Neil"]);
        check(
            "Maria Rossi a,b, Pierre Le Blanc c",
            &["Maria Rossi", "Pierre Le Blanc"],
        );
        check(
            "Department of Physiology, University of Nowhere, Springfield, USA",
            &[],
        );
        check("The effects were measured in all of the groups", &[]);
        check("", &[]);
    }

    #[test]
    fn dois_lose_what_clings_to_them() {
        let check = |text: &str, want: Option<&str>| assert_eq!(trimmed(text).as_deref(), want, "{text}");
        check(
            "10.1371/journal.pone.0123456.",
            Some("10.1371/journal.pone.0123456"),
        );
        check(
            "10.1016/S0140-6736(05)12345-6",
            Some("10.1016/s0140-6736(05)12345-6"),
        );
        check("10.1000/abc).", Some("10.1000/abc"));
        check(
            "10.17605/OSF.IO/9ZW34.Abbreviations",
            Some("10.17605/osf.io/9zw34"),
        );
        check("10.1000/", None);
    }
}
