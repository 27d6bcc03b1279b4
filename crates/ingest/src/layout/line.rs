//! Lines: the pieces of one region that share a baseline.

use super::columns::Region;
use super::piece::Piece;
use crate::measure::{extent, grouped};

/// A line of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) page: u32,
    /// Number of its region in the document: lines of one region follow each other.
    pub(crate) region: u32,
    /// Whether its region is a narrow column beside a wider one.
    pub(crate) margin: bool,
    /// Its text, pieces joined by a space.
    pub(crate) text: String,
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    pub(crate) y: f32,
    pub(crate) size: f32,
    pub(crate) font: u16,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    /// Bytes at the start in bold, when the rest is not.
    pub(crate) lead_bold: usize,
    /// Bytes at the start in italics, when the rest is not.
    pub(crate) lead_italic: usize,
    /// Stretches of bytes that are set small and raised.
    pub(crate) raised: Vec<(usize, usize)>,
    /// Its pieces as cells, when there are several.
    pub(crate) cells: Vec<Cell>,
    /// Left edge of its region's text.
    pub(crate) left: f32,
    /// Right edge of its region's text.
    pub(crate) right: f32,
    /// Height of its page.
    pub(crate) page_height: f32,
}

/// A part of a line that a wide gap sets apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    pub(crate) text: String,
}

impl Line {
    pub(crate) fn words(&self) -> usize {
        self.text.split_whitespace().count()
    }
}

/// The lines of a region, from top to bottom.
pub(crate) fn lines(region: Region, number: u32, page: u32, page_height: f32) -> Vec<Line> {
    let margin = region.margin;
    let rows = grouped(region.pieces, |first, piece| piece.y - first.y <= 0.3 * first.size.max(piece.size));
    let mut out: Vec<Line> = Vec::with_capacity(rows.len());
    for mut row in rows {
        row.sort_by(|a, b| a.x0.total_cmp(&b.x0).then(a.order.cmp(&b.order)));
        let Some(main) = row.iter().max_by_key(|p| p.chars) else {
            continue;
        };
        let sum = |f: fn(&Piece) -> usize| row.iter().map(f).sum::<usize>();
        let letters = sum(|p| p.letters).max(1);
        let (size, font, y) = (main.size, main.font, main.y);
        let (x0, x1) = extent(row.iter().map(|p| (p.x0, p.x1)));
        let text = row.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join(" ");
        let mut raised = Vec::new();
        let mut start = 0;
        for piece in &row {
            raised.extend(piece.raised.iter().map(|(a, b)| (start + a, start + b)));
            start += piece.text.len() + 1;
        }
        let first = &row[0];
        // A lead that ends with its piece goes on only if the next piece is styled too: then nothing stands out.
        let lead = |whole: bool, lead: usize, rest_styled: bool| {
            if lead > 0 {
                lead
            } else if whole && row.len() > 1 && !rest_styled {
                first.text.len()
            } else {
                0
            }
        };
        let numbered = row.len() == 2 && first.text.len() <= 8 && is_number(&first.text);
        let rest = |f: fn(&Piece) -> bool| row.iter().skip(1).all(f);
        let cell = |p: &Piece| Cell { x0: p.x0, x1: p.x1, text: p.text.clone() };
        let celled = row.len() > 1 && !numbered;
        let cells = row.iter().filter(|_| celled).map(cell).collect();
        out.push(Line {
            page,
            region: number,
            margin,
            x0,
            x1,
            y,
            size,
            font,
            bold: sum(|p| p.bold) * 10 >= letters * 8,
            // Names of species in a heading in italics stand upright.
            italic: sum(|p| p.italic) * 20 >= letters * 13,
            lead_bold: lead(first.is_bold(), first.lead_bold, rest(Piece::is_bold)),
            lead_italic: lead(first.is_italic(), first.lead_italic, rest(Piece::is_italic)),
            cells,
            raised,
            text,
            page_height,
            ..Line::default()
        });
    }
    let left = common_left(&out);
    let right = robust_right_edge(out.iter().map(|l| l.x1).collect());
    for line in &mut out {
        line.left = left;
        line.right = right;
    }
    limit_label_style(&mut out);
    out
}

/// A label at the start of a paragraph may fill most of its first line: then the line does not have the style of the
/// label, only its start has.
fn limit_label_style(lines: &mut [Line]) {
    for i in 1..lines.len() {
        let (head, tail) = lines.split_at_mut(i);
        let (Some(line), Some(next)) = (head.last_mut(), tail.first()) else {
            continue;
        };
        let width = line.right - line.left;
        let full = line.x1 > line.right - 0.12 * width && next.y - line.y < 2.0 * line.size;
        let words = |lead: usize| {
            let rest = line.text.get(lead..).unwrap_or_default();
            rest.chars().filter(|c| c.is_alphabetic()).count() >= 2
        };
        let leads = |whole: bool, lead: usize, next: (bool, usize)| {
            full && whole && lead > 0 && next == (false, 0) && words(lead)
        };
        let no_bold = leads(line.bold, line.lead_bold, (next.bold, next.lead_bold));
        let no_italic = leads(line.italic, line.lead_italic, (next.italic, next.lead_italic));
        line.bold &= !no_bold;
        line.italic &= !no_italic;
    }
}

/// "2.", "2.1", "IV.": the number of a heading, set apart from its words.
fn is_number(text: &str) -> bool {
    let bare = text.trim_end_matches('.');
    text.starts_with(|c: char| c.is_ascii_digit() || "IVX".contains(c))
        && !bare.is_empty()
        && bare.chars().all(|c| c.is_ascii_digit() || c == '.' || "IVX".contains(c))
        && (text.contains('.') || bare.len() <= 2)
}

/// The left edge that most lines share; indented lines stand right of it.
fn common_left(lines: &[Line]) -> f32 {
    let mut starts: Vec<f32> = lines.iter().map(|l| l.x0).collect();
    starts.sort_by(f32::total_cmp);
    let mut best = (0usize, starts.first().copied().unwrap_or(0.0));
    let mut from = 0;
    for to in 0..starts.len() {
        while starts[to] - starts[from] > 2.0 {
            from += 1;
        }
        if to - from + 1 > best.0 {
            best = (to - from + 1, starts[from]);
        }
    }
    best.1
}

/// The right edge of lines, robust against a few overlong ones.
fn robust_right_edge(mut ends: Vec<f32>) -> f32 {
    ends.sort_by(f32::total_cmp);
    ends.get(ends.len().saturating_sub(1) * 95 / 100).copied().unwrap_or(0.0)
}
