//! Figures that the tables of benchmarks and of `eval --retrieval-only` share.

use crate::words::thousands;
use lab::bench_beir::{Comparison, MetricSummary};

/// `0.322 (0.300-0.345)`
pub(super) fn mean(summary: &MetricSummary) -> String {
    match (summary.mean, summary.ci_low, summary.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.4} ({low:.3}-{high:.3})"),
        _ => "n/a".to_owned(),
    }
}

/// `ndcg@10 +0.0210 (+0.0101 to +0.0320), p = 0.0002; 20 queries better, 3 worse`
pub(super) fn tested(measure: &str, compared: &Comparison, one: &str, many: &str) -> String {
    if compared.n_pairs == 0 {
        return format!("{measure} n/a: no {one} in common");
    }
    let value = |value: Option<f64>| value.unwrap_or_default();
    let p = match value(compared.p) {
        p if p < 0.0001 => "p < 0.0001".to_owned(),
        p => format!("p = {p:.4}"),
    };
    format!(
        "{measure} {:+.4} ({:+.4} to {:+.4}), {p}; {} better, {} worse",
        value(compared.delta),
        value(compared.ci_low),
        value(compared.ci_high),
        counted(compared.wins, one, many),
        compared.losses,
    )
}

/// "1 query", "2 queries".
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", thousands(number as u64))
}
