//! Finds a part of a document's text among the characters of a page.
//!
//! Both are folded, and white space, hyphens, quotation marks and the lines between cells left out: what is left is the same on the page and in the
//! text, whatever lines and columns it is set in. Mostly it stands there in one stretch. Where a figure, a note or a number
//! of a line interrupts it, it goes on at the start of another line, or nearby. Where the page ends in the middle of it, one
//! end of it is here. The cells of a table stand in the text row by row, in the file in any order, so that a page is searched
//! in both.

use super::QuotePart;
use crate::layout::Run;
use std::cmp::Reverse;
use std::ops::Range;
use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class};

/// The characters of a page that are compared, in one order of its runs.
pub(super) struct Stream {
    keys: Vec<char>,
    /// The run and the character of each.
    from: Vec<(usize, usize)>,
    /// Where runs start.
    starts: Vec<usize>,
    /// Where hyphens end runs.
    hyphens: Vec<(usize, usize)>,
}

/// How far ahead a stretch goes on behind what interrupts it.
const NEAR: usize = 64;
/// A stretch that goes on nearby, and one that goes on at the start of another line, has so many characters or is the rest.
const AGAIN: (usize, usize) = (5, 16);
/// The longest stretch has so many characters at least.
const SEED: usize = 12;
/// So many characters of the text may be missing between two stretches.
const MISSING: usize = 6;
/// A text that goes over an edge of the page has so many characters here at least, with what surrounds it.
const END: usize = 20;

/// The runs that a text stands on, each with its first and last character of it, by the order in which most of it is found.
pub(super) fn best(orders: &[Stream], part: &QuotePart) -> Vec<(usize, usize, usize)> {
    let found = orders.iter().map(|order| (order, order.find(part))).rev();
    let best = found.max_by_key(|(_, places)| places.iter().map(Range::len).sum::<usize>());
    best.map_or_else(Vec::new, |(order, places)| order.runs(&places))
}

