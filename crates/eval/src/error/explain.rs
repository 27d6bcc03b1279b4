//! The parts of [`EvalError`].

use super::EvalError;
use types::Explain;

pub(super) const NOT_IN_LOG: &str = "name the query set that the log was made with";
pub(super) const BASELINE: &str = "write it anew with --write-baseline";
pub(super) const IN_COMMON: &str = "compare runs of the same query set";
pub(super) const EXPORT: &str = "choose another --format";
pub(super) const FATAL: &str = "finished rows are kept, the same command goes on from there";

pub(super) const EVALUATION_REPORT: &str =
    "correct these rows: the file is {\"hybrid\": [ROW, ...], \"vector_only\": [ROW, ...]}";
pub(super) const REPORT_MODE: &str = "it holds rows of the modes hybrid, vector and bm25";

pub(super) fn gate(example: &str) -> String {
    format!("write METRIC=VALUE, for example {example}")
}

impl Explain for EvalError {
    fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "eval_read",
            Self::Write { .. } => "eval_write",
            Self::Busy { .. } => "eval_busy",
            Self::QuerySet { .. } => "eval_query_set",
            Self::Json { .. } => "eval_json",
            Self::Record { .. } => "eval_record",
            Self::NotInLog { .. } => "eval_not_in_log",
            Self::Baseline { .. } => "eval_baseline",
            Self::Run(_) => "eval_run",
            Self::Log { .. } => "eval_log",
            Self::NothingInCommon { .. } => "eval_nothing_in_common",
            Self::Export { .. } => "eval_export",
            Self::Output { .. } => "eval_output",
            Self::Fatal { .. } => "eval_fatal",
            Self::EvaluationReport { .. } => "eval_evaluation_report",
            Self::ReportMode { .. } => "eval_report_mode",
            Self::Gate { .. } => "eval_gate",
            Self::Benchmark { .. } => "benchmark_file",
            Self::Ranking { .. } => "benchmark_ranking",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Busy { path }
            | Self::Baseline { path, .. }
            | Self::EvaluationReport { path, .. }
            | Self::Log { path, .. }
            | Self::Benchmark { path, .. } => Some(path.display().to_string()),
            Self::NothingInCommon { first, .. } => Some(first.clone()),
            Self::Export { value, .. } => Some(value.clone()),
            Self::QuerySet { name, .. } => Some(name.clone()),
            Self::Record { query_id, .. } | Self::Fatal { query_id, .. } => Some(query_id.clone()),
            Self::NotInLog { set, .. } => Some(set.clone()),
            Self::ReportMode { mode } => Some(mode.clone()),
            Self::Gate { gate, .. } => Some(gate.clone()),
            Self::Ranking { document, .. } => Some(document.clone()),
            Self::Run(error) => Some(error.value()),
            Self::Json { .. } | Self::Output { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotInLog { .. } => Some(NOT_IN_LOG.to_owned()),
            Self::Baseline { .. } => Some(BASELINE.to_owned()),
            Self::Fatal { .. } => Some(FATAL.to_owned()),
            Self::Run(error) => Some(error.hint()),
            Self::EvaluationReport { .. } => Some(EVALUATION_REPORT.to_owned()),
            Self::ReportMode { .. } => Some(REPORT_MODE.to_owned()),
            Self::NothingInCommon { .. } => Some(IN_COMMON.to_owned()),
            Self::Export { .. } => Some(EXPORT.to_owned()),
            Self::Gate { example, .. } => Some(gate(example)),
            Self::Benchmark { hint, .. } => Some((*hint).to_owned()),
            Self::Read { .. }
            | Self::Write { .. }
            | Self::Busy { .. }
            | Self::Log { .. }
            | Self::Output { .. }
            | Self::QuerySet { .. }
            | Self::Json { .. }
            | Self::Record { .. }
            | Self::Ranking { .. } => None,
        }
    }
}
