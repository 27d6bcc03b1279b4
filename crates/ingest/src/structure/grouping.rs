//! Groups lines into parts: a line continues the part above it, or starts one.

use super::flow::{ends_short, goes_on, in_block, is_centred, looks_like_heading_above};
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
                    && !looks_like_heading_above(part, last, line, typography)
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
