//! Candidates for the byline: lines near the title that follow each other and look the same.

use super::REACH;
use crate::layout::line::Line;
use crate::structure::names;
use crate::structure::person::{self, BREAK, MARK, Names};

/// Lines that follow each other and look the same.
pub(super) struct Block {
    /// Range in the lines.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) names: Names,
}

/// The text of a line with its raised marks and wide gaps as signs of their own.
pub(super) fn marked_text(line: &Line) -> String {
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
pub(super) fn blocks(lines: &[Line], range: std::ops::Range<usize>) -> Vec<Block> {
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
        floor = if starts_text(&line.text) {
            floor.min(line.y)
        } else {
            floor
        };
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
                    && !crate::structure::front::is_notice(&line.text)
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
pub(super) fn starts_text(text: &str) -> bool {
    let kind = names::kind_of(text);
    let words = text.split_whitespace().count();
    words <= 4 && names::is_known(text) && kind != types::SectionKind::Supplementary
        || names::fold(text.split([':', '.', '—', '–']).next().unwrap_or_default()) == "abstract"
}
