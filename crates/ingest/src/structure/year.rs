//! The year of publication, distinguished from the years in which a paper was received, accepted or downloaded.

use crate::layout::line::Line;
use regex::Regex;
use std::sync::LazyLock;

static YEAR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(19[5-9]\d|20\d\d)\b").expect("the pattern is valid"));
/// A year beside a volume and a page: "2004;13:447", "(2021) 6:57", "220 (2017) 1161", "2022, 14, 4849", "Volume 2016".
static VOLUME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \b(?P<a>\d{4})\s*[;,]\s*(vol\.?\s*)?\d{1,3}\s*(\(\s*\w+[^)]{0,12}\))?\s*[:,]\s*[a-z]{0,2}\d+
        | \((?P<b>\d{4})\)\s*\d{1,3}\s*(\(\d+\))?\s*[:,]\s*[a-z]?\d+
        | \b\d{1,3}\s*\((?P<c>\d{4})\)\s*[:,]?\s*[a-z]?\d+
        | \bvol(ume|\.)?\s*(?P<d>(19|20)\d\d)\b
        | \bvol(ume|\.)?\s*\d+.{0,20}\b(?P<e>(19|20)\d\d)\b",
    )
    .expect("the pattern is valid")
});
/// A year as a part of a DOI.
static IN_DOI: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[./](19[89]\d|20\d\d)[./]").expect("the pattern is valid"));

/// What a date says of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateKind {
    Published,
    Copyright,
    Accepted,
    /// Received, revised, submitted, presented: before publication.
    Earlier,
    /// When somebody fetched or printed the file.
    Fetched,
}

const CUES: &[(&str, DateKind)] = &[
    ("published", DateKind::Published),
    ("publication date", DateKind::Published),
    ("date of publication", DateKind::Published),
    ("available online", DateKind::Published),
    ("online first", DateKind::Published),
    ("epub", DateKind::Published),
    ("posted", DateKind::Published),
    ("arxiv:", DateKind::Published),
    ("copyright", DateKind::Copyright),
    ("©", DateKind::Copyright),
    ("(c)", DateKind::Copyright),
    ("accepted", DateKind::Accepted),
    ("received", DateKind::Earlier),
    ("revised", DateKind::Earlier),
    ("revision", DateKind::Earlier),
    ("submitted", DateKind::Earlier),
    ("submission", DateKind::Earlier),
    ("presented", DateKind::Earlier),
    ("downloaded", DateKind::Fetched),
    ("accessed", DateKind::Fetched),
    ("printed", DateKind::Fetched),
    ("retrieved", DateKind::Fetched),
];

/// Characters between a cue and its year at most.
const REACH: usize = 60;

/// A year with what speaks for it.
type Dated = (u32, u16);

