//! Whether a score of 0.8 means that 8 of 10 are supported.

use super::JudgedRow;
use schemars::JsonSchema;
use serde::Serialize;

/// Bins of equal width between 0 and 1.
pub const BINS: usize = 10;

/// Rows whose scores are in one tenth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "JudgeBin")]
pub struct Bin {
    /// The least score of the bin.
    pub from: f64,
    /// The greatest score of the bin; only in the last bin a score may be equal to it.
    pub to: f64,
    /// Rows.
    pub rows: usize,
    /// Their mean score.
    pub score: f64,
    /// Share of them that people call supported.
    pub supported: f64,
}

/// The bins that have rows.
pub fn bins(rows: &[JudgedRow]) -> Vec<Bin> {
    let mut sums = [(0usize, 0.0, 0.0); BINS];
    for row in rows {
        let bin = &mut sums[((row.score * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += 1;
        bin.1 += row.score;
        bin.2 += f64::from(u8::from(row.label));
    }
    sums.iter()
        .enumerate()
        .filter(|(_, (rows, ..))| *rows > 0)
        .map(|(at, (rows, score, supported))| Bin {
            from: at as f64 / BINS as f64,
            to: (at + 1) as f64 / BINS as f64,
            rows: *rows,
            score: score / *rows as f64,
            supported: supported / *rows as f64,
        })
        .collect()
}

/// Mean over the rows of the distance of score and share of their bin, 0 to 1; `None` without rows.
pub fn expected_calibration_error(bins: &[Bin]) -> Option<f64> {
    let rows: usize = bins.iter().map(|bin| bin.rows).sum();
    let distances = bins.iter().map(|bin| bin.rows as f64 * (bin.score - bin.supported).abs());
    (rows > 0).then(|| distances.sum::<f64>() / rows as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_by_hand() {
        let row = |score: f64, label: bool| JudgedRow { label, score, verdict: score >= 0.5, cluster: 0 };
        let found = bins(&[row(0.05, false), row(0.92, true), row(0.98, false), row(1.0, true)]);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].rows, found[1].rows), (1, 3));
        assert!((found[1].from - 0.9).abs() < 1e-12 && (found[1].to - 1.0).abs() < 1e-12);
        // 1/4 × |0.05 - 0| + 3/4 × |0.966667 - 0.666667| = 0.0125 + 0.225
        let error = expected_calibration_error(&found).expect("rows");
        assert!((error - 0.2375).abs() < 1e-9, "{error}");
        assert_eq!(expected_calibration_error(&bins(&[])), None);
    }
}
