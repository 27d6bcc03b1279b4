//! The byline: which lines around the title name the authors.
//!
//! Lines near the title that read as names are candidates. Names alone prove nothing: the second line of a title or a
//! label in a figure reads as a name too. A candidate counts when something supports it: marks of affiliations,
//! degrees, an institution below, or its surnames in the citation line, the running head, the address for
//! correspondence or the file's metadata. Without support there are no authors.

mod evidence;
#[cfg(test)]
mod tests;

use super::parts::{Kind, Part};
use super::person::{self, BREAK, MARK, Names};
use super::{front, names};
use crate::layout::line::Line;
use evidence::{NameEvidence, within};

/// Lines below the title that are searched.
const REACH: usize = 80;
/// The least support that makes a candidate the byline.
const ENOUGH: i32 = 2;
/// The same where the page has no title, and so no place for a byline.
const ENOUGH_ALONE: i32 = 6;

/// What the byline is looked for in.
pub(crate) struct Front<'a> {
    pub(crate) lines: &'a [Line],
    /// Running heads and feet with their pages.
    pub(crate) running: &'a [(u32, String)],
    /// The parts of the title; empty when none was found.
    pub(crate) title: &'a [Part],
    /// The author that the file's metadata names.
    pub(crate) author_field: Option<&'a str>,
}

/// The authors in the order in which they are printed; empty when it is not sure who they are.
pub(crate) fn authors(front: &Front<'_>) -> Vec<String> {
    let evidence = NameEvidence::new(front);
    let (before, below) = around(front);
    let below = below_title(front, below, &evidence)
        .or_else(|| again(front).and_then(|range| below_title(front, range, &evidence)))
        .unwrap_or_default();
    let above = above_title(front, before, &evidence).unwrap_or_default();
    // Where the authors stand above the title, a note below may name some of them by their initials.
    let found = if above.len() >= below.len() && within(&below, &above) { above } else { below };
    evidence.combine_with_metadata(found)
}

/// Marks names and addresses above the text in the columns that name authors as no text: a column of a grid would come
/// behind the first heading. Returns the page and how many characters were marked.
pub(crate) fn clear(parts: &mut [Part], title: &std::ops::Range<usize>, authors: &[String]) -> (u32, usize) {
    let Some((page, below)) = parts[title.clone()].last().map(|p| (p.page, p.bottom)) else {
        return (0, 0);
    };
    let text = parts.iter().filter(|p| p.page == page && p.top > below && starts_text(&p.text));
    let end = text.map(|p| p.top).fold(f32::MAX, f32::min);
    let above = |p: &Part| p.page == page && p.kind == Kind::Text && p.top > below && p.top < end;
    let named = |p: &Part| {
        let found = person::names(&p.text);
        let whole = found.rest.is_empty() || person::is_affiliation(&found.rest);
        whole && !found.list.is_empty() && within(&found.list, authors)
    };
    let columns: Vec<u32> = parts.iter().filter(|p| above(p) && named(p)).map(|p| p.region).collect();
    let mut marked = 0;
    for part in parts.iter_mut().filter(|p| above(p) && columns.contains(&p.region)) {
        if named(part)
            || end < f32::MAX && front::looks_like_names(&part.text) && !names::is_known(&part.text)
        {
            part.kind = Kind::Noise;
            marked += crate::warnings::shown(&part.text);
        }
    }
    (page, marked)
}

/// The lines below the title where a page behind the cover repeats it.
fn again(front: &Front<'_>) -> Option<std::ops::Range<usize>> {
    let page = front.title.first()?.page;
    let title: Vec<String> = front.title.iter().map(|p| names::fold(&p.text)).collect();
    let title = title.join(" ");
    let lines = front.lines;
    let of_title = |line: &Line| {
        let text = names::fold(&line.text);
        text.len() >= 4 && title.contains(&text)
    };
    let late = |line: &Line| line.page > page && line.page <= page + 2;
    let mut start = lines.iter().position(|l| late(l) && l.words() >= 3 && of_title(l))?;
    let end = lines_of(lines, lines[start].page).end;
    while start < end && of_title(&lines[start]) {
        start += 1;
    }
    Some(start..end)
}

