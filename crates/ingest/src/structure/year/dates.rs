//! The dates of a line: what each says of the paper, and what is no date.

use regex::Regex;
use std::sync::LazyLock;

static YEAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(19[5-9]\d|20\d\d)\b").expect("the pattern is valid"));
/// A year beside a volume, an issue or a page: "2004;13:447", "(2021) 6:57", "220 (2017) 1161", "2022, 14, 4849",
/// "Volume 2016", "Vol. 12, No. 3, March 2019", "No. 3 (2019)", "June 2018 | Volume 9".
static VOLUME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \b(\d{4})\s*[;,]\s*(vol\.?\s*)?\d{1,3}\s*(\(\s*\w+[^)]{0,12}\))?\s*[:,]\s*[a-z]{0,2}\d+
        | \((\d{4})\)\s*\d{1,3}\s*(\(\d+\))?\s*[:,]\s*[a-z]?\d+
        | \b\d{1,3}\s*\((\d{4})\)\s*[:,]?\s*[a-z]?\d+
        | \bvol(ume|\.)?\s*(\d{4})\b
        | \b(\d{4})\W{1,4}vol(ume|\.)?\s*\d+
        | \bvol(ume|\.)?\s*\d+.{0,40}?\b((?:19|20)\d\d)\b
        | \b(no|nr|issue|number|núm|heft)\b\.?\s*\d{1,3}\W+([a-z]{3,9}\W+)?(\d{4})\b",
    )
    .expect("the pattern is valid")
});
const MONTHS: &str =
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter)[a-z]*\.?";
/// A month or a season with a year.
pub(super) static DATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"\b{MONTHS}\s+(\d{{1,2}},\s+)?\d{{4}}\b")).expect("the pattern is valid")
});
/// A line that is a date: "March 2019", "17 January 2025", "January 17, 2025", "Spring 2018", "July/August 2018".
pub(super) static DATE_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let date =
        format!(r"^\W*(\d{{1,2}}\.?\s+)?{MONTHS}(\s*[/–-]\s*{MONTHS})?(\s+\d{{1,2}})?,?\s+(\d{{4}})\W*$");
    Regex::new(&date).expect("the pattern is valid")
});
/// The stamp of arXiv: "arXiv:2501.10120v1 [cs.IR] 17 Jan 2025".
static STAMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"arxiv:\s*\S+v\d+\s*(\[[^\]]{2,24}\])?\s*\d{1,2}\s*[a-z]{3,9}\.?\s*((19|20)\d\d)\b")
        .expect("the pattern is valid")
});
/// An address or a DOI, in which a year dates nothing.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\S*(://|www\.|@|\b10\.\d{4,9}/|\w\.\w{2,}/)\S*").expect("the pattern is valid")
});
/// What is shown with the consent of others, and the licences of their works.
pub(super) static CREDIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\b(photos?|photographs?|pictures?|images?|illustrations?|artwork|icons?|logos?|maps?|courtesy|credits?|clip ?art\
|(reprinted|reproduced|adapted|taken) from|permission (of|from)|software|licen[cs]e|creative commons)\b",
    )
    .expect("the pattern is valid")
});

/// What a date says of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateKind {
    Published,
    Copyright,
    /// When a preprint was posted, or its draft was written.
    Preprint,
    Accepted,
    /// Received, revised, submitted, presented: before publication.
    Earlier,
    /// When somebody fetched or printed the file.
    Fetched,
}

const CUES: [(DateKind, &str); 6] = [
    (
        DateKind::Published,
        "published|publication date|date of publication|available online|online first|epub",
    ),
    (DateKind::Preprint, "posted|this version|date written|last edited|draft|(dated|conference paper"),
    (DateKind::Earlier, "arxiv:|received|revised|revision|submitted|submission|presented"),
    (DateKind::Copyright, "copyright|©|(c)"),
    (DateKind::Accepted, "accepted"),
    (DateKind::Fetched, "downloaded|accessed|printed|retrieved"),
];

/// Characters between a cue and its year at most.
const REACH: usize = 60;

/// A year with what speaks for it.
pub(super) type Dated = (u32, u16);

