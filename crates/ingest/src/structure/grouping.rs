//! Groups lines into parts: a line continues the part above it, or starts one.

use super::join::Vocabulary;
use super::parts::{Kind, Part, Style, is_caps};
use super::roles::Role;
use super::rows::{Step, Table};
use super::typography::Typography;
use crate::layout::line::Line;

/// Groups lines into parts.
pub(crate) fn group(
    lines: &[Line],
    roles: &[Role],
    typography: &Typography,
    vocabulary: &Vocabulary,
) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    let mut table: Option<Table> = None;
    let mut previous: Option<usize> = None;
    for (i, line) in lines.iter().enumerate() {
        let role = roles[i];
        let above = previous.map(|p| (&lines[p], roles[p]));
        if role != Role::Row && role != Role::TableNote {
            table = None;
        }
        let rows = || roles[i..].iter().take_while(|role| **role == Role::Row).count();
        let step = (role == Role::Row).then(|| {
            let table = table.get_or_insert_with(|| Table::of(&lines[i..i + rows()]));
            table.add(line)
        });
        if let Some(Step::Wraps(text)) = &step
            && let Some(row) = out.last_mut()
        {
            row.text.clone_from(text);
            row.bottom = line.y;
            row.x1 = row.x1.max(line.x1);
            row.lines += 1;
            previous = Some(i);
            continue;
        }
        let open = out.last().is_some_and(|part| {
            above.is_some_and(|(last, last_role)| {
                let block = previous.is_some_and(|p| in_block(lines, p, i, typography));
                goes_on((last, last_role), (line, role), block, typography)
                    && !looks_like_heading_above(part, last, line, typography)
            })
        });
        if open && let Some(part) = out.last_mut() {
            extend(part, line, vocabulary);
        } else {
            let gap = above
                .filter(|(l, _)| l.region == line.region)
                .map_or(9.0, |(l, _)| (line.y - l.y) / typography.leading(line.size.max(l.size)));
            let mut part = start(line, role, gap);
            if let Some(Step::Begins(text, label)) = step {
                (part.text, part.label) = (text, label);
            }
            if role == Role::CaptionStart {
                part.label = super::roles::caption_label(&line.text).map(|end| line.text[..end].to_owned());
            }
            out.push(part);
        }
        previous = Some(i);
    }
    for part in &mut out {
        Vocabulary::finish(&mut part.text);
    }
    out
}

fn start(line: &Line, role: Role, gap_above: f32) -> Part {
    Part {
        kind: match role {
            Role::Text => Kind::Text,
            Role::CaptionStart | Role::Caption => Kind::Caption,
            Role::Row => Kind::Row,
            Role::TableNote => Kind::Footnote,
        },
        style: Style {
            size: (line.size * 2.0).round() as u32,
            bold: line.bold,
            italic: line.italic,
            caps: is_caps(&line.text),
            font: line.font,
        },
        text: line.text.clone(),
        label: None,
        page: line.page,
        page_end: line.page,
        breaks: Vec::new(),
        region: line.region,
        margin: line.margin,
        size: line.size,
        lines: 1,
        x0: line.x0,
        x1: line.x1,
        left: line.left,
        right: line.right,
        top: line.y,
        bottom: line.y,
        page_height: line.page_height,
        gap_above,
        indented: line.x0 - line.left > 0.7 * line.size,
        centred: is_centred(line),
        short_end: ends_short(line),
        celled: line.cells.len() > 1,
        lead_bold: line.lead_bold,
        lead_italic: line.lead_italic,
        short_lines: usize::from(ends_short(line)),
        whole_lead: true,
    }
}

fn extend(part: &mut Part, line: &Line, vocabulary: &Vocabulary) {
    let (was_bold, was_italic) = (part.style.bold, part.style.italic);
    let whole = part.whole_lead;
    part.whole_lead &= line.bold == part.style.bold && line.italic == part.style.italic;
    vocabulary.join(&mut part.text, &line.text);
    part.lines += 1;
    part.x0 = part.x0.min(line.x0);
    part.x1 = part.x1.max(line.x1);
    part.bottom = line.y;
    part.short_end = ends_short(line);
    part.short_lines += usize::from(part.short_end);
    part.style.bold &= line.bold;
    part.style.italic &= line.italic;
    part.style.caps &= is_caps(&line.text) || line.text.chars().filter(|c| c.is_alphabetic()).count() < 4;
    // A run-in heading may fill the first lines and end in this one. Joining may have closed a hyphen, so what is
    // counted is the text behind the lead.
    let lead_end = |lead: usize| {
        let behind = line.text.len() - lead;
        part.text.floor_char_boundary(part.text.len().saturating_sub(behind))
    };
    let bold = (whole && was_bold && !line.bold && part.lead_bold == 0).then(|| lead_end(line.lead_bold));
    let italic =
        (whole && was_italic && !line.italic && part.lead_italic == 0).then(|| lead_end(line.lead_italic));
    part.lead_bold = bold.unwrap_or(part.lead_bold);
    part.lead_italic = italic.unwrap_or(part.lead_italic);
}

