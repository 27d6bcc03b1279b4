//! The answer against what is known of it: gold quotes and a reference answer.

use super::{Metric, Need, Spec, f1, gold, share, share_of, wording};
use crate::Score;
use evidence::support::statements;
use std::collections::{BTreeMap, BTreeSet};

/// Does the answer have the words of the reference?
pub(super) static TOKEN_F1: Metric = Metric::new(
    Spec {
        key: "token_f1",
        title: "Token F1",
        needs: &[Need::Answer, Need::ReferenceAnswer],
        ..Spec::STAGED_SHARE
    },
    |sample| {
        let reference = sample.reference()?;
        let answer = sample.owed()?.map_or("", |reading| reading.text.as_str());
        words_f1(answer, reference).ok_or_else(|| Score::n_a("`reference` holds no word"))
    },
);

/// F1 of two bags of words; `None` when the reference has none.
///
/// Words are folded and lower case, whole (no stems: "increased" against "decreased" must not profit);
/// anything but letters and digits separates, except a point between digits; a comma between digits is
/// dropped; a, an and the are left out.
fn words_f1(answer: &str, reference: &str) -> Option<f64> {
    let (answer, reference) = (tokens(answer), tokens(reference));
    if reference.is_empty() {
        return None;
    }
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for token in &reference {
        *left.entry(token).or_default() += 1;
    }
    let mut common = 0usize;
    for token in &answer {
        if let Some(count) = left.get_mut(token.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    // 2PR / (P + R), with both 0 when nothing is common.
    Some(2.0 * common as f64 / (answer.len() + reference.len()) as f64)
}

fn tokens(text: &str) -> Vec<String> {
    let folded = text::fold::fold(text);
    let mut out = Vec::new();
    let mut token = String::new();
    let mut chars = folded.text().chars().peekable();
    while let Some(c) = chars.next() {
        let between_digits =
            token.ends_with(|c: char| c.is_ascii_digit()) && chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            c if c.is_alphanumeric() => token.extend(c.to_lowercase()),
            '.' if between_digits => token.push('.'),
            ',' if between_digits => {}
            _ => out.push(std::mem::take(&mut token)),
        }
    }
    out.push(token);
    out.retain(|t| !matches!(t.as_str(), "" | "a" | "an" | "the"));
    out
}

/// How far does the answer say what the reference says?
pub(super) static CORRECTNESS: Metric = Metric::new(
    Spec {
        key: "correctness",
        title: "Correctness",
        needs: &[Need::Answer, Need::ReferenceAnswer],
        ..Spec::SHARE
    },
    |sample| {
        let reference = sample.reference()?;
        let Some(reading) = sample.owed()? else {
            return Ok(0.0);
        };
        let said = |of: &str, by: &str| share_of(statements(of).iter().map(|claim| sample.says(claim, by)));
        let recall = said(reference, &reading.text)?;
        let precision = said(&reading.text, reference)?;
        Ok(f1(precision, recall))
    },
);

/// Does the answer contain what there is to say?
pub(super) static COMPLETENESS: Metric = Metric::new(
    Spec {
        key: "completeness",
        title: "Completeness",
        needs: &[Need::Answer],
        needs_one_of: &[Need::GoldEvidence, Need::ReferenceAnswer, Need::Context],
        ..Spec::SHARE
    },
    |sample| {
        let reading = sample.owed()?;
        let answer = reading.map_or("", |reading| reading.text.as_str());
        let quotes = sample.sample.gold_quotes.as_deref().filter(|quotes| !quotes.is_empty());
        if let Some(quotes) = quotes {
            let verbatim = |quote: &str| text::quote::find_quote(answer, quote).is_some();
            let said = |quote: &str| Ok(verbatim(quote) || sample.says(quote, answer)?);
            return share_of(quotes.iter().map(|gold| said(&gold.quote)));
        }
        if let Ok(reference) = sample.reference() {
            return share_of(statements(reference).iter().map(|claim| sample.says(claim, answer)));
        }
        let (question, passages) = (sample.question()?, sample.passages()?);
        let terms = wording::stems(question);
        let answering = passages.iter().flat_map(|passage| wording::answering(&passage.text, &terms));
        let answering: BTreeSet<&str> = answering.collect();
        if answering.is_empty() {
            return Err(Score::n_a(
                "the row has no `gold_quotes` and no `reference`, and no sentence of its passages answers the question",
            ));
        }
        let own = wording::stems(answer);
        Ok(share(answering.iter().map(|sentence| wording::share(&wording::stems(sentence), &own) >= 0.5)))
    },
);

/// Did the labelled evidence reach the answer?
pub(super) static GOLD_RECALL_ANSWER: Metric = Metric::new(
    Spec {
        key: "gold_recall_answer",
        title: "Gold recall, answer",
        needs: &[Need::Answer, Need::GoldEvidence],
        ..Spec::STAGED_SHARE
    },
    |sample| {
        let quotes = gold::quotes(sample)?;
        let shown = gold::shown_by(sample)?;
        Ok(share(quotes.iter().map(|quote| gold::is_shown(&shown, quote))))
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn words_by_hand() {
        let mut row = row("q", "The cat sat down [1].", &[("a", "x")]);
        row.reference = Some("a cat sat".to_owned());
        // Cat and sat, of three and two words: 2 × 2 / 5.
        check(&TOKEN_F1, &row, 0.8);
        row.answer = Some(String::new());
        check(&TOKEN_F1, &row, 0.0);
        row.reference = Some("the".to_owned());
        check_n_a(&TOKEN_F1, &row, "no word");
    }

    fn with(answer: &str, reference: &str) -> crate::Sample {
        crate::Sample { reference: Some(reference.to_owned()), ..row("q", answer, &[]) }
    }

    #[test]
    fn claims_by_hand() {
        let reference = "Walking lowered blood pressure by 6 mmHg. Body weight did not change.";
        check(&CORRECTNESS, &with(reference, reference), 1.0);
        // Precision 1, recall 1/2.
        check(&CORRECTNESS, &with("Walking lowered blood pressure by 6 mmHg.", reference), 2.0 / 3.0);
        check(&CORRECTNESS, &with("Walking lowered blood pressure by 60 mmHg.", reference), 0.0);
        check(&CORRECTNESS, &with("", reference), 0.0);
        check_n_a(&CORRECTNESS, &row("q", "Mice ran.", &[]), "`reference`");
    }

    const QUESTION: &str = "How does walking affect blood pressure and weight?";

    fn quotes(answer: &str) -> crate::Sample {
        let quote = |text: &str| crate::GoldQuote { document: None, quote: text.to_owned() };
        crate::Sample {
            gold_quotes: Some(vec![
                quote("Walking lowered blood pressure by 6 mmHg."),
                quote("Body weight did not change in either group."),
            ]),
            ..row(QUESTION, answer, &[])
        }
    }

    #[test]
    fn gold_quotes_come_first() {
        check(&COMPLETENESS, &quotes("Walking lowered blood pressure by 6 mmHg."), 0.5);
        let both = "Walking lowered blood pressure by 6 mmHg. Body weight did not change in either group.";
        check(&COMPLETENESS, &quotes(both), 1.0);
        check(&COMPLETENESS, &quotes("Walking lowered blood pressure by 16 mmHg."), 0.0);
        check(&COMPLETENESS, &quotes(""), 0.0);
        let mut expected = quotes("");
        expected.expected_refusal = Some(true);
        check_n_a(&COMPLETENESS, &expected, "refusal");
    }

    #[test]
    fn then_the_reference_then_the_passages() {
        let mut row = row(
            QUESTION,
            "Walking lowered blood pressure by 6 mmHg.",
            &[
                ("a", "In the trial, walking lowered blood pressure by 6 mmHg. Mice slept for nine hours."),
                ("b", "The weight and the resting pressure of those walking uphill fell slightly in spring."),
            ],
        );
        check(&COMPLETENESS, &row, 0.5);
        row.reference = Some("Walking lowered blood pressure by 6 mmHg.".to_owned());
        check(&COMPLETENESS, &row, 1.0);
        row.reference = None;
        row.passages = Some(vec![crate::metrics::testing::passage("c", "Mice slept for nine hours.")]);
        check_n_a(&COMPLETENESS, &row, "`gold_quotes`");
    }
}
