//! The results as the document of `contract`.

use super::{Group, PassagesRun, System, SystemSummary};
use crate::{benchmark::converted, error::LabError};
use contract::{
    BenchPassages, Gate, PassagesAgainst, PassagesComparison, PassagesGroup, PassagesIndex, PassagesLeftOut,
    PassagesNotLocated, PassagesSettings, PassagesSpeed, PassagesSystem, PassagesSystemName,
};

impl PassagesRun {
    /// The document of `--format json`.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn document(&self) -> Result<BenchPassages, LabError> {
        let not_located = self.left_out.not_located.iter();
        Ok(BenchPassages {
            dataset: self.dataset.clone(),
            groups: self.groups.iter().map(group).collect::<Result<_, _>>()?,
            left_out: PassagesLeftOut {
                impossible: self.left_out.impossible,
                without_answer: self.left_out.without_answer,
                not_located: not_located
                    .map(|(id, reason)| PassagesNotLocated {
                        question_id: id.clone(),
                        reason: reason.clone(),
                    })
                    .collect(),
            },
            article_missing: self.article_missing,
            in_no_chunk: self.in_no_chunk,
            speed: self
                .systems
                .iter()
                .map(|run| PassagesSpeed {
                    system: named(&run.system),
                    questions_per_second: run.questions_per_second,
                    nothing_kept: run.nothing_kept,
                })
                .collect(),
            settings: PassagesSettings {
                candidates: self.depths.candidates,
                keep: self.depths.keep,
                cap: self.depths.cap,
                threshold: self.threshold.into(),
                seed: self.seed,
            },
            index: PassagesIndex {
                dir: self.indexed.dir.clone(),
                articles: self.indexed.documents,
                chunks: self.indexed.chunks,
                added: self.indexed.added,
                left_out: self.indexed.left_out,
                seconds: self.indexed.seconds,
            },
            gates: self
                .gates
                .iter()
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

fn group(group: &Group) -> Result<PassagesGroup, LabError> {
    let system = |summary: &SystemSummary| {
        Ok::<_, LabError>(PassagesSystem {
            system: named(&summary.system),
            measures: converted(&summary.measures)?,
        })
    };
    let comparisons = group.comparisons.iter().map(|compared| {
        Ok::<_, LabError>(PassagesComparison {
            first: named(&compared.first),
            second: named(&compared.second),
            measures: converted(&compared.measures)?,
        })
    });
    let against = group.against.iter().map(|(system, measures)| {
        Ok::<_, LabError>(PassagesAgainst {
            system: named(system),
            measures: converted(measures)?,
        })
    });
    Ok(PassagesGroup {
        name: group.name.to_owned(),
        articles: group.articles,
        questions: group.questions,
        systems: group.systems.iter().map(system).collect::<Result<_, _>>()?,
        comparisons: comparisons.collect::<Result<_, _>>()?,
        against: against.collect::<Result<_, _>>()?,
    })
}

fn named(system: &System) -> PassagesSystemName {
    PassagesSystemName {
        mode: system.mode.to_string(),
        reranker: system.reranker.clone(),
    }
}
