//! The typography of the body: the reference for everything that stands out.

use crate::layout::line::Line;
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
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        let end = references_start(lines).unwrap_or(lines.len());
        let body = &lines[..end];
        for line in body.iter().filter(|l| l.cells.is_empty() && l.text.len() > 30) {
            *sizes.entry(quarter(line.size)).or_default() += line.text.len();
        }
        if sizes.is_empty() {
            for line in body {
                *sizes.entry(quarter(line.size)).or_default() += line.text.len();
            }
        }
        let most = sizes
            .iter()
            .max_by_key(|(size, n)| (**n, **size))
            .map_or(40, |(size, _)| *size);
        let size = most as f32 / 4.0;
        let mut fonts: BTreeMap<u16, usize> = BTreeMap::new();
        let (mut bold, mut all) = (0, 0);
        for line in body.iter().filter(|l| quarter(l.size) == most) {
            *fonts.entry(line.font).or_default() += line.text.len();
            all += line.text.len();
            bold += if line.bold { line.text.len() } else { 0 };
        }
        let font = fonts
            .iter()
            .max_by_key(|(f, n)| (**n, std::cmp::Reverse(**f)))
            .map_or(0, |(f, _)| *f);
        Self {
            size,
            font,
            bold: bold * 2 > all,
            width: middle_width(
                body.iter()
                    .filter(|l| quarter(l.size) == most && l.cells.is_empty()),
            ),
            leading: leadings(lines),
        }
    }

    /// The usual distance of baselines in text of this size.
    pub(crate) fn leading(&self, size: f32) -> f32 {
        let key = half(size);
        let near = [key, key.saturating_sub(1), key + 1]
            .into_iter()
            .find_map(|k| self.leading.get(&k));
        near.copied().unwrap_or(size * 1.2)
    }
}

/// The middle of the widths of lines of more than a few words.
fn middle_width<'a>(lines: impl Iterator<Item = &'a Line>) -> f32 {
    let long = lines.filter(|l| l.text.len() > 30);
    let mut widths: Vec<f32> = long.map(|l| l.x1 - l.x0).collect();
    widths.sort_by(f32::total_cmp);
    widths.get(widths.len() / 2).copied().unwrap_or(0.0)
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
        matches!(
            folded.as_str(),
            "references" | "bibliography" | "literature cited" | "reference"
        )
    };
    lines
        .iter()
        .rposition(|l| l.text.len() < 40 && named(l))
        .filter(|at| *at > lines.len() / 3)
}

/// The most frequent distance of neighbouring lines, for each size.
fn leadings(lines: &[Line]) -> BTreeMap<u32, f32> {
    let mut tallies: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for pair in lines.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let gap = b.y - a.y;
        if a.region == b.region && half(a.size) == half(b.size) && gap > 0.8 * a.size && gap < 3.0 * a.size {
            *tallies
                .entry(half(a.size))
                .or_default()
                .entry((gap * 4.0).round() as u32)
                .or_default() += 1;
        }
    }
    tallies
        .into_iter()
        .filter_map(|(size, gaps)| {
            let (gap, n) = gaps
                .into_iter()
                .max_by_key(|(gap, n)| (*n, std::cmp::Reverse(*gap)))?;
            (n >= 3).then_some((size, gap as f32 / 4.0))
        })
        .collect()
}
