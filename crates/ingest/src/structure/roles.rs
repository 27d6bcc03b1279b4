//! What lines are before they are grouped: captions, rows of tables, text.

use super::typography::Typography;
use crate::layout::line::Line;
use text::Pattern;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    /// First line of a caption.
    CaptionStart,
    /// A caption goes on.
    Caption,
    /// A row of a table.
    Row,
    /// A note below a table.
    TableNote,
}

/// Gives each line its role.
pub(crate) fn roles(lines: &[Line], typography: &Typography) -> Vec<Role> {
    let mut roles = vec![Role::Text; lines.len()];
    captions(lines, typography, &mut roles);
    tables(lines, typography, &mut roles);
    loose_rows(lines, &mut roles);
    roles
}

static LABEL: Pattern = Pattern::new(
    r"(?x) ^(?:(?:supplement(?:ary|al)|supporting|extended\ data|appendix|online)\ )?
        (?:figure|fig\.?|table|tab\.|scheme|box|chart|plate|algorithm|video|movie)\ *
        (?: (?<number> (?:[sabc][0-9]|[.-]?[0-9]) (?:[.-]?[0-9])* [a-z]?) | [ivx]+ )",
);

/// The label at the start of a caption ("Figure 2", "Table S1"), in bytes.
pub(crate) fn caption_label(text: &str) -> Option<usize> {
    let head: String = text.to_lowercase().chars().take(48).collect();
    // Lower-casing may change lengths outside ASCII: such a text holds no label at its start anyway.
    let start = text.get(..head.len().min(text.len()))?;
    if !head.is_ascii() && start.to_lowercase() != head {
        return None;
    }
    let label = LABEL.captures(&head)?;
    let end = label.get_match().end();
    let goes_on = head[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
    // "Figure 2a", but not "Figure 2ab".
    let end = match label.name("number") {
        Some(_) => end - usize::from(goes_on),
        None if goes_on => return None,
        None => end,
    };
    text.is_char_boundary(end).then_some(end)
}

fn starts_caption(lines: &[Line], i: usize, typography: &Typography) -> bool {
    let line = &lines[i];
    let Some(end) = caption_label(&line.text) else {
        return false;
    };
    let rest = line.text[end..].trim_start();
    if rest.is_empty() {
        return true;
    }
    let marked = rest.starts_with(['.', ':', '|', '–', '—', ')', '•', '∣', '│', '.']);
    let stands_out = line.bold
        || line.lead_bold >= end.saturating_sub(1)
        || line.size < typography.size * 0.96
        || line.lead_italic >= end.saturating_sub(1) && line.lead_italic > 0;
    let above = i.checked_sub(1).map(|p| &lines[p]).filter(|p| p.region == line.region);
    // Below a figure stand its labels, in smaller type.
    let apart = above.is_none_or(|p| {
        line.y - p.y > 1.35 * typography.leading(line.size) || marked && p.size < 0.9 * line.size
    });
    let ended = above.is_none_or(|p| p.text.trim_end().ends_with(['.', '!', '?', ':']));
    let upper = rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '(' || c == '“');
    // "Figure 2. Flow of participants" in running text would follow an unfinished sentence.
    if rest.starts_with([')', ',', ';']) || rest.starts_with("and ") {
        return false;
    }
    (marked && (apart || ended || stands_out)) || (upper && (stands_out || apart))
}

fn captions(lines: &[Line], typography: &Typography, roles: &mut [Role]) {
    let mut i = 0;
    while i < lines.len() {
        if !starts_caption(lines, i, typography) {
            i += 1;
            continue;
        }
        roles[i] = Role::CaptionStart;
        let first = &lines[i];
        let table = first.text.to_lowercase().contains("tab");
        let mut last = first;
        let mut j = i + 1;
        while let Some(line) = lines.get(j) {
            let gap = line.y - last.y;
            let same = line.region == first.region
                && gap > 0.0
                && gap < 1.35 * typography.leading(line.size).max(line.size * 1.1)
                && (line.size - last.size).abs() < 0.08 * first.size + if last == first { 2.0 } else { 0.0 }
                && caption_label(&line.text).is_none_or(|_| !starts_caption(lines, j, typography));
            let row = !line.cells.is_empty()
                || table && (last.bold && !line.bold && last != first || line.bold && !last.bold);
            let done =
                table && last.text.ends_with('.') && last.x1 < first.left + 0.8 * (first.right - first.left);
            // A caption in the size of the text ends where a line falls short and a new one is indented.
            let fresh = (first.size - typography.size).abs() < 0.1
                && last.text.ends_with('.')
                && last.x1 < last.right - 0.1 * (last.right - last.left)
                && (line.size - typography.size).abs() < 0.1
                && line.font == typography.font
                && j > i + 1;
            if !same || row || done || fresh {
                break;
            }
            roles[j] = Role::Caption;
            last = line;
            j += 1;
        }
        i = j;
    }
}

