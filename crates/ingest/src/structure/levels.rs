//! The levels of headings without numbers, by their styles.

use super::names;
use super::parts::{Kind, Part, Style};
use super::typography::Typography;
use std::collections::{BTreeMap, BTreeSet};

/// Headings that stand below a main section though they look like one: in a paper with methods and results, what
/// stands between them and has no name of its own is a part of one of them.
pub(super) fn inner_sections(parts: &[Part]) -> BTreeSet<usize> {
    use types::SectionKind::{Conclusion, Discussion, Methods, References, Results};
    let headings: Vec<(usize, types::SectionKind, bool)> = parts
        .iter()
        .enumerate()
        .filter(|(_, p)| matches!(p.kind, Kind::Heading(1)))
        .map(|(i, p)| (i, names::kind_of(&p.text), names::is_main(&p.text)))
        .collect();
    let main = |kinds: &[types::SectionKind]| {
        let found = headings
            .iter()
            .filter(|(_, kind, main)| *main && kinds.contains(kind))
            .map(|(i, ..)| *i);
        found.collect::<Vec<usize>>()
    };
    let (methods, results) = (main(&[Methods]), main(&[Results]));
    let ends = main(&[Discussion, Conclusion, References]);
    let (Some(first), Some(last)) = (methods.iter().chain(&results).min(), ends.last()) else {
        return BTreeSet::new();
    };
    if methods.is_empty() || results.is_empty() {
        return BTreeSet::new();
    }
    let unnamed =
        |i: &usize| !names::is_known(&parts[*i].text) && names::numbering(&parts[*i].text).depth == 0;
    headings
        .iter()
        .map(|(i, ..)| *i)
        .filter(|i| (first..last).contains(&i) && unnamed(i))
        .collect()
}

/// Depth of unnumbered headings: the look of the main sections is 1; the others follow by size, then case and
/// weight.
pub(super) fn levels(parts: &[Part], typography: &Typography) -> BTreeMap<Style, u8> {
    let mut styles: BTreeMap<Style, (usize, usize)> = BTreeMap::new();
    for part in parts.iter().filter(|p| matches!(p.kind, Kind::Heading(1))) {
        let entry = styles.entry(part.style).or_default();
        entry.0 += usize::from(names::is_main(&part.text));
        entry.1 += 1;
    }
    // In half points: weight and case are worth some size.
    let rank = |s: &Style| {
        let emphasis = 4 * u32::from(s.bold && !typography.bold) + 3 * u32::from(s.caps);
        (s.size + emphasis).saturating_sub(2 * u32::from(s.italic))
    };
    let Some(top) = styles
        .iter()
        .max_by_key(|(s, (main, n))| (*main, rank(s), *n))
        .map(|(s, _)| *s)
    else {
        return BTreeMap::new();
    };
    let mut order: Vec<Style> = styles.keys().copied().collect();
    order.sort_by_key(|s| std::cmp::Reverse(rank(s)));
    let mut levels = BTreeMap::new();
    let mut last = (rank(&top), 1u8);
    for style in order {
        let mains = |s: &Style| styles.get(s).map_or(0, |(main, _)| *main);
        let level = if style == top || rank(&style) > rank(&top) {
            1
        } else if rank(&style) == rank(&top) {
            // As large in another look: where hardly a main section looks like that, it is a level below.
            let all = styles.get(&style).map_or(0, |(_, n)| *n);
            if mains(&top) >= 2 && mains(&style) * 3 <= all && mains(&style) < mains(&top) {
                2
            } else {
                1
            }
        } else {
            if rank(&style) != last.0 {
                last = (rank(&style), (last.1 + 1).min(4));
            }
            last.1
        };
        // A main section is never deep, whatever it looks like.
        let main = styles.get(&style).is_some_and(|(main, n)| main * 2 > *n);
        levels.insert(style, if main { 1 } else { level });
    }
    levels
}
