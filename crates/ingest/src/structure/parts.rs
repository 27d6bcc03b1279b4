//! Parts: lines that belong together, as paragraphs, possible headings, captions, rows and notes.

use super::flow::{ends_short, goes_on, heads, in_block, is_centred};
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
    /// Lines that stop short of the right edge.
    pub(crate) short_lines: usize,
    /// Whether every line so far is set like the first.
    pub(crate) whole_lead: bool,
}

impl Part {
    pub(crate) fn words(&self) -> usize {
        count_words(&self.text)
    }
}

/// Words between blanks; in scripts that set none, two characters count as one.
fn count_words(text: &str) -> usize {
    let unspaced = |c: &char| matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    let spaced = text.split_whitespace().count();
    // All such characters take three bytes and more.
    if text.bytes().all(|b| b < 0xE0) {
        return spaced;
    }
    spaced.max(text.chars().filter(unspaced).count() / 2)
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
                let block = previous.is_some_and(|p| in_block(lines, p, i, typography));
                goes_on((last, last_role), (line, role), block, typography)
                    && !heads(part, last, line, typography)
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
    part.style.caps &= caps(&line.text) || line.text.chars().filter(|c| c.is_alphabetic()).count() < 4;
    // A run-in heading may fill the first lines and end in this one. Joining may have closed a hyphen, so what is
    // counted is the text behind the lead.
    let lead_end = |lead: usize| {
        let behind = line.text.len() - lead;
        floor(&part.text, part.text.len().saturating_sub(behind))
    };
    let bold = (whole && was_bold && !line.bold && part.lead_bold == 0).then(|| lead_end(line.lead_bold));
    let italic =
        (whole && was_italic && !line.italic && part.lead_italic == 0).then(|| lead_end(line.lead_italic));
    part.lead_bold = bold.unwrap_or(part.lead_bold);
    part.lead_italic = italic.unwrap_or(part.lead_italic);
}

/// The nearest boundary of a character at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}
