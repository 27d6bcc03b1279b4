//! Does the answer have the words of the reference?

use super::{Metric, Need, Spec, View};
use crate::Score;
use std::collections::BTreeMap;

/// The metric.
pub(super) struct TokenF1;

const SPEC: Spec = Spec {
    key: "token_f1",
    title: "Token F1",
    definition: "F1 of the words of the answer (without citation marks) and of the reference, as bags, after folding, without \
         punctuation and articles.",
    edge_cases: "0 for a refusal and an empty answer; n/a without a reference and where a refusal is expected.",
    source: "Rajpurkar et al. 2016 (SQuAD), token F1",
    needs: &[Need::Answer, Need::ReferenceAnswer],
    in_runs: true,
    staged: true,
    ..Spec::SHARE
};

impl Metric for TokenF1 {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reference = sample.reference()?;
        let answer = sample.owed()?.map_or("", |reading| reading.text.as_str());
        words_f1(answer, reference).ok_or_else(|| Score::n_a("`reference` holds no word"))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn words_by_hand() {
        let mut row = row("q", "The cat sat down [1].", &[("a", "x")]);
        row.reference = Some("a cat sat".to_owned());
        // Cat and sat, of three and two words: 2 × 2 / 5.
        check(&TokenF1, &row, 0.8);
        row.answer = Some(String::new());
        check(&TokenF1, &row, 0.0);
        row.reference = Some("the".to_owned());
        check_n_a(&TokenF1, &row, "no word");
    }
}
