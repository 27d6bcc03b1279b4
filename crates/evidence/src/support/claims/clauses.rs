//! The clauses of a sentence that can be judged by themselves.
//!
//! A sentence is cut before a conjunction, or after a semicolon, if a full clause follows: one with its own subject and
//! verb. A clause that depends on the words before it (with a pronoun, a relative clause, a shared subject, a condition)
//! stays with them. There is no parser. In case of doubt, nothing is cut, and the whole sentence is one claim.

use std::ops::Range;
use text::WordList;

/// Minimum number of words before and after a cut.
const BEFORE: usize = 3;
const BEHIND: usize = 4;
/// The verb of a clause must be among this many words at its beginning.
const VERB_WITHIN: usize = 9;

/// Returns the clauses of a sentence, as byte ranges of `text`, in order: at least one if the sentence is not empty.
/// Conjunctions and the commas before them belong to no clause.
pub(super) fn clauses(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = sentence.start;
    let words = spans(text, sentence.clone());
    if words.first().is_some_and(|w| OPENERS.contains(&lower(text, w))) {
        return vec![sentence];
    }
    for at in 1..words.len() {
        let Some(cut) = cut_before(text, &sentence, &words, at) else {
            continue;
        };
        let before: Vec<_> = words[..at].iter().filter(|w| w.start >= start).cloned().collect();
        let behind = &words[cut.first..];
        if before.len() >= BEFORE && has_verb(text, &before, true) && stands_alone(text, behind, cut.contrast)
        {
            let end = start + text[start..cut.end].trim_end_matches([',', ';', ' ', '\n']).len();
            out.push(start..end);
            start = behind.first().map_or(sentence.end, |w| w.start);
        }
    }
    out.push(start..sentence.end);
    out
}

/// Where a cut would be made.
struct Cut {
    /// The byte at which the clause before it ends.
    end: usize,
    /// The index of the first word after it.
    first: usize,
    /// Whether a participle may count as the verb: after "but" or a semicolon, but not after "and".
    contrast: bool,
}

/// Returns a cut before the word at `at`, if this word is a suitable conjunction or follows a semicolon.
fn cut_before(text: &str, sentence: &Range<usize>, words: &[Range<usize>], at: usize) -> Option<Cut> {
    let before = words.get(at - 1)?.end;
    let word = words.get(at)?;
    let between = &text[before..word.start];
    // A sign after the word belongs to it: "by 20%, but".
    let end = before + between.find([',', ';']).unwrap_or(0);
    let conjunction = lower(text, word);
    let contrast = CONTRASTS.contains(&conjunction);
    let semicolon = between.contains(';');
    let joins = contrast || matches!(conjunction.as_str(), "and" | "so");
    if !(semicolon || joins) || is_inside(&text[sentence.start..word.start]) {
        return None;
    }
    if semicolon {
        let skip = contrast || conjunction == "and" || ADVERBS.contains(&conjunction);
        let first = if skip { at + 1 } else { at };
        return Some(Cut { end, first, contrast: true });
    }
    let comma = between.contains(',');
    let plain = between.trim().is_empty() || comma;
    let allowed = contrast || comma;
    (plain && allowed).then_some(Cut { end, first: at + 1, contrast })
}

/// Whether these words are a clause that needs nothing before it.
fn stands_alone(text: &str, words: &[Range<usize>], contrast: bool) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    let word = lower(text, first);
    let clause = &words[..words.len().min(VERB_WITHIN)];
    words.len() >= BEHIND
        && !DEPENDENT.contains(&word)
        && !is_verb(&word, true)
        && !word.ends_with("ing")
        && has_verb(text, &clause[1..], contrast)
}

fn has_verb(text: &str, words: &[Range<usize>], participles: bool) -> bool {
    words.iter().any(|w| is_verb(&lower(text, w), participles))
}

fn is_verb(word: &str, participles: bool) -> bool {
    VERBS.contains(word)
        || (participles && word.len() > 4 && word.ends_with("ed"))
        || PRESENT.iter().any(|stem| word.strip_prefix(stem).is_some_and(|rest| matches!(rest, "s" | "es")))
}