/// The year of publication; nothing when the first pages name only years of other events.
pub(crate) fn year(lines: &[Line], running: &[(u32, String)], doi: Option<&str>) -> Option<u16> {
    let first = lines.first().map_or(1, |l| l.page);
    let last = lines.last().map_or(1, |l| l.page);
    let mut seen: Vec<Dated> = Vec::new();
    let mut accepted: Option<(u16, bool)> = None;
    let mut citing = 0_usize;
    let mut before: Option<&Line> = None;
    for line in lines.iter().filter(|l| l.page <= first + 1 || l.page == last) {
        let early = line.page <= first + 1;
        let lower = line.text.to_lowercase();
        // A date may stand in the line below its cue.
        let cued = before.filter(|b| {
            b.region == line.region && b.text.trim_end().ends_with([':', ';', ',']) || b.words() <= 2
        });
        let context = cued.map_or_else(String::new, |b| format!("{} ", b.text.to_lowercase()));
        let all = format!("{context}{lower}");
        let dates = Dates::of(&all, context.len(), line.words());
        // Some journals print the dates behind the references.
        let history =
            lower.starts_with("published") || lower.contains("received") && lower.contains("accepted");
        seen.extend(
            dates
                .years
                .iter()
                .filter(|(p, _)| early || history && *p >= 18)
                .copied(),
        );
        if early {
            accepted = accepted.max(dates.accepted);
            let edge = line.y < 0.12 * line.page_height || line.y > 0.88 * line.page_height;
            let cites = ["cite this", "to cite", "citation"]
                .iter()
                .any(|c| lower.contains(c));
            citing = if cites { 8 } else { citing.saturating_sub(1) };
            let points = match (edge, citing > 0) {
                (_, true) => 14,
                (true, _) => 13,
                _ => 0,
            };
            seen.extend(volume(&all).map(|y| (points, y)).filter(|(p, _)| *p > 0));
            if (edge || cites) && dates.plain && line.words() <= 25 {
                seen.extend(only_year(&lower).map(|y| (if line.page == first { 8 } else { 7 }, y)));
            }
        }
        before = Some(line);
    }
    for (_, text) in running.iter().filter(|(page, _)| *page <= first + 1) {
        let lower = text.to_lowercase();
        let dates = Dates::of(&lower, 0, 1);
        seen.extend(dates.years);
        seen.extend(volume(&lower).map(|y| (13, y)));
        if dates.plain {
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
    best.map(|(_, y)| *y)
        .or_else(|| accepted.filter(|(_, late)| !late).map(|(y, _)| y))
}

/// The dates of a line.
#[derive(Default)]
struct Dates {
    years: Vec<Dated>,
    /// The year of acceptance, and whether it was in its last two months.
    accepted: Option<(u16, bool)>,
    /// Whether no year of the line has a cue.
    plain: bool,
}

impl Dates {
    /// Reads a line in lower case; what stands before `from` belongs to the line above.
    fn of(lower: &str, from: usize, words: usize) -> Self {
        let mut out = Self {
            plain: true,
            ..Self::default()
        };
        let history = ["received", "accepted", "revised"]
            .iter()
            .any(|c| lower.contains(c));
        for (at, year) in years(lower).filter(|(at, _)| *at >= from) {
            let near = CUES
                .iter()
                .filter_map(|(cue, kind)| Some((lower[..at].rfind(cue)?, *cue, *kind)))
                .max_by_key(|(at, ..)| *at)
                .filter(|(begin, cue, _)| {
                    // "(c)" counts the items of a list, too.
                    let reach = if *cue == "(c)" { 3 } else { REACH };
                    lower[begin + cue.len()..at].chars().count() <= reach
                });
            let Some((begin, _, kind)) = near else { continue };
            out.plain = false;
            // In running text "published in 2010" speaks of other works.
            let leads = begin <= 12
                || begin >= from && begin <= from + 12
                || lower[..begin]
                    .trim_end()
                    .ends_with([';', '.', '/', '|', ',', '·', ')', '•', '–']);
            let stated = leads || history || words <= 8;
            match kind {
                DateKind::Published if stated => out.years.push((20, year)),
                DateKind::Copyright if stated => out.years.push((12, year)),
                DateKind::Accepted => {
                    let between = &lower[begin..at];
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

fn years(lower: &str) -> impl Iterator<Item = (usize, u16)> {
    YEAR.find_iter(lower)
        .filter_map(|m| Some((m.start(), m.as_str().parse().ok()?)))
}

fn volume(lower: &str) -> Option<u16> {
    VOLUME.captures_iter(lower).find_map(|c| {
        ["a", "b", "c", "d", "e"].iter().find_map(|group| {
            let year = c.name(group)?.as_str();
            YEAR.is_match(year).then(|| year.parse().ok())?
        })
    })
}

/// The only year of a line.
fn only_year(lower: &str) -> Option<u16> {
    let mut all: Vec<u16> = years(lower).map(|(_, y)| y).collect();
    all.dedup();
    if let [one] = all.as_slice() {
        Some(*one)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The year of a page with these lines at these heights, of 100.
    fn of(lines: &[(f32, &str)], doi: Option<&str>) -> Option<u16> {
        let lines: Vec<Line> = lines
            .iter()
            .map(|(y, text)| Line {
                page: 1,
                text: (*text).to_owned(),
                y: *y,
                page_height: 100.0,
                ..Line::default()
            })
            .collect();
        year(&lines, &[], doi)
    }

    #[test]
    fn the_year_is_that_of_publication() {
        let check = |lines: &[(f32, &str)], want: Option<u16>| assert_eq!(of(lines, None), want, "{lines:?}");
        check(
            &[(
                30.0,
                "Received: 3 May 2018 / Accepted: 2 June 2018 / Published online: 7 January 2019",
            )],
            Some(2019),
        );
        check(
            &[(
                30.0,
                "received 3 May 2017; accepted 2 June 2018; published online 7 January 2019",
            )],
            Some(2019),
        );
        check(
            &[(30.0, "Received 3 May 2017"), (31.0, "© 2018 The Authors")],
            Some(2018),
        );
        check(&[(30.0, "Received 3 May 2017")], None);
        check(&[(30.0, "Received 3 May 2017; accepted 2 June 2018")], Some(2018));
        check(&[(30.0, "Received 3 May 2017; accepted 2 December 2018")], None);
        check(
            &[(3.0, "J Slime (2017) 12:345–350"), (30.0, "Received 3 May 2016")],
            Some(2017),
        );
        check(&[(3.0, "Slime 220 (2017) 1161–1167")], Some(2017));
        check(&[(97.0, "J Slime 2004;13:447")], Some(2004));
        check(&[(30.0, "Published:"), (32.0, "4 October 2022")], Some(2022));
        check(
            &[
                (3.0, "Downloaded from snails.org on 3 May 2024"),
                (97.0, "© Snails 2011"),
            ],
            Some(2011),
        );
        check(
            &[(
                50.0,
                "In all trials that were published in 2010 the snails slept badly, as we know.",
            )],
            None,
        );
        check(
            &[(
                50.0,
                "The census of 2001 counted the snails of all of the gardens.",
            )],
            None,
        );
        check(
            &[(30.0, "Accepted 2 June 2018"), (97.0, "© 2012 Slime Press")],
            Some(2018),
        );
    }

    #[test]
    fn the_citation_and_the_doi_name_the_year() {
        let cited = [
            (40.0, "Citation: Berg, A.; Ash, T. Snails of"),
            (41.0, "the garden. Slime 2022, 14, 4849."),
        ];
        assert_eq!(of(&cited, None), Some(2022));
        assert_eq!(
            of(&[(50.0, "Snails")], Some("10.1000/j.slime.2015.07.004")),
            Some(2015)
        );
        assert_eq!(
            of(&[(97.0, "© 2016 A. Berg")], Some("10.1000/j.slime.2015.07.004")),
            Some(2016)
        );
        assert_eq!(of(&[(50.0, "Snails")], Some("10.1000/20151234")), None);
    }
}
