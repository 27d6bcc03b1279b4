//! The numbers that manuscripts print beside their lines: of every line or of every second to tenth, in a margin or
//! between two columns.
//!
//! They stand under each other, and between two of them are as many lines as their difference says. No other numbers
//! do that but those of rows: a table has no prose beside its numbers, and the lines of text around it reach over
//! their column.

use super::piece::Run;
use crate::measure::extent;
use std::ops::Range;

/// Edges that differ by less, in points, are one edge.
const EDGE: f32 = 1.6;
/// How far beside the numbers their lines are looked for, in points.
const BESIDE: f32 = 200.0;

/// Where the lines of a document are numbered: what is known from the pages so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbering {
    /// Whether the numbers end at one x, and not begin there.
    by_end: bool,
    x: f32,
    /// Each so many-th line has a number.
    step: u32,
}

/// A number at the start or the end of a run, or a run of its own.
#[derive(Debug, Clone)]
struct Number {
    run: usize,
    glyphs: Range<usize>,
    value: u32,
    x0: f32,
    x1: f32,
    y: f32,
}

/// Takes the numbers of lines out of the runs of a page; returns how many characters those were.
pub(super) fn take(runs: &mut Vec<Run>, known: &mut Vec<Numbering>) -> usize {
    let numbers = numbers(runs);
    let mut taken: Vec<Number> = Vec::new();
    for by_end in [true, false] {
        let edge = |n: &Number| if by_end { n.x1 } else { n.x0 };
        let mut sorted = numbers.clone();
        sorted.sort_by(|a, b| edge(a).total_cmp(&edge(b)).then(a.y.total_cmp(&b.y)));
        for group in sorted.chunk_by(|a, b| edge(b) - edge(a) <= EDGE) {
            let mut group = group.to_vec();
            group.sort_by(|a, b| a.y.total_cmp(&b.y));
            let x = edge(&group[0]);
            let seen = known.iter().find(|k| k.by_end == by_end && (k.x - x).abs() <= 2.0 * EDGE);
            if let Some(step) = step(&group, runs) {
                known.push(Numbering { by_end, x, step });
            } else if !seen.is_some_and(|k| goes_on(&group, *k)) {
                continue;
            }
            taken.extend(group);
        }
    }
    taken.sort_by_key(|n| (n.run, std::cmp::Reverse(n.glyphs.start)));
    taken.dedup_by_key(|n| (n.run, n.glyphs.start));
    for number in &taken {
        let run = &mut runs[number.run];
        run.glyphs.drain(number.glyphs.clone());
        (run.x0, run.x1) = extent(run.glyphs.iter().map(|g| (g.x0, g.x1)));
    }
    runs.retain(|r| !r.glyphs.is_empty());
    taken.iter().map(|n| n.glyphs.len()).sum()
}

fn numbers(runs: &[Run]) -> Vec<Number> {
    const LONGEST: usize = 4;
    let mut out = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let all = run.glyphs.len();
        let digits = |from_end: bool| {
            let glyph = |i: usize| run.glyphs[if from_end { all - 1 - i } else { i }];
            (0..all.min(LONGEST + 1)).take_while(|i| glyph(*i).ch.is_ascii_digit()).count()
        };
        let parted = |i: usize| {
            let (a, b) = (run.glyphs[i - 1], run.glyphs[i]);
            b.spaced || b.x0 - a.x1 > 0.2 * run.size
        };
        let mut add = |glyphs: Range<usize>| {
            let part = &run.glyphs[glyphs.clone()];
            let text: String = part.iter().map(|g| g.ch).collect();
            let (Ok(value), Some(first), Some(last)) = (text.parse(), part.first(), part.last()) else {
                return;
            };
            let (x0, x1, y) = (first.x0, last.x1, first.y);
            out.push(Number { run: at, glyphs, value, x0, x1, y });
        };
        let (lead, tail) = (digits(false), digits(true));
        if lead == all && lead <= LONGEST {
            add(0..all);
            continue;
        }
        if (1..=LONGEST).contains(&lead) && parted(lead) {
            add(0..lead);
        }
        if (1..=LONGEST).contains(&tail) && parted(all - tail) {
            add(all - tail..all);
        }
    }
    out
}

/// How many lines go to a number, where the numbers of a group, from top to bottom, count the lines beside them.
fn step(group: &[Number], runs: &[Run]) -> Option<u32> {
    if group.len() < 3 {
        return None;
    }
    let (left, right) = extent(group.iter().map(|n| (n.x0, n.x1)));
    [(right, right + BESIDE), (left - BESIDE, left)]
        .into_iter()
        .find_map(|beside| step_beside(group, runs, (left, right), beside))
}

fn step_beside(group: &[Number], runs: &[Run], own: (f32, f32), beside: (f32, f32)) -> Option<u32> {
    let texts = |(from, to): (f32, f32)| {
        let texts = runs.iter().enumerate();
        texts.filter(move |(_, r)| r.x0 < to && r.x1 > from && r.glyphs.len() >= 3 && has_text(r))
    };
    let lines = baselines(texts(beside).map(|(_, r)| r));
    let line_of = |n: &Number| lines.partition_point(|y| *y < n.y - 2.0);
    let steps = group.windows(2).filter_map(|pair| {
        let lines = line_of(&pair[1]).saturating_sub(line_of(&pair[0]));
        let step = pair[1].value.checked_sub(pair[0].value).filter(|s| *s > 0)?;
        // A line more or less in a long step: one that holds a formula.
        ((step as usize).abs_diff(lines) <= step as usize / 5).then_some(step)
    });
    let mut steps: Vec<u32> = steps.collect();
    if steps.len() * 10 < (group.len() - 1) * 7 {
        return None;
    }
    steps.sort_unstable();
    let step = steps[steps.len() / 2];
    let round = group.iter().filter(|n| n.value % step == 0).count() * 10 >= group.len() * 8;
    let least = match step {
        1 => 8,
        2..=3 => 5,
        4..=10 => 3,
        _ => return None,
    };
    let numbered = group.len() * step as usize;
    // Lines that reach over the numbers: of a table, all those around it.
    let over = texts((own.0 + 0.5, own.1 - 0.5)).filter(|(at, _)| group.iter().all(|n| n.run != *at));
    let over = baselines(over.map(|(_, r)| r)).len();
    let with_prose = |n: &&Number| {
        let prose = |r: &Run| r.glyphs.len() >= 20 && (r.y - n.y).abs() < 0.4 * r.size;
        texts(beside).any(|(_, r)| prose(r))
    };
    let prose = step > 1 || group.iter().filter(with_prose).count() * 2 > group.len();
    let fits = group.len() >= least && round && prose && numbered * 2 >= lines.len() && over * 3 <= numbered;
    fits.then_some(step)
}

/// Whether the numbers of a group are numbered as on the pages before.
fn goes_on(group: &[Number], known: Numbering) -> bool {
    let rising = group.windows(2).all(|pair| pair[0].value < pair[1].value);
    rising && group.iter().all(|n| n.value % known.step == 0)
}

fn has_text(run: &Run) -> bool {
    run.glyphs.iter().any(|g| !g.ch.is_ascii_digit())
}

/// The baselines of runs, from top to bottom, those of one line once.
fn baselines<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<f32> {
    let mut all: Vec<(f32, f32)> = runs.map(|r| (r.y, r.size)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.dedup_by(|b, a| b.0 - a.0 < 0.5 * a.1.max(b.1));
    all.into_iter().map(|(y, _)| y).collect()
}
