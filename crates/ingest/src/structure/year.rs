//! The year of publication, distinguished from the years in which a paper was received, accepted or downloaded.

#[cfg(test)]
mod tests;

use super::{front, names};
use crate::layout::line::Line;
use regex::Regex;
use std::sync::LazyLock;
use text::Pattern;

static YEAR: Pattern = Pattern::new(r"\b(19[5-9]\d|20\d\d)\b");
/// A year beside a volume, an issue or a page: "2004;13:447", "(2021) 6:57", "220 (2017) 1161", "2022, 14, 4849",
/// "Volume 2016", "Vol. 12, No. 3, March 2019", "No. 3 (2019)", "June 2018 | Volume 9".
static VOLUME: Pattern = Pattern::new(
    r"(?x) \b(\d{4})\s*[;,]\s*(vol\.?\s*)?\d{1,3}\s*(\(\s*\w+[^)]{0,12}\))?\s*[:,]\s*[a-z]{0,2}\d+
        | \((\d{4})\)\s*\d{1,3}\s*(\(\d+\))?\s*[:,]\s*[a-z]?\d+
        | \b\d{1,3}\s*\((\d{4})\)\s*[:,]?\s*[a-z]?\d+
        | \bvol(ume|\.)?\s*(\d{4})\b
        | \b(\d{4})\W{1,4}vol(ume|\.)?\s*\d+
        | \bvol(ume|\.)?\s*\d+.{0,40}?\b((?:19|20)\d\d)\b
        | \b(no|nr|issue|number|núm|heft)\b\.?\s*\d{1,3}\W+([a-z]{3,9}\W+)?(\d{4})\b",
);
const MONTHS: &str =
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter)[a-z]*\.?";
/// A line that is a date: "March 2019", "17 January 2025", "January 17, 2025", "Spring 2018", "July/August 2018".
static DATE_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let date =
        format!(r"^\W*(\d{{1,2}}\.?\s+)?{MONTHS}(\s*[/–-]\s*{MONTHS})?(\s+\d{{1,2}})?,?\s+(\d{{4}})\W*$");
    Regex::new(&date).expect("the pattern is valid")
});
/// At the foot of a page, a year needs a month or a word of a journal or a conference beside it.
static VENUE: LazyLock<Regex> = LazyLock::new(|| {
    let venue = format!(
        r"\b(conference|proceedings|symposium|workshop|congress|journal|letters|transactions|annals|research|press|j\.|issue|{MONTHS}\s+(\d{{1,2}},\s+)?\d{{4}})\b"
    );
    Regex::new(&venue).expect("the pattern is valid")
});
/// The stamp of arXiv: "arXiv:2501.10120v1 [cs.IR] 17 Jan 2025".
static STAMP: Pattern =
    Pattern::new(r"arxiv:\s*\S+v\d+\s*(\[[^\]]{2,24}\])?\s*\d{1,2}\s*[a-z]{3,9}\.?\s*((19|20)\d\d)\b");
/// An address or a DOI, in which a year dates nothing.
static ADDRESS: Pattern = Pattern::new(r"\S*(://|www\.|@|\b10\.\d{4,9}/|\w\.\w{2,}/)\S*");
/// A year as a part of a DOI.
static IN_DOI: Pattern = Pattern::new(r"[./](19[89]\d|20\d\d)[./]");

/// What a date says of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateKind {
    Published,
    Copyright,
    /// When a preprint was posted, or its draft was written.
    Preprint,
    Accepted,
    /// Received, downloaded, printed: no date of publication.
    Other,
}

const CUES: [(DateKind, &str); 5] = [
    (
        DateKind::Published,
        "published|publication date|date of publication|available online|online first|epub",
    ),
    (DateKind::Preprint, "posted|this version|date written|last edited|draft|(dated|conference paper"),
    (DateKind::Copyright, "copyright|©|(c)"),
    (DateKind::Accepted, "accepted"),
    (
        DateKind::Other,
        "arxiv:|received|revised|revision|submitted|submission|presented|downloaded|accessed|printed|retrieved",
    ),
];

/// Characters between a cue and its year at most.
const REACH: usize = 60;

