//! Evaluates combinations of settings on one query set, and says which is best and what that is worth.
//!
//! `combinations` makes the settings, `run` asks the questions, `results` compares, `document` and `csv` are what is printed and
//! written. Replies of language models that combinations share come from the cache.

mod combinations;
mod csv;
mod document;
mod plan;
mod results;
mod rows;
mod run;
mod watch;

pub use document::{Sweep, SweepAxis, SweepChoice, SweepCombination, SweepMetric, SweepValue};
pub use plan::plan;
pub use run::sweep;

use std::path::PathBuf;
use types::Mode;

/// The most combinations that are evaluated unless another limit is given.
pub const LIMIT: usize = 100;
/// What combinations are compared by unless another metric is given.
pub const METRIC: &str = eval::sweep::BALANCED_EVIDENCE;

/// What to sweep.
#[derive(Clone, Debug)]
pub struct SweepRequest {
    /// Settings with their values, as `KEY=A:B:STEP` or `KEY=V,V,V`.
    pub vary: Vec<String>,
    /// The query set.
    pub queries: PathBuf,
    /// Evaluates only this many questions, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// The retrieval mode; `None` for that of the settings.
    pub mode: Option<Mode>,
    /// What combinations are compared by: a key of [`eval::sweep::Measure::keys`].
    pub metric: String,
    /// Folds of the cross-validation, at least 2.
    pub folds: usize,
    /// Evaluates only this many combinations, drawn by seed; `None` for all.
    pub sample: Option<usize>,
    /// The most combinations that are evaluated.
    pub limit_grid: usize,
    /// The file for the JSON document.
    pub output: Option<PathBuf>,
    /// The file for one row for each combination and question.
    pub csv: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
}
