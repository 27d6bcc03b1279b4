//! The year of publication, distinguished from the years in which a paper was received, accepted or downloaded, and
//! from those of other works.

mod dates;
#[cfg(test)]
mod tests;

use super::{front, names, roles};
use crate::layout::line::{Cell, Line};
use crate::measure::median;
use dates::{CREDIT, DATE_ALONE, DATED, Dated, Dates, only_year, volume, without_addresses, years};
use regex::Regex;
use std::sync::LazyLock;

/// A year as a part of a DOI.
static IN_DOI: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[./](19[89]\d|20\d\d)[./]").expect("the pattern is valid"));

/// At the foot of a page, a year needs a word of a journal or a conference beside it.
static VENUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(conference|proceedings|symposium|workshop|congress|journal|letters|transactions|annals|research|press|j\.|issue)\b")
        .expect("the pattern is valid")
});
/// The start of a footnote or of an entry in a list.
static NOTE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\[\d{1,3}\]|[*∗†‡§¶]|\d{1,2}\s*(https?:|www\.|\p{Lu}))").expect("the pattern is valid")
});
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
    let titled = years_in_large_type(lines, first);
    let mut seen: Vec<Dated> = Vec::new();
    let mut accepted: Option<(u16, bool)> = None;
    let mut citing = 0_usize;
    let mut before: Option<&Line> = None;
    let mut others = Others::default();
    for (i, line) in lines.iter().enumerate() {
        if line.page > first + 1 && line.page != last {
            continue;
        }
        let early = line.page <= first + 1;
        let lower = without_addresses(&line.text);
        let above = before.replace(line).filter(|b| b.region == line.region);
        // Some journals print the dates behind the references, or in a note.
        let history = lower.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with("published")
            || lower.contains("received") && lower.contains("accepted");
        if others.hold(line, above) && !history {
            continue;
        }
        // A date may stand in the line below its cue.
        let cued = above.filter(|b| b.text.trim_end().ends_with([':', ';', ',']) || b.words() <= 2);
        let context = cued.map_or_else(String::new, |b| format!("{} ", without_addresses(&b.text)));
        let all = format!("{context}{lower}");
        let close = above.filter(|b| line.y - b.y < 1.6 * line.size);
        let close = close.map_or_else(String::new, |b| b.text.to_lowercase());
        let dates = Dates::of(&all, context.len(), line.words(), &close);
        let of_date = |(p, _): &&Dated| early || history && *p >= 18;
        seen.extend(dates.years.iter().filter(of_date).copied());
        if early {
            accepted = accepted.max(dates.accepted);
            let edge = line.y < 0.12 * line.page_height || line.y > 0.88 * line.page_height;
            let cites = ["cite this", "to cite", "citation"].iter().any(|c| lower.contains(c));
            citing = if cites { 8 } else { citing.saturating_sub(1) };
            let short = line.page == first && line.y < 0.3 * line.page_height && line.words() <= 12;
            let points = match (edge, citing > 0) {
                (_, true) => 14,
                (true, _) => 13,
                _ if short => 11,
                _ => 0,
            };
            seen.extend(volume(&all).map(|y| (points, y)).filter(|(p, _)| *p > 0));
            if line.page == first && (edge || line.y < 0.5 * line.page_height) && dates.plain {
                let date =
                    DATE_ALONE.captures(&lower).and_then(|c| c.get(c.len() - 1)?.as_str().parse().ok());
                seen.extend(date.filter(|y| (1950..2100).contains(y)).map(|y| (10, y)));
            }
            let apart = front::looks_like_names(&line.text)
                && (line.y < 0.5 * line.page_height || VENUE.is_match(&lower) || DATED.is_match(&lower))
                && !CREDIT.is_match(&lower)
                && roles::caption_label(&line.text).is_none()
                && !in_prose(lines, i);
            if (edge && apart || cites) && dates.plain && line.words() <= 25 {
                let year = only_year(&lower).filter(|y| !titled.contains(y));
                seen.extend(year.map(|y| (if line.page == first { 8 } else { 7 }, y)));
            }
        }
    }
    let heads = running.iter().map(|head| (true, head));
    let all = heads.chain(stamps.iter().map(|stamp| (false, stamp)));
    for (head, (_, text)) in all.filter(|(_, (page, _))| *page <= first + 1) {
        let lower = without_addresses(text);
        let dates = Dates::of(&lower, 0, 1, "");
        seen.extend(dates.years);
        seen.extend(volume(&lower).map(|y| (13, y)));
        if dates.plain && head {
            seen.extend(only_year(&lower).filter(|y| !titled.contains(y)).map(|y| (9, y)));
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

/// Where dates belong to other works: in the list of references, in footnotes.
#[derive(Default)]
struct Others {
    /// Size of the heading of the list that is open.
    list: Option<f32>,
    note: bool,
}

impl Others {
    /// Whether the line belongs to a list of references or to a footnote, `above` being the line above in its region.
    fn hold(&mut self, line: &Line, above: Option<&Line>) -> bool {
        let heading = line.words() <= 4 && names::is_known(&line.text);
        let kind = names::kind_of(&line.text);
        if heading && kind == types::SectionKind::References {
            self.list = Some(line.size);
        } else if heading || self.list.is_some_and(|size| line.size > 1.3 * size) {
            self.list = None; // another section, or the title of the paper that follows
        }
        let number = |c: &Cell| c.text.bytes().all(|b| b.is_ascii_digit());
        let numbered = line.cells.first().is_some_and(number);
        let raised = line.raised.first().is_some_and(|(from, _)| *from == 0);
        let lower = line.text.to_lowercase();
        let starts = !numbered && !DATE_ALONE.is_match(&lower) && (raised || NOTE.is_match(&line.text));
        let goes_on = above.is_some_and(|a| {
            line.y - a.y < 1.6 * line.size
                && (line.size - a.size).abs() < 0.1 * line.size
                && !front::is_notice(&lower)
        });
        self.note = line.y > 0.5 * line.page_height && (starts || self.note && goes_on);
        self.list.is_some() || self.note
    }
}

/// Years that a title or a heading on the first page names: its subject.
fn years_in_large_type(lines: &[Line], first: u32) -> Vec<u16> {
    let usual = median(lines.iter().map(|l| l.size)).unwrap_or_default();
    let large = lines.iter().filter(|l| l.page == first && l.size > 1.2 * usual);
    let texts = large.filter(|l| l.words() >= 3).map(|l| l.text.as_str());
    texts.flat_map(|t| years(t).map(|(_, y)| y)).collect()
}

/// Whether the line beside this one in its column is running text in the same type.
fn in_prose(lines: &[Line], i: usize) -> bool {
    let line = &lines[i];
    let prose = |l: &Line| {
        let beside = l.region == line.region && (l.y - line.y).abs() < 1.6 * line.size;
        beside && l.font == line.font && !front::looks_like_names(&l.text)
    };
    let beside = &lines[i.saturating_sub(1)..lines.len().min(i + 2)];
    beside.iter().any(|l| !std::ptr::eq(l, line) && prose(l))
}
