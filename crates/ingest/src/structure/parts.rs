//! Parts: lines that belong together, as paragraphs, possible headings, captions, rows and notes.

use super::join::Vocabulary;
use super::roles::Role;
use super::rows::{Step, Table};
use super::typography::Typography;
use crate::layout::line::Line;

/// What a part is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Text,
    /// A heading of this depth, from 1.
    Heading(u8),
    Caption,
    Row,
    Footnote,
    Equation,
    /// What is not part of the paper's text: labels inside figures, affiliations, notices.
    Noise,
}

/// The look of a part: parts of one style look the same to a reader.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Style {
    /// Size in half points.
    pub(crate) size: u32,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) caps: bool,
    pub(crate) font: u16,
}

/// Lines that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a stretch of print"
)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) label: Option<String>,
    pub(crate) page: u32,
    pub(crate) page_end: u32,
    /// Where a page begins inside the text: byte and page.
    pub(crate) breaks: Vec<(usize, u32)>,
    pub(crate) region: u32,
    pub(crate) margin: bool,
    pub(crate) style: Style,
    pub(crate) size: f32,
    pub(crate) lines: usize,
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    pub(crate) left: f32,
    pub(crate) right: f32,
    /// Baselines of its first and last line.
    pub(crate) top: f32,
    pub(crate) bottom: f32,
    pub(crate) page_height: f32,
    /// Distance to the line above in its region, in usual distances of lines; large at the top of a region.
    pub(crate) gap_above: f32,
    /// Whether its first line is indented.
    pub(crate) indented: bool,
    /// Whether its first line stands in the middle between the edges of its region.
    pub(crate) centred: bool,
    /// Whether its last line stops short of the right edge.
    pub(crate) short_end: bool,
    /// Whether its last line has cells.
    pub(crate) celled: bool,
    /// Bytes of `text` at the start in bold or in italics, when the rest is not.
    pub(crate) lead_bold: usize,
    pub(crate) lead_italic: usize,
}

impl Part {
    pub(crate) fn words(&self) -> usize {
        self.text.split_whitespace().count()
    }
}

/// Groups lines into parts.
pub(crate) fn parts(
    lines: &[Line],
    roles: &[Role],
    typography: &Typography,
    vocabulary: &Vocabulary,
) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    let mut table = Table::default();
    let mut previous: Option<usize> = None;
    for (i, line) in lines.iter().enumerate() {
        let role = roles[i];
        let above = previous.map(|p| (&lines[p], roles[p]));
        if role != Role::Row && role != Role::TableNote {
            table = Table::default();
        }
        let step = (role == Role::Row).then(|| table.add(line));
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
                goes_on(last, last_role, line, role, typography) && !heads(part, last, line)
            })
        });
        if open && let Some(part) = out.last_mut() {
            extend(part, line, vocabulary);
        } else {
            let gap = above
                .filter(|(l, _)| l.region == line.region)
                .map_or(9.0, |(l, _)| {
                    (line.y - l.y) / typography.leading(line.size.max(l.size))
                });
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

fn goes_on(last: &Line, last_role: Role, line: &Line, role: Role, typography: &Typography) -> bool {
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
    let (small, large) = (line.size.min(last.size), line.size.max(last.size));
    let other_font = line.font != last.font;
    if large > small * if other_font { 1.02 } else { 1.07 } && line.words().min(last.words()) > 1 {
        return false;
    }
    if line.bold != last.bold || differs(line, last) || is_centred(last) && !is_centred(line) {
        return false;
    }
    if caps(&line.text) != caps(&last.text)
        && line.size > typography.size * 0.97
        && (line.font != last.font || gap > 1.1 * leading)
    {
        return false;
    }
    !starts_paragraph(last, line)
}

/// Whether the part, one line so far, looks like a heading above the line: another font, set apart, short.
fn heads(part: &Part, last: &Line, line: &Line) -> bool {
    part.kind == Kind::Text
        && part.lines == 1
        && last.font != line.font
        && part.gap_above > 1.15
        && ends_short(last)
}

/// Whole lines in italics against whole lines upright.
fn differs(line: &Line, last: &Line) -> bool {
    line.italic != last.italic
        && line.font != last.font
        && (last.italic && last.lead_italic == 0 && ends_short(last) || line.italic && ends_short(last))
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
    let em = line.size;
    let indent = line.x0 - line.left;
    let before = last.x0 - last.left;
    let fresh = line
        .text
        .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || "“\"‘([α-ω".contains(c));
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
    let surname = words
        .next()
        .is_some_and(|w| w.len() > 2 && w.starts_with(char::is_uppercase));
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

pub(crate) fn caps(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 4 && text.chars().filter(|c| c.is_lowercase()).count() * 12 <= letters
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
            caps: caps(&line.text),
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
    }
}

fn extend(part: &mut Part, line: &Line, vocabulary: &Vocabulary) {
    // A run-in heading may fill the first line and end in the second.
    let at = part.text.len();
    if part.lines == 1 {
        let whole = |bold: bool| if bold { part.style.bold } else { part.style.italic };
        if part.lead_bold == 0 && whole(true) && !line.bold {
            part.lead_bold = at + if line.lead_bold > 0 { line.lead_bold + 1 } else { 0 };
        }
        if part.lead_italic == 0 && whole(false) && !line.italic {
            part.lead_italic = at
                + if line.lead_italic > 0 {
                    line.lead_italic + 1
                } else {
                    0
                };
        }
    }
    vocabulary.join(&mut part.text, &line.text);
    part.lines += 1;
    part.x0 = part.x0.min(line.x0);
    part.x1 = part.x1.max(line.x1);
    part.bottom = line.y;
    part.short_end = ends_short(line);
    part.style.italic &= line.italic;
    part.style.caps &= caps(&line.text) || line.text.chars().filter(|c| c.is_alphabetic()).count() < 4;
    part.lead_bold = floor(&part.text, part.lead_bold);
    part.lead_italic = floor(&part.text, part.lead_italic);
}

/// The nearest boundary of a character at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}
