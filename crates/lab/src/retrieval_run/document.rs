//! The results as the document of `contract`.

use super::{Found, ModeRetrieval, RetrievalRun};
use crate::{benchmark::converted, error::LabError};
use contract::{RetrievalEval, RetrievalMissed, RetrievalMode, RetrievalQuestion, RetrievalStages};

impl RetrievalRun {
    /// The document of `--format json`.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn document(&self) -> Result<RetrievalEval, LabError> {
        let modes = self.modes.iter().map(|mode| self.mode(mode));
        let compared = self
            .comparisons
            .iter()
            .map(|(mode, compared)| Ok((mode.to_string(), converted(compared)?)));
        Ok(RetrievalEval {
            queries: self.request.queries.display().to_string(),
            k: self.request.k,
            min_grade: self.request.qrels.as_ref().map(|_| self.request.min_grade),
            min_recall: self.request.min_recall,
            documents: self.documents,
            not_indexed: self.not_indexed,
            without_expected: self.without_expected,
            below: self.below(),
            modes: modes.collect::<Result<_, LabError>>()?,
            comparison: compared.collect::<Result<_, LabError>>()?,
            config_hash: self.config_hash.clone(),
        })
    }

    fn mode(&self, run: &ModeRetrieval) -> Result<RetrievalMode, LabError> {
        Ok(RetrievalMode {
            mode: run.mode.to_string(),
            measures: converted(&run.summary)?,
            questions: run.questions.iter().map(|found| self.question(found)).collect(),
        })
    }

    fn question(&self, found: &Found) -> RetrievalQuestion {
        let missed = found.missed.iter().map(|(document, rank)| RetrievalMissed {
            document: document.clone(),
            rank: *rank,
        });
        RetrievalQuestion {
            query_id: found.query_id.clone(),
            query: found.query.clone(),
            expected: found.expected,
            found: found.found,
            recall: found.recall(),
            ceiling: found.ceiling(),
            recall_of_ceiling: found.of_ceiling(),
            first_rank: found.first_rank,
            passed: found.passes(self.request.min_recall),
            lost_at: found.lost_at().map(str::to_owned),
            stages: RetrievalStages {
                first_100: found.stages.first_100,
                candidates: found.stages.candidates,
                reranked: found.stages.reranked,
                context: found.stages.context,
            },
            missed: missed.collect(),
        }
    }
}
