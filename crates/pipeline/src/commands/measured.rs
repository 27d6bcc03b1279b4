//! Figures that the tables of benchmarks and of `eval --retrieval-only` share.

use crate::{
    page::Page,
    words::{count, number, p_value},
};
use lab::bench_beir::{Comparison, Indexed, MetricSummary, Ordered};
use types::path_text;

/// `0.3220 (0.300-0.345)`
pub(super) fn mean(summary: &MetricSummary) -> String {
    match (summary.mean, summary.ci_low, summary.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.4} ({low:.3}-{high:.3})"),
        _ => "n/a".to_owned(),
    }
}

/// `ndcg@10 +0.0210 (+0.0101 to +0.0320), p = 0.0002; 20 queries better, 3 worse`
pub(super) fn tested(measure: &str, compared: &Comparison, noun: &str) -> String {
    if compared.n_pairs == 0 {
        return format!("{measure} n/a: no {noun} in common");
    }
    let [delta, low, high, p] =
        [compared.delta, compared.ci_low, compared.ci_high, compared.p].map(Option::unwrap_or_default);
    let (p, better, worse) = (p_value(p, 4), count(compared.wins, noun), compared.losses);
    format!("{measure} {delta:+.4} ({low:+.4} to {high:+.4}), {p}; {better} better, {worse} worse")
}

/// Adds the differences of two systems.
pub(super) fn differences(page: &mut Page, systems: &str, compared: &Ordered<Comparison>, noun: &str) {
    page.line(format!("{systems}:"));
    for (measure, compared) in compared.iter() {
        page.quote_line(tested(measure, compared, noun));
    }
}

/// Adds where an index is, and what was added to it.
pub(super) fn index(page: &mut Page, indexed: &Indexed, noun: &str) {
    let (folder, seconds) = (path_text::shown(&indexed.dir), indexed.seconds);
    let (documents, chunks) = (count(indexed.documents, noun), count(indexed.chunks, "chunk"));
    let added = number(indexed.added);
    page.line(format!(
        "index: {folder} ({documents}, {chunks}; {added} added in {seconds:.1} s)"
    ));
}
