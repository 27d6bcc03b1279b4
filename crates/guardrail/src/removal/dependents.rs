//! Sentences that depend on a sentence before them, and lead-ins that depend on what follows.

use std::ops::Range;

/// Words with which a sentence refers back to the one before it.
const BACK: [&str; 30] = [
    "they",
    "this",
    "these",
    "those",
    "that",
    "it",
    "its",
    "their",
    "them",
    "he",
    "she",
    "his",
    "her",
    "each",
    "such",
    "both",
    "neither",
    "either",
    "moreover",
    "furthermore",
    "additionally",
    "similarly",
    "likewise",
    "consequently",
    "therefore",
    "thus",
    "hence",
    "conversely",
    "instead",
    "however",
];
/// Phrases that do.
const BACK_PHRASES: [&str; 16] = [
    "in addition",
    "in contrast",
    "by contrast",
    "as a result",
    "for example",
    "for instance",
    "in particular",
    "the latter",
    "the former",
    "the same",
    "the authors",
    "of these",
    "among these",
    "among them",
    "one of these",
    "in turn",
];

/// The sentences that go when those marked in `own` go: those behind a removed sentence that refer back, as
/// far as the chain reaches, and lead-ins ("Three effects:") of which nothing is left.
pub(super) fn with_dependents(
    answer: &str,
    spans: &[Range<usize>],
    plain: &[String],
    own: &[bool],
) -> Vec<bool> {
    let mut removed = own.to_vec();
    for i in 1..removed.len() {
        if removed[i - 1] && refers_back(&plain[i]) {
            removed[i] = true;
        }
    }
    // From the end: a lead-in may announce another one.
    for i in (0..removed.len()).rev() {
        if !removed[i] && is_lead_in(&plain[i]) {
            let announced = announced_by(answer, spans, plain, i);
            removed[i] = !announced.is_empty() && announced.into_iter().all(|j| removed[j]);
        }
    }
    removed
}

/// The sentences that the lead-in `at` announces: up to a blank line behind the first of them, or the next
/// lead-in.
fn announced_by(answer: &str, spans: &[Range<usize>], plain: &[String], at: usize) -> Range<usize> {
    let mut end = at + 1;
    while end < spans.len() {
        let gap = &answer[spans[end - 1].end..spans[end].start];
        let item = starts_item(&plain[end]);
        if end > at + 1 && (is_lead_in(&plain[end]) || (gap.matches('\n').count() > 1 && !item)) {
            break;
        }
        end += 1;
    }
    at + 1..end
}

/// Whether the sentence begins as a list item does.
fn starts_item(sentence: &str) -> bool {
    let rest = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < sentence.len() && rest.starts_with(['.', ')']);
    numbered || sentence.starts_with(['-', '*', '•', '–'])
}

fn is_lead_in(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', '_', ' ']).ends_with(':')
}

fn refers_back(sentence: &str) -> bool {
    let start = sentence
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let first = start
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let phrase = |p: &str| {
        start
            .strip_prefix(p)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    BACK.contains(&first) || BACK_PHRASES.iter().any(|p| phrase(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::sentences;

    #[test]
    fn what_depends_on_a_removed_sentence_goes_with_it() {
        // Sentences with `X` are the removed ones; what is left is compared.
        let check = |answer: &str, want: &str| {
            let spans = sentences(answer);
            let plain: Vec<String> = spans.iter().map(|s| answer[s.clone()].to_owned()).collect();
            let own: Vec<bool> = plain.iter().map(|s| s.contains('X')).collect();
            let keep: Vec<bool> = with_dependents(answer, &spans, &plain, &own)
                .iter()
                .map(|g| !g)
                .collect();
            assert_eq!(
                crate::sentences::rejoin(answer, &spans, &keep),
                want,
                "{answer:?}"
            );
        };
        check(
            "Walking helps. It costs nothing.",
            "Walking helps. It costs nothing.",
        );
        check(
            "Walking X helps. It costs nothing. These gains last. Diet helps.",
            "Diet helps.",
        );
        check(
            "Walking helps. Diet X helps. In addition, sleep helps. Sun helps.",
            "Walking helps. Sun helps.",
        );
        check(
            "Diet X helps. Itself a gain, sleep helps.",
            "Itself a gain, sleep helps.",
        );
        check("Diet X helps. Each mechanism is known.", "");
        check(
            "Sleep helps.\n\nTwo effects:\n- one X.\n- two X.\n\nDiet helps.",
            "Sleep helps.\n\nDiet helps.",
        );
        check("Two effects:\n\n- one X.\n- two.", "Two effects:\n\n- two.");
    }
}
