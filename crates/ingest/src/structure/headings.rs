//! Which parts are headings, and how deep.
//!
//! A heading stands out from the body (size, weight, slope, case or font), is short, and has text below it.
//! The headings that every paper has show how headings look in this one; what looks the same is a heading too.
//! Run-in headings ("Participants. We asked…") are found in `run_in`.

use super::heading_form::{
    HeadingStyles, MAX_WORDS, has_text_below, is_letter_spaced, is_no_heading_text, stands_out,
};
use super::parts::{Kind, Part, Style};
use super::typography::Typography;
use super::{names, panels, run_in};
use crate::measure::tally;
use std::collections::{BTreeMap, BTreeSet};

/// Marks headings among the parts and splits run-in headings off. `from` is the part at which the paper's text
/// may start: title and authors stand before it.
pub(crate) fn mark(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
    let mut parts = join_wrapped(parts, from, typography);
    let chosen = choose(&parts, from, typography);
    for i in &chosen {
        parts[*i].kind = Kind::Heading(1);
    }
    let parts = panels::move_behind_text(parts, from, typography);
    let mut parts = run_in::split_all(parts, from, typography);
    let levels = levels(&parts, typography);
    let inner = inner_sections(&parts);
    // Where main sections are numbered, a heading without a number stands below one.
    let numbered = parts
        .iter()
        .filter(|p| matches!(p.kind, Kind::Heading(_)) && names::numbering(&p.text).depth == 1)
        .count();
    for (i, part) in parts.iter_mut().enumerate() {
        if let Kind::Heading(level) = &mut part.kind {
            let depth = names::numbering(&part.text).depth;
            *level = if depth > 0 {
                depth
            } else if *level > 1 {
                *level
            } else if numbered >= 3 && !names::is_known(&part.text) {
                levels.get(&part.style).copied().unwrap_or(2).max(3)
            } else {
                let level = levels.get(&part.style).copied().unwrap_or(2);
                level.max(if inner.contains(&i) { 2 } else { 1 })
            };
        }
    }
    parts
}

/// Joins the lines of a heading that the grouping held apart: same look, close, no sentence end between.
fn join_wrapped(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for (i, part) in parts.into_iter().enumerate() {
        if i > from
            && let Some(last) = out.last_mut()
            && last.kind == Kind::Text
            && part.kind == Kind::Text
            && last.region == part.region
            && stands_out(last, typography)
            && same_look(last.style, part.style)
            && part.gap_above < 1.25
            && !last.short_end
            && last.lead_bold == 0
            && last.words() + part.words() <= MAX_WORDS
            && names::numbering(&part.text).depth == 0
            && !names::is_known(&last.text)
            && !last.text.ends_with(['.', ':'])
        {
            last.text.push(' ');
            last.text.push_str(&part.text);
            last.lines += part.lines;
            last.bottom = part.bottom;
            last.short_end = part.short_end;
            continue;
        }
        out.push(part);
    }
    out
}

fn same_look(a: Style, b: Style) -> bool {
    a.size.abs_diff(b.size) <= 1 && a.bold == b.bold && a.caps == b.caps && (a.font == b.font || a.bold)
}

/// Whether the part could be a heading by its form.
fn shaped(part: &Part, typography: &Typography) -> bool {
    // Most parts are paragraphs: they need not be looked at closely.
    if part.kind != Kind::Text || part.lines > 4 {
        return false;
    }
    let text = part.text.trim();
    let words = names::numbering(text).words;
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let all = words.chars().filter(|c| !c.is_whitespace()).count();
    let count = part.words();
    // "miRNA of the liver", "p53 and ageing", "α-Tocopherol"
    let symbol = |w: &str| w.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
    let opens = text
        .chars()
        .next()
        .is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || "αβγδμ“‘\"'(".contains(c))
        || text.split(['-', ' ']).next().is_some_and(symbol)
        || names::numbering(text).depth > 0
        || is_letter_spaced(text);
    let numbered = names::numbering(text).depth > 0;
    let ends_ok = !text.ends_with([',', ';', '=', '-', '\u{AD}'])
        && !text.contains('。')
        && (!text.ends_with('.')
            || part.style.bold
            || numbered
            || names::is_known(text)
            || part.style.italic);
    !part.celled
        // An address or a list: a heading fills all lines but the last.
        && (part.lines < 3 || part.short_lines < part.lines || part.centred)
        && !run_in::has_own_heading(part)
        && !run_in::is_labelled_sentence(text)
        && (1..=MAX_WORDS).contains(&count)
        && letters >= 3
        && letters * 10 >= all * 6
        && opens
        && ends_ok
        && part.size
            >= typography.size
                * if (part.style.bold || names::is_known(text)) && part.gap_above > 1.1 {
                    0.65
                } else {
                    0.85
                }
        && !is_no_heading_text(text)
}

