//! Divides an answer into claims.

mod clauses;
mod kind;

use crate::support::marks::{Mark, at_line_start, is_joint, marks};
use kind::{is_claim, is_item, is_marked_heading, without_label};
use std::ops::Range;
use types::{ChunkId, words::distinct};

/// A sentence, list item or clause that claims something, with the chunks that it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The words without marks, without a list marker, and without a label (`Summary:`) or a reply (`Yes,`) before them.
    pub text: String,
    /// The chunks that it cites, as written, each once, in order; empty for an uncited claim.
    pub cited: Vec<ChunkId>,
    /// Byte range in the answer, including the marks.
    pub span: Range<usize>,
}

/// Returns the claims of an answer, in order.
///
/// A sentence of several full clauses gives a claim for each. A clause that depends on another one stays with it. A mark
/// belongs to the clause that it is in or that it follows, and to the clauses before it in the sentence that have no mark.
/// Clauses after the last mark of a sentence get that mark.
///
/// Some text is a claim only if it cites something: headings, labels and lead-ins (`Both agree on this:`), questions, text
/// without a content word (`Yes.`), names of passages (`(Passage 2)`), and statements that the papers do not say something,
/// which no passage could support. Everything else is a claim. In case of doubt, a sentence is a claim.
pub fn claims(answer: &str) -> Vec<Claim> {
    let bare = UnmarkedText::new(answer);
    let mut out: Vec<Claim> = Vec::new();
    let mut previous = 0;
    let sentences = text::sentences(&bare.text).into_iter();
    for sentence in sentences.flat_map(|s| lines(&bare.text, s)).flat_map(|s| bare.ended(s)) {
        let words = &bare.text[sentence.clone()];
        let cited = bare.marks_of(&sentence, previous).next().is_some();
        if !cited && !is_claim(words, &bare.text[sentence.end..]) {
            previous = sentence.end;
            continue;
        }
        let first = out.len();
        for clause in clauses::clauses(&bare.text, sentence.clone()) {
            let marks: Vec<&Mark> = bare.marks_of(&clause, previous).collect();
            previous = clause.end;
            out.push(claim(answer, &bare, &clause, &marks));
        }
        share_marks(&mut out[first..]);
    }
    out
}

/// Whether a sentence of an answer says no more than that there is none: "I don't know.", "N/A", "无法回答。"
pub fn refuses(answer: &str) -> bool {
    text::sentences(answer).into_iter().any(|sentence| kind::is_refusal(&answer[sentence]))
}

/// Makes a claim from a piece of the unmarked text.
fn claim(answer: &str, bare: &UnmarkedText, piece: &Range<usize>, marks: &[&Mark]) -> Claim {
    let mut span = bare.original(piece.start)..bare.original(piece.end - 1) + 1;
    for mark in marks {
        span = span.start.min(mark.span.start)..span.end.max(mark.span.end);
    }
    let cited = distinct(marks.iter().map(|mark| ChunkId::from(mark.chunk.as_str())));
    // The last character may take several bytes.
    while !answer.is_char_boundary(span.end) {
        span.end += 1;
    }
    let text = without_label(&bare.text[piece.clone()]).to_owned();
    Claim { text, cited, span }
}

/// Gives each clause without a mark the marks of the next clause that has any, or else of the last one before it that has.
fn share_marks(clauses: &mut [Claim]) {
    carry(clauses.iter_mut().rev());
    carry(clauses.iter_mut());
}

/// Gives each clause without a mark the marks of the last one that has any.
fn carry<'a>(clauses: impl Iterator<Item = &'a mut Claim>) {
    let mut last: Vec<ChunkId> = Vec::new();
    for clause in clauses {
        if clause.cited.is_empty() {
            clause.cited.clone_from(&last);
        } else {
            last.clone_from(&clause.cited);
        }
    }
}

/// Cuts a sentence after each line that is a heading in Markdown, and before each line that begins a list item.
fn lines(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = sentence.start;
    let mut at = sentence.start;
    for line in text[sentence.clone()].split_inclusive('\n') {
        let end = at + line.len();
        let next = &text[end..sentence.end];
        let heading = is_marked_heading(line.trim_end());
        if !next.trim().is_empty() && (heading || is_item(next)) && !text[start..end].trim().is_empty() {
            out.push(trimmed(text, start..end));
            start = end;
        }
        at = end;
    }
    out.push(trimmed(text, start..sentence.end));
    out
}

/// Returns the range without white space at either end; unchanged if it contains nothing else.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let words = &text[range.clone()];
    if words.trim().is_empty() {
        return range;
    }
    let start = range.end - words.trim_start().len();
    start..start + words.trim().len()
}

/// The answer without its marks; positions can be converted back to the answer.
struct UnmarkedText {
    text: String,
    /// Where each kept piece begins: `(byte of text, byte of the answer)`.
    pieces: Vec<(usize, usize)>,
    /// Each mark with its position in `text`, in bytes.
    marks: Vec<(usize, Mark)>,
}

impl UnmarkedText {
    fn new(answer: &str) -> Self {
        let mut bare =
            Self { text: String::with_capacity(answer.len()), pieces: Vec::new(), marks: Vec::new() };
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

    /// Cuts a sentence behind each mark that a full stop follows, whatever comes then, since rows of tables may begin in lower case;
    /// and behind each that follows a full stop, unless a small letter comes then: "Barry et al. (mark) found".
    fn ended(&self, sentence: Range<usize>) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut start = sentence.start;
        for at in self.marks.iter().map(|(at, _)| *at).filter(|at| sentence.contains(at)) {
            let (before, behind) = self.text.split_at(at);
            let goes_on = behind.trim_start().starts_with(char::is_lowercase);
            let end = if behind.starts_with(". ") { at + 1 } else { at };
            let is_end = end > at || before.ends_with('.') && !goes_on;
            if is_end && at > start && end < sentence.end {
                out.push(trimmed(&self.text, start..end));
                start = end;
            }
        }
        out.push(trimmed(&self.text, start..sentence.end));
        out
    }

