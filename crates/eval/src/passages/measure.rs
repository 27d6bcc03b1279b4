//! The measures of one question.

use super::GoldSpans;
use crate::paired::Scored;
use crate::{EvalError, Gate};
use strum::VariantArray as _;
use types::Chunk;

/// Whether the answer was found, or how early: `0..=1`, higher is better.
#[derive(strum::IntoStaticStr, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Whether a candidate, that is a passage handed to the reranker, holds the answer.
    Candidates,
    /// Whether a passage that the reranker kept holds it.
    Kept,
    /// Whether a passage of the expanded context holds it.
    Context,
    /// One over the rank of the first kept passage that holds it; 0 if none does.
    Mrr,
    /// Whether a kept passage is from the article that the question was asked about, answer or not.
    Article,
}

impl Measure {
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
    Gate::on_means(gate, &Measure::ALL.map(Measure::key), "kept=0.7")
}

/// What a system did with one question: chunks with the article they are from, best first where they are ordered.
#[derive(Clone, Debug, Default)]
pub struct Seen<'a> {
    /// The candidates.
    pub candidates: Vec<(&'a str, &'a Chunk)>,
    /// Those that the reranker kept, in its order.
    pub kept: Vec<(&'a str, &'a Chunk)>,
    /// The expanded context.
    pub context: Vec<(&'a str, &'a Chunk)>,
}

/// Every measure of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredQuestion {
    /// The question.
    pub question_id: String,
    /// The article that it was asked about: questions of one article are one cluster.
    pub document: String,
    /// By measure, in the order of [`Measure::ALL`].
    values: [f64; Measure::ALL.len()],
    /// Rank of the first candidate that holds the answer, from 1.
    pub candidate_rank: Option<usize>,
    /// Rank of the first kept passage that holds the answer, from 1.
    pub kept_rank: Option<usize>,
}

impl ScoredQuestion {
    /// Scores one question.
    pub fn new(question_id: &str, document: &str, gold: &GoldSpans, seen: &Seen<'_>) -> Self {
        let of_article = |(from, _): &(&str, &Chunk)| *from == document;
        let rank = |chunks: &[(&str, &Chunk)]| {
            let holds = |found: &(&str, &Chunk)| of_article(found) && gold.held_by(found.1.span);
            chunks.iter().position(holds).map(|at| at + 1)
        };
        let (candidate_rank, kept_rank) = (rank(&seen.candidates), rank(&seen.kept));
        let share = |holds: bool| f64::from(u8::from(holds));
        let value = |measure: Measure| match measure {
            Measure::Candidates => share(candidate_rank.is_some()),
            Measure::Kept => share(kept_rank.is_some()),
            Measure::Context => share(rank(&seen.context).is_some()),
            Measure::Mrr => kept_rank.map_or(0.0, |rank| 1.0 / rank as f64),
            Measure::Article => share(seen.kept.iter().any(of_article)),
        };
        Self {
            question_id: question_id.to_owned(),
            document: document.to_owned(),
            values: Measure::ALL.map(value),
            candidate_rank,
            kept_rank,
        }
    }

    /// The value of a measure, 0 to 1.
    pub fn value(&self, measure: Measure) -> f64 {
        self.values[measure as usize]
    }
}

impl Scored for ScoredQuestion {
    fn id(&self) -> &str {
        &self.question_id
    }
    fn cluster(&self) -> &str {
        &self.document
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        let measure = Measure::ALL.into_iter().find(|measure| measure.key() == key)?;
        Some(self.value(measure))
    }
}

#[cfg(test)]
mod tests {
    use super::super::GoldAnswer;
    use super::*;
    use types::{ChunkId, SectionKind, SourceId, Span};

    fn chunk(start: usize, end: usize) -> Chunk {
        Chunk {
            chunk_id: ChunkId::from_parts(&SourceId::from_stem("a"), SectionKind::Body, start),
            source_id: SourceId::from_stem("a"),
            section: SectionKind::Body,
            heading: String::new(),
            ordinal: 0,
            page_start: 1,
            page_end: 1,
            span: Span::new(start, end),
            prefix: String::new(),
            text: String::new(),
            tokens: 0,
            sentences: Vec::new(),
        }
    }

    #[test]
    fn measures_are_their_own_index() {
        for (at, measure) in Measure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, at);
        }
    }

    #[test]
    fn values_worked_by_hand() {
        let text = "0123456789abcdefghij";
        let answer = GoldAnswer {
            text: "abcd".to_owned(),
            start: 10,
        };
        let gold = GoldSpans::locate(&[answer], text, text).expect("located");
        let (before, gold_chunk) = (chunk(0, 10), chunk(8, 20));
        let check = |seen: &Seen<'_>, want: [f64; 5], ranks: (Option<usize>, Option<usize>)| {
            let scored = ScoredQuestion::new("q", "A", &gold, seen);
            let found = Measure::ALL.map(|measure| scored.value(measure));
            assert_eq!(found.map(f64::to_bits), want.map(f64::to_bits), "{found:?}");
            assert_eq!((scored.candidate_rank, scored.kept_rank), ranks);
        };
        let (first, second, elsewhere) = (("A", &before), ("A", &gold_chunk), ("B", &gold_chunk));
        let all = Seen {
            candidates: vec![elsewhere, first, second],
            kept: vec![first, second],
            context: vec![first, second],
        };
        check(&all, [1.0, 1.0, 1.0, 0.5, 1.0], (Some(3), Some(2)));
        // Dropped by the reranker, and brought back by expansion.
        let expanded = Seen {
            candidates: vec![second, elsewhere],
            kept: vec![elsewhere],
            context: vec![elsewhere, second],
        };
        check(&expanded, [1.0, 0.0, 1.0, 0.0, 0.0], (Some(1), None));
        // The span of another article is no answer.
        let other = Seen {
            candidates: vec![elsewhere],
            kept: vec![elsewhere],
            context: vec![elsewhere],
        };
        check(&other, [0.0; 5], (None, None));
        check(&Seen::default(), [0.0; 5], (None, None));
    }

    #[test]
    fn gates_name_measures() {
        assert!(parse_gate("kept=0.5").is_ok());
        let error = parse_gate("ndcg@10=0.5").expect_err("no measure").to_string();
        assert!(error.contains("candidates, kept, context"), "{error}");
    }
}