fn choose(parts: &[Part], from: usize, typography: &Typography) -> BTreeSet<usize> {
    let candidates: Vec<usize> = (from..parts.len()).filter(|i| shaped(&parts[*i], typography)).collect();
    let is_in_margin = |part: &Part| part.margin && part.page == 1;
    let main_text = candidates.iter().find(|i| names::is_main(&parts[**i].text));
    let prose = parts.iter().skip(main_text.copied().unwrap_or(from));
    let prose = prose.filter(|p| p.kind == Kind::Text && (p.words() > MAX_WORDS || p.lines > 4));
    // How headings look here, how much running text shares each look, and how many candidates.
    let of_page = candidates.iter().map(|i| &parts[*i]).filter(|p| !is_in_margin(p));
    let is_main = |p: &&Part| names::is_main(&p.text) && (stands_out(p, typography) || p.gap_above > 1.2);
    let main: BTreeSet<Style> = of_page.clone().filter(is_main).map(|p| p.style).collect();
    let known = of_page.filter(|p| names::is_known(&p.text));
    let known: BTreeSet<Style> = known.map(|p| p.style).collect();
    let prose = tally(prose.map(|p| (p.style, p.words())));
    let same = tally(candidates.iter().map(|i| (parts[*i].style, 1)));
    let first_known = candidates
        .iter()
        .copied()
        .find(|i| {
            let part = &parts[*i];
            let numbered = names::numbering(&part.text).depth == 1;
            let above_prose = parts.get(i + 1).is_some_and(|next| {
                next.region == part.region
                    && next.words() >= 30
                    && !super::front::looks_like_names(&next.text)
            });
            let same_look_as_headings = main.contains(&part.style) && stands_out(part, typography);
            let plain = !part.text.contains(',');
            names::is_known(&part.text) || same_look_as_headings && (numbered || above_prose && plain)
        })
        .unwrap_or(from);
    let references = candidates
        .iter()
        .copied()
        .rfind(|i| names::kind_of(&parts[*i].text) == types::SectionKind::References);
    let heading_styles = HeadingStyles::measure(parts, from, &candidates, typography);
    let mut chosen = BTreeSet::new();
    for &i in &candidates {
        let part = &parts[i];
        let distinct = stands_out(part, typography);
        let named = names::is_known(&part.text);
        let numbered = names::numbering(&part.text).depth > 0;
        let apart = part.gap_above > 1.15;
        let styled = main.contains(&part.style);
        let common = prose.get(&part.style).copied().unwrap_or(0);
        let in_references = references.is_some_and(|r| i > r);
        let followed = has_text_below(parts, i, typography);
        if is_in_margin(part) {
            continue;
        }
        let seen = same.get(&part.style).copied().unwrap_or(0);
        let accept = if named {
            distinct
                || (apart || part.lines == 1 && part.short_end)
                    && part.words() <= 6
                    && (part.text.starts_with(char::is_uppercase) || is_letter_spaced(&part.text))
        } else if i < first_known && part.page == parts[from.min(parts.len() - 1)].page {
            false
        } else if in_references {
            styled && distinct && (part.style.bold || part.size > typography.size * 1.07) && followed
        } else if !followed {
            false
        } else if styled && distinct || numbered && apart && is_plain_numbered(part) {
            true
        } else if numbered {
            distinct && (part.size > typography.size * 1.07 || apart || part.style.bold || part.style.italic)
        } else if part.size > typography.size * 1.07 {
            common == 0 || part.style.bold || apart && part.short_end && common < 200
        } else if part.style.bold && !typography.bold {
            common < 60
        } else if part.style.caps {
            part.words() >= 2 || seen >= 2
        } else if part.style.italic {
            common < 60 && seen >= 2 && part.short_end && !heading_styles.is_odd(part)
        } else {
            distinct && part.short_end && apart && common == 0 && (known.contains(&part.style) || seen >= 3)
        };
        let by_style =
            || !in_references && i >= first_known && heading_styles.is_heading(parts, i, typography);
        if accept || by_style() {
            chosen.insert(i);
        }
    }
    chosen
}

/// Whether a part in the type of the body is a heading by its number alone: "3.4.1. Extraction of the oil" on a line
/// of its own.
fn is_plain_numbered(part: &Part) -> bool {
    let numbered = names::numbering(&part.text);
    let digits = part.text.starts_with(|c: char| c.is_ascii_digit());
    let words = numbered.words.split_whitespace().count();
    digits
        && numbered.depth >= 2
        && part.gap_above < 8.0
        && part.short_end
        && part.lines <= 2
        && (1..=16).contains(&words)
        && !numbered.words.starts_with(|c: char| c.is_ascii_lowercase())
        && !part.text.ends_with(['.', ',', ';', ':'])
}

/// Headings that stand below a main section though they look like one: in a paper with methods and results, what
/// stands between them and has no name of its own is a part of one of them.
fn inner_sections(parts: &[Part]) -> BTreeSet<usize> {
    use types::SectionKind::{Conclusion, Discussion, Methods, References, Results};
    let headings: Vec<(usize, types::SectionKind, bool)> = parts
        .iter()
        .enumerate()
        .filter(|(_, p)| matches!(p.kind, Kind::Heading(1)))
        .map(|(i, p)| (i, names::kind_of(&p.text), names::is_main(&p.text)))
        .collect();
    let main = |kinds: &[types::SectionKind]| {
        let found = headings.iter().filter(|(_, kind, main)| *main && kinds.contains(kind)).map(|(i, ..)| *i);
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
    headings.iter().map(|(i, ..)| *i).filter(|i| (first..last).contains(&i) && unnamed(i)).collect()
}

/// Depth of unnumbered headings: the look of the main sections is 1; the others follow by size, then case and
/// weight.
fn levels(parts: &[Part], typography: &Typography) -> BTreeMap<Style, u8> {
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
    let Some(top) = styles.iter().max_by_key(|(s, (main, n))| (*main, rank(s), *n)).map(|(s, _)| *s) else {
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
            if mains(&top) >= 2 && mains(&style) * 3 <= all && mains(&style) < mains(&top) { 2 } else { 1 }
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
