//! The results of a benchmark, for people.

use crate::commands::figures::{counted, mean, tested};
use crate::words::{count, thousands};
use lab::bench_beir::{BeirRun, Comparison, DEPTH, Measure, ModeRun, Ordered};
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

fn comparisons(out: &mut String, done: &BeirRun) {
    if done.comparisons.is_empty() && done.against.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\ndifference of the means, and p of a paired randomisation test for {}:",
        Measure::Ndcg10
    );
    if let Some(first) = done.modes.first() {
        for (mode, compared) in &done.comparisons {
            difference(out, &format!("{} - {mode}", first.mode), compared);
        }
    }
    for (mode, compared) in &done.against {
        difference(out, &format!("{mode} - earlier run"), compared);
    }
}

fn difference(out: &mut String, systems: &str, compared: &Ordered<Comparison>) {
    let delta = |measure: Measure| compared.get(measure.key()).and_then(|c| c.delta);
    let ndcg = Measure::Ndcg10.key();
    let tested = compared
        .get(ndcg)
        .map_or_else(String::new, |c| tested(ndcg, c, "query", "queries"));
    let others = Measure::ALL
        .into_iter()
        .filter(|measure| *measure != Measure::Ndcg10);
    let others: Vec<String> = others
        .filter_map(|measure| Some(format!("{measure} {:+.4}", delta(measure)?)))
        .collect();
    let _ = writeln!(out, "  {systems}: {tested}");
    let _ = writeln!(out, "    {}", others.join(", "));
}

/// What limits the figures of a mode.
fn notes(out: &mut String, done: &BeirRun, run: &ModeRun) {
    let mode = run.mode;
    let limit = match done.keep {
        None => format!("limited to retrieve.candidates = {}", done.candidates),
        Some(keep) => format!(
            "reranked, limited to rerank.keep = {keep} of retrieve.candidates = {}",
            done.candidates
        ),
    };
    let _ = writeln!(
        out,
        "{mode}, {limit}: {:.1} documents per query, ndcg@10 {:.4}, recall@10 {:.4}",
        run.configured.documents, run.configured.ndcg, run.configured.recall
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
