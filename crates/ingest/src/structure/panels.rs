//! Panels of text that journals set into a paper: "Research in context", "Key messages", "What this study adds".
//!
//! A panel stands in the middle of a section, often between two halves of a sentence. Its text is moved behind the
//! section that it interrupts, below its own heading, so that the section reads on; its labels are no headings of the
//! paper.

use super::heading_form::stands_out;
use super::names;
use super::parts::{Kind, Part};
use super::typography::Typography;

/// How deep the heading of a panel stands: below every heading of the paper.
const DEPTH: u8 = 6;
/// More parts than these are no panel.
const MOST: usize = 40;

/// Moves panels behind the sections that they interrupt. Panels among the title, the authors and the abstract, before
/// the first main section, stay.
pub(super) fn move_behind_text(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
    let heading = |p: &Part| matches!(p.kind, Kind::Heading(_));
    let Some(first) =
        parts.iter().skip(from).position(|p| heading(p) && names::is_main(&p.text)).map(|at| at + from)
    else {
        return parts;
    };
    let parts = move_highlights(parts, first);
    let first = parts
        .iter()
        .skip(first)
        .position(|p| heading(p) && names::is_main(&p.text))
        .map_or(first, |at| at + first);
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    let mut waiting: Vec<Part> = Vec::new();
    let mut panel_end = 0;
    for i in 0..parts.len() {
        let part = &parts[i];
        if i < panel_end {
            let mut part = part.clone();
            if heading(&part) {
                part.kind = Kind::Text;
            }
            waiting.push(part);
            continue;
        }
        if i > first && opens_panel(part, typography) {
            panel_end = end_of_panel(&parts, i, typography);
            let mut head = part.clone();
            head.kind = Kind::Heading(DEPTH);
            waiting.push(head);
            continue;
        }
        if heading(part) {
            out.append(&mut waiting);
        }
        out.push(part.clone());
    }
    out.append(&mut waiting);
    out
}

/// Puts a box of highlights that stands beside the abstract, and is read last on its page, before the first main
/// section, at `first`.
fn move_highlights(parts: Vec<Part>, first: usize) -> Vec<Part> {
    let page = parts.first().map_or(1, |p| p.page);
    let abstract_box = |p: &Part| {
        let title = || names::is_panel(&p.text) || names::kind_of(&p.text) == types::SectionKind::Abstract;
        p.kind == Kind::Text && p.margin && p.page == page && p.words() <= 6 && title()
    };
    let Some(start) = parts.iter().position(abstract_box) else {
        return parts;
    };
    let region = parts[start].region;
    let end = parts[start..].iter().position(|p| p.region != region).map_or(parts.len(), |n| start + n);
    if start < first {
        return parts;
    }
    let mut rest = parts;
    let mut lifted: Vec<Part> = rest.drain(start..end).collect();
    for part in &mut lifted {
        part.margin = false;
    }
    lifted[0].kind = Kind::Heading(1);
    let behind = rest.split_off(first);
    rest.append(&mut lifted);
    rest.extend(behind);
    rest
}

/// Whether the part is the title of a panel.
fn opens_panel(part: &Part, typography: &Typography) -> bool {
    let marked =
        matches!(part.kind, Kind::Heading(_)) || part.kind == Kind::Text && stands_out(part, typography);
    marked && part.words() <= 12 && names::is_panel(&part.text)
}

/// The part behind the panel that begins at `start`: the first in the look of the body, or, where the panel itself
/// has that look, the first that is neither a label of a panel nor follows one.
fn end_of_panel(parts: &[Part], start: usize, typography: &Typography) -> usize {
    let body = |p: &Part| {
        p.style.font == typography.font
            && (p.size - typography.size).abs() < 0.03 * typography.size
            && !p.style.bold
    };
    let most = parts.len().min(start + MOST);
    let first_text = parts[start + 1..most].iter().find(|p| p.kind == Kind::Text && p.words() >= 8);
    if first_text.is_some_and(body) {
        // Nothing but the labels tells where it ends.
        let mut end = start + 1;
        let mut labelled = true;
        while end < most {
            let part = &parts[end];
            let label = names::is_panel(&part.text);
            if !label && (!labelled || matches!(part.kind, Kind::Heading(_))) {
                break;
            }
            labelled = label;
            end += 1;
        }
        return end;
    }
    let main = |p: &Part| matches!(p.kind, Kind::Heading(_)) && names::is_main(&p.text);
    let end = (start + 1..most).find(|i| {
        let part = &parts[*i];
        main(part) || part.kind == Kind::Text && part.words() >= 4 && body(part)
    });
    // Its last part may be the heading of the section that follows.
    let end = end.unwrap_or(start + 1);
    let heads = |p: &Part| {
        matches!(p.kind, Kind::Heading(_)) && !names::is_panel(&p.text) && p.size >= typography.size * 0.97
    };
    if end > start + 1 && heads(&parts[end - 1]) { end - 1 } else { end }
}
