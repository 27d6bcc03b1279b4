//! Converts the results to the document of `contract`.

use super::{AnswersRun, Bin, Decisions};
use crate::{benchmark::converted, error::LabError};
use contract::{
    AnswersBaseline, AnswersDecisions, BenchAnswers, Gate, PassagesIndex, Reliability, ReliabilityBin,
};

impl AnswersRun {
    /// The document of `--format json`.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn document(&self) -> Result<BenchAnswers, LabError> {
        let baselines = self.baselines.iter().map(|(baseline, measures, comparison)| {
            Ok::<_, LabError>(AnswersBaseline {
                name: baseline.key().to_owned(),
                measures: converted(measures)?,
                comparison: converted(comparison)?,
            })
        });
        let gates = self.gates.iter().map(|gate| Gate {
            gate: gate.to_string(),
            passed: gate.passed,
        });
        Ok(BenchAnswers {
            dataset: self.dataset.clone(),
            mode: self.mode.to_string(),
            own_paper: self.own_paper,
            questions: self.questions,
            left_out: self.left_out,
            in_no_chunk: self.in_no_chunk,
            papers: self.documents,
            measures: converted(&self.measures)?,
            baselines: baselines.collect::<Result<_, _>>()?,
            against: self.against.as_ref().map(converted).transpose()?,
            unanswerable: decisions(&self.unanswerable),
            removed: decisions(&self.removed),
            reliability: Reliability {
                levels: self.reliability.levels.iter().map(bin).collect(),
                tenths: self.reliability.tenths.iter().map(bin).collect(),
                high_of_right: self.reliability.high_of_right,
            },
            quotes: self.quotes,
            words: self.words,
            milliseconds: self.milliseconds,
            index: PassagesIndex {
                dir: self.indexed.dir.clone(),
                articles: self.indexed.documents,
                chunks: self.indexed.chunks,
                added: self.indexed.added,
                left_out: self.indexed.left_out,
                seconds: self.indexed.seconds,
            },
            gates: gates.collect(),
            config_hash: self.config_hash.clone(),
            seed: self.seed,
            models: self.models.clone(),
        })
    }
}

fn decisions(of: &Decisions) -> AnswersDecisions {
    AnswersDecisions {
        answerable: of.answerable,
        answered: of.answered,
        unanswerable: of.unanswerable,
        refused: of.refused,
        balanced_accuracy: of.balanced_accuracy(),
    }
}

fn bin(bin: &Bin) -> ReliabilityBin {
    ReliabilityBin {
        name: bin.name.clone(),
        answers: bin.answers,
        right: bin.right,
        stated: bin.stated,
    }
}
