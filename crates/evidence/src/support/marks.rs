//! Inline marks: `(source_id, chunk_id)` behind a claim.
//!
//! Written by our own generator the form is exact; language models vary it. Several marks may share one pair
//! of brackets, separated by `;`; square brackets are taken for round ones; a chunk may stand without its
//! source, and one source may be followed by several chunks.

use std::ops::Range;

/// One inline mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Bytes into the answer. The marks of one pair of brackets tile it, brackets and separators included:
    /// replacing each of them by `(source, chunk)`, or all of them by nothing, leaves a well-formed answer.
    /// To keep some and drop others use [`rewrite_marks`].
    pub span: Range<usize>,
    /// The source as written; of a chunk that stands alone, the first part of its id, empty if it has none.
    pub source: String,
    /// The chunk as written; nothing says that it exists.
    pub chunk: String,
}

/// The marks of an answer, in order. A bracket is a mark when its parts are ids and each names a chunk (holds
/// `__`); `(Smith, 2014)` is none.
pub fn marks(answer: &str) -> Vec<Mark> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(open) = answer[from..].find(['(', '[']).map(|at| from + at) {
        from = open + 1;
        // No id holds a bracket: the nearest one closes the mark or there is none.
        let Some(close) = answer[from..].find(['(', ')', '[', ']']).map(|at| from + at) else {
            break;
        };
        if answer[close..].starts_with([')', ']'])
            && let Some(pairs) = pairs(&answer[from..close])
        {
            let starts: Vec<usize> =
                pairs.iter().enumerate().map(|(i, p)| if i == 0 { open } else { from + p.at }).collect();
            for (i, pair) in pairs.into_iter().enumerate() {
                let end = starts.get(i + 1).copied().unwrap_or(close + 1);
                out.push(Mark { span: starts[i]..end, source: pair.source, chunk: pair.chunk });
            }
            from = close + 1;
        }
    }
    out
}

/// The answer without its marks: the space before a mark goes with it, and so does what joins two marks.
pub fn strip_marks(answer: &str) -> String {
    rewrite_marks(answer, |_| None)
}

/// The answer with every mark replaced by what `rewrite` makes of it: `(source, chunk)` written out (without
/// an empty source), or nothing for `None`. Marks that stay are written one by one, `(a, b) (c, d)`.
pub fn rewrite_marks(answer: &str, mut rewrite: impl FnMut(&Mark) -> Option<(String, String)>) -> String {
    let mut out = String::with_capacity(answer.len());
    let mut from = 0;
    let mut dropped = false;
    for mark in marks(answer) {
        let between = &answer[from..mark.span.start];
        let joined = from > 0 && is_joint(between);
        if !joined {
            push_text(&mut out, between, dropped);
            dropped = false;
        }
        match rewrite(&mark) {
            Some((source, chunk)) => {
                let spaced =
                    out.is_empty() || out.ends_with(char::is_whitespace) || out.ends_with(['(', '[']);
                out.push_str(if spaced { "" } else { " " });
                out.push('(');
                if !source.is_empty() {
                    out.push_str(&source);
                    out.push_str(", ");
                }
                out.push_str(&chunk);
                out.push(')');
                dropped = false;
            }
            None if !joined || dropped => {
                if !at_line_start(&out) {
                    out.truncate(out.trim_end_matches([' ', '\t', '\n', '\r']).len());
                }
                dropped = true;
            }
            None => {}
        }
        from = mark.span.end;
    }
    push_text(&mut out, &answer[from..], dropped);
    out
}

/// Writes text behind a mark; where the mark is gone, without leaving its space at the start of a line.
fn push_text(out: &mut String, text: &str, dropped: bool) {
    let opens = at_line_start(out);
    out.push_str(if dropped && opens { text.trim_start_matches([' ', ',', ':']) } else { text });
}

/// Whether nothing but blanks stands on the last line.
pub(crate) fn at_line_start(text: &str) -> bool {
    let bare = text.trim_end_matches([' ', '\t']);
    bare.is_empty() || bare.ends_with('\n')
}

/// Whether text between two marks only joins them.
pub(crate) fn is_joint(between: &str) -> bool {
    !between.contains('\n') && matches!(between.trim(), "" | "," | ";" | "and" | ", and" | "&")
}

struct Pair {
    /// Where its part begins inside the brackets, separator included.
    at: usize,
    source: String,
    chunk: String,
}

