//! The typography of the body: the reference for everything that stands out.

use crate::layout::line::Line;
use crate::measure::{median, tally};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The look of running text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Typography {
    /// Size of the body text in points.
    pub(crate) size: f32,
    /// Font of most of the body text.
    pub(crate) font: u16,
    /// Whether the body text is set in bold.
    pub(crate) bold: bool,
    /// How wide most lines of the body are, in points.
    pub(crate) width: f32,
    /// Distance of baselines by size (in half points).
    leading: BTreeMap<u32, f32>,
}

impl Typography {
    /// Measures the document. `lines` should leave running heads out.
    pub(crate) fn measure(lines: &[Line]) -> Self {
        let end = references_start(lines).unwrap_or(lines.len());
        let body = &lines[..end];
        let weight = |line: &Line| (quarter(line.size), line.text.len());
        let prose = body.iter().filter(|l| l.cells.is_empty() && l.text.len() > 30);
        let mut sizes = tally(prose.map(weight));
        if sizes.is_empty() {
            sizes = tally(body.iter().map(weight));
        }
        let most = sizes.iter().max_by_key(|(size, n)| (**n, **size));
        let most = most.map_or(40, |(size, _)| *size);
        let size = most as f32 / 4.0;
        let of_size = || body.iter().filter(|l| quarter(l.size) == most);
        let fonts = tally(of_size().map(|l| (l.font, l.text.len())));
        let font = fonts.iter().max_by_key(|(font, n)| (**n, Reverse(**font)));
        let font = font.map_or(0, |(font, _)| *font);
        let all: usize = fonts.values().sum();
        let bold: usize = of_size().filter(|l| l.bold).map(|l| l.text.len()).sum();
        Self {
            size,
            font,
            bold: bold * 2 > all,
            width: middle_width(of_size().filter(|l| l.cells.is_empty())),
            leading: leadings(lines),
        }
    }

    /// The usual distance of baselines in text of this size.
    pub(crate) fn leading(&self, size: f32) -> f32 {
        let key = half(size);
        let near = [key, key.saturating_sub(1), key + 1].into_iter().find_map(|k| self.leading.get(&k));
        near.copied().unwrap_or(size * 1.2)
    }
}

/// The middle of the widths of lines of more than a few words.
fn middle_width<'a>(lines: impl Iterator<Item = &'a Line>) -> f32 {
    let long = lines.filter(|l| l.text.len() > 30);
    median(long.map(|l| l.x1 - l.x0)).unwrap_or(0.0)
}

fn quarter(size: f32) -> u32 {
    (size * 4.0).round() as u32
}

fn half(size: f32) -> u32 {
    (size * 2.0).round() as u32
}

/// Where the reference list starts, when it starts in the second half.
fn references_start(lines: &[Line]) -> Option<usize> {
    let named = |l: &Line| {
        let folded = super::names::fold(super::names::numbering(&l.text).words);
        matches!(folded.as_str(), "references" | "bibliography" | "literature cited" | "reference")
    };
    lines.iter().rposition(|l| l.text.len() < 40 && named(l)).filter(|at| *at > lines.len() / 3)
}

/// The most frequent distance of neighbouring lines, for each size.
fn leadings(lines: &[Line]) -> BTreeMap<u32, f32> {
    let mut tallies: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for pair in lines.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let gap = b.y - a.y;
        if a.region == b.region && half(a.size) == half(b.size) && gap > 0.8 * a.size && gap < 3.0 * a.size {
            *tallies.entry(half(a.size)).or_default().entry((gap * 4.0).round() as u32).or_default() += 1;
        }
    }
    tallies
        .into_iter()
        .filter_map(|(size, gaps)| {
            let (gap, n) = gaps.into_iter().max_by_key(|(gap, n)| (*n, Reverse(*gap)))?;
            (n >= 3).then_some((size, gap as f32 / 4.0))
        })
        .collect()
}
