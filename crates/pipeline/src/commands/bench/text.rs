//! The results of a benchmark, for people.

use crate::words::{count, thousands};
use engine::bench_beir::{BeirRun, Comparison, DEPTH, Measure, MetricSummary, ModeRun};

use std::fmt::Write;
use types::{Mode, path_text};

/// Columns of a mode in the table.
const WIDTH: usize = 23;

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn text(done: &BeirRun) -> String {
    let mut out = String::new();
    let queries = done.modes.first().map_or(0, |run| run.queries.len());
    let reranked = match &done.reranker {
        Some(name) => format!("reranked by {name}"),
        None => "not reranked".to_owned(),
    };
    let _ = writeln!(
        out,
        "{} ({}): {}, {}, {reranked}\n",
        done.dataset,
        done.split,
        counted(queries, "query", "queries"),
        count(done.indexed.documents as u64, "document"),
    );
    table(&mut out, &done.modes);
    comparisons(&mut out, done);
    let _ = writeln!(out);
    for run in &done.modes {
        notes(&mut out, done, run);
    }
    index(&mut out, done);
    for file in &done.run_files {
        let _ = writeln!(out, "run: {}", path_text::shown(file));
    }
    out
}

fn table(out: &mut String, modes: &[ModeRun]) {
    let mut row = |name: &str, cell: &dyn Fn(&ModeRun) -> String| {
        let mut line = format!("{name:<14}");
        for run in modes {
            let _ = write!(line, "{:<WIDTH$}", cell(run));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    };
    row("", &|run| run.mode.to_string());
    for measure in Measure::ALL {
        row(measure.key(), &|run| {
            run.summary.get(measure.key()).map_or_else(String::new, mean)
        });
    }
    row("documents", &|run| {
        format!("{:.1} per query", run.reach.documents)
    });
    row("queries/s", &|run| format!("{:.1}", run.queries_per_second));
}

/// `0.322 (0.300-0.345)`
fn mean(summary: &MetricSummary) -> String {
    match (summary.mean, summary.ci_low, summary.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.4} ({low:.3}-{high:.3})"),
        _ => "n/a".to_owned(),
    }
}

fn comparisons(out: &mut String, done: &BeirRun) {
    let Some(first) = done.modes.first().filter(|_| !done.comparisons.is_empty()) else {
        return;
    };
    let _ = writeln!(
        out,
        "\ndifference of the means, and p of a paired randomisation test for {}:",
        Measure::Ndcg10
    );
    for (mode, compared) in &done.comparisons {
        let delta = |measure: Measure| compared.get(measure.key()).and_then(|c| c.delta);
        let ndcg = compared
            .get(Measure::Ndcg10.key())
            .map_or_else(String::new, tested);
        let others = Measure::ALL
            .into_iter()
            .filter(|measure| *measure != Measure::Ndcg10);
        let others: Vec<String> = others
            .filter_map(|measure| Some(format!("{measure} {:+.4}", delta(measure)?)))
            .collect();
        let _ = writeln!(out, "  {} - {mode}: {ndcg}", first.mode);
        let _ = writeln!(out, "    {}", others.join(", "));
    }
}

/// `ndcg@10 +0.0210 (0.0101 to 0.0320), p = 0.0002`
fn tested(compared: &Comparison) -> String {
    let value = |value: Option<f64>| value.unwrap_or_default();
    format!(
        "{} {:+.4} ({:+.4} to {:+.4}), p = {:.4}; {} better, {} worse",
        Measure::Ndcg10,
        value(compared.delta),
        value(compared.ci_low),
        value(compared.ci_high),
        value(compared.p),
        counted(compared.wins, "query", "queries"),
        compared.losses,
    )
}

/// What limits the figures of a mode.
fn notes(out: &mut String, done: &BeirRun, run: &ModeRun) {
    let mode = run.mode;
    let _ = writeln!(
        out,
        "{mode}, limited to retrieve.candidates = {}: {:.1} documents per query, ndcg@10 {:.4}, recall@10 {:.4}",
        done.candidates, run.configured.documents, run.configured.ndcg, run.configured.recall
    );
    let reach = run.reach;
    if reach.short > 0 {
        let why = match (mode, reach.cut_by_threshold) {
            (Mode::Bm25, _) => "no other document contains a term of the query".to_owned(),
            (_, 0) => "no further passage was found".to_owned(),
            (_, cut) => format!(
                "retrieve.threshold = {} limits recall@100 for {}",
                done.threshold,
                thousands(cut as u64)
            ),
        };
        let _ = writeln!(
            out,
            "{mode}: fewer than {DEPTH} documents for {} (none for {}); {why}",
            counted(reach.short, "query", "queries"),
            thousands(reach.none as u64),
        );
    }
}

fn index(out: &mut String, done: &BeirRun) {
    let indexed = &done.indexed;
    if done.without_relevant > 0 {
        let _ = writeln!(
            out,
            "left out: {} without a relevant document",
            counted(done.without_relevant, "query", "queries")
        );
    }
    if done.relevant_missing > 0 {
        let _ = writeln!(
            out,
            "{} not in the index: they count as not retrieved",
            count(done.relevant_missing as u64, "relevant document")
        );
    }
    let _ = writeln!(
        out,
        "index: {} ({} documents added in {:.1} s)",
        path_text::shown(&indexed.dir),
        thousands(indexed.added as u64),
        indexed.seconds
    );
}

/// "1 query", "2 queries".
fn counted(number: usize, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", thousands(number as u64))
}