impl Stream {
    pub(super) fn new<'r>(runs: impl Iterator<Item = (usize, &'r Run)>) -> Self {
        let mut text = String::new();
        let (mut bytes, mut glyphs, mut hyphens) = (Vec::new(), Vec::new(), Vec::new());
        for (at, run) in runs {
            for (i, glyph) in run.glyphs.iter().enumerate() {
                if glyph.spaced {
                    text.push(' ');
                }
                bytes.push(text.len());
                glyphs.push((at, i));
                text.push(glyph.ch);
            }
            if let Some(end) = run.glyphs.last()
                && matches!(end.ch, '-' | '\u{AD}' | '\u{2010}')
            {
                hyphens.push((at, run.glyphs.len() - 1));
            }
            text.push('\n');
        }
        let folded = text::fold::fold(&text);
        let mut stream = Self {
            keys: Vec::with_capacity(text.len()),
            from: Vec::with_capacity(text.len()),
            starts: Vec::new(),
            hyphens,
        };
        for (at, c) in folded.text().char_indices() {
            let byte = folded.original(at..at + c.len_utf8()).start;
            let glyph = bytes.partition_point(|own| *own <= byte).checked_sub(1);
            if let (Some(key), Some(glyph)) = (key(c), glyph.map(|glyph| glyphs[glyph])) {
                if stream.from.last().is_none_or(|(run, _)| *run != glyph.0) {
                    stream.starts.push(stream.keys.len());
                }
                stream.keys.push(key);
                stream.from.push(glyph);
            }
        }
        stream
    }

    /// Where a text stands, in its order; nothing if it is not on the page.
    fn find(&self, part: &QuotePart) -> Vec<Range<usize>> {
        let (before, mut sought, after) = (keys(&part.before), keys(&part.text), keys(&part.after));
        let length = sought.len();
        if length == 0 {
            return Vec::new();
        }
        let around = |at: usize| {
            let back = before.iter().rev().zip(self.keys[..at].iter().rev());
            back.take_while(|(a, b)| a == b).count() + common(&after, &self.keys[at + length..])
        };
        let whole = self.keys.windows(length).enumerate();
        let whole = whole.filter(|(_, own)| *own == sought).map(|(at, _)| at);
        if let Some(at) = whole.max_by_key(|at| (around(*at), Reverse(*at))) {
            return std::iter::once(at..at + length).collect();
        }
        let wanted = before.len()..before.len() + length;
        sought.splice(0..0, before);
        sought.extend(after);
        self.find_interrupted(&sought, &wanted)
    }

    /// Where the `wanted` characters of a text stand.
    fn find_interrupted(&self, text: &[char], wanted: &Range<usize>) -> Vec<Range<usize>> {
        let stretches = self.stretches(text);
        // What stands at `place` of the wanted characters.
        let inside = |stretch: &Stretch| {
            let from = wanted.start.saturating_sub(stretch.at).min(stretch.place.len());
            let to = wanted.end.saturating_sub(stretch.at).min(stretch.place.len());
            stretch.place.start + from..stretch.place.start + to
        };
        let places = |stretches: &[Stretch]| {
            let places = stretches.iter().map(inside);
            places.filter(|place| !place.is_empty()).collect::<Vec<_>>()
        };
        let found = places(&stretches);
        if found.iter().map(Range::len).sum::<usize>() * 10 >= wanted.len() * 9 {
            return found;
        }
        // The text goes over an edge of the page: what belongs together and has its first or its last character.
        let follows = |a: &Stretch, b: &Stretch| b.at - a.end() <= MISSING;
        let length = |chunk: &[Stretch]| chunk.iter().map(|stretch| stretch.place.len()).sum::<usize>();
        let has_edge = |chunk: &&[Stretch]| {
            let (from, to) = (chunk[0].at, chunk[chunk.len() - 1].end());
            let has = |at: usize| from <= at + MISSING && at <= to + MISSING;
            has(wanted.start) || has(wanted.end)
        };
        let chunks = stretches.chunk_by(follows).filter(has_edge);
        let best = chunks.filter(|chunk| length(chunk) >= END).max_by_key(|chunk| length(chunk));
        best.map_or_else(Vec::new, places)
    }

    /// The stretches in which a text stands here, as far as it does: the longest, what follows it, and what comes before it.
    fn stretches(&self, text: &[char]) -> Vec<Stretch> {
        let Some(seed) = longest_common(text, &self.keys).filter(|seed| seed.place.len() >= SEED) else {
            return Vec::new();
        };
        // What comes before is what follows in a mirror.
        let mirrored = |own: &[char]| own.iter().rev().copied().collect::<Vec<char>>();
        let (back, back_text) = (mirrored(&self.keys), mirrored(text));
        let mirror = |stretch: &Stretch| {
            let place = self.keys.len() - stretch.place.end..self.keys.len() - stretch.place.start;
            let at = text.len() - stretch.end();
            Stretch { at, place }
        };
        let ends: Vec<usize> = self.starts.iter().rev().map(|start| self.keys.len() - start).collect();
        let ends: Vec<usize> = std::iter::once(0).chain(ends).filter(|end| *end < self.keys.len()).collect();
        let before = following(&back_text, &back, &ends, mirror(&seed));
        let mut stretches: Vec<Stretch> = before.iter().rev().map(mirror).collect();
        let seed = stretches.pop().unwrap_or(seed);
        stretches.extend(following(text, &self.keys, &self.starts, seed));
        stretches
    }

    /// The runs of these places, each with its first and its last character of them.
    fn runs(&self, places: &[Range<usize>]) -> Vec<(usize, usize, usize)> {
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for place in places {
            // What is left out between two places is not part of the text.
            let mut new = true;
            for (run, glyph) in &self.from[place.clone()] {
                match runs.last_mut().filter(|last| !new && last.0 == *run) {
                    Some((_, _, last)) => *last = (*last).max(*glyph),
                    None => runs.push((*run, *glyph, *glyph)),
                }
                new = false;
            }
        }
        // The hyphen at the end of a line belongs to the word that goes on.
        let ends = runs.len().saturating_sub(1);
        for (run, _, last) in &mut runs[..ends] {
            if self.hyphens.contains(&(*run, *last + 1)) {
                *last += 1;
            }
        }
        runs
    }
}

