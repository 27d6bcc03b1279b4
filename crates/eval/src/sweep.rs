//! A grid of settings on one query set: which combinations there are, which of them are best, and whether the best one is
//! better than the settings one started from.
//!
//! The best of forty combinations looks better than it is: part of its lead is chance. So the choice itself is tested. The
//! questions are divided into folds; for each fold, the combination is chosen on the other folds ([`choice`]), and its
//! values on the fold are kept. These held-out values belong to no question that took part in the choice, and are compared
//! with the start, question by question ([`estimate::compare`]).
//!
//! This module is pure: it reads rows and values, runs nothing and reads no clock.

pub mod choice;
pub mod estimate;
pub mod folds;
pub mod grid;
mod measure;

pub use choice::{Candidates, Choice, FoldChoice, Verdict};
pub use estimate::Values;
pub use folds::Asked;
pub use grid::{Axis, Grid, GridError};
pub use measure::{BALANCED_EVIDENCE, Measure};
