//! Figures that the tables of benchmarks and of `eval --retrieval-only` share.

use crate::{
    page::Page,
    words::{count, p_value},
};
use lab::eval::{Comparison, MetricSummary, Ordered};

/// `0.3220 (0.300-0.345)`
pub(super) fn mean(summary: &MetricSummary) -> String {
    match (summary.mean, summary.ci_low, summary.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.4} ({low:.3}-{high:.3})"),
        _ => "n/a".to_owned(),
    }
}

/// `ndcg@10 +0.0210 (+0.0101 to +0.0320), p = 0.0002 (Holm); 20 queries better, 3 worse`
pub(super) fn tested(measure: &str, compared: &Comparison, noun: &str) -> String {
    if compared.n_pairs == 0 {
        return format!("{measure} n/a: no {noun} in common");
    }
    let [delta, low, high] =
        [compared.delta, compared.ci_low, compared.ci_high].map(Option::unwrap_or_default);
    // A difference that cannot occur is in no family, and is not corrected.
    let p = match compared.p_holm {
        Some(p) => format!("{} (Holm)", p_value(p, 4)),
        None => p_value(compared.p.unwrap_or(1.0), 4),
    };
    let (better, worse) = (count(compared.wins, noun), compared.losses);
    format!("{measure} {delta:+.4} ({low:+.4} to {high:+.4}), {p}; {better} better, {worse} worse")
}

/// Adds the differences of two systems, measure by measure.
pub(super) fn differences<'a>(
    page: &mut Page,
    systems: &str,
    compared: &Ordered<Comparison>,
    measures: impl IntoIterator<Item = &'a str>,
    noun: &str,
) {
    page.line(format!("{systems}:"));
    for measure in measures {
        if let Some(compared) = compared.get(measure) {
            page.quote_line(tested(measure, compared, noun));
        }
    }
}
