//! Headings that run into their paragraphs ("Participants. We asked…"), and the labels of structured abstracts.

use super::names;
use super::parts::{Kind, Part};
use super::typography::Typography;

/// A run-in heading has at most so many words.
const MAX_RUN_IN: usize = 14;
/// One without a stop, which more must set apart.
const MAX_BARE: usize = 18;

/// Splits headings that run into their paragraphs off them.
pub(crate) fn split_all(parts: Vec<Part>, from: usize, typography: &Typography) -> Vec<Part> {
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
        let before_headings = out.iter().all(|p: &Part| !matches!(p.kind, Kind::Heading(_)));
        if in_abstract || before_headings && part.page <= first_page + 1 {
            let labels = labels(&part, &[':', '–', '—'], if in_abstract { 2 } else { 3 });
            if !labels.is_empty() {
                in_abstract = true;
                out.extend(cut_at_labels(part, &labels, typography));
                continue;
            }
        }
        let named = |at: &usize| {
            let label = &part.text[..*at];
            (names::is_known(label) || names::is_abstract_label(label))
                && !(in_back && names::is_contributor_role(label))
        };
        let at = run_in(&part, part.lead_bold, true)
            .filter(|at| bold >= 2 && !in_back || named(at))
            .or_else(|| run_in(&part, part.lead_italic, true).filter(|_| italic >= 2 && !in_back))
            .or_else(|| {
                bare_run_in(&part, part.lead_bold.max(part.lead_italic), in_abstract)
                    .filter(|at| in_abstract || (bare >= 2 || in_digits(&part.text[..*at])) && !in_back)
            })
            .or_else(|| plain_label(&part, in_abstract))
            // An abstract set in one piece ("Aim. We asked… Results. We found…") stays one.
            .filter(|_| part.page > first_page + 1 || labels(&part, &['.'], 2).is_empty());
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

/// Whether a numbered heading runs into the paragraph, however short that is.
pub(crate) fn has_own_heading(part: &Part) -> bool {
    let label = part.text.get(..part.lead_bold).unwrap_or_default();
    if names::is_known(label) && run_in(part, part.lead_bold, false).is_some() {
        return true;
    }
    names::numbering(&part.text).depth > 1
        && run_in(part, part.lead_bold.max(part.lead_italic), true).is_some()
}

/// Whether a text is a label with its sentence ("Conclusions: Shelter matters."), which may be short and in bold
/// throughout.
pub(crate) fn is_labelled_sentence(text: &str) -> bool {
    let Some((label, rest)) = text.split_once([':', '—']) else {
        return false;
    };
    if label.len() > 48 {
        return false;
    }
    let sentence = text.ends_with('.') || rest.split_whitespace().count() > 8;
    let known = names::is_abstract_label(label) || names::is_known(label);
    known && sentence && rest.trim_start().starts_with(|c: char| !c.is_lowercase()) && !rest.trim().is_empty()
}

/// Bytes of a heading at the start that its own style sets apart; with `stop` only one that ends with a full stop
/// or a colon.
fn run_in(part: &Part, lead: usize, stop: bool) -> Option<usize> {
    let lead = first_stop(part.text.get(..lead)?).unwrap_or(lead);
    let head = part.text.get(..lead)?.trim_end();
    let rest = part
        .text
        .get(lead..)?
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '–' | '—' | '-'));
    let stopped = head.ends_with(['.', ':', '—', '–', '?'])
        || part.text[lead..].trim_start().starts_with(['.', ':', '—', '–']);
    let words = head.split_whitespace().count();
    let most = if stop { MAX_RUN_IN } else { MAX_BARE };
    let numbered = names::numbering(head);
    // How many more words, how many letters, and how many letters in ten signs.
    let (more, least, share) = if numbered.depth > 0 { (6, 2, 5) } else { (0, 3, 7) };
    let letters = numbered.words.chars().filter(|c| c.is_alphabetic()).count();
    let signs = numbered.words.chars().filter(|c| !c.is_whitespace()).count();
    let ok = !head.is_empty()
        && (stopped || !stop)
        && (1..=most + more).contains(&words)
        && letters >= least
        && letters * 10 >= signs * share
        && head.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && rest.starts_with(|c: char| !c.is_lowercase() && !",;)=<>".contains(c))
        && rest.split_whitespace().count() >= if names::is_known(head) { 1 } else { 3 }
        && super::roles::caption_label(head).is_none()
        && (!super::front::is_notice(head) || names::is_known(head) && part.page > 2)
        && !names::is_notice_heading(head)
        && !super::heading_form::is_no_heading_text(head);
    ok.then_some(lead)
}

/// The end of the first sentence where more follows: the paragraph may go on in the style of its heading ("2.2. Data.
/// *SeaView* was used…").
fn first_stop(lead: &str) -> Option<usize> {
    let numbered = names::numbering(lead);
    let skip = lead.len() - numbered.words.len();
    let stops = lead.match_indices(". ").map(|(at, _)| at);
    let ends_word = |at: &usize| {
        let word = lead[..*at].rsplit(' ').next().unwrap_or_default();
        word.chars().count() > 3
    };
    stops.filter(|at| *at > skip && numbered.depth > 0).find(ends_word).map(|at| at + 1)
}

/// Whether a heading has a number of several parts ("2.1."), which text hardly ever begins with.
fn in_digits(head: &str) -> bool {
    head.starts_with(|c: char| c.is_ascii_digit()) && names::numbering(head).depth > 1
}