/// Whether a bracket or a quotation is still open at the end of this text.
fn is_inside(before: &str) -> bool {
    let count = |c: char| before.matches(c).count();
    count('(') > count(')') || count('[') > count(']') || count('“') > count('”') || count('"') % 2 == 1
}

fn spans(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let words = text::words(&text[sentence.clone()]).into_iter();
    words.map(|w| sentence.start + w.start..sentence.start + w.end).collect()
}

fn lower(text: &str, span: &Range<usize>) -> String {
    text[span.clone()].to_lowercase()
}

static CONTRASTS: WordList = WordList::new("but while whereas although though yet");
static ADVERBS: WordList =
    WordList::new("however moreover furthermore therefore thus also conversely instead");
/// A sentence that begins with one of these words is not cut: a condition, a time or a contrast belongs to its main clause.
static OPENERS: WordList = WordList::new(
    "if when although though while whereas because since unless after before given once whether as even despite
    until",
);
/// A clause that begins with one of these words depends on the words before it.
static DEPENDENT: WordList = WordList::new(
    "it they this these those that which who whose whom where when he she its their his her them both neither
    such there not then if to so also only vice one another others some many most each either",
);
static VERBS: WordList = WordList::new(
    "is are was were has have had do does did can could may might will would should must rose fell led made found
    became grew gave took kept held lost won saw began came went ran slept showed cannot isn't aren't wasn't
    weren't doesn't don't didn't",
);
/// Verbs whose third person is rarely a noun.
static PRESENT: WordList = WordList::new(
    "increase decrease reduce lower raise improve cause lead suggest contain include provide help make require
    remain differ depend occur become appear seem describe explain mention indicate reveal prevent protect
    inhibit activate involve need allow produce predict correlate tend",
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn full_clauses_are_cut_and_dependent_ones_are_kept() {
        let check = |sentence: &str, want: &[&str]| {
            let got: Vec<&str> =
                clauses(sentence, 0..sentence.len()).into_iter().map(|c| &sentence[c]).collect();
            assert_eq!(got, want);
        };
        check(
            "Walking lowered blood pressure, but body weight did not change.",
            &["Walking lowered blood pressure", "body weight did not change."],
        );
        check(
            "Mortality fell by 20%, but body weight did not change.",
            &["Mortality fell by 20%", "body weight did not change."],
        );
        check(
            "Walking lowered blood pressure, and body weight was reduced by 2 kg.",
            &["Walking lowered blood pressure", "body weight was reduced by 2 kg."],
        );
        check(
            "Walking lowered blood pressure; however, body weight did not change.",
            &["Walking lowered blood pressure", "body weight did not change."],
        );
        check(
            "Mortality was lower in women whereas relapse was more frequent in men.",
            &["Mortality was lower in women", "relapse was more frequent in men."],
        );
        for whole in [
            "Walking lowered blood pressure, but it did not change body weight.",
            "Walking lowered blood pressure and reduced body weight.",
            "Walking lowered blood pressure, weight, and levels of sugar in blood.",
            "If patients walked, and their diet was kept, weight was lower.",
            "Trials enrolled adults, children, and patients treated with insulin at home.",
            "Walking lowered blood pressure, which was expected, and so on.",
            "Weight fell (in women, but men were not weighed at all) by 2 kg.",
            "Mice ran but rats slept.",
        ] {
            check(whole, &[whole]);
        }
    }

    proptest! {
        #[test]
        fn clauses_are_ordered_slices_of_the_sentence(
            sentence in "(mice|rats|were|walked|lowered|it|weight|é|,|;|but|and|while|\\(|\\)| ){1,40}"
        ) {
            let got = clauses(&sentence, 0..sentence.len());
            prop_assert!(!got.is_empty());
            let mut last = 0;
            for clause in got {
                prop_assert!(clause.start >= last && sentence.get(clause.clone()).is_some());
                last = clause.end;
            }
        }
    }
}
