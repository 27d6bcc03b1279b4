//! Converts the results to the document that `contract` defines.

use super::{Counts, GuardrailsMeasured, KindCounts};
use contract::{BenchGuardrails, GuardrailCounts, GuardrailTable};

impl GuardrailsMeasured {
    /// Returns the document for `--format json`.
    pub fn document(&self) -> BenchGuardrails {
        BenchGuardrails {
            papers: self.papers,
            requested: self.requested,
            now: table(&self.now),
            phase2: table(&self.phase2),
            config_hash: self.config_hash.clone(),
            seed: self.seed,
        }
    }
}

fn table(of: &Counts) -> GuardrailTable {
    GuardrailTable {
        correct_answers: counts(&of.clean),
        kinds: of
            .kinds
            .iter()
            .map(|(kind, of)| (kind.as_str().to_owned(), counts(of)))
            .collect(),
    }
}

fn counts(of: &KindCounts) -> GuardrailCounts {
    GuardrailCounts {
        answers: of.answers,
        reworded: of.reworded,
        wrong: of.wrong,
        stripped: of.stripped,
        flagged: of.flagged,
        recall: of.recall(),
        precision: of.precision(),
        correct: of.correct,
        correct_stripped: of.correct_stripped,
        correct_flagged: of.correct_flagged,
    }
}
