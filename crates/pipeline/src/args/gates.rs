//! The arguments for CI: conditions that become an exit code, and a file of test cases.

use clap::Args;
use std::path::PathBuf;

/// `--min`, `--max` and `--junit`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Gates {
    /// Exit with code 1 if the mean of a metric is below this value. METRIC.ci_low means the lower end of its 95 % interval.
    /// Repeatable
    #[arg(long, value_name = "METRIC=VALUE")]
    pub(crate) min: Vec<String>,
    /// Exit with code 1 if the mean of a metric is above this value; for metrics that are better when lower. Repeatable
    #[arg(long, value_name = "METRIC=VALUE")]
    pub(crate) max: Vec<String>,
    /// Write gates and rows to this file as test cases, in the XML of JUnit
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}