/// Whether a line goes on with what the last line belongs to.
fn goes_on(
    (last, last_role): (&Line, Role),
    (line, role): (&Line, Role),
    in_block: bool,
    typography: &Typography,
) -> bool {
    if last.region != line.region {
        return false;
    }
    match (last_role, role) {
        (Role::CaptionStart | Role::Caption, Role::Caption) => return true,
        (Role::TableNote, Role::TableNote) => return line.y - last.y < 1.5 * typography.leading(line.size),
        (Role::Text, Role::Text) => {}
        _ => return false,
    }
    let gap = line.y - last.y;
    let leading = typography.leading(line.size);
    if gap < 0.3 * line.size || gap > 1.28 * leading.max(line.size * 1.05) {
        return false;
    }
    // A run-in heading may fill its first lines and end inside this one.
    let lead_goes_on = last.bold && line.lead_bold > 0 && !ends_short(last)
        || last.italic && line.lead_italic > 0 && !ends_short(last);
    let (small, large) = (line.size.min(last.size), line.size.max(last.size));
    if lead_goes_on {
        return large < small * 1.2;
    }
    let other_font = line.font != last.font;
    if large > small * if other_font { 1.02 } else { 1.07 } && !is_scrap(last) && !is_scrap(line) {
        return false;
    }
    if line.bold != last.bold
        || differs(line, last)
        || is_centred(last) && !is_centred(line)
        || heading_ends(last, line, typography) && (!in_block || super::names::is_main(&last.text))
    {
        return false;
    }
    if is_caps(&line.text) != is_caps(&last.text)
        && line.size > typography.size * 0.97
        && (line.font != last.font || gap > 1.1 * leading)
    {
        return false;
    }
    !starts_paragraph(last, line)
}

/// Whether the heading that `last` belongs to ends there, though `line` looks the same: two headings may stand
/// right below each other. A heading that goes on fills its line, breaks behind a small word, or goes on in lower
/// case.
fn heading_ends(last: &Line, line: &Line, typography: &Typography) -> bool {
    let marked = last.bold && !typography.bold
        || last.size > typography.size * 1.07
        || is_caps(&last.text)
        || last.italic && line.italic;
    let fresh = line.text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    if !marked || !fresh || last.lead_bold > 0 || last.size > typography.size * 1.4 {
        return false;
    }
    let small = |word: Option<&str>| word.is_some_and(|w| is_small_word(&w.to_lowercase()));
    let open = last.text.ends_with([',', '-', '\u{2010}', '\u{AD}', '/', '(', '&'])
        || small(last.text.split_whitespace().next_back())
        || small(line.text.split_whitespace().next());
    if open {
        return false;
    }
    // A known name is a heading by itself; of others the next word must clearly have found room. A heading with a
    // number seldom has one without right below it.
    let numbered = |l: &Line| super::names::numbering(&l.text).depth;
    let least = if super::names::is_main(&last.text) {
        0.5
    } else if numbered(last) > numbered(line) {
        8.0
    } else {
        2.0
    };
    spare_room(last, line) > least * last.size
}

/// Whether the line at `i` stands in a block of short lines of one look, as addresses and lists do: three and more
/// of them are no headings below each other. `last` is the line before it.
fn in_block(lines: &[Line], last: usize, i: usize, typography: &Typography) -> bool {
    let close = |a: &Line, b: &Line| {
        a.region == b.region && b.y > a.y && b.y - a.y <= 1.28 * typography.leading(b.size).max(b.size * 1.05)
    };
    let alike = |a: &Line, b: &Line| {
        close(a, b) && a.bold == b.bold && a.font == b.font && heading_ends(a, b, typography)
    };
    let above = last.checked_sub(1).is_some_and(|above| alike(&lines[above], &lines[last]));
    above || lines.get(i + 1).is_some_and(|next| alike(&lines[i], next))
}

/// The room that is left at the end of `last` once the first word of `line` is put there, in points; below zero when
/// the word does not fit.
fn spare_room(last: &Line, line: &Line) -> f32 {
    let used = if is_centred(last) { last.x1 - last.x0 } else { last.x1 - last.left };
    let chars = |text: &str| text.chars().count() as f32;
    let first = line.text.split_whitespace().next().map_or(0.0, chars);
    let needed = (line.x1 - line.x0) * (first + 1.0) / chars(&line.text).max(1.0);
    last.right - last.left - used - needed
}

/// A drop capital, or a mark that stands on a line of its own: its size says nothing.
fn is_scrap(line: &Line) -> bool {
    line.words() <= 1 && line.text.chars().filter(|c| c.is_alphabetic()).count() < 4
}

