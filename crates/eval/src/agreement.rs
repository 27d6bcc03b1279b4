//! How often a judge agrees with people, how often people agree with each other, and how labels correct a judge's mean.
//!
//! A *row* is a response with a label of a person (supported or not) and the verdict of a judge. The class "unsupported" is
//! the positive one: a judge is there to find it. Rows with the same context, question or response share a [`clusters`]
//! number and are resampled together, because they are no independent observations.
//!
//! Score and label are 1 for supported and 0 for unsupported. All statistics are in `0..=1` (kappa and alpha in `-1..=1`) and
//! higher is better, except for the Brier score and the expected calibration error. `None` means that a statistic is not
//! defined, for example balanced accuracy where all labels are equal.
//!
//! Methods: Cohen 1960; Krippendorff 2004 (nominal alpha); Brier 1950; Naeini et al. 2015 (expected calibration
//! error); Field and Welsh 2007 (cluster bootstrap); Angelopoulos et al. 2023 (prediction-powered inference, PPI++).

mod bootstrap;
mod calibration;
mod clusters;
mod confusion;
mod ppi;
mod raters;
mod sampling;
mod statistics;

pub use bootstrap::{Difference, Estimate, PairedRow, RESAMPLES, Replicates, compare, macro_estimates};
pub use calibration::{BINS, Bin, bins, expected_calibration_error};
pub use clusters::clusters;
pub use confusion::Confusion;
pub use ppi::{Corrected, PpiRow, correct};
pub use raters::{Agreement, Pair, Ratings, agreement};
pub use sampling::sample_of;
pub use statistics::{JudgedRow, Statistic};

#[cfg(test)]
mod tests;
