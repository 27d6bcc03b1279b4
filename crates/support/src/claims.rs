//! An answer cut into claims.

use crate::marks::{Mark, at_line_start, is_joint, marks};
use std::ops::Range;
use types::ChunkId;

/// A sentence that claims something, with what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The sentence without its marks and without a label before it (`Summary:`).
    pub text: String,
    /// The chunks that it cites, as written, each once, in order; empty for an uncited claim.
    pub cited: Vec<ChunkId>,
    /// Bytes into the answer, the marks included.
    pub span: Range<usize>,
}

/// The claims of an answer, in order.
///
/// A mark belongs to the sentence that it stands in or behind. Not a claim, unless it cites something:
/// headings, labels and lead-ins (`Both agree on this:`), questions, text without a content word (`Yes.`), and
/// statements that the papers do not say something, which no passage could support. Everything else is a
/// claim: in doubt a sentence is judged rather than excused.
pub fn claims(answer: &str) -> Vec<Claim> {
    let bare = UnmarkedText::new(answer);
    let mut out: Vec<Claim> = Vec::new();
    let mut previous = 0;
    let sentences = text::sentences(&bare.text);
    for sentence in sentences.into_iter().flat_map(|s| without_heading(&bare.text, s)) {
        let cited: Vec<&Mark> = bare.marks_of(&sentence, previous).collect();
        previous = sentence.end;
        let words = &bare.text[sentence.clone()];
        if cited.is_empty() && !is_claim(words, &bare.text[sentence.end..]) {
            continue;
        }
        let mut span = bare.original(sentence.start)..bare.original(sentence.end - 1) + 1;
        let mut ids: Vec<ChunkId> = Vec::new();
        for mark in cited {
            span = span.start.min(mark.span.start)..span.end.max(mark.span.end);
            let id = ChunkId::from(mark.chunk.as_str());
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        // The last character may take several bytes.
        while !answer.is_char_boundary(span.end) {
            span.end += 1;
        }
        out.push(Claim {
            text: without_label(words).to_owned(),
            cited: ids,
            span,
        });
    }
    out
}

/// The answer without its marks, and the way back.
struct UnmarkedText {
    text: String,
    /// `(byte of text, byte of the answer)` where a kept piece begins.
    pieces: Vec<(usize, usize)>,
    /// Each mark with the byte of `text` that it stood at.
    marks: Vec<(usize, Mark)>,
}

impl UnmarkedText {
    fn new(answer: &str) -> Self {
        let mut bare = Self {
            text: String::with_capacity(answer.len()),
            pieces: Vec::new(),
            marks: Vec::new(),
        };
        let mut from = 0;
        for mark in marks(answer) {
            let between = &answer[from..mark.span.start];
            if from == 0 || !is_joint(between) {
                bare.push(between, from);
                // "mice (a, b)." must read "mice.", for the sentence rules as for people.
                let follows = answer[mark.span.end..].chars().next();
                if follows.is_none_or(|c| !c.is_alphanumeric()) && !at_line_start(&bare.text) {
                    bare.text.truncate(bare.text.trim_end_matches(' ').len());
                }
            }
            from = mark.span.end;
            bare.marks.push((bare.text.len(), mark));
        }
        bare.push(&answer[from..], from);
        bare
    }

    fn push(&mut self, piece: &str, at: usize) {
        if !piece.is_empty() {
            self.pieces.push((self.text.len(), at));
            self.text.push_str(piece);
        }
    }

    fn original(&self, at: usize) -> usize {
        // Pieces begin in order, and a piece cut short is followed by the next one.
        let next = self.pieces.partition_point(|(start, _)| *start <= at);
        next.checked_sub(1)
            .map_or(0, |i| self.pieces[i].1 + (at - self.pieces[i].0))
    }

    /// The marks inside the sentence, behind it, or before its first word on its line. `previous` is where the
    /// sentence before it ends.
    fn marks_of(&self, sentence: &Range<usize>, previous: usize) -> impl Iterator<Item = &Mark> {
        let next = |from: usize| {
            let rest = &self.text[from..];
            self.text.len() - rest.trim_start().len()
        };
        let limit = next(sentence.end);
        // Whether a mark stands before the first word of a line.
        let opens_line = |at: usize| {
            let ahead = self.text[at..].trim_start_matches([' ', '\t']);
            at_line_start(&self.text[..at]) && !ahead.is_empty() && !ahead.starts_with(['\n', '\r'])
        };
        let first = previous == 0;
        let from = self.marks.partition_point(|(at, _)| *at < previous);
        let to = self.marks.partition_point(|(at, _)| *at <= limit);
        let (start, end) = (sentence.start, sentence.end);
        let mine = self.marks[from..to].iter().filter(move |(at, _)| match *at {
            at if at > start && at < end => true,
            at if at >= end => !opens_line(at),
            at => first || opens_line(at),
        });
        mine.map(|(_, mark)| mark)
    }
}

/// Cuts a Markdown heading off the sentence that follows on the next line.
fn without_heading(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let words = &text[sentence.clone()];
    match words.split_once('\n') {
        Some((line, rest)) if is_marked_heading(line.trim_end()) && !rest.trim().is_empty() => {
            let start = sentence.end - rest.trim_start().len();
            vec![
                sentence.start..sentence.start + line.trim_end().len(),
                start..sentence.end,
            ]
        }
        _ => vec![sentence],
    }
}

fn is_marked_heading(line: &str) -> bool {
    line.starts_with('#') || (line.len() > 4 && line.starts_with("**") && line.ends_with("**"))
}

/// Whether a sentence without a citation claims something about the world. `rest` is the text behind it.
fn is_claim(sentence: &str, rest: &str) -> bool {
    let words =
        sentence.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '•' | '_' | '>'));
    let content = text::terms(words);
    if content.is_empty() || words.ends_with('?') || is_absence(words) {
        return false;
    }
    let numbers = !text::numbers::quantities(words).is_empty();
    let count = text::word_count(words);
    // "Both papers agree on three points:" leads in; what it leads to is judged.
    if words.ends_with(':') {
        return numbers && count > 8;
    }
    // A heading: marked as one, or short, on a line of its own and without a full stop.
    let marked = is_marked_heading(sentence);
    let stopped = words.ends_with(['.', '!', ';', ')', '"', '”', '。']);
    let own_line = rest.starts_with('\n') || rest.starts_with("\r\n");
    !(count <= 8 && !numbers && !stopped && (marked || own_line))
}

