//! The measures of one question that the papers answer.

use crate::paired::Scored;
use crate::{EvalError, Gate};
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// Whether the evidence got through a stage, or how much of it: `0..=1`, higher is better.
#[derive(strum::IntoStaticStr, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerMeasure {
    /// Whether a candidate of retrieval contains a gold sentence.
    Candidates,
    /// Whether a passage that the reranker kept does.
    Kept,
    /// Whether a passage of the expanded context does.
    Context,
    /// Whether one of the five best sentences is gold, before the length of the answer is chosen.
    #[strum(serialize = "hit@5")]
    Hit5,
    /// Whether one of the three best sentences is.
    #[strum(serialize = "hit@3")]
    Hit3,
    /// Whether the best sentence is.
    #[strum(serialize = "hit@1")]
    Hit1,
    /// Whether the answer shows a gold item; 0 for a refusal.
    Answer,
    /// Whether its first quote does; 0 for a refusal.
    First,
    /// Share of the gold items that the five best sentences show.
    #[strum(serialize = "recall@5")]
    Recall5,
    /// Share of the gold items that the answer shows; 0 for a refusal.
    Recall,
    /// Whether the question was answered at all.
    Answered,
}

impl AnswerMeasure {
    /// Every measure, in the order of tables.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON, gates and tables.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// Reads `MEASURE=VALUE`.
///
/// # Errors
/// [`EvalError::Gate`] when it names no measure, or its value is not a number from 0 to 1.
pub fn parse_gate(gate: &str) -> Result<Gate, EvalError> {
    Gate::on_means(gate, &AnswerMeasure::ALL.map(AnswerMeasure::key), "hit@5=0.7")
}

/// What a system did with one question. Sentences are given by the gold items that each shows, by their index.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How many gold items the question has.
    pub items: usize,
    /// Whether a candidate contains one.
    pub candidates: bool,
    /// Whether a kept passage does.
    pub kept: bool,
    /// Whether the context does.
    pub context: bool,
    /// The five best sentences, the best first.
    pub best: Vec<Vec<usize>>,
    /// The quotes of the answer, in order; `None` for a refusal.
    pub answer: Option<Vec<Vec<usize>>>,
}

/// Every measure of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredAnswer {
    /// The question.
    pub question_id: String,
    /// What it was asked about: questions about one paper are one cluster.
    pub document: String,
    values: [f64; AnswerMeasure::ALL.len()],
    /// Quotes of the answer; 0 for a refusal.
    pub quotes: usize,
}

impl ScoredAnswer {
    /// Scores one question. `seen.items` is at least 1.
    pub fn new(question_id: &str, document: &str, seen: &Seen) -> Self {
        let flag = |holds: bool| f64::from(u8::from(holds));
        let hit = |sentences: &[Vec<usize>], depth: usize| {
            flag(sentences.iter().take(depth).any(|items| !items.is_empty()))
        };
        let recall = |sentences: &[Vec<usize>]| {
            let shown: BTreeSet<usize> = sentences.iter().flatten().copied().collect();
            shown.len() as f64 / seen.items.max(1) as f64
        };
        let best = &seen.best[..seen.best.len().min(5)];
        let answer = seen.answer.as_deref().unwrap_or_default();
        let value = |measure: AnswerMeasure| match measure {
            AnswerMeasure::Candidates => flag(seen.candidates),
            AnswerMeasure::Kept => flag(seen.kept),
            AnswerMeasure::Context => flag(seen.context),
            AnswerMeasure::Hit5 => hit(best, 5),
            AnswerMeasure::Hit3 => hit(best, 3),
            AnswerMeasure::Hit1 => hit(best, 1),
            AnswerMeasure::Answer => hit(answer, usize::MAX),
            AnswerMeasure::First => hit(answer, 1),
            AnswerMeasure::Recall5 => recall(best),
            AnswerMeasure::Recall => recall(answer),
            AnswerMeasure::Answered => flag(seen.answer.is_some()),
        };
        Self {
            question_id: question_id.to_owned(),
            document: document.to_owned(),
            values: AnswerMeasure::ALL.map(value),
            quotes: answer.len(),
        }
    }

    /// The value of a measure, 0 to 1.
    pub fn value(&self, measure: AnswerMeasure) -> f64 {
        self.values[measure as usize]
    }
}

impl Scored for ScoredAnswer {
    fn id(&self) -> &str {
        &self.question_id
    }
    fn cluster(&self) -> &str {
        &self.document
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        let measure = AnswerMeasure::ALL
            .into_iter()
            .find(|measure| measure.key() == key)?;
        Some(self.value(measure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_worked_by_hand() {
        let value = |seen: &Seen, measure| ScoredAnswer::new("q", "d", seen).value(measure);
        let seen = Seen {
            items: 2,
            candidates: true,
            kept: true,
            context: true,
            best: vec![vec![], vec![], vec![1], vec![0], vec![0, 1]],
            answer: Some(vec![vec![], vec![1]]),
        };
        for (measure, want) in [
            (AnswerMeasure::Context, 1.0),
            (AnswerMeasure::Hit1, 0.0),
            (AnswerMeasure::Hit3, 1.0),
            (AnswerMeasure::Hit5, 1.0),
            (AnswerMeasure::Recall5, 1.0),
            (AnswerMeasure::Answer, 1.0),
            (AnswerMeasure::First, 0.0),
            (AnswerMeasure::Recall, 0.5),
            (AnswerMeasure::Answered, 1.0),
        ] {
            assert!((value(&seen, measure) - want).abs() < 1e-12, "{measure}");
        }
        let refused = Seen { answer: None, ..seen };
        for measure in [
            AnswerMeasure::Answer,
            AnswerMeasure::Recall,
            AnswerMeasure::Answered,
        ] {
            assert!(value(&refused, measure).abs() < 1e-12, "{measure}");
        }
        assert!((value(&refused, AnswerMeasure::Hit5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn measures_are_their_own_index() {
        for (at, measure) in AnswerMeasure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, at);
        }
    }
}
