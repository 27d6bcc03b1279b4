//! The measures of one question that the papers answer, and decisions on all.

use crate::metrics::gold::{share_run, words};
use crate::paired::Scored;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use strum::VariantArray as _;
use types::Span;

/// Words that two texts must have in common, however short they are.
const LEAST_WORDS: usize = 3;

/// Whether two spans of one text share at least half of the shorter one.
pub fn shares(a: Span, b: Span) -> bool {
    let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
    shared > 0 && 2 * shared >= a.len().min(b.len())
}

/// Whether a sentence shows a quote by their words: both have a run of at least half of the shorter one's words in
/// common. Punctuation does not count, so that the row of a table shows its cells.
pub fn shows(sentence: &str, quote: &str) -> bool {
    let (sentence, quote) = (words(sentence), words(quote));
    let half = sentence.len().min(quote.len()).div_ceil(2);
    share_run(&sentence, &quote, half.max(LEAST_WORDS))
}

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
    /// One over the rank of the first kept passage that does; 0 if none does.
    Mrr,
    /// Whether a kept passage is of a paper that the question was asked about, evidence or not.
    Article,
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

/// What a system did with one question. Sentences are given by the gold items that each shows, by their index.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How many gold items the question has.
    pub items: usize,
    /// Whether a candidate contains one.
    pub candidates: bool,
    /// Rank of the first kept passage that does, from 1.
    pub kept: Option<usize>,
    /// Whether a kept passage is of a paper that the question was asked about.
    pub article: bool,
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
            AnswerMeasure::Kept => flag(seen.kept.is_some()),
            AnswerMeasure::Context => flag(seen.context),
            AnswerMeasure::Mrr => seen.kept.map_or(0.0, |rank| 1.0 / rank as f64),
            AnswerMeasure::Article => flag(seen.article),
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
        let measure = AnswerMeasure::ALL.into_iter().find(|measure| measure.key() == key)?;
        Some(self.value(measure))
    }
}

/// One decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the papers that were searched answer the question.
    pub answerable: bool,
    /// Whether the system answered it.
    pub answered: bool,
}

/// The decisions on a set of questions, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Decisions {
    /// Questions that the papers answer.
    pub answerable: usize,
    /// Those of them that were answered.
    pub answered: usize,
    /// Questions that the papers do not answer.
    pub unanswerable: usize,
    /// Those of them that were refused.
    pub refused: usize,
    /// Mean share of right decisions on both kinds, 0 to 1: 0.5 for a system that always answers or always refuses. Null
    /// unless there are both.
    pub balanced_accuracy: Option<f64>,
}

impl Decisions {
    /// Adds a decision.
    pub fn add(&mut self, decision: Decision) {
        if decision.answerable {
            self.answerable += 1;
            self.answered += usize::from(decision.answered);
        } else {
            self.unanswerable += 1;
            self.refused += usize::from(!decision.answered);
        }
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let answered = share(self.answered, self.answerable);
        let refused = share(self.refused, self.unanswerable);
        self.balanced_accuracy = answered.zip(refused).map(|(answered, refused)| 0.5 * (answered + refused));
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
            kept: Some(4),
            article: true,
            context: true,
            best: vec![vec![], vec![], vec![1], vec![0], vec![0, 1]],
            answer: Some(vec![vec![], vec![1]]),
        };
        for (measure, want) in [
            (AnswerMeasure::Kept, 1.0),
            (AnswerMeasure::Context, 1.0),
            (AnswerMeasure::Mrr, 0.25),
            (AnswerMeasure::Article, 1.0),
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
        for measure in [AnswerMeasure::Answer, AnswerMeasure::Recall, AnswerMeasure::Answered] {
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

    #[test]
    fn one_answer_for_all_is_worth_one_half() {
        let counted = |answers: &[(bool, bool)]| {
            let mut out = Decisions::default();
            for (answerable, answered) in answers {
                out.add(Decision { answerable: *answerable, answered: *answered });
            }
            out.balanced_accuracy
        };
        assert_eq!(counted(&[(true, true), (true, true), (false, true)]), Some(0.5));
        assert_eq!(counted(&[(true, true), (true, false), (false, false)]), Some(0.75));
        assert_eq!(counted(&[(true, true)]), None);
    }

    #[test]
    fn rows_show_their_cells() {
        let quote = "Six-minute walk, m 512 (68) 508 (72) 515 (66)";
        assert!(shows("Six-minute walk, m | 512 (68) | 508 (72) | 515 (66)", quote));
        assert!(shows("508 (72) | 515 (66)", quote));
        assert!(!shows("Six-minute walk was measured.", quote), "a run of two words");
        assert!(!shows("", quote) && !shows(quote, ""));
    }

    #[test]
    fn half_of_the_shorter_span_is_enough() {
        for (a, b, want) in [
            ((0, 100), (40, 50), true),
            ((40, 50), (0, 100), true),
            ((0, 10), (5, 15), true),
            ((0, 10), (6, 16), false),
            ((0, 10), (10, 20), false),
            ((0, 0), (0, 10), false),
        ] {
            assert_eq!(shares(Span::new(a.0, a.1), Span::new(b.0, b.1)), want, "{a:?} {b:?}");
        }
    }
}
