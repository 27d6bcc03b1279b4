//! The wording of a question: stands it alone, copies it a passage, repeats it another question?

use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// A question that shares this many words in a row with its passage copies it.
const COPIED_WORDS: usize = 8;
/// A shorter question copies its passage if it shares this share of its words in a row.
const COPIED_SHARE: f64 = 0.8;
/// Questions with this share of their content terms in common ask the same.
const SAME: f64 = 0.8;

/// What only a reader of the passage can follow. "The study of Smith" and "the trial by Jones" stand alone.
static POINTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?:this|these|the(?:\s+(?:present|current|above|given|provided|following))?)\s+
        (?:passages?|excerpts?|texts?|paragraphs?|articles?|papers?|documents?|manuscripts?|stud(?:y|ies)|authors?|researchers?|investigators?)\b
        (?P<after>\s+\w+)?
        | \b(?:passage|excerpt|table|figure|section)\s+(?:above|below|provided|given|\d+)\b
        | \b(?:mentioned|described|shown|given|stated|provided)\s+(?:above|below|here)\b",
    )
    .expect("the pattern is fixed and valid")
});

/// Whether the question refers to something that its reader does not see.
pub(crate) fn points_at_passage(question: &str) -> bool {
    POINTS.captures_iter(question).any(|found| {
        let named = found.name("after").is_some_and(|word| {
            let word = word.as_str().trim().to_lowercase();
            ["of", "by", "from", "on", "about", "with", "that", "in", "which"].contains(&word.as_str())
        });
        !named
    })
}

/// Whether the question has a run of words of the passage that is too long to be its own.
pub(crate) fn copies(question: &str, passage: &str) -> bool {
    let (asked, own) = (words(question), words(passage));
    let part = (asked.len() as f64 * COPIED_SHARE).ceil() as usize;
    let length = part.clamp(1, COPIED_WORDS);
    asked.len() >= length && asked.windows(length).any(|run| own.windows(length).any(|other| run == other))
}

fn words(text: &str) -> Vec<String> {
    let folded = text::fold::fold(text);
    let words = text::words(folded.text()).into_iter();
    words.map(|range| folded.text()[range].to_lowercase()).collect()
}

/// The questions so far.
#[derive(Clone, Debug, Default)]
pub struct Asked(Vec<BTreeSet<String>>);

impl Asked {
    /// Whether an earlier question asks the same: at least four fifths of the content terms of both together are in both.
    pub fn repeats(&self, question: &str) -> bool {
        let own = stems(question);
        self.0.iter().any(|other| {
            let both = own.intersection(other).count() as f64;
            let all = own.union(other).count() as f64;
            all == 0.0 || both / all >= SAME
        })
    }

    /// Remembers a question.
    pub fn add(&mut self, question: &str) {
        self.0.push(stems(question));
    }
}

fn stems(text: &str) -> BTreeSet<String> {
    text::terms(text).into_iter().map(|term| term.stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_stand_alone() {
        let check =
            |question: &str, points: bool| assert_eq!(points_at_passage(question), points, "{question}");
        check("What was the main finding of this study?", true);
        check("What did the authors conclude about sleep?", true);
        check("How many adults are described in the passage?", true);
        check("What does Table 2 show for women?", true);
        check("Which dose, as mentioned above, was used?", true);
        check("What did the above paper measure?", true);
        check("How did walking change blood pressure in retired sailors?", false);
        check("What did the study by Orvella measure in bakers?", false);
        check("How many papers of the field report on mice?", false);
        check("What is the text of the consent form?", false);
    }

    #[test]
    fn copied_questions_are_seen() {
        let passage =
            "Walking lowered systolic blood pressure by 12 mmHg in the forty retired sailors of the trial.";
        let check =
            |question: &str, copied: bool| assert_eq!(copies(question, passage), copied, "{question}");
        check("Walking lowered systolic blood pressure by 12 mmHg in whom?", true);
        check("Walking lowered systolic blood pressure?", true);
        check("By how much did pressure fall when retired sailors walked?", false);
        check("In the forty retired sailors, what changed?", false);
        check("", false);
    }

    #[test]
    fn the_same_question_is_asked_once() {
        let mut asked = Asked::default();
        assert!(!asked.repeats("How did walking change blood pressure in sailors?"));
        asked.add("How did walking change blood pressure in sailors?");
        assert!(asked.repeats("In sailors, how does walking change the blood pressure?"));
        assert!(!asked.repeats("How did walking change the pulse of bakers at night?"));
    }
}
