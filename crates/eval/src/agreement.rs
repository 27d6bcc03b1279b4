//! How often a judge agrees with people, and how labels correct a judge's mean.
//!
//! A *row* is a response with a label of a person (supported or not) and the verdict of a judge. Rows with the same context,
//! question or response share a [`clusters`] number and are resampled together, because they are no independent observations.
//!
//! Methods: Cohen 1960; Field and Welsh 2007 (cluster bootstrap); Angelopoulos et al. 2023 (prediction-powered inference, PPI++).

mod ppi;

pub use ppi::{Corrected, PpiRow, correct};

use crate::{
    estimate::{Resampling, percentile_interval},
    linked::linked,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Resamples.
const RESAMPLES: usize = 2_000;

/// A value with its 95 % interval; `None` where it is not defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Estimated")]
pub struct Estimate {
    /// The value.
    pub value: Option<f64>,
    /// Lower end.
    #[serde(rename = "ci_low")]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(rename = "ci_high")]
    pub high: Option<f64>,
}

/// A labelled row with the verdict of a judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// Whether people call it supported.
    pub label: bool,
    /// Whether the judge does.
    pub verdict: bool,
    /// The number of its cluster.
    pub cluster: usize,
}

/// Rows by label and verdict. The counts may be weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "JudgeConfusion")]
pub struct Confusion {
    /// Unsupported, and found to be.
    pub true_unsupported: usize,
    /// Supported, but said to be unsupported.
    pub false_unsupported: usize,
    /// Unsupported, but said to be supported.
    pub false_supported: usize,
    /// Supported, and found to be.
    pub true_supported: usize,
}

impl Confusion {
    /// Counts rows with this label and verdict (true: supported).
    pub fn add(&mut self, label: bool, verdict: bool, rows: usize) {
        let cell = match (label, verdict) {
            (false, false) => &mut self.true_unsupported,
            (true, false) => &mut self.false_unsupported,
            (false, true) => &mut self.false_supported,
            (true, true) => &mut self.true_supported,
        };
        *cell += rows;
    }

    /// All rows.
    pub fn rows(&self) -> usize {
        self.true_unsupported + self.false_unsupported + self.false_supported + self.true_supported
    }

    /// Mean of the shares of unsupported and of supported rows that are found to be; chance is 0.5.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let share =
            |right: usize, wrong: usize| (right + wrong > 0).then(|| right as f64 / (right + wrong) as f64);
        let found = share(self.true_unsupported, self.false_supported)?;
        Some(f64::midpoint(found, share(self.true_supported, self.false_unsupported)?))
    }

    /// Cohen's kappa of label and verdict: agreement beyond what chance gives; `None` where chance agrees always.
    pub fn kappa(&self) -> Option<f64> {
        let all = self.rows() as f64;
        let observed = (self.true_unsupported + self.true_supported) as f64 / all;
        let said = (self.true_unsupported + self.false_unsupported) as f64 / all;
        let is = (self.true_unsupported + self.false_supported) as f64 / all;
        let by_chance = said * is + (1.0 - said) * (1.0 - is);
        let value = (observed - by_chance) / (1.0 - by_chance);
        (1.0 - by_chance > 1e-12 && value.is_finite()).then_some(value)
    }
}

/// How often a judge agrees with people.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// Labels against verdicts.
    pub confusion: Confusion,
    /// Mean of the shares of supported and of unsupported rows that the judge finds to be so; chance is 0.5.
    pub balanced_accuracy: Estimate,
    /// Cohen's kappa.
    pub kappa: Estimate,
}

/// Measures a judge, with intervals from resampled clusters. Same rows and seed, same result.
pub fn measure(rows: &[Labelled], seed: u64) -> Measured {
    let counted = |times: &[usize]| {
        let mut confusion = Confusion::default();
        for row in rows {
            confusion.add(row.label, row.verdict, times[row.cluster]);
        }
        confusion
    };
    let mut resampling = Resampling::new(rows.iter().map(|row| row.cluster), seed);
    let confusion = counted(&resampling.all());
    let resampled: Vec<Confusion> = (0..RESAMPLES).map(|_| counted(resampling.next())).collect();
    // A measure of both classes is known as well as the one with fewer clusters.
    let clusters = |label: bool| {
        let own = rows.iter().filter_map(|row| (row.label == label).then_some(row.cluster));
        own.collect::<BTreeSet<usize>>().len()
    };
    let clusters = clusters(true).min(clusters(false));
    let estimate = |of: fn(&Confusion) -> Option<f64>, least: f64| {
        let (value, defined): (_, Vec<f64>) = (of(&confusion), resampled.iter().filter_map(of).collect());
        let interval = value
            .filter(|_| 2 * defined.len() >= RESAMPLES)
            .and_then(|value| percentile_interval(&defined, value, clusters, (least, 1.0)));
        Estimate { value, low: interval.map(|i| i.low), high: interval.map(|i| i.high) }
    };
    Measured {
        confusion,
        balanced_accuracy: estimate(Confusion::balanced_accuracy, 0.0),
        kappa: estimate(Confusion::kappa, -1.0),
    }
}

