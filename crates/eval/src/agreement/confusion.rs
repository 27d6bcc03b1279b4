//! Labels against verdicts, counted.

use schemars::JsonSchema;
use serde::Serialize;

/// Rows by label and verdict; "unsupported" is the positive class. The counts may be weights.
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
        self.unsupported() + self.supported()
    }

    /// Rows that are unsupported by their label.
    pub fn unsupported(&self) -> usize {
        self.true_unsupported + self.false_supported
    }

    /// Rows that are supported by their label.
    pub fn supported(&self) -> usize {
        self.true_supported + self.false_unsupported
    }

    /// Mean of the shares of unsupported and of supported rows that are found to be.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let found = self.recall()?;
        let kept = share(self.true_supported, self.supported())?;
        Some(f64::midpoint(found, kept))
    }

    /// Share of the rows said to be unsupported that are.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_unsupported, self.true_unsupported + self.false_unsupported)
    }

    /// Share of the unsupported rows that are found to be.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_unsupported, self.unsupported())
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> Option<f64> {
        let wrong = self.false_unsupported + self.false_supported;
        share(2 * self.true_unsupported, 2 * self.true_unsupported + wrong)
    }

    /// Cohen's kappa of label and verdict.
    pub fn kappa(&self) -> Option<f64> {
        let all = self.rows() as f64;
        let observed = (self.true_unsupported + self.true_supported) as f64 / all;
        let said = (self.true_unsupported + self.false_unsupported) as f64 / all;
        let is = self.unsupported() as f64 / all;
        chance_corrected(observed, said * is + (1.0 - said) * (1.0 - is))
    }
}

fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// Agreement beyond the agreement that chance alone gives; `None` where chance agrees always.
pub(super) fn chance_corrected(observed: f64, by_chance: f64) -> Option<f64> {
    let value = (observed - by_chance) / (1.0 - by_chance);
    (1.0 - by_chance > 1e-12 && value.is_finite()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_or_no_row_leaves_undefined_what_needs_more() {
        let mut all = Confusion::default();
        assert_eq!((all.balanced_accuracy(), all.f1(), all.kappa()), (None, None, None));
        all.add(true, true, 5);
        assert_eq!((all.recall(), all.precision(), all.kappa()), (None, None, None));
        all.add(false, true, 5);
        assert_eq!((all.recall(), all.precision()), (Some(0.0), None));
        assert_eq!((all.balanced_accuracy(), all.f1(), all.kappa()), (Some(0.5), Some(0.0), Some(0.0)));
    }
}
