//! Words of questions, answers and passages.

use std::collections::BTreeSet;

/// The distinct stems of the content terms of a text.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    text::terms(text).into_iter().map(|term| term.stem).collect()
}

/// The share of `asked` that is in `stems`, 0 to 1; 0 for nothing asked.
pub(super) fn share(asked: &BTreeSet<String>, stems: &BTreeSet<String>) -> f64 {
    let held = asked.iter().filter(|stem| stems.contains(*stem)).count();
    held as f64 / asked.len().max(1) as f64
}

/// Fewest words of a sentence that can answer a question.
const FEWEST_WORDS: usize = 5;

/// The sentences of a text that contain at least half of the terms of a question.
pub(super) fn answering<'t>(text: &'t str, asked: &BTreeSet<String>) -> Vec<&'t str> {
    let sentences = text::sentences(text).into_iter().map(|span| &text[span]);
    sentences
        .filter(|sentence| text::word_count(sentence) >= FEWEST_WORDS && !sentence.trim_end().ends_with('?'))
        .filter(|sentence| share(asked, &stems(sentence)) >= 0.5)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_half_of_the_terms_answer() {
        let asked = stems("How does walking affect blood pressure in adults?");
        let text =
            "Walking lowered blood pressure by 6 mmHg. Adults ate less. Does walking lower blood pressure?";
        assert_eq!(answering(text, &asked), ["Walking lowered blood pressure by 6 mmHg."]);
        assert!(answering(text, &stems("What about mice?")).is_empty());
    }

    #[test]
    fn shares_are_of_what_is_asked() {
        assert!((share(&stems("walking mice"), &stems("mice ran")) - 0.5).abs() < 1e-12);
        assert!(share(&stems("the"), &stems("mice")).abs() < 1e-12);
    }
}