/// Whether a sentence says that the papers do not say something.
fn is_absence(sentence: &str) -> bool {
    let words: Vec<String> = text::words(sentence)
        .into_iter()
        .map(|s| sentence[s].to_lowercase())
        .collect();
    let place = |w: &String| {
        matches!(
            w.as_str(),
            "corpus"
                | "excerpt"
                | "excerpts"
                | "source"
                | "sources"
                | "passage"
                | "passages"
                | "context"
                | "papers"
                | "documents"
                | "chunks"
                | "literature"
        )
    };
    let telling = |w: &String| {
        [
            "report",
            "mention",
            "contain",
            "includ",
            "provid",
            "discuss",
            "describ",
            "address",
            "say",
            "state",
            "find",
            "found",
            "evidence",
            "information",
            "appear",
            "cover",
            "speak",
            "answer",
        ]
        .iter()
        .any(|stem| w.starts_with(stem))
    };
    // The place must be the subject, near the start, and the denial must deny the telling.
    let Some(subject) = words.iter().take(8).position(place) else {
        return false;
    };
    let denial = words.iter().position(|w| text::is_negation(w));
    denial.is_some_and(|at| at < subject + 8 && words[at + 1..].iter().take(5).any(telling))
}

/// The sentence without a label of at most three words before a colon.
fn without_label(sentence: &str) -> &str {
    const LABELS: [&str; 8] = [
        "summary",
        "short answer",
        "answer",
        "conclusion",
        "in short",
        "overall",
        "key finding",
        "bottom line",
    ];
    let plain =
        sentence.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '-' | '•'));
    let Some((label, rest)) = plain.split_once(':') else {
        return plain.trim();
    };
    let known = LABELS.contains(&label.trim_matches(['*', ' ']).to_lowercase().as_str());
    let rest = rest.trim_start_matches(['*', ' ']);
    if known && !rest.is_empty() {
        rest.trim()
    } else {
        plain.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(answer: &str) -> Vec<String> {
        claims(answer)
            .into_iter()
            .map(|c| {
                let ids: Vec<&str> = c.cited.iter().map(ChunkId::as_str).collect();
                format!("{} {}", c.text, ids.join(" ")).trim().to_owned()
            })
            .collect()
    }

    #[test]
    fn sentences_keep_their_citations() {
        let check = |answer: &str, want: &[&str]| assert_eq!(shown(answer), want, "{answer:?}");
        check("", &[]);
        check(
            "Mice ran (a, a__b__0). Rats slept (c, c__d__1).",
            &["Mice ran. a__b__0", "Rats slept. c__d__1"],
        );
        check(
            "Mice ran. (a, a__b__0) Rats slept. (c, c__d__1)",
            &["Mice ran. a__b__0", "Rats slept. c__d__1"],
        );
        check(
            "Mice ran. (a, a__b__0)\n\nRats slept.",
            &["Mice ran. a__b__0", "Rats slept."],
        );
        check(
            "Mice ran (a, a__b__0; c, c__d__1).",
            &["Mice ran. a__b__0 c__d__1"],
        );
        check("Mice ran (a, a__b__0), (a, a__b__0).", &["Mice ran. a__b__0"]);
        check(
            "Mice ran (a, a__b__0) but rats slept (c, c__d__1).",
            &["Mice ran but rats slept. a__b__0 c__d__1"],
        );
        check(
            "(a, a__b__0) Mice ran. Rats slept.",
            &["Mice ran. a__b__0", "Rats slept."],
        );
        check(
            "Mice ran.\n(a, a__b__0) Rats slept.",
            &["Mice ran.", "Rats slept. a__b__0"],
        );
        check(
            "- Mice ran (a, a__b__0)\n- Rats slept (c, c__d__1)",
            &["Mice ran a__b__0", "Rats slept c__d__1"],
        );
        check(
            "It rose by 5.5% (a, a__b__0). Done by Barry et al. (a, a__b__1) They ran.",
            &[
                "It rose by 5.5%. a__b__0",
                "Done by Barry et al. a__b__1",
                "They ran.",
            ],
        );
    }

    #[test]
    fn what_claims_nothing_is_no_claim() {
        let check = |answer: &str, want: &[&str]| assert_eq!(shown(answer), want, "{answer:?}");
        check("Summary: Mice ran.", &["Mice ran."]);
        check("Summary:\n\nMice ran.", &["Mice ran."]);
        check("Yes. Mice ran.", &["Mice ran."]);
        check("**Main findings**\n\nMice ran.", &["Mice ran."]);
        check("## Effects of exercise\nMice ran.", &["Mice ran."]);
        check("Effects of exercise\n\nMice ran.", &["Mice ran."]);
        check("The papers agree on these effects:\n- Mice ran.", &["Mice ran."]);
        check("What did mice do? Mice ran.", &["Mice ran."]);
        check(
            "The corpus does not report the effect of smoking. Mice ran.",
            &["Mice ran."],
        );
        check("No passage mentions smoking. Mice ran.", &["Mice ran."]);
        check("Your papers do not answer this. Mice ran.", &["Mice ran."]);
        check(
            "The sources report that mice did not run.",
            &["The sources report that mice did not run."],
        );
        check(
            "Smoking did not change life span.",
            &["Smoking did not change life span."],
        );
        check("AMPK activation", &["AMPK activation"]);
        check("Mice ran 5 km\n\nRats slept.", &["Mice ran 5 km", "Rats slept."]);
    }

    proptest! {
        #[test]
        fn spans_are_ordered_and_every_mark_is_cited(
            answer in "([A-Z][a-z]{2,5} [a-z]{3,6}|\\. |\\(a, a__b__[0-9]\\)|\n\n|\n| |, |: |é|- |x)([A-Z][a-z]{2,5} [a-z]{3,6}|\\. |\\(a, a__b__[0-9]\\)|\n\n|\n| |, |: |é|- |x){0,25}"
        ) {
            let all = claims(&answer);
            let mut last = 0;
            for claim in &all {
                prop_assert!(claim.span.start >= last && answer.get(claim.span.clone()).is_some(), "{:?}", claim);
                last = claim.span.end;
            }
            if !all.is_empty() && text::word_count(&crate::strip_marks(&answer)) > 0 {
                for mark in marks(&answer) {
                    prop_assert!(all.iter().any(|c| c.cited.iter().any(|id| id.as_str() == mark.chunk)), "{:?}", mark);
                }
            }
        }
    }
}
