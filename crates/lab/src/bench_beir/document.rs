//! The results as the documents of `contract`.

use super::{BeirRun, ModeRun};
use crate::{benchmark::converted, error::LabError};
use contract::{BeirConfigured, BeirIndex, BeirMode, BeirModes, BenchBeir, Gate};
use eval::ranking::Measure;
use std::collections::BTreeMap;

impl BeirRun {
    /// The document of `--format json`: that of the mode, or of all modes if there are several.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn document(&self) -> Result<BenchBeir, LabError> {
        if let [only] = &self.modes[..] {
            return Ok(BenchBeir::One(Box::new(self.mode_document(only)?)));
        }
        let mut modes = BTreeMap::new();
        for run in &self.modes {
            modes.insert(run.mode.to_string(), self.mode_document(run)?);
        }
        let mut comparison = BTreeMap::new();
        for (mode, compared) in &self.comparisons {
            comparison.insert(mode.to_string(), converted(compared)?);
        }
        Ok(BenchBeir::All(BeirModes {
            dataset: self.dataset.clone(),
            modes,
            comparison,
        }))
    }

    fn mode_document(&self, run: &ModeRun) -> Result<BeirMode, LabError> {
        // A run has at least one query, so every measure has a mean.
        let mean = |measure: Measure| {
            let summary = run.summary.get(measure.key());
            summary.and_then(|summary| summary.mean).unwrap_or_default()
        };
        let gates = self.gates.iter().filter(|gate| gate.mode == run.mode.as_str());
        let against = self.against.iter().find(|(mode, _)| *mode == run.mode);
        Ok(BeirMode {
            dataset: self.dataset.clone(),
            mode: run.mode.to_string(),
            ndcg_10: mean(Measure::Ndcg10),
            recall_10: mean(Measure::Recall10),
            recall_100: mean(Measure::Recall100),
            map: mean(Measure::Map),
            mrr_10: mean(Measure::Mrr10),
            precision_10: mean(Measure::Precision10),
            queries: run.queries.len(),
            qps: run.queries_per_second,
            index_seconds: self.indexed.seconds,
            split: self.split.clone(),
            reranker: self.reranker.clone(),
            skip_same_id: self.skip_same_id,
            measures: converted(&run.summary)?,
            documents_per_query: run.reach.documents,
            queries_without_documents: run.reach.none,
            queries_below_100: run.reach.short,
            queries_cut_by_threshold: run.reach.cut_by_threshold,
            queries_without_relevant: self.without_relevant,
            as_configured: BeirConfigured {
                candidates: self.candidates,
                keep: self.keep,
                threshold: self.threshold.into(),
                documents_per_query: run.configured.documents,
                ndcg_10: run.configured.ndcg,
                recall_10: run.configured.recall,
            },
            index: BeirIndex {
                dir: self.indexed.dir.clone(),
                documents: self.indexed.documents,
                chunks: self.indexed.chunks,
                added: self.indexed.added,
                left_out: self.indexed.left_out,
                relevant_missing: self.relevant_missing,
            },
            against: against.map(|(_, compared)| converted(compared)).transpose()?,
            gates: gates
                .map(|gate| Gate {
                    gate: gate.to_string(),
                    passed: gate.passed,
                })
                .collect(),
            config_hash: self.config_hash.clone(),
            models: self.models.clone(),
        })
    }
}