/// The year of publication; nothing when the first pages name only years of other events. `running` are running heads,
/// `stamps` lines in the margin that are turned, both with their pages.
pub(crate) fn year(
    lines: &[Line],
    running: &[(u32, String)],
    stamps: &[(u32, String)],
    doi: Option<&str>,
) -> Option<u16> {
    let first = lines.first().map_or(1, |l| l.page);
    let last = lines.last().map_or(1, |l| l.page);
    // Years with what speaks for them.
    let mut seen: Vec<(u32, u16)> = Vec::new();
    let mut accepted: Option<(u16, bool)> = None;
    let (mut citing, mut in_references) = (0_usize, false);
    let mut before: Option<&Line> = None;
    for line in lines.iter().filter(|line| line.page <= first + 1 || line.page == last) {
        let early = line.page <= first + 1;
        let lower = without_addresses(&line.text);
        let above = before.replace(line).filter(|b| b.region == line.region);
        if line.words() <= 4 && names::is_known(&line.text) {
            in_references = names::kind_of(&line.text) == types::SectionKind::References;
        }
        // Some journals print the dates behind the references.
        let history = lower.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with("published")
            || lower.contains("received") && lower.contains("accepted");
        if in_references && !history {
            continue;
        }
        // A date may stand in the line below its cue.
        let cued = above.filter(|b| b.text.trim_end().ends_with([':', ';', ',']) || b.words() <= 2);
        let context = cued.map_or_else(String::new, |b| format!("{} ", without_addresses(&b.text)));
        let all = format!("{context}{lower}");
        let dates = Dates::of(&all, context.len(), line.words());
        seen.extend(dates.years.iter().filter(|(points, _)| early || history && *points >= 18));
        if early {
            accepted = accepted.max(dates.accepted);
            let top = line.page == first && line.y < 0.5 * line.page_height;
            let edge = line.y < 0.12 * line.page_height || line.y > 0.88 * line.page_height;
            let cites = ["cite this", "to cite", "citation"].iter().any(|c| lower.contains(c));
            citing = if cites { 8 } else { citing.saturating_sub(1) };
            let points = match (edge, citing > 0) {
                (_, true) => 14,
                (true, _) => 13,
                _ if top && line.y < 0.3 * line.page_height && line.words() <= 12 => 11,
                _ => 0,
            };
            seen.extend(volume(&all).map(|y| (points, y)).filter(|(p, _)| *p > 0));
            if dates.plain && (edge && line.page == first || top) && DATE_ALONE.is_match(&lower) {
                seen.extend(only_year(&lower).map(|y| (10, y)));
            }
            let apart = front::looks_like_names(&line.text)
                && (line.y < 0.5 * line.page_height || VENUE.is_match(&lower));
            if (edge && apart || cites) && dates.plain && line.words() <= 25 {
                seen.extend(only_year(&lower).map(|y| (if line.page == first { 8 } else { 7 }, y)));
            }
        }
    }
    let heads = running.iter().map(|head| (true, head));
    let all = heads.chain(stamps.iter().map(|stamp| (false, stamp)));
    for (head, (_, text)) in all.filter(|(_, (page, _))| *page <= first + 1) {
        let lower = without_addresses(text);
        let dates = Dates::of(&lower, 0, 1);
        seen.extend(dates.years);
        seen.extend(volume(&lower).map(|y| (13, y)));
        if dates.plain && head {
            seen.extend(only_year(&lower).map(|y| (9, y)));
        }
    }
    // Nothing is published before it was accepted.
    if let Some((year, _)) = accepted {
        seen.retain(|(_, y)| *y >= year);
    }
    if let Some(year) = doi.and_then(|d| IN_DOI.captures(d)?[1].parse().ok())
        && seen.is_empty()
    {
        return Some(year);
    }
    let most = seen.iter().map(|(p, _)| *p).max();
    let best = most.and_then(|most| seen.iter().find(|(p, _)| *p == most));
    // What is accepted late in a year is often published in the next.
    best.map(|(_, y)| *y).or_else(|| accepted.filter(|(_, late)| !late).map(|(y, _)| y))
}

/// The dates of a line.
#[derive(Default)]
struct Dates {
    years: Vec<(u32, u16)>,
    /// The year of acceptance, and whether it was in its last two months.
    accepted: Option<(u16, bool)>,
    /// Whether no year of the line has a cue.
    plain: bool,
}