/// From the first to the last line of a page.
fn lines_of(lines: &[Line], page: u32) -> std::ops::Range<usize> {
    let first = lines.iter().position(|l| l.page == page).unwrap_or(0);
    let last = lines.iter().rposition(|l| l.page == page);
    first..last.map_or(first, |last| last + 1)
}

/// The lines above the title, and those below it.
fn around(front: &Front<'_>) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let lines = front.lines;
    let title_page = front.title.first().map(|p| p.page);
    let page = title_page.or(lines.first().map(|l| l.page)).unwrap_or(1);
    let std::ops::Range { start: first, end: last } = lines_of(lines, page);
    let of_title = |line: &Line| {
        front.title.iter().any(|p| {
            p.page == line.page && p.region == line.region && line.y > p.top - 0.5 && line.y < p.bottom + 0.5
        })
    };
    let start = (first..last).find(|i| of_title(&lines[*i]));
    let end = (first..last).rfind(|i| of_title(&lines[*i])).map(|i| i + 1);
    let end = end.unwrap_or(first);
    (first..start.unwrap_or(first), end..last)
}

fn below_title(
    front: &Front<'_>,
    range: std::ops::Range<usize>,
    evidence: &NameEvidence<'_>,
) -> Option<Vec<String>> {
    let mut blocks = blocks(front.lines, range);
    blocks.retain(|b| !b.names.list.is_empty());
    let support: Vec<i32> = blocks.iter().map(|b| evidence.support(b)).collect();
    let enough = if front.title.is_empty() { ENOUGH_ALONE } else { ENOUGH };
    let most = support.iter().copied().max().filter(|s| *s >= enough)?;
    // The first that is about as well supported as the best.
    let at = support.iter().position(|s| *s >= enough && *s * 2 > most)?;
    let first = &blocks[at];
    let look = &front.lines[first.start];
    let mut open = first.names.open;
    let mut found = vec![first];
    for (block, support) in blocks.iter().zip(&support).skip(at + 1) {
        let line = &front.lines[block.start];
        let alike = (line.size - look.size).abs() < 0.04 * look.size
            && line.bold == look.bold
            && line.italic == look.italic;
        // Each author above an institution of their own, or a list that goes on in another column.
        let whole = block.names.rest.is_empty()
            || person::is_affiliation(&first.names.rest) && person::is_affiliation(&block.names.rest);
        let lower = line.text.to_lowercase();
        let team = ["on behalf of ", "for the ", "and the "].iter().any(|t| lower.starts_with(t));
        if (alike && (open || *support > 0) || team) && whole {
            found.push(block);
            open = block.names.open;
        }
    }
    if !first.names.open {
        by_rows(&mut found, front.lines);
    }
    Some(found.into_iter().flat_map(|b| b.names.list.clone()).collect())
}

/// Sorts blocks as a grid of authors is read: row by row.
fn by_rows(blocks: &mut [&Block], lines: &[Line]) {
    let first = |b: &Block| &lines[b.start];
    blocks.sort_by(|a, b| first(a).y.total_cmp(&first(b).y));
    for row in blocks.chunk_by_mut(|a, b| first(b).y - first(a).y < first(a).size) {
        row.sort_by(|a, b| first(a).x0.total_cmp(&first(b).x0));
    }
}

/// Some journals print the authors above the title: there the support must be better.
fn above_title(
    front: &Front<'_>,
    range: std::ops::Range<usize>,
    evidence: &NameEvidence<'_>,
) -> Option<Vec<String>> {
    let mut blocks = blocks(front.lines, range);
    blocks.retain(|b| b.names.rest.is_empty() && evidence.support(b) > ENOUGH);
    let last = blocks.pop()?;
    Some(last.names.list)
}

/// Lines that follow each other and look the same.
struct Block {
    /// Range in the lines.
    start: usize,
    end: usize,
    names: Names,
}

