//! Which parts are headings, and how deep.
//!
//! A heading stands out from the body (size, weight, slope, case or font), is short, and has text below it.
//! The headings that every paper has show how headings look in this one; what looks the same is a heading too.
//! Run-in headings ("Participants. We asked…") are split off their paragraphs.

use super::names;
use super::parts::{Kind, Part, Style};
use super::typography::Typography;
use std::collections::{BTreeMap, BTreeSet};

/// A heading has at most so many words.
const MAX_WORDS: usize = 26;
/// A run-in heading has at most so many words.
const MAX_RUN_IN: usize = 14;

/// Marks headings among the parts and splits run-in headings off. `from` is the part at which the paper's text
/// may start: title and authors stand before it.
pub(crate) fn mark(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
    let mut parts = join_wrapped(parts, from, typography);
    let chosen = choose(&parts, from, typography);
    for i in &chosen {
        parts[*i].kind = Kind::Heading(1);
    }
    let mut parts = split_run_ins(parts, from, typography);
    let levels = levels(&parts, typography);
    for part in &mut parts {
        if let Kind::Heading(level) = &mut part.kind
            && *level == 1
        {
            let depth = names::numbering(&part.text).depth;
            *level = if depth > 0 {
                depth
            } else {
                levels.get(&part.style).copied().unwrap_or(2)
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

fn stands_out(part: &Part, typography: &Typography) -> bool {
    part.size > typography.size * 1.07
        || part.style.bold && !typography.bold
        || part.style.caps
        || part.style.italic
        || part.style.font != typography.font && part.size > typography.size * 0.85 && part.gap_above > 1.15
}

/// Whether the part could be a heading by its form.
fn shaped(part: &Part, typography: &Typography) -> bool {
    let text = part.text.trim();
    let words = names::numbering(text).words;
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let all = words.chars().filter(|c| !c.is_whitespace()).count();
    let count = part.words();
    let opens = text
        .chars()
        .next()
        .is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || "αβγδμ“‘\"'(".contains(c))
        || names::numbering(text).depth > 0
        || spread(text);
    let numbered = names::numbering(text).depth > 0;
    let ends_ok = !text.ends_with([',', ';', '=', '-', '\u{AD}'])
        && (!text.ends_with('.')
            || part.style.bold
            || numbered
            || names::is_known(text)
            || part.style.italic);
    part.kind == Kind::Text
        && !part.celled
        && (1..=MAX_WORDS).contains(&count)
        && part.lines <= 4
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
        && !looks_like_noise(text)
}

/// Bits of mail addresses, formulas and lists of names that bold print makes look like headings.
fn looks_like_noise(text: &str) -> bool {
    let lower = text.to_lowercase();
    text.contains('@')
        || text.contains('=')
        || lower.contains("http")
        || lower.contains("doi.org")
        || lower.contains("www.")
}

fn choose(parts: &[Part], from: usize, typography: &Typography) -> BTreeSet<usize> {
    let candidates: Vec<usize> = (from..parts.len())
        .filter(|i| shaped(&parts[*i], typography))
        .collect();
    // How headings look here, and how much running text shares each look.
    let mut main: BTreeMap<Style, usize> = BTreeMap::new();
    let mut known: BTreeMap<Style, usize> = BTreeMap::new();
    for i in &candidates {
        let part = &parts[*i];
        if part.margin && part.page == 1 {
            continue;
        }
        let named = names::is_known(&part.text);
        if names::is_main(&part.text) && (stands_out(part, typography) || part.gap_above > 1.2) {
            *main.entry(part.style).or_default() += 1;
        }
        if named {
            *known.entry(part.style).or_default() += 1;
        }
    }
    let mut prose: BTreeMap<Style, usize> = BTreeMap::new();
    let first_main = candidates
        .iter()
        .copied()
        .find(|i| names::is_main(&parts[*i].text))
        .unwrap_or(from);
    for part in parts
        .iter()
        .skip(first_main)
        .filter(|p| p.kind == Kind::Text && (p.words() > MAX_WORDS || p.lines > 4))
    {
        *prose.entry(part.style).or_default() += part.words();
    }
    let mut same: BTreeMap<Style, usize> = BTreeMap::new();
    for i in &candidates {
        *same.entry(parts[*i].style).or_default() += 1;
    }
    let first_known = candidates
        .iter()
        .copied()
        .find(|i| names::is_known(&parts[*i].text))
        .unwrap_or(from);
    let references = candidates
        .iter()
        .copied()
        .rfind(|i| names::kind_of(&parts[*i].text) == types::SectionKind::References);
    let mut chosen = BTreeSet::new();
    for &i in &candidates {
        let part = &parts[i];
        let distinct = stands_out(part, typography);
        let named = names::is_known(&part.text);
        let numbered = names::numbering(&part.text).depth > 0;
        let apart = part.gap_above > 1.15;
        let styled = main.contains_key(&part.style);
        let common = prose.get(&part.style).copied().unwrap_or(0);
        let in_references = references.is_some_and(|r| i > r);
        let followed = has_text_below(parts, i, typography);
        if part.margin && part.page == 1 {
            continue;
        }
        let accept = if named {
            distinct
                || (apart || part.lines == 1 && part.short_end)
                    && part.words() <= 6
                    && (part.text.starts_with(char::is_uppercase) || spread(&part.text))
        } else if i < first_known && part.page == parts[from.min(parts.len() - 1)].page {
            false
        } else if in_references {
            styled && distinct && (part.style.bold || part.size > typography.size * 1.07) && followed
        } else if !followed {
            false
        } else if styled && distinct {
            true
        } else if numbered {
            distinct && (part.size > typography.size * 1.07 || apart || part.style.bold || part.style.italic)
        } else if part.size > typography.size * 1.07 {
            common == 0 || part.style.bold || apart && part.short_end && common < 200
        } else if part.style.bold && !typography.bold {
            common < 60
        } else if part.style.caps {
            part.words() >= 2 || same.get(&part.style).copied().unwrap_or(0) >= 2
        } else if part.style.italic {
            common < 60 && same.get(&part.style).copied().unwrap_or(0) >= 2 && part.short_end
        } else {
            distinct
                && part.short_end
                && apart
                && common == 0
                && (known.contains_key(&part.style) || same.get(&part.style).copied().unwrap_or(0) >= 3)
        };
        if accept {
            chosen.insert(i);
        }
    }
    chosen
}

/// Letters set apart for looks ("a b s t r a c t").
fn spread(text: &str) -> bool {
    text.chars().count() > 6 && text.split(' ').all(|w| w.chars().count() == 1)
}

/// Whether running text, or a deeper heading, comes next.
fn has_text_below(parts: &[Part], i: usize, typography: &Typography) -> bool {
    let part = &parts[i];
    for next in parts[i + 1..].iter().take(6) {
        match next.kind {
            Kind::Text => {
                // Labels inside figures stand far from any text.
                let near = next.region != part.region
                    || next.top - part.bottom < 4.0 * typography.leading(part.size);
                if !near {
                    return false;
                }
                if next.words() >= 8 || next.lines >= 2 {
                    return next.size <= typography.size * 1.15 || next.words() > 20;
                }
                if stands_out(next, typography) {
                    continue;
                }
                return next.size >= typography.size * 0.95;
            }
            Kind::Heading(_) => return true,
            // A float at the top of the next column stands between a heading and its text.
            Kind::Caption | Kind::Row | Kind::Footnote | Kind::Equation | Kind::Noise => {}
        }
    }
    false
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
        let level = if style == top || rank(&style) >= rank(&top) {
            1
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

/// Splits headings that run into their paragraphs off them.
fn split_run_ins(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
    let mut bold = 0;
    let mut italic = 0;
    let mut bare = 0;
    for part in parts.iter().skip(from).filter(|p| p.kind == Kind::Text) {
        bold += usize::from(run_in(part, part.lead_bold, true).is_some());
        italic += usize::from(run_in(part, part.lead_italic, true).is_some());
        bare += usize::from(bare_run_in(part, part.lead_bold.max(part.lead_italic), false).is_some());
    }
    let mut out = Vec::with_capacity(parts.len() + bold);
    let mut in_abstract = false;
    let mut in_references = false;
    let mut in_back = false;
    let first_page = parts.first().map_or(1, |p| p.page);
    for (i, part) in parts.into_iter().enumerate() {
        if let Kind::Heading(_) = part.kind {
            let kind = names::kind_of(&part.text);
            in_abstract = kind == types::SectionKind::Abstract
                || in_abstract
                    && names::is_abstract_label(&part.text)
                    && part.page == 1
                    && kind != types::SectionKind::Introduction;
            in_references = kind == types::SectionKind::References;
            in_back =
                kind == types::SectionKind::Supplementary || in_back && kind == types::SectionKind::Body;
        }
        if i < from
            || super::front::is_imprint(&part)
            || part.kind != Kind::Text
            || in_references
            || part.margin && part.page == 1
        {
            out.push(part);
            continue;
        }
        let named =
            |at: &usize| names::is_known(&part.text[..*at]) || names::is_abstract_label(&part.text[..*at]);
        let at = run_in(&part, part.lead_bold, true)
            .filter(|at| bold >= 2 && !in_back || named(at))
            .or_else(|| run_in(&part, part.lead_italic, true).filter(|_| italic >= 2 && !in_back))
            .or_else(|| {
                bare_run_in(&part, part.lead_bold.max(part.lead_italic), in_abstract)
                    .filter(|_| in_abstract || bare >= 2 && !in_back)
            })
            .or_else(|| plain_label(&part, in_abstract))
            .filter(|at| {
                let label = &part.text[..*at];
                names::fold(label) == "abstract"
                    || !names::is_abstract_label(label)
                    || part.page > first_page + 1
                    || !holds_labels(
                        &part.text[*at..],
                        if label.trim_end().ends_with(':') { ':' } else { '.' },
                    )
            });
        match at {
            Some(at) => {
                let starts_abstract = names::kind_of(&part.text[..at]) == types::SectionKind::Abstract;
                in_abstract |= starts_abstract;
                let (mut head, rest) = split(part, at, typography);
                if in_abstract && !starts_abstract && names::is_abstract_label(&head.text) {
                    head.kind = Kind::Heading(2);
                }
                in_abstract |= out.iter().all(|p| !matches!(p.kind, Kind::Heading(_)))
                    && head.page <= first_page + 1
                    && names::is_abstract_label(&head.text);
                out.push(head);
                out.extend(rest);
            }
            None => out.push(part),
        }
    }
    out
}

/// Bytes of a heading at the start that its own style sets apart; with `stop` only one that ends with a full stop
/// or a colon.
fn run_in(part: &Part, lead: usize, stop: bool) -> Option<usize> {
    let head = part.text.get(..lead)?.trim_end();
    let rest = part
        .text
        .get(lead..)?
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '–' | '—' | '-'));
    let stopped = head.ends_with(['.', ':', '—', '–', '?'])
        || part.text[lead..].trim_start().starts_with(['.', ':', '—', '–']);
    let words = head.split_whitespace().count();
    let head_words = names::numbering(head).words;
    let letters = head_words.chars().filter(|c| c.is_alphabetic()).count();
    let ok = !head.is_empty()
        && (stopped || !stop)
        && (1..=MAX_RUN_IN + if names::numbering(head).depth > 0 { 6 } else { 0 }).contains(&words)
        && letters >= if names::numbering(head).depth > 0 { 2 } else { 4 }
        && letters * 10 >= head_words.chars().filter(|c| !c.is_whitespace()).count() * 7
        && head
            .chars()
            .next()
            .is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
        && rest
            .chars()
            .next()
            .is_some_and(|c| !c.is_lowercase() && !matches!(c, ',' | ';' | ')' | '=' | '<' | '>'))
        && rest.split_whitespace().count() >= 3
        && super::roles::caption_label(head).is_none()
        && !super::front::is_notice(head)
        && !names::is_notice_heading(head)
        && !looks_like_noise(head);
    ok.then_some(lead)
}

/// A run-in heading without a stop behind it: set apart from the text above, or a label that papers use.
fn bare_run_in(part: &Part, lead: usize, in_abstract: bool) -> Option<usize> {
    let at = run_in(part, lead, false)?;
    let head = &part.text[..at];
    let label = in_abstract && names::is_abstract_label(head);
    (label || part.gap_above > 1.5 && part.gap_above < 8.0 && head.split_whitespace().count() <= 9)
        .then_some(at)
}

/// A label of a structured abstract that no style sets apart ("Objective: To assess…").
fn plain_label(part: &Part, in_abstract: bool) -> Option<usize> {
    let head: String = part.text.chars().take(60).collect();
    let at = head.find([':', '—', '–']).filter(|at| *at > 2);
    let (label, stop) = match at {
        Some(at) => (
            &part.text[..at],
            at + part.text[at..].chars().next().map_or(1, char::len_utf8),
        ),
        None => return None,
    };
    let known = in_abstract && names::is_abstract_label(label) || names::fold(label) == "abstract";
    (known && label.starts_with(char::is_uppercase) && part.words() > 6).then_some(stop)
}

/// Whether a paragraph holds several labels of a structured abstract ("Aim. We asked… Results. We found…"): then
/// it is the whole abstract in one piece, and stays so.
fn holds_labels(text: &str, stop_sign: char) -> bool {
    let ends = text
        .match_indices(['.', '?', '!', ')', ']', '%'])
        .map(|(at, mark)| at + mark.len());
    ends.into_iter().any(|at| {
        let Some(rest) = text[at..].strip_prefix(' ') else {
            return false;
        };
        let Some(stop) = rest.find(stop_sign).filter(|s| (4..=42).contains(s)) else {
            return false;
        };
        let (label, behind) = (&rest[..stop], &rest[stop + 1..]);
        let fresh = behind.starts_with(' ') && behind.trim_start().starts_with(|c: char| !c.is_lowercase());
        fresh && label.starts_with(char::is_uppercase) && names::is_abstract_label(label)
    })
}

fn split(part: Part, at: usize, typography: &Typography) -> (Part, Option<Part>) {
    let mut head = part.clone();
    part.text[..at].trim_end().clone_into(&mut head.text);
    head.kind = Kind::Heading(if part.lead_italic > 0 && part.lead_bold == 0 {
        4
    } else {
        3
    });
    if names::is_main(&head.text) || names::fold(&head.text) == "abstract" {
        head.kind = Kind::Heading(1);
    }
    head.style.bold = true;
    head.style.size = (typography.size * 2.0).round() as u32;
    head.page_end = part.page;
    head.breaks = Vec::new();
    head.lines = 1;
    let skipped = part.text[at..].len()
        - part.text[at..]
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '–' | '—'))
            .len();
    let mut rest = part;
    let start = at + skipped;
    rest.text.drain(..start);
    rest.breaks = rest
        .breaks
        .iter()
        .map(|(b, p)| (b.saturating_sub(start), *p))
        .collect();
    rest.lead_bold = 0;
    rest.lead_italic = 0;
    rest.gap_above = 1.0;
    let rest = (!rest.text.is_empty()).then_some(rest);
    (head, rest)
}