fn is_small_word(word: &str) -> bool {
    const SMALL: &str = "a|an|and|as|at|between|by|during|for|from|in|into|of|on|or|the|their|to|under|using|versus|via|vs|\
        vs.|with|within|without|&";
    SMALL.split('|').any(|s| s == word)
}

/// Whether the part so far looks like a heading above the line: another font, short, and set apart or with room
/// for the line's first word.
fn looks_like_heading_above(part: &Part, last: &Line, line: &Line, typography: &Typography) -> bool {
    let apart = part.gap_above > 1.15 && part.lines == 1;
    let fresh = line.text.starts_with(|c: char| !c.is_lowercase());
    let closed = last.text.ends_with(['.', ',', ';', '-', '\u{AD}']);
    part.kind == Kind::Text
        && part.lines <= 3
        && last.font == part.style.font
        && last.font != line.font
        && ends_short(last)
        && (apart || line.font == typography.font && fresh && !closed && spare_room(last, line) > last.size)
}

/// Whole lines in italics against whole lines upright.
fn differs(line: &Line, last: &Line) -> bool {
    line.italic != last.italic && line.font != last.font && ends_short(last)
}

fn starts_paragraph(last: &Line, line: &Line) -> bool {
    let numbered = |l: &Line| super::names::numbering(&l.text).depth;
    if is_bullet(&line.text)
        || numbered(line) > 1 && (numbered(last) > 0 || line.lead_italic > 0 || line.bold)
    {
        return true;
    }
    if ends_sentence(&last.text) && !last.bold && run_in_starts(line) {
        return true;
    }
    // A heading that only its number tells from the text: "2.1.1. Choice of the orchards".
    let capital = line.text.starts_with(char::is_uppercase);
    let digits = last.text.starts_with(|c: char| c.is_ascii_digit());
    if digits
        && numbered(last) > 1
        && capital
        && !ends_sentence(&last.text)
        && spare_room(last, line) > 2.0 * line.size
    {
        return true;
    }
    let em = line.size;
    let indent = line.x0 - line.left;
    let before = last.x0 - last.left;
    let fresh =
        line.text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || "“\"‘([α-ω".contains(c));
    // An indented first line; a hanging indent is the reverse.
    if indent > 0.7 * em && indent < 4.0 * em && before.abs() < 0.35 * em && fresh {
        return !hanging(last) || numbered(last) > 1;
    }
    if before > 0.7 * em && before < 4.0 * em && indent.abs() < 0.35 * em && fresh && hanging(line) {
        return true;
    }
    let ended = last.text.ends_with(['.', '?', '!', ':', '”', '"', ')', ']'])
        || last.text.ends_with(|c: char| c.is_ascii_digit());
    ended && fresh && ends_short(last) && indent.abs() < 0.35 * em
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '?', '!', ')', ']', '%'])
}

/// Whether the line begins with words in bold that end like a heading ("Methods: We asked…").
fn run_in_starts(line: &Line) -> bool {
    let Some(lead) = line.text.get(..line.lead_bold).map(str::trim_end) else {
        return false;
    };
    let rest = line.text[line.lead_bold..].trim_start();
    let stopped = lead.ends_with([':', '.']) || rest.starts_with([':', '.']);
    let label = super::names::is_abstract_label(lead) && rest.starts_with(char::is_uppercase);
    let role = super::names::is_contributor_role(lead);
    (stopped || label)
        && !role
        && lead.starts_with(char::is_uppercase)
        && lead.chars().filter(|c| c.is_alphabetic()).count() >= 4
}

/// A reference list numbers or hangs its entries: "1. ", "[3] ", "Smith J,".
fn hanging(line: &Line) -> bool {
    let text = line.text.trim_start_matches(['[', '(']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) && text[digits..].starts_with(['.', ']', ')', ' ']) {
        return true;
    }
    let mut words = line.text.split_whitespace();
    let surname = words.next().is_some_and(|w| w.len() > 2 && w.starts_with(char::is_uppercase));
    let initials = words.next().is_some_and(|w| {
        let w = w.trim_end_matches(['.', ',']);
        (1..=5).contains(&w.len()) && w.chars().all(|c| c.is_uppercase() || c == '.' || c == '-')
    });
    let mut marks = line.text.split_whitespace().take(2);
    let marked = marks.any(|w| w.ends_with([',', '.']));
    surname && initials && marked
}

/// Whether the line leaves about the same room on both sides, more than an indent takes.
fn is_centred(line: &Line) -> bool {
    let (before, behind) = (line.x0 - line.left, line.right - line.x1);
    let width = line.right - line.left;
    before > 2.5 * line.size
        && before > 0.1 * width
        && (before - behind).abs() < (0.06 * width).max(line.size)
}

fn ends_short(line: &Line) -> bool {
    line.x1 < line.right - (0.12 * (line.right - line.left)).max(1.5 * line.size)
}

fn is_bullet(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    first.is_some_and(|c| "•◦▪■●–—➢✓□\u{2043}".contains(c)) && chars.next().is_some_and(char::is_whitespace)
}