/// A cluster number for each row, from 0 in order of first appearance. Rows are in one cluster if they share a text, or are
/// linked by other rows that do. `texts` gives for each row its texts by role (such as context, question and response); an
/// empty text links nothing.
pub fn clusters(texts: &[[&str; 3]]) -> Vec<usize> {
    linked(texts.len(), |at| {
        let by_role = texts[at].iter().map(|text| text.trim()).enumerate();
        by_role.filter(|(_, text)| !text.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [u8; 24] = [1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0];
    const VERDICTS: [u8; 24] = [1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0];

    /// Eight clusters of three rows each.
    fn rows() -> Vec<Labelled> {
        let row =
            |at: usize| Labelled { label: LABELS[at] == 1, verdict: VERDICTS[at] == 1, cluster: at / 3 };
        (0..24).map(row).collect()
    }

    #[test]
    fn measures_and_intervals_as_scikit_learn_and_numpy_compute_them() {
        // scikit-learn 1.9.1: balanced_accuracy_score, cohen_kappa_score. numpy: 100,000 resamples of the 8 clusters, percentiles
        // at the level 2 norm.cdf(sqrt(n/(n-1)) t.ppf(.975, n-1)) - 1 with n = 7 (0.991782), as one cluster has no unsupported
        // row. The tolerance is the spread of an end between runs of 2,000 resamples of so few clusters.
        let found = measure(&rows(), 7);
        let value = |of: Estimate| of.value.expect("defined");
        assert!((value(found.balanced_accuracy) - 0.702_797_202_797_202_8).abs() < 1e-12, "{found:?}");
        assert!((value(found.kappa) - 0.408_450_704_225_352_1).abs() < 1e-12, "{found:?}");
        let (low, high) =
            (found.balanced_accuracy.low.expect("low"), found.balanced_accuracy.high.expect("high"));
        assert!((low - 0.5).abs() < 0.05 && (high - 0.8929).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn one_class_or_no_row_leaves_undefined_what_needs_more() {
        let mut all = Confusion::default();
        assert_eq!((all.balanced_accuracy(), all.kappa()), (None, None));
        all.add(true, true, 5);
        assert_eq!((all.balanced_accuracy(), all.kappa()), (None, None));
        all.add(false, true, 5);
        assert_eq!((all.balanced_accuracy(), all.kappa()), (Some(0.5), Some(0.0)));
        assert_eq!(measure(&[], 1).kappa, Estimate::default());
    }

    #[test]
    fn rows_of_the_other_class_do_not_narrow_an_interval() {
        // 5 of 500 rows are unsupported; the judge finds all of them and rejects no other.
        let row = |at: usize| Labelled { label: at >= 5, verdict: at >= 5, cluster: at };
        let found = measure(&(0..500).map(row).collect::<Vec<_>>(), 1);
        let low = crate::stats::wilson(5, 5).expect("rows").low;
        assert!((low - 0.565_518).abs() < 1e-6, "{low}");
        let own = found.balanced_accuracy;
        assert!(own.value == Some(1.0) && own.low.is_some_and(|own| (own - low).abs() < 1e-9), "{own:?}");
        assert!(found.kappa.low.is_some_and(|low| low < 0.2), "{found:?}");
    }

    #[test]
    fn rows_are_linked_by_what_they_share() {
        let check = |texts: &[[&str; 3]], expect: &[usize]| assert_eq!(clusters(texts), expect, "{texts:?}");
        check(&[["c", "", "r"], ["c", "", "s"], ["d", "", "t"]], &[0, 0, 1]);
        // The third row links the first two: it has the context of one and the response of the other.
        check(&[["c", "", "r"], ["d", "", "s"], ["d", "", "r"]], &[0, 0, 0]);
        check(&[["c", "q", "r"], ["d", "q ", "s"]], &[0, 0]);
        // The same text in another role, and empty texts, link nothing.
        check(&[["c", "", "x"], ["x", "", "y"], ["e", " ", "z"]], &[0, 1, 2]);
        check(&[], &[]);
    }
}