/// The text of a line with its raised marks and wide gaps as signs of their own.
fn marked_text(line: &Line) -> String {
    let mut out = String::with_capacity(line.text.len() + 8);
    let mut gaps: Vec<usize> = Vec::new();
    let mut at = 0;
    for cell in &line.cells {
        at += cell.text.len() + 1;
        gaps.push(at.saturating_sub(1));
    }
    // Marks that left the text stand at an empty stretch.
    let left = |at: usize| line.raised.contains(&(at, at));
    for (i, c) in line.text.char_indices() {
        if left(i) {
            out.push(MARK);
        }
        // An accent set apart over its letter is raised too.
        let accent = "´`¨ˆ˜¸˚ˇ".contains(c);
        if !accent && line.raised.iter().any(|(from, to)| (*from..*to).contains(&i)) {
            if !out.ends_with(MARK) {
                out.push(MARK);
            }
        } else {
            out.push(if gaps.contains(&i) { BREAK } else { c });
        }
    }
    if left(line.text.len()) {
        out.push(MARK);
    }
    out
}

/// The lines of a range with their text; what stands beside a line in the same type continues it, where a wide gap made
/// two columns of it.
fn whole_lines(lines: &[Line], range: std::ops::Range<usize>) -> Vec<(usize, &Line, String)> {
    let mut taken = vec![false; range.len()];
    let mut out = Vec::with_capacity(range.len());
    for i in range.clone() {
        if std::mem::replace(&mut taken[i - range.start], true) {
            continue;
        }
        let line = &lines[i];
        let mut text = marked_text(line);
        let mut end = line.x1;
        for j in i + 1..range.end {
            let other = &lines[j];
            let beside = other.region != line.region
                && (other.y - line.y).abs() < 0.3 * line.size
                && (other.size - line.size).abs() < 0.04 * line.size
                && (-0.5..3.0).contains(&((other.x0 - end) / line.size.max(0.1)));
            if beside && !taken[j - range.start] {
                taken[j - range.start] = true;
                text.push(BREAK);
                text.push_str(&marked_text(other));
                end = other.x1;
            }
        }
        out.push((i, line, text));
    }
    out
}

/// Groups the lines up to the abstract into blocks of one look.
fn blocks(lines: &[Line], range: std::ops::Range<usize>) -> Vec<Block> {
    let mut out = Vec::new();
    let mut text = String::new();
    let (mut start, mut end) = (range.start, range.start);
    let mut last: Option<&Line> = None;
    let close = |start: usize, end: usize, text: &mut String, out: &mut Vec<Block>| {
        if !text.is_empty() {
            let names = person::names(text);
            out.push(Block { start, end, names });
            text.clear();
        }
    };
    // Beside the start of the text, another column may go on with the authors.
    let mut floor = f32::MAX;
    let above = whole_lines(lines, range.clone());
    let above = above.into_iter().filter(|(_, line, _)| {
        floor = if starts_text(&line.text) { floor.min(line.y) } else { floor };
        line.y < floor
    });
    for (i, line, text_of_line) in above.take(REACH) {
        let of_text = |l: &Line| l.text.chars().any(char::is_alphabetic);
        // A narrow column of a grid stands beside a wider one.
        let beside = |l: &Line| !l.margin && (l.y - line.y).abs() < 0.3 * line.size && l.font == line.font;
        if line.margin && !lines[range.clone()].iter().any(beside) || !of_text(line) && line.raised.is_empty()
        {
            continue;
        }
        let dangling = text.trim_end().ends_with([',', '&', ';']) || text.trim_end().ends_with(" and");
        // In a grid of authors, the next one stands below the address of mail.
        let next = last.is_some_and(|l| l.text.contains('@')) && person::names(&text_of_line).is_all();
        let joins = !next
            && last.is_some_and(|l| {
                l.region == line.region
                    && line.y - l.y < 2.2 * l.size.max(line.size)
                    && (dangling || (l.size - line.size).abs() < 0.06 * l.size)
                    && (dangling || l.bold == line.bold && l.italic == line.italic)
                    && !front::is_notice(&line.text)
            });
        if !joins {
            close(start, end, &mut text, &mut out);
            start = i;
        } else if !text.is_empty() {
            text.push(BREAK);
        }
        text.push_str(&text_of_line);
        (last, end) = (Some(line), i + 1);
    }
    close(start, end, &mut text, &mut out);
    out
}

/// "Abstract", "1. Introduction" and other headings behind which no authors stand.
fn starts_text(text: &str) -> bool {
    let kind = names::kind_of(text);
    let words = text.split_whitespace().count();
    words <= 4 && names::is_known(text) && kind != types::SectionKind::Supplementary
        || names::fold(text.split([':', '.', '—', '–']).next().unwrap_or_default()) == "abstract"
}
