//! Measures how far answers can be trusted.
//!
//! The last stage of the flow: an [`types::Answerer`] answers a [`QuerySet`] in one or more modes; each
//! answer's [`types::RunRecord`] becomes one scored [`Row`]; rows become a [`Summary`] with intervals and
//! paired tests; summary and rows become the report. It does not know how answers are made, loads no model
//! and draws nothing on a terminal: it sees records, a [`Judge`], and places to hand results to.
//!
//! Rules that hold throughout: every row of every metric is a value, `n_a` with a reason, or `error` with a
//! reason, and all three are counted; no NaN; no mean without its n and an interval of non-zero width; a
//! refusal is the right answer to a question that the corpus does not answer; support is judged against the
//! chunk that is cited; a word such as "improved" appears only where a paired test separates.
//!
//! Units: each metric names its range and direction ([`metrics::Spec`]). Intervals are 95 %; p is
//! two-sided; a difference is significant where p, corrected for all metrics that can differ, is below 0.05. [`estimate`]
//! is the one place where both are computed. Same rows and seed, same bytes.
//!
//! ```
//! use eval::QuerySet;
//!
//! let line = r#"{"id":"E01","type":"edge","query":"Why is the sky blue?","expected_no_evidence":true}"#;
//! let set = QuerySet::parse("inline", line)?;
//! assert_eq!(set.counts(), [("edge", 0, 1)]);
//! // 19 right of 20: a mean is never given without its interval.
//! let interval = eval::stats::wilson(19, 20).ok_or("no rows")?;
//! assert!(interval.low < 0.77 && interval.high < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`runlog`] stores runs, [`stored`] reads and compares them, [`export`] writes them in the formats of other programs.
//!
//! [`ranking`] measures retrieval alone: rankings of documents against the relevance judgements of a public benchmark, and
//! [`answers`] says which sentences show labelled evidence. [`paired`] compares the rows of any two systems.
//!
//! Methods: citation precision and faithfulness after Gao et al. 2023 (ALCE) with support per cited passage; token F1
//! after Rajpurkar et al. 2016 (SQuAD); Intervals and tests: see [`estimate`].

mod abstention;
pub mod agreement;
pub mod answers;
pub mod assessment;
pub mod controls;
mod error;
pub mod estimate;
mod evaluate;
pub mod export;
mod failure_mode;
pub mod failure_modes;
mod funnel;
mod gate;
mod gold_path;
mod groups;
mod hash;
pub mod json_lines;
pub mod judge;
mod latency;
mod linked;
pub mod metrics;
mod ordered;
pub mod paired;
mod queries;
pub mod ranking;
mod reliability;
mod remains;
mod removed_terms;
pub mod report;
mod row;
pub mod rows;
mod run;
pub mod runlog;
mod sample;
mod score;
pub mod stats;
pub mod stored;
mod summary;
pub mod sweep;
mod words;

pub use abstention::Abstention;
pub use error::EvalError;
pub use estimate::{ALPHA, Comparison, MetricSummary, ModeSummary};
pub use evaluate::{evaluate, verdicts};
pub use evidence::support::{OFFLINE_JUDGE, strip_marks};
pub use failure_mode::FailureMode;
pub use funnel::{ModeFunnel, StageGold};
pub use gate::{Gate, GateResult, Known, check_means};
pub use gold_path::{Evidence, FUNNEL_STAGES, Funnel, GoldPath, LostAt};
pub use groups::{FEW, GroupSummary, Groups, LANGUAGE_TAG};
pub use hash::seed_of;
pub use judge::Judge;
pub use latency::{Latency, StageLatency, latency};
pub use metrics::{REFUSAL, gold::GoldChunks};
pub use ordered::Ordered;
pub use queries::{GoldEvidence, QUERY_TYPES, Query, QuerySet};
pub use reliability::{Bin, Reliability, Stated};
pub use remains::Remains;
pub use removed_terms::{RemovedTerms, removed_terms};
pub use row::{Row, Unsupported};
pub use run::{Kept, PartialRows, Resumed, RunJob, RunOutcome, RunSettings, run};
pub use sample::{Cited, Expected, GoldQuote, Passage, Sample};
pub use score::Score;
pub use summary::{SameCandidates, Summary, summarise};
pub use types::EvaluateLimits as Limits;
pub use types::Problem;
