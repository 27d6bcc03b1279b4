//! Checks of what the model wrote. Each fault says what is wrong in our own words: nothing of a reply goes back to the model.

use crate::draft::{Dropped, Excerpt, wording};
use eval::GoldEvidence;
use serde::Deserialize;
use text::entities::{Ground, entities};

/// Words of a question.
const QUESTION_WORDS: std::ops::RangeInclusive<usize> = 3..=60;
/// Most words of a reference answer.
const ANSWER_WORDS: usize = 150;

/// What is wrong with a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The reason for which the draft is dropped if the next reply has a fault too.
    pub(crate) dropped: Dropped,
    /// The fault, for the model.
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(dropped: Dropped, what: impl Into<String>) -> Self {
        Self { dropped, what: what.into() }
    }
}

/// A quote of a reply.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Quote {
    /// Number of its excerpt, from 1.
    excerpt: usize,
    quote: String,
}

/// The evidence, each with the index of its excerpt; every quote stands in its excerpt word for word.
pub(crate) fn quotes(excerpts: &[Excerpt], quotes: &[Quote]) -> Result<Vec<(usize, GoldEvidence)>, Fault> {
    if quotes.is_empty() {
        return Err(Fault::new(Dropped::Quote, "there is no quote"));
    }
    let mut out: Vec<(usize, GoldEvidence)> = Vec::new();
    for (at, quote) in quotes.iter().enumerate() {
        let number = at + 1;
        let index = quote.excerpt.wrapping_sub(1);
        let Some(excerpt) = excerpts.get(index) else {
            let last = excerpts.len();
            let what =
                format!("quote {number} is of an excerpt that does not exist; they are numbered 1 to {last}");
            return Err(Fault::new(Dropped::Quote, what));
        };
        let Some(gold) = excerpt.gold(&quote.quote) else {
            let what = format!(
                "quote {number} does not stand in excerpt {} word for word, or does not have 4 to 40 words",
                quote.excerpt
            );
            return Err(Fault::new(Dropped::Quote, what));
        };
        if !out.iter().any(|(_, held)| *held == gold) {
            out.push((index, gold));
        }
    }
    Ok(out)
}

/// The question on one line. It stands alone and copies no excerpt.
pub(crate) fn question(text: &str, excerpts: &[Excerpt]) -> Result<String, Fault> {
    let question = one_line(text);
    if !QUESTION_WORDS.contains(&text::word_count(&question)) {
        let what = "the question does not have 3 to 60 words";
        return Err(Fault::new(Dropped::Unusable, what));
    }
    if wording::points_at_passage(&question) {
        let what = "the question refers to a study, a text, authors or a table that its reader does not see; say what it is about";
        return Err(Fault::new(Dropped::PointsAtPassage, what));
    }
    if excerpts.iter().any(|excerpt| wording::copies(&question, &excerpt.chunk.text)) {
        let what = "the question copies a run of words of an excerpt; put it in other words";
        return Err(Fault::new(Dropped::CopiesPassage, what));
    }
    Ok(question)
}

/// The answer on one line. Every number, symbol and name of it is in an excerpt, in a title or in the question.
pub(crate) fn answer(text: &str, question: &str, excerpts: &[Excerpt]) -> Result<String, Fault> {
    let answer = one_line(text);
    let words = text::word_count(&answer);
    if words == 0 || words > ANSWER_WORDS {
        let what = format!("the reference answer is empty or has more than {ANSWER_WORDS} words");
        return Err(Fault::new(Dropped::Unusable, what));
    }
    let mut ground = Ground::new(question);
    for excerpt in excerpts {
        ground.add(&excerpt.chunk.text);
        ground.add(excerpt.title.as_deref().unwrap_or_default());
    }
    if !entities(&answer).iter().all(|entity| ground.holds(entity)) {
        let what = "the reference answer has a number or a name that no excerpt has";
        return Err(Fault::new(Dropped::Invented, what));
    }
    Ok(answer)
}

/// Text of a model without line breaks and control characters.
pub(crate) fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::excerpt::tests::excerpt;

    fn sailors() -> Vec<Excerpt> {
        vec![
            excerpt(
                "a",
                "Walking lowered systolic blood pressure by 12 mmHg in the forty retired sailors of the trial.",
            ),
            excerpt("b", "Bakers on night shifts slept for 5 hours."),
        ]
    }

    fn quote(excerpt: usize, quote: &str) -> Quote {
        Quote { excerpt, quote: quote.to_owned() }
    }

    #[test]
    fn every_quote_is_checked_against_its_own_excerpt() {
        let all = sailors();
        let good = quote(1, "lowered systolic blood pressure by 12 mmHg");
        let found = quotes(&all, &[good.clone(), good.clone()]).expect("stands there");
        assert_eq!((found.len(), found[0].0), (1, 0), "the same quote counts once");
        let check = |quotes_: &[Quote], part: &str| {
            let fault = quotes(&all, quotes_).expect_err(part);
            assert_eq!(fault.dropped, Dropped::Quote);
            assert!(fault.what.contains(part), "{}", fault.what);
        };
        check(&[], "no quote");
        check(
            &[good.clone(), quote(2, "lowered systolic blood pressure by 12 mmHg")],
            "quote 2 does not stand",
        );
        check(&[quote(0, "x")], "numbered 1 to 2");
        check(&[quote(3, "x")], "numbered 1 to 2");
    }

    #[test]
    fn answers_bring_no_numbers_or_names() {
        let all = sailors();
        let asked = "How did walking change blood pressure in Harbour Town?";
        let check = |text: &str, expect: Option<Dropped>| {
            assert_eq!(answer(text, asked, &all).err().map(|fault| fault.dropped), expect, "{text}");
        };
        check("It fell by 12 mmHg in sailors of Harbour Town.", None);
        check("It fell by 13 mmHg.", Some(Dropped::Invented));
        check("It fell, as in the Framingham cohort.", Some(Dropped::Invented));
        check(" \n ", Some(Dropped::Unusable));
        check(&"word ".repeat(151), Some(Dropped::Unusable));
    }

    #[test]
    fn questions_are_one_line() {
        let all = sailors();
        assert_eq!(
            question("How did walking\n change\u{1b}[31m pressure?", &all).as_deref(),
            Ok("How did walking change [31m pressure?")
        );
        let check = |text: &str, expect: Dropped| {
            assert_eq!(question(text, &all).expect_err("wrong").dropped, expect, "{text}");
        };
        check("Why?", Dropped::Unusable);
        check("What did this study find?", Dropped::PointsAtPassage);
        check("Walking lowered systolic blood pressure by 12 mmHg in whom?", Dropped::CopiesPassage);
    }
}