/// A stretch of a text: where it begins in the text, and where it stands on the page.
struct Stretch {
    at: usize,
    place: Range<usize>,
}

impl Stretch {
    /// Where it ends in the text.
    fn end(&self) -> usize {
        self.at + self.place.len()
    }
}

/// A stretch, and those after it in which the text goes on: nearby, or else where a run starts.
fn following(text: &[char], keys: &[char], starts: &[usize], first: Stretch) -> Vec<Stretch> {
    let mut stretches = vec![first];
    let mut at = stretches[0].end();
    while at < text.len() {
        let last = stretches.len() - 1;
        let end = stretches[last].place.end;
        let missing = at - stretches[last].end();
        // Where the text goes on if the last `back` characters do not belong to it.
        let next = |back: usize| {
            let rest = &text[at - back..];
            let place = |from: usize, least: usize| {
                let length = common(rest, &keys[from..]);
                (length >= (least + 2 * missing + back).min(rest.len())).then_some(from..from + length)
            };
            let longest =
                |a: &Range<usize>, b: &Range<usize>| a.len().cmp(&b.len()).then(b.start.cmp(&a.start));
            let reach = if rest.len() < AGAIN.0 { 2 } else { NEAR };
            let near = end..keys.len().min(end + reach);
            let near = near.filter_map(|from| place(from, AGAIN.0)).max_by(longest);
            near.or_else(|| {
                let starts = starts.iter().filter_map(|from| place(*from, AGAIN.1));
                starts.max_by(longest)
            })
        };
        // What interrupts the text may begin with the letters with which the text goes on.
        let run = starts[..starts.partition_point(|start| *start < end)].last();
        let back = run.map_or(0, |run| end - run);
        let chance = (missing == 0 && back < stretches[last].place.len()).then(|| next(back)).flatten();
        let (next, chance) = (next(0), chance.map(|place| (place.len() - back, place)));
        match (next, chance) {
            (next, Some((length, place))) if next.as_ref().is_none_or(|next| next.len() <= length) => {
                stretches[last].place.end -= back;
                at -= back;
                stretches.push(Stretch { at, place });
            }
            (Some(place), _) => stretches.push(Stretch { at, place }),
            (None, _) => {
                at += 1;
                continue;
            }
        }
        at = stretches[stretches.len() - 1].end();
    }
    stretches
}

/// The longest stretch that a text shares with a page.
fn longest_common(text: &[char], keys: &[char]) -> Option<Stretch> {
    // Of each stretch that ends at a character of the page and at the character of the text before, its length.
    let mut lengths = vec![0_usize; keys.len() + 1];
    let mut best: Option<(usize, usize, usize)> = None;
    for (i, c) in text.iter().enumerate() {
        for j in (0..keys.len()).rev() {
            lengths[j + 1] = if keys[j] == *c { lengths[j] + 1 } else { 0 };
            if lengths[j + 1] > best.map_or(0, |(length, ..)| length) {
                best = Some((lengths[j + 1], i + 1, j + 1));
            }
        }
    }
    best.map(|(length, i, j)| Stretch { at: i - length, place: j - length..j })
}

/// How many characters two texts share from the first on.
fn common(a: &[char], b: &[char]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// What of a folded character is compared.
fn key(folded: char) -> Option<char> {
    let base = folded.nfd().next().unwrap_or(folded);
    let left_out = base.is_whitespace() || "-^'\"|".contains(base) || canonical_combining_class(base) != 0;
    (!left_out).then_some(base)
}

fn keys(text: &str) -> Vec<char> {
    text::fold::fold(text).text().chars().filter_map(key).collect()
}