/// A run-in heading without a stop behind it: set apart from the text above, or a label that papers use.
fn bare_run_in(part: &Part, lead: usize, in_abstract: bool) -> Option<usize> {
    let at = run_in(part, lead, false)?;
    let head = &part.text[..at];
    let in_capitals = super::parts::is_caps(head) && part.lead_bold > 0;
    let label = in_abstract && (names::is_abstract_label(head) || in_capitals) || in_digits(head);
    (label || part.gap_above > 1.5 && (part.gap_above < 8.0 || part.lead_bold > 0) && !is_author_list(part))
        .then_some(at)
}

/// Names in bold with their addresses' marks behind them.
fn is_author_list(part: &Part) -> bool {
    part.page == 1 && part.celled && super::front::looks_like_names(&part.text)
}

/// A label of a structured abstract that no style sets apart ("Objective: To assess…").
fn plain_label(part: &Part, in_abstract: bool) -> Option<usize> {
    let head: String = part.text.chars().take(60).collect();
    let at = head.find([':', '—', '–']).filter(|at| *at > 2)?;
    let label = &part.text[..at];
    let stop = at + part.text[at..].chars().next().map_or(1, char::len_utf8);
    let known = in_abstract && names::is_abstract_label(label) || names::fold(label) == "abstract";
    (known && label.starts_with(char::is_uppercase) && (part.words() > 6 || is_labelled_sentence(&part.text)))
        .then_some(stop)
}

/// The labels of a structured abstract that a paragraph holds ("Aim: We asked… Results: We found…"), the first at its
/// start: for each where it begins and where it ends. Empty when there are fewer than `least`, or when only the start
/// of the paragraph is one, which its looks decide.
fn labels(part: &Part, signs: &[char], least: usize) -> Vec<(usize, usize)> {
    let text = part.text.as_str();
    let Some((first, sign)) = label_at(text, 0, signs) else {
        return Vec::new();
    };
    let ends = text.match_indices(['.', '?', '!', ')', ']', '%']).map(|(at, mark)| at + mark.len());
    let inner = ends
        .filter(|at| text[*at..].starts_with(' '))
        .filter_map(|at| Some((at + 1, label_at(text, at + 1, &[sign])?.0)));
    let found: Vec<(usize, usize)> = std::iter::once((0, first)).chain(inner).collect();
    if found.len() >= least { found } else { Vec::new() }
}

/// The end of the label that begins at `at`, its stop sign included, and that sign.
fn label_at(text: &str, at: usize, signs: &[char]) -> Option<(usize, char)> {
    const LONGEST: usize = 42;
    let rest = &text[at..];
    let (stop, sign) =
        rest.char_indices().take_while(|(i, _)| *i <= LONGEST).find(|(_, c)| signs.contains(c))?;
    let (label, behind) = (rest[..stop].trim_end(), &rest[stop + sign.len_utf8()..]);
    let fresh = behind.starts_with(' ') && behind.trim_start().starts_with(|c: char| !c.is_lowercase());
    let known = label.len() > 2 && label.starts_with(char::is_uppercase) && names::is_abstract_label(label);
    (fresh && known).then(|| (at + stop + sign.len_utf8(), sign))
}

/// A heading and a paragraph for each label.
fn cut_at_labels(part: Part, labels: &[(usize, usize)], typography: &Typography) -> Vec<Part> {
    let mut out = Vec::with_capacity(2 * labels.len());
    let mut rest = part;
    let mut done = 0;
    for (i, (start, stop)) in labels.iter().enumerate() {
        let (piece, later) = match labels.get(i + 1) {
            Some((next, _)) => cut(rest, next - done),
            None => (rest, Part::default()),
        };
        let (mut head, body) = split(piece, stop - start, typography);
        head.kind = Kind::Heading(2);
        out.push(head);
        out.extend(body);
        rest = later;
        done = labels.get(i + 1).map_or(done, |(next, _)| *next);
    }
    out
}

/// Two paragraphs where there was one; `at` lies on the boundary of a character.
fn cut(mut part: Part, at: usize) -> (Part, Part) {
    let mut later = part.clone();
    later.text = part.text.split_off(at);
    part.text.truncate(part.text.trim_end().len());
    part.breaks.retain(|(b, _)| *b < at);
    part.page_end = part.breaks.last().map_or(part.page, |(_, page)| *page);
    later.page = part.page_end;
    later.breaks.retain(|(b, _)| *b >= at);
    later.breaks.iter_mut().for_each(|(b, _)| *b -= at);
    (later.lead_bold, later.lead_italic, later.gap_above) = (0, 0, 1.0);
    (part, later)
}

fn split(part: Part, at: usize, typography: &Typography) -> (Part, Option<Part>) {
    let mut head = part.clone();
    part.text[..at].trim_end().clone_into(&mut head.text);
    let in_italics = part.lead_italic > 0 && part.lead_bold == 0;
    let main = names::is_main(&head.text) || names::fold(&head.text) == "abstract";
    head.kind = Kind::Heading(if main { 1 } else { 3 + u8::from(in_italics) });
    head.style.bold = true;
    head.style.size = (typography.size * 2.0).round() as u32;
    head.page_end = part.page;
    head.breaks = Vec::new();
    head.lines = 1;
    let behind = part.text[at..].trim_start_matches(|c: char| c.is_whitespace() || ".:–—".contains(c));
    let start = part.text.len() - behind.len();
    let mut rest = part;
    rest.text.drain(..start);
    for (at, _) in &mut rest.breaks {
        *at = at.saturating_sub(start);
    }
    (rest.lead_bold, rest.lead_italic, rest.gap_above) = (0, 0, 1.0);
    let rest = (!rest.text.is_empty()).then_some(rest);
    (head, rest)
}
