//! Several modes side by side, for people.

use crate::{page::Page, words::count};
use lab::benchmark::beir::{BeirMode, BeirModes};
use lab::eval::{Comparison, MetricSummary};

/// The measures of each mode, and what hybrid has more than the others.
pub(super) fn page(done: &BeirModes) -> Page {
    let mut page = Page::new();
    let modes: Vec<&BeirMode> = done.modes.values().collect();
    let Some(first) = modes.first() else {
        return page;
    };
    let queries = count(first.queries, "query");
    page.line(format!("{} ({}): {queries}", first.dataset, first.split));
    page.gap();
    let row = |name: &str, cell: &dyn Fn(&BeirMode) -> String| -> Vec<String> {
        std::iter::once(name.to_owned()).chain(modes.iter().map(|mode| cell(mode))).collect()
    };
    let measure = |(key, _): (&str, &MetricSummary)| {
        row(key, &|mode| mode.measures.get(key).map_or_else(String::new, mean))
    };
    let mut rows: Vec<Vec<String>> = first.measures.iter().map(measure).collect();
    rows.push(row("queries/s", &|mode| format!("{:.1}", mode.qps)));
    page.table(row("", &|mode| mode.mode.clone()), rows);
    page.heading("differences of the means, and p of paired randomisation tests");
    for (mode, compared) in done.comparison.iter() {
        page.line(format!("{} - {mode}:", first.mode));
        for (key, compared) in compared.iter() {
            page.quote_line(tested(key, compared));
        }
    }
    page
}

/// `0.3220 (0.300-0.345)`
fn mean(summary: &MetricSummary) -> String {
    match (summary.mean, summary.ci_low, summary.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.4} ({low:.3}-{high:.3})"),
        _ => "n/a".to_owned(),
    }
}

/// `ndcg@10 +0.0210 (+0.0101 to +0.0320), p = 0.0002 (Holm); 20 queries better, 3 worse`
fn tested(measure: &str, compared: &Comparison) -> String {
    if compared.n_pairs == 0 {
        return format!("{measure} n/a: no query in common");
    }
    let [delta, low, high] =
        [compared.delta, compared.ci_low, compared.ci_high].map(Option::unwrap_or_default);
    // A difference that cannot occur is in no family, and is not corrected.
    let p = match compared.p_holm {
        Some(p) => format!("{} (Holm)", p_value(p)),
        None => p_value(compared.p.unwrap_or(1.0)),
    };
    let better = count(compared.wins, "query");
    format!(
        "{measure} {delta:+.4} ({low:+.4} to {high:+.4}), {p}; {better} better, {} worse",
        compared.losses
    )
}

/// `p = 0.0002`, or `p < 0.0001`.
fn p_value(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}
