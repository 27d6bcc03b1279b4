//! Counts what the guardrails did to each sentence.

use eval::planted::{ErrorKind, PlantedAnswer};
use guardrail::Guarded;
use std::collections::BTreeMap;
use types::{GuardrailAction, GuardrailKind};

/// What happened to one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It was left as it was.
    None,
    /// It was left, but the reader is warned, or its citation was changed.
    Flagged,
    /// It was removed, or the whole answer was withheld.
    Stripped,
}

/// Returns what happened to each sentence of an answer.
pub(super) fn touched(planted: &PlantedAnswer, guarded: &Guarded) -> Vec<Touch> {
    let left = one_line(&guarded.response.answer);
    let each = planted.sentences.iter().zip(&planted.cited);
    each.map(|(sentence, chunk)| {
        let core = one_line(sentence.trim_end_matches('.'));
        if guarded.response.no_evidence || !left.contains(&core) {
            return Touch::Stripped;
        }
        let warned = guarded
            .actions
            .iter()
            .any(|action| concerns(action, &core, chunk.as_str()));
        if warned { Touch::Flagged } else { Touch::None }
    })
    .collect()
}

/// Whether an action is about this sentence or its citation.
fn concerns(action: &GuardrailAction, sentence: &str, chunk: &str) -> bool {
    let subject = one_line(&action.subject);
    let said = subject.trim_end_matches('.');
    match action.guardrail {
        // A clause of the sentence, or the sentence with its mark.
        GuardrailKind::Support | GuardrailKind::Entity => {
            let of_sentence = matches!(action.action.as_str(), "flagged" | "stripped");
            of_sentence && !said.is_empty() && (sentence.contains(said) || said.contains(sentence))
        }
        GuardrailKind::Citation => subject.contains(chunk) && action.action != "cut",
        _ => false,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Counts over all answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Correct answers.
    pub clean: KindCounts,
    /// Answers with an error, by kind.
    pub kinds: BTreeMap<ErrorKind, KindCounts>,
}

/// Counts over the answers of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Number of answers.
    pub answers: usize,
    /// Answers with a sentence in other words than its paper.
    pub reworded: usize,
    /// Wrong sentences: one in each answer with an error.
    pub wrong: usize,
    /// Wrong sentences that were stripped.
    pub stripped: usize,
    /// Wrong sentences that were flagged, or whose citation was changed.
    pub flagged: usize,
    /// Correct sentences.
    pub correct: usize,
    /// Correct sentences that were stripped.
    pub correct_stripped: usize,
    /// Correct sentences that were flagged, or whose citation was changed.
    pub correct_flagged: usize,
}

impl KindCounts {
    /// Share of the wrong sentences that were stripped or flagged, 0 to 1; `None` if there are no wrong sentences.
    pub fn recall(&self) -> Option<f64> {
        share(self.stripped + self.flagged, self.wrong)
    }

    /// Share of the stripped and flagged sentences that are wrong, 0 to 1; `None` if none was stripped or flagged, or there
    /// are no wrong sentences.
    pub fn precision(&self) -> Option<f64> {
        let right = self.stripped + self.flagged;
        let all = right + self.correct_stripped + self.correct_flagged;
        share(right, all).filter(|_| self.wrong > 0)
    }

    /// Share of the correct sentences that were stripped, 0 to 1; `None` if there are no correct sentences.
    pub fn wrongly_stripped(&self) -> Option<f64> {
        share(self.correct_stripped, self.correct)
    }

    /// Share of the correct sentences that were flagged, 0 to 1; `None` if there are no correct sentences.
    pub fn wrongly_flagged(&self) -> Option<f64> {
        share(self.correct_flagged, self.correct)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Adds up what happened.
#[derive(Debug)]
pub(super) struct Tally(Counts);

impl Default for Tally {
    /// A kind that no answer can have is counted, too: 0 times.
    fn default() -> Self {
        Self(Counts {
            clean: KindCounts::default(),
            kinds: ErrorKind::ALL.map(|kind| (kind, KindCounts::default())).into(),
        })
    }
}

impl Tally {
    pub(super) fn add(&mut self, kind: Option<ErrorKind>, planted: &PlantedAnswer, touched: &[Touch]) {
        let counts = match kind {
            None => &mut self.0.clean,
            Some(kind) => self.0.kinds.entry(kind).or_default(),
        };
        counts.answers += 1;
        counts.reworded += usize::from(planted.reworded);
        for (at, touch) in touched.iter().enumerate() {
            let wrong = planted.wrong == Some(at);
            counts.correct += usize::from(!wrong);
            counts.wrong += usize::from(wrong);
            match (touch, wrong) {
                (Touch::None, _) => {}
                (Touch::Flagged, true) => counts.flagged += 1,
                (Touch::Stripped, true) => counts.stripped += 1,
                (Touch::Flagged, false) => counts.correct_flagged += 1,
                (Touch::Stripped, false) => counts.correct_stripped += 1,
            }
        }
    }

    pub(super) fn counts(self) -> Counts {
        self.0
    }
}