/// Rows stand below the caption of a table, up to the next line of prose.
fn tables(lines: &[Line], typography: &Typography, roles: &mut [Role]) {
    let mut i = 0;
    while i < lines.len() {
        let table = roles[i] == Role::CaptionStart
            && lines[i].text.to_lowercase().trim_start_matches("supplementary ").starts_with("tab");
        if !table {
            i += 1;
            continue;
        }
        let mut j = i + 1;
        while roles.get(j) == Some(&Role::Caption) {
            j += 1;
        }
        let page = lines[i].page;
        let start = j;
        let mut last_row: Option<usize> = None;
        while let Some(line) = lines.get(j) {
            if line.page != page || roles[j] != Role::Text || line.margin != lines[i].margin {
                break;
            }
            let wide = line.x1 - line.x0 > 0.7 * (line.right - line.left);
            let prose = line.cells.is_empty() && line.words() >= 7 && wide;
            let small = line.size < typography.size * 0.96;
            if line.cells.is_empty() && !small {
                // In the size of the text: part of the table only while cells follow closely.
                let soon = lines[j + 1..]
                    .iter()
                    .take(3)
                    .any(|l| l.page == page && l.region == line.region && l.cells.len() > 1);
                let heading = line.size > typography.size * 1.1 || super::names::is_main(&line.text);
                if prose || heading || !soon {
                    break;
                }
            }
            // Larger print and a wide gap below the rows: the text goes on there, with a heading.
            let row = last_row.map(|r| &lines[r]);
            let above = lines[j - 1].region == line.region && j > start;
            if line.cells.is_empty()
                && row.is_some_and(|r| line.size > 1.1 * r.size)
                && above
                && line.y - lines[j - 1].y > 2.0 * typography.leading(line.size)
            {
                break;
            }
            roles[j] = if small && prose && last_row.is_some() { Role::TableNote } else { Role::Row };
            if roles[j] == Role::Row && !line.cells.is_empty() {
                last_row = Some(j);
            }
            j += 1;
        }
        // Without a single row of several cells this was a box of text below a caption.
        if last_row.is_none() && j > start + 12 {
            roles[start..j].fill(Role::TableNote);
        }
        i = j.max(i + 1);
    }
}

/// Three and more lines of several cells in a row are a table, caption or not.
fn loose_rows(lines: &[Line], roles: &mut [Role]) {
    let celled = |l: &Line| {
        let formula = l.text.contains(['=', '∑', '∫', '≈', '\u{302}']);
        !formula && (l.cells.len() >= 3 || l.cells.len() == 2 && l.cells.iter().all(|c| c.text.len() < 40))
    };
    let mut i = 0;
    while i < lines.len() {
        let here = |j: usize| j < lines.len() && lines[j].region == lines[i].region && roles[j] == Role::Text;
        // A wrapped cell or the heading of a group may stand between rows.
        let between = |j: usize| {
            let line = &lines[j];
            line.cells.is_empty() && line.x1 - line.x0 < 0.5 * (line.right - line.left)
        };
        let (mut j, mut rows) = (i, 0);
        while here(j) {
            if celled(&lines[j]) {
                rows += 1;
                j += 1;
                continue;
            }
            let next = (j..j + 3).find(|k| here(*k) && celled(&lines[*k]));
            match next.filter(|next| rows > 0 && (j..*next).all(between)) {
                Some(next) => j = next,
                None => break,
            }
        }
        if rows >= 3 {
            roles[i..j].fill(Role::Row);
        }
        i = j.max(i + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_captions() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(caption_label(text).map(|end| &text[..end]), want, "{text}");
        };
        check("Figure 2. Flow", Some("Figure 2"));
        check("Fig. 3a Flow", Some("Fig. 3a"));
        check("TABLE IV", Some("TABLE IV"));
        check("Table S1: Genes", Some("Table S1"));
        check("Supplementary Table 2", Some("Supplementary Table 2"));
        check("Figures of merit", None);
        check("Tablets were given", None);
        check("Table of contents", None);
        check("İ Figure 1", None);
        check("", None);
    }
}
