//! Does a query set detect bad systems? Six deliberately bad systems are asked the same questions as
//! the system under test; each must score significantly lower on the metric that should see its fault.
//!
//! And is the judge fit? Four more write answers that try to please a judge instead of the reader ([`Control::games`]): a judge
//! that scores one of them significantly higher than the real answers is unfit.
//!
//! A set on which a bad system does as well as a good one cannot measure what that system lacks, whatever
//! the mean: its questions are too easy, or too few. Which metric should see which fault was decided before
//! anything was measured ([`Control::sees`]); all tests of a run are corrected together (Holm).
//!
//! This module decides, alters records ([`refused`], [`shuffled`], [`gamed`]) and compares rows. The systems themselves
//! are built by whoever knows the pipeline.

mod alter;
mod compare;

pub use alter::{Altered, gamed, refused, shuffled};
pub use compare::{Check, Controls, compare};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// A deliberately bad system.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Chunks are drawn, not retrieved.
    RandomRetrieval,
    /// One chunk is retrieved and nothing around it.
    OneChunk,
    /// The answer quotes how the best paper begins.
    FirstSentences,
    /// No question is refused.
    AlwaysAnswer,
    /// Every question is refused.
    AlwaysRefuse,
    /// Each citation points to another chunk of the context.
    ShuffledCitations,
    /// The answer repeats the question.
    RepeatsQuestion,
    /// The answer also has the first sentences of every passage.
    StuffedQuotes,
    /// Every sentence of the answer takes itself back.
    Hedges,
    /// The answer says nothing and tells the judge how to grade it.
    AddressesJudge,
}

/// What must be significantly lower for a control to be detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The key of a registered metric.
    Metric(&'static str),
    /// The mean of the shares of answerable questions answered and of unanswerable ones refused.
    BalancedAccuracy,
}

impl Control {
    /// All of them, in the order of the report.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }

    /// Its name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::RandomRetrieval => "Random retrieval",
            Self::OneChunk => "One chunk (k = 1)",
            Self::FirstSentences => "First sentences",
            Self::AlwaysAnswer => "Always answer",
            Self::AlwaysRefuse => "Always refuse",
            Self::ShuffledCitations => "Shuffled citations",
            Self::RepeatsQuestion => "Repeats the question",
            Self::StuffedQuotes => "Stuffed with quotes",
            Self::Hedges => "Hedges everything",
            Self::AddressesJudge => "Addresses the judge",
        }
    }

    /// Whether it tries to please the judge. It is detected if the judge does not score it higher.
    pub fn games(self) -> bool {
        matches!(self, Self::RepeatsQuestion | Self::StuffedQuotes | Self::Hedges | Self::AddressesJudge)
    }

    /// What should see the fault.
    pub fn sees(self) -> &'static [Measure] {
        match self {
            Self::RandomRetrieval | Self::OneChunk => &[Measure::Metric("gold_recall_context")],
            Self::FirstSentences => &[Measure::Metric("gold_recall_answer")],
            Self::AlwaysAnswer => &[Measure::Metric("unanswerable_accuracy"), Measure::BalancedAccuracy],
            Self::AlwaysRefuse => &[Measure::Metric("coverage"), Measure::BalancedAccuracy],
            Self::ShuffledCitations => &[Measure::Metric("fully_cited")],
            Self::RepeatsQuestion | Self::StuffedQuotes | Self::Hedges | Self::AddressesJudge => {
                &[Measure::Metric("matched"), Measure::Metric("faithful")]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics;
    use std::collections::BTreeSet;

    #[test]
    fn every_control_is_named_once_and_measured_by_a_known_metric() {
        let keys: BTreeSet<&str> = Control::ALL.iter().map(|c| c.key()).collect();
        assert_eq!(keys.len(), Control::ALL.len());
        for control in Control::ALL {
            assert_eq!(serde_json::to_value(control).expect("serialises"), control.key(), "one name in JSON");
            assert!(!control.sees().is_empty());
            for measure in control.sees() {
                if let Measure::Metric(key) = measure {
                    assert!(metrics::find(key).is_some(), "{key}");
                }
            }
        }
    }
}
