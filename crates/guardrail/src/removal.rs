//! Removes whole sentences from an answer.

use crate::{
    action_log::ActionLog,
    inline::marked_chunks,
    sentences::{rejoin, sentences},
};
use evidence::support::strip_marks;
use std::ops::Range;
use text::{WordList, word_count};
use types::{Citation, GuardrailKind, RagResponse};

/// The sentences of an answer.
pub(crate) struct Sentences {
    /// Where they are, marks included.
    pub(crate) spans: Vec<Range<usize>>,
    /// Their words, without marks.
    pub(crate) plain: Vec<String>,
}

impl Sentences {
    pub(crate) fn of(answer: &str) -> Self {
        let spans = sentences(answer);
        let plain = spans.iter().map(|span| strip_marks(&answer[span.clone()]).trim().to_owned()).collect();
        Self { spans, plain }
    }

    /// The sentences that go when those marked in `own` go: they and those that depend on them.
    pub(crate) fn with_dependents(&self, answer: &str, own: &[bool]) -> Vec<bool> {
        let (spans, plain) = (&self.spans, &self.plain);
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

    /// Whether at least this share of the answer's words is left.
    pub(crate) fn survive(&self, removed: &[bool], min_survival: f32) -> bool {
        let words = |wanted: bool| {
            let counted = self.plain.iter().zip(removed).filter(|(_, removed)| wanted || !**removed);
            counted.map(|(s, _)| word_count(s)).sum::<usize>()
        };
        let (left, all) = (words(false), words(true));
        left > 0 && left as f32 >= min_survival * all as f32
    }

    /// Removes the marked sentences, and returns the citations that no sentence cites any more.
    pub(crate) fn remove(&self, response: &mut RagResponse, removed: &[bool]) -> Vec<Citation> {
        let before = marked_chunks(&response.answer);
        let keep: Vec<bool> = removed.iter().map(|gone| !gone).collect();
        response.answer = rejoin(&response.answer, &self.spans, &keep);
        let after = marked_chunks(&response.answer);
        let lost = |id: &str| before.contains(id) && !after.contains(id);
        let (left, dropped) = response.citations.drain(..).partition(|c| !lost(c.chunk_id.as_str()));
        response.citations = left;
        dropped
    }

    /// Notes the sentences that were removed, and the citations that went with them. `why` gives the reason and the caveat of
    /// a sentence that was marked itself.
    pub(crate) fn note_removed(
        &self,
        guardrail: GuardrailKind,
        removed: &[bool],
        dropped: &[Citation],
        why: impl Fn(usize) -> Option<(String, String)>,
        log: &mut ActionLog,
    ) {
        for (at, text) in self.plain.iter().enumerate().filter(|(at, _)| removed[*at]) {
            let (reason, caveat) = why(at).unwrap_or_else(|| {
                let reason = "it depends on a sentence that was removed";
                let caveat = "A sentence that depends on a removed one was removed too.";
                (reason.to_owned(), caveat.to_owned())
            });
            log.note_sentence(guardrail, "stripped", text.clone(), reason, caveat);
        }
        for citation in dropped {
            let id = citation.chunk_id.as_str();
            let caveat = format!("The citation of {id} was removed with its sentence.");
            log.note(guardrail, "dropped", id, "only a stripped sentence cited it", caveat);
        }
    }
}

/// Words with which a sentence refers back to the one before it.
static BACK: WordList = WordList::new(
    "they this these those that it its their them he she his her each such both neither either moreover
    furthermore additionally similarly likewise consequently therefore thus hence conversely instead however",
);
/// Phrases that do.
static BACK_PHRASES: WordList = WordList::new(
    "in addition; in contrast; by contrast; as a result; for example; for instance; in particular; the latter;
    the former; the same; the authors; of these; among these; among them; one of these; in turn",
);

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
    let start = sentence.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let first = start.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let phrase = |p: &str| start.strip_prefix(p).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    BACK.contains(first) || BACK_PHRASES.iter().any(phrase)
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
            let all = Sentences { spans, plain };
            let keep: Vec<bool> = all.with_dependents(answer, &own).iter().map(|g| !g).collect();
            assert_eq!(crate::sentences::rejoin(answer, &all.spans, &keep), want, "{answer:?}");
        };
        check("Walking helps. It costs nothing.", "Walking helps. It costs nothing.");
        check("Walking X helps. It costs nothing. These gains last. Diet helps.", "Diet helps.");
        check(
            "Walking helps. Diet X helps. In addition, sleep helps. Sun helps.",
            "Walking helps. Sun helps.",
        );
        check("Diet X helps. Itself a gain, sleep helps.", "Itself a gain, sleep helps.");
        check("Diet X helps. Each mechanism is known.", "");
        check(
            "Sleep helps.\n\nTwo effects:\n- one X.\n- two X.\n\nDiet helps.",
            "Sleep helps.\n\nDiet helps.",
        );
        check("Two effects:\n\n- one X.\n- two.", "Two effects:\n\n- two.");
    }
}