impl Dates {
    /// Reads a line in lower case; what stands before `from` belongs to the line above.
    fn of(lower: &str, from: usize, words: usize) -> Self {
        let mut out = Self { plain: true, ..Self::default() };
        if let Some(year) = STAMP.captures(lower).and_then(|c| c[2].parse().ok()) {
            (out.plain, out.years) = (false, vec![(11, year)]);
            return out;
        }
        let events = ["received", "accepted", "revised", "published", "online"];
        let history = events.iter().filter(|c| lower.contains(*c)).count() >= 2;
        for (at, year) in years(lower).filter(|(at, _)| *at >= from) {
            let cues = CUES.iter().flat_map(|(kind, cues)| cues.split('|').map(move |cue| (cue, *kind)));
            let near = cues
                .filter_map(|(cue, kind)| Some((lower[..at].rfind(cue)?, cue, kind)))
                .max_by_key(|(at, ..)| *at)
                .filter(|(begin, cue, _)| {
                    // "(c)" counts the items of a list, too.
                    let reach = if *cue == "(c)" { 3 } else { REACH };
                    lower[begin + cue.len()..at].chars().count() <= reach
                });
            let Some((begin, cue, kind)) = near else { continue };
            out.plain = false;
            let between = &lower[begin + cue.len()..at];
            // In running text "published in 2010" speaks of other works.
            let words_between = ["in", "between", "since", "from", "before", "after", "until", "by"];
            let prose = words_between.contains(&between.trim());
            let ahead = lower[..begin].trim_end().trim_end_matches("this version").trim_end();
            let leads = begin <= from + 12 && (begin <= 12 || begin >= from)
                || ahead.ends_with([';', '.', '/', '|', ',', '·', ')', '•', '–']);
            if words > 8 && (prose || !leads && !history) {
                continue;
            }
            match kind {
                DateKind::Copyright => out.years.push((12, year)),
                _ if ends_range(lower, at) => {}
                DateKind::Published => out.years.push((20, year)),
                DateKind::Preprint => out.years.push((11, year)),
                DateKind::Accepted => {
                    let late = ["nov", "dec", "-11-", "-12-"].iter().any(|m| between.contains(m));
                    out.accepted = out.accepted.max(Some((year, late)));
                }
                DateKind::Other => {}
            }
        }
        out
    }
}

/// Whether the number at `at` ends a range: "1995–2010".
fn ends_range(text: &str, at: usize) -> bool {
    let digits = |t: &str| t.bytes().rev().take_while(u8::is_ascii_digit).count();
    text[..at].strip_suffix(['-', '–', '‐']).is_some_and(|t| digits(t) >= 3)
}

/// Years and where they stand, without those that begin a range of years or pages.
fn years(lower: &str) -> impl Iterator<Item = (usize, u16)> {
    let digits = |t: &str| t.bytes().take_while(u8::is_ascii_digit).count();
    let found = YEAR.find_iter(lower).filter(move |m| {
        let behind = lower[m.end()..].strip_prefix(['-', '–', '‐']);
        behind.is_none_or(|t| digits(t) < 3)
    });
    found.filter_map(|m| Some((m.start(), m.as_str().parse().ok()?)))
}

/// The year beside a volume, an issue or a page.
fn volume(lower: &str) -> Option<u16> {
    let single: Vec<(usize, u16)> = years(lower).filter(|(at, _)| !ends_range(lower, *at)).collect();
    VOLUME.captures_iter(lower).find_map(|c| {
        let mut groups = c.iter().skip(1).flatten();
        groups.find_map(|g| single.iter().find(|(at, _)| *at == g.start()).map(|(_, year)| *year))
    })
}

/// The only year of a line.
fn only_year(lower: &str) -> Option<u16> {
    let alone = years(lower).filter(|(at, _)| !ends_range(lower, *at));
    let mut all: Vec<u16> = alone.map(|(_, y)| y).collect();
    all.dedup();
    (all.len() == 1).then(|| all[0])
}

/// The text in lower case, with no digit in its addresses.
fn without_addresses(text: &str) -> String {
    let lower = text.to_lowercase();
    let blank = |c: &regex::Captures<'_>| c[0].replace(|c: char| c.is_ascii_digit(), "#");
    ADDRESS.replace_all(&lower, blank).into_owned()
}