/// The source and chunk pairs inside one pair of brackets, or `None` when anything else stands there.
fn pairs(inner: &str) -> Option<Vec<Pair>> {
    let mut out: Vec<Pair> = Vec::new();
    let mut at = 0;
    for part in inner.split(';') {
        let mut source = None;
        let mut chunks = 0;
        let mut id_at = at;
        for id in part.split(',') {
            let begins = if chunks == 0 { at } else { id_at };
            id_at += id.len() + 1;
            let id = id.trim().trim_matches(['`', '*', '"', '\'']);
            if id.is_empty() || !id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
                return None;
            }
            if is_chunk(id) {
                let own = types::ChunkId::from(id).source().filter(|s| !is_chunk(s.as_str()));
                let own = own.map_or_else(String::new, |s| s.as_str().to_owned());
                let begins = if out.is_empty() { begins } else { begins.saturating_sub(1) };
                out.push(Pair { at: begins, source: source.clone().unwrap_or(own), chunk: id.to_owned() });
                chunks += 1;
            } else if source.is_none() && chunks == 0 {
                source = Some(id.to_owned());
            } else {
                return None;
            }
        }
        if chunks == 0 {
            return None;
        }
        at += part.len() + 1;
    }
    (!out.is_empty()).then_some(out)
}

fn is_chunk(id: &str) -> bool {
    id.split_once("__").is_some_and(|(head, tail)| !head.is_empty() && !tail.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_found_in_every_form() {
        let check = |answer: &str, want: &[(&str, &str)]| {
            let got = marks(answer);
            let got: Vec<(&str, &str)> = got.iter().map(|m| (m.source.as_str(), m.chunk.as_str())).collect();
            assert_eq!(got, want, "{answer:?}");
        };
        check("", &[]);
        check("No mark (Smith, 2014) [3].", &[]);
        check("x (a, a__body__000).", &[("a", "a__body__000")]);
        check("x [a,a__body__000].", &[("a", "a__body__000")]);
        check("x (`a`, `a__body__000`).", &[("a", "a__body__000")]);
        check("x (a__body__000).", &[("a", "a__body__000")]);
        check("x (a, body__000).", &[("a", "body__000")]);
        check("x (a, a__b__0; c, c__d__1).", &[("a", "a__b__0"), ("c", "c__d__1")]);
        check("x (a, a__b__0, a__b__1).", &[("a", "a__b__0"), ("a", "a__b__1")]);
        check("x (a, a__b__0)(c, c__d__1).", &[("a", "a__b__0"), ("c", "c__d__1")]);
        check("x (see (a, a__b__0)).", &[("a", "a__b__0")]);
        check("x (a, b, a__b__0)", &[]);
        check("x (see a, a__b__0)", &[]);
        check("((((", &[]);
    }

    #[test]
    fn the_marks_of_a_bracket_tile_it() {
        let answer = "x (a, a__b__0; c, c__d__1, c__d__2).";
        let spans: Vec<&str> = marks(answer).into_iter().map(|m| &answer[m.span]).collect();
        assert_eq!(spans, ["(a, a__b__0", "; c, c__d__1", ", c__d__2)"]);
    }

    #[test]
    fn text_without_marks_reads_on() {
        let check = |answer: &str, want: &str| assert_eq!(strip_marks(answer), want, "{answer:?}");
        check("One (a, a__b__0). Two.", "One. Two.");
        check("One. (a, a__b__0) Two.", "One. Two.");
        check("One (a, a__b__0; c, c__d__1) and two.", "One and two.");
        check("One (a, a__b__0), (c, c__d__1).", "One.");
        check("One (a, a__b__0) and (c, c__d__1).", "One.");
        check("One (a, a__b__0), but two.", "One, but two.");
        check("(a, a__b__0) One.", "One.");
        check("One.\n(a, a__b__0)\n\nTwo.", "One.\n\n\nTwo.");
        check("No marks (here).", "No marks (here).");
    }

    #[test]
    fn some_marks_stay() {
        let answer = "One (a, a__b__0; c, c__d__1). Two (a, a__b__0).";
        let out = rewrite_marks(answer, |m| (m.source == "c").then(|| ("C".to_owned(), m.chunk.clone())));
        assert_eq!(out, "One (C, c__d__1). Two.");
        let out = rewrite_marks(answer, |m| Some((m.source.clone(), m.chunk.clone())));
        assert_eq!(out, "One (a, a__b__0) (c, c__d__1). Two (a, a__b__0).");
    }

    proptest! {
        #[test]
        fn marks_are_ordered_slices_and_can_be_removed(
            answer in "(\\(a, a__b__[0-9]\\)|[(\\[]|[)\\]]|a__b__1|[;,. \n]|é|[a-z]{1,3}){0,30}"
        ) {
            let mut last = 0;
            for mark in marks(&answer) {
                prop_assert!(mark.span.start >= last && answer.get(mark.span.clone()).is_some());
                last = mark.span.end;
            }
            let same = rewrite_marks(&answer, |m| Some((m.source.clone(), m.chunk.clone())));
            let ids = |text: &str| -> Vec<String> { marks(text).into_iter().map(|m| m.chunk).collect() };
            prop_assert_eq!(ids(&same), ids(&answer));
        }
    }
}