    fn original(&self, at: usize) -> usize {
        // Pieces begin in order, and a piece cut short is followed by the next one.
        let next = self.pieces.partition_point(|(start, _)| *start <= at);
        next.checked_sub(1).map_or(0, |i| self.pieces[i].1 + (at - self.pieces[i].0))
    }

    /// Returns the marks inside the sentence, after it, or before its first word on the same line. `previous` is
    /// the end of the previous sentence.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::marks::marks;
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
        check("Mice ran. (a, a__b__0)\n\nRats slept.", &["Mice ran. a__b__0", "Rats slept."]);
        check("Mice ran (a, a__b__0; c, c__d__1).", &["Mice ran. a__b__0 c__d__1"]);
        check("Mice ran (a, a__b__0), (a, a__b__0).", &["Mice ran. a__b__0"]);
        check(
            "It was longer above 9 h. (a, a__b__0) 20%: Lower hazard 5.2 (c, c__d__1).",
            &["It was longer above 9 h. a__b__0", "20%: Lower hazard 5.2. c__d__1"],
        );
        check("Barry et al. (a, a__b__0) found mice.", &["Barry et al. found mice. a__b__0"]);
        check(
            "Weight, kg: 5 (Table 1) (a, a__b__0). pH: 7 (c, c__d__1). age: 3 (a, a__b__1).",
            &["Weight, kg: 5 (Table 1). a__b__0", "pH: 7. c__d__1", "age: 3. a__b__1"],
        );
        check(
            "Mice ran (a, a__b__0) but rats slept (c, c__d__1).",
            &["Mice ran but rats slept. a__b__0 c__d__1"],
        );
        check("(a, a__b__0) Mice ran. Rats slept.", &["Mice ran. a__b__0", "Rats slept."]);
        check("Mice ran.\n(a, a__b__0) Rats slept.", &["Mice ran.", "Rats slept. a__b__0"]);
        check(
            "Walking lowered blood pressure (a, a__b__0), but body weight did not change (c, c__d__1).",
            &["Walking lowered blood pressure a__b__0", "body weight did not change. c__d__1"],
        );
        check(
            "Walking lowered blood pressure, but body weight did not change (c, c__d__1).",
            &["Walking lowered blood pressure c__d__1", "body weight did not change. c__d__1"],
        );
        check(
            "Walking lowered blood pressure (a, a__b__0), but body weight did not change.",
            &["Walking lowered blood pressure a__b__0", "body weight did not change. a__b__0"],
        );
        check(
            "- Mice ran (a, a__b__0)\n- Rats slept (c, c__d__1)",
            &["Mice ran a__b__0", "Rats slept c__d__1"],
        );
        check(
            "It rose by 5.5% (a, a__b__0). Done by Barry et al. (a, a__b__1) They ran.",
            &["It rose by 5.5%. a__b__0", "Done by Barry et al. a__b__1", "They ran."],
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
        check(
            "Based on the 3 passages, here is how you grill a steak for 4 people:\n\n1. Preheat the grill\n2. Salt the steak",
            &["Preheat the grill", "Salt the steak"],
        );
        check("What did mice do? Mice ran.", &["Mice ran."]);
        for refusal in [
            "I don’t know.",
            "I'm sorry, but I cannot find this in the documents.",
            "Based on the given context, it is not possible to determine how long newts live.",
            "There is no mention of lifespan in the text provided.",
            "The context is insufficient to answer the question.",
            "Insufficient evidence.",
            "Not specified.",
            "It is not stated.",
            "N/A",
            "No relevant information found.",
            "Unanswerable",
            "This question cannot be answered from the passages.",
            "As an AI language model, I do not have access to this information.",
            "Das geht aus den Texten nicht hervor.",
            "Le contexte ne permet pas de répondre.",
            "No se puede responder con estos textos.",
            "无法回答。",
        ] {
            check(refusal, &[]);
            assert!(refuses(refusal), "{refusal}");
        }
        for claim in [
            "It is not possible to determine causality.",
            "No evidence of publication bias was found.",
            "The survey had no information on smoking.",
            "Patients cannot find work.",
            "It is known that mice ran.",
        ] {
            check(claim, &[claim]);
            assert!(!refuses(claim), "{claim}");
        }
        check("The corpus does not report the effect of smoking. Mice ran.", &["Mice ran."]);
        check("No passage mentions smoking. Mice ran.", &["Mice ran."]);
        check("Your papers do not answer this. Mice ran.", &["Mice ran."]);
        check("The sources report that mice did not run.", &["The sources report that mice did not run."]);
        check("Smoking did not change life span.", &["Smoking did not change life span."]);
        check("Mice ran. (Passage 1)\n\nRats slept. (Passages 1 and 2)", &["Mice ran.", "Rats slept."]);
        check(
            "Mice ran. This is mentioned in passage 2. Passage 2 reports that rats slept.",
            &["Mice ran.", "Passage 2 reports that rats slept."],
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
            if !all.is_empty() && text::word_count(&crate::support::strip_marks(&answer)) > 0 {
                for mark in marks(&answer) {
                    prop_assert!(all.iter().any(|c| c.cited.iter().any(|id| id.as_str() == mark.chunk)), "{:?}", mark);
                }
            }
        }
    }
}