/// The dates of a line.
#[derive(Default)]
pub(super) struct Dates {
    pub(super) years: Vec<Dated>,
    /// The year of acceptance, and whether it was in its last two months.
    pub(super) accepted: Option<(u16, bool)>,
    /// Whether no year of the line has a cue.
    pub(super) plain: bool,
}

impl Dates {
    /// Reads a line in lower case; what stands before `from` belongs to the line above, and `above` is that line if it
    /// may end in the middle of a sentence.
    pub(super) fn of(lower: &str, from: usize, words: usize, above: &str) -> Self {
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
            let prose = matches!(
                between.trim(),
                "in" | "between" | "since" | "from" | "before" | "after" | "until" | "by"
            );
            let leads = begin <= 12
                || begin >= from && begin <= from + 12
                || lower[..begin]
                    .trim_end()
                    .trim_end_matches("this version")
                    .trim_end()
                    .ends_with([';', '.', '/', '|', ',', '·', ')', '•', '–']);
            let stated = words <= 8 || (leads || history) && !prose;
            match kind {
                _ if ends_range(lower, at) && kind != DateKind::Copyright => {}
                DateKind::Published if stated => out.years.push((20, year)),
                DateKind::Copyright if stated && !is_credit(above, lower, begin, at) => {
                    out.years.push((12, year));
                }
                DateKind::Preprint if stated => out.years.push((11, year)),
                DateKind::Accepted if stated => {
                    let late = ["nov", "dec"].iter().any(|m| between.contains(m))
                        || between.contains("-11-")
                        || between.contains("-12-");
                    out.accepted = out.accepted.max(Some((year, late)));
                }
                _ => {}
            }
        }
        out
    }
}

/// Whether a copyright at `begin` with its year at `at` is that of a picture or of a licence.
fn is_credit(above: &str, lower: &str, begin: usize, at: usize) -> bool {
    let before = format!("{above} {}", &lower[..begin]);
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let behind = lower[at..].split(". ").next().unwrap_or_default();
    let of_text = |m: regex::Match<'_>| m.as_str().starts_with("licen") || m.as_str() == "creative commons";
    CREDIT.is_match(sentence) || CREDIT.find_iter(behind).any(|m| !of_text(m))
}

/// Whether the number at `at` ends a range: "1995–2010".
fn ends_range(text: &str, at: usize) -> bool {
    let digits = |t: &str| t.bytes().rev().take_while(u8::is_ascii_digit).count();
    text[..at].strip_suffix(['-', '–', '‐']).is_some_and(|t| digits(t) >= 3)
}

/// Years and where they stand, without those that begin a range of years or pages.
pub(super) fn years(lower: &str) -> impl Iterator<Item = (usize, u16)> {
    let digits = |t: &str| t.bytes().take_while(u8::is_ascii_digit).count();
    YEAR.find_iter(lower)
        .filter(move |m| {
            let behind = lower[m.end()..].strip_prefix(['-', '–', '‐']);
            behind.is_none_or(|t| digits(t) < 3)
        })
        .filter_map(|m| Some((m.start(), m.as_str().parse().ok()?)))
}

/// The year beside a volume, an issue or a page.
pub(super) fn volume(lower: &str) -> Option<u16> {
    let single: Vec<(usize, u16)> = years(lower).filter(|(at, _)| !ends_range(lower, *at)).collect();
    VOLUME.captures_iter(lower).find_map(|c| {
        let mut groups = c.iter().skip(1).flatten();
        groups.find_map(|g| single.iter().find(|(at, _)| *at == g.start()).map(|(_, year)| *year))
    })
}

/// The only year of a line.
pub(super) fn only_year(lower: &str) -> Option<u16> {
    let alone = years(lower).filter(|(at, _)| !ends_range(lower, *at));
    let mut all: Vec<u16> = alone.map(|(_, y)| y).collect();
    all.dedup();
    (all.len() == 1).then(|| all[0])
}

/// The text in lower case, with no digit in its addresses.
pub(super) fn without_addresses(text: &str) -> String {
    let lower = text.to_lowercase();
    let blank = |c: &regex::Captures<'_>| c[0].replace(|c: char| c.is_ascii_digit(), "#");
    ADDRESS.replace_all(&lower, blank).into_owned()
}
