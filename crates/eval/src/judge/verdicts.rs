//! Everything that judges say of one sample.

use super::{Compared, JudgeOutput, Judged};
use std::collections::BTreeMap;
use types::Usage;

/// What a language model decides of one metric of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// In the range of the metric.
    pub value: f64,
    /// Why.
    pub reason: String,
    /// What lowers the value.
    pub findings: Vec<String>,
    /// Which judge.
    pub by: String,
    /// What it spent.
    pub usage: Usage,
}

/// The verdicts on a sample.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// On the claims of the answer.
    pub claims: Judged<JudgeOutput>,
    /// By metric that a language model decides. A metric that is here never has the value of its own definition.
    pub decided: BTreeMap<&'static str, Judged<Decision>>,
}

impl Default for Verdicts {
    fn default() -> Self {
        Self {
            claims: Judged::NotApplicable("the answer was not judged".to_owned()),
            decided: BTreeMap::new(),
        }
    }
}

impl Verdicts {
    /// What all of them spent.
    pub fn usage(&self) -> Usage {
        let mut usage = self.claims.spent(|output| output.usage);
        for decided in self.decided.values() {
            usage.add(decided.spent(|decision| decision.usage));
        }
        usage
    }
}

impl From<&Decision> for Compared {
    fn from(decision: &Decision) -> Self {
        Self {
            same_facts: decision.value > 0.5,
            by: decision.by.clone(),
            reason: decision.reason.clone(),
            differences: decision.findings.clone(),
        }
    }
}
