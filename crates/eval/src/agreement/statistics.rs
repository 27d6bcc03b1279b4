//! The statistics of a judge on labelled rows.

use super::Confusion;
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// A labelled row with the verdict of a judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedRow {
    /// Whether people call it supported.
    pub label: bool,
    /// The judge's probability that it is, 0 to 1.
    pub score: f64,
    /// The judge's verdict.
    pub verdict: bool,
    /// The number of its cluster.
    pub cluster: usize,
}

/// What is measured of a judge. The expected calibration error is not among them: resampling adds noise to every bin, so that
/// a bootstrap interval lies above the error itself.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// [`Confusion::balanced_accuracy`].
    BalancedAccuracy,
    /// [`Confusion::precision`].
    Precision,
    /// [`Confusion::recall`].
    Recall,
    /// [`Confusion::f1`].
    F1,
    /// Area under the ROC curve: the probability that a supported row has a higher score than an unsupported one; equal scores
    /// count half.
    Auc,
    /// [`Confusion::kappa`].
    Kappa,
    /// Mean squared difference of score and label; lower is better.
    Brier,
}

impl Statistic {
    /// All, in the order of reports.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in documents.
    pub fn key(self) -> &'static str {
        self.into()
    }

    /// The least and the greatest possible value.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Self::Kappa => (-1.0, 1.0),
            _ => (0.0, 1.0),
        }
    }
}

/// The value of each of [`Statistic::ALL`].
pub(super) type Values = [Option<f64>; Statistic::ALL.len()];

/// For each of [`Statistic::ALL`], the number of clusters with a row that can change it: recall depends on the unsupported
/// rows only, however many others there are. A statistic of both classes is known as well as the one with fewer clusters.
pub(super) fn contributing_clusters(rows: &[JudgedRow]) -> [usize; Statistic::ALL.len()] {
    let clusters = |of: &dyn Fn(&JudgedRow) -> bool| {
        let own = rows.iter().filter_map(|row| of(row).then_some(row.cluster));
        own.collect::<BTreeSet<usize>>().len()
    };
    let smaller = clusters(&|row| row.label).min(clusters(&|row| !row.label));
    Statistic::ALL.map(|statistic| match statistic {
        Statistic::BalancedAccuracy | Statistic::Auc | Statistic::Kappa => smaller,
        Statistic::Precision => clusters(&|row| !row.verdict),
        Statistic::Recall => clusters(&|row| !row.label),
        Statistic::F1 => clusters(&|row| !row.label || !row.verdict),
        Statistic::Brier => clusters(&|_| true),
    })
}

/// Rows in the order of their scores, so that the statistics of a resample take one pass.
#[derive(Clone, Debug)]
pub(super) struct Ordered<'a> {
    rows: &'a [JudgedRow],
    order: Vec<usize>,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(rows: &'a [JudgedRow]) -> Self {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|a, b| rows[*a].score.total_cmp(&rows[*b].score));
        Self { rows, order }
    }

    /// The statistics where the rows of each cluster count as often as `times` says.
    pub(super) fn values(&self, times: &[usize]) -> Values {
        let mut confusion = Confusion::default();
        let mut squares = 0.0;
        for row in self.rows {
            let weight = times[row.cluster];
            confusion.add(row.label, row.verdict, weight);
            squares += weight as f64 * (row.score - f64::from(u8::from(row.label))).powi(2);
        }
        let all = confusion.rows();
        [
            confusion.balanced_accuracy(),
            confusion.precision(),
            confusion.recall(),
            confusion.f1(),
            self.auc(times, &confusion),
            confusion.kappa(),
            (all > 0).then(|| squares / all as f64),
        ]
    }

    fn auc(&self, times: &[usize], confusion: &Confusion) -> Option<f64> {
        let pairs = confusion.supported() as f64 * confusion.unsupported() as f64;
        if pairs <= 0.0 {
            return None;
        }
        // Unsupported rows with a lower score, and rows of the present score by label.
        let (mut below, mut won) = (0.0, 0.0);
        for group in self.order.chunk_by(|a, b| self.rows[*a].score.total_cmp(&self.rows[*b].score).is_eq()) {
            let (mut unsupported, mut supported) = (0.0, 0.0);
            for row in group.iter().map(|at| &self.rows[*at]) {
                let weight = times[row.cluster] as f64;
                *(if row.label { &mut supported } else { &mut unsupported }) += weight;
            }
            won += supported * (below + unsupported / 2.0);
            below += unsupported;
        }
        Some(won / pairs)
    }
}
