//! The report as Markdown, which is also what a terminal shows.

use contract::{Estimated, JudgeComparison, JudgeExample, JudgeOnSet, JudgeReport, JudgeResult};
use eval::report::escape;
use std::{collections::BTreeMap, fmt::Write};

/// The measures of the first table, with their headings.
const MEASURES: [(&str, &str); 7] = [
    ("balanced_accuracy", "balanced accuracy"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("f1", "F1"),
    ("auc", "AUC"),
    ("kappa", "kappa"),
    ("brier", "Brier"),
];

/// The whole report; `with_time` adds how long judging took, which differs from run to run.
pub fn markdown(report: &JudgeReport, with_time: bool) -> String {
    // Writing to a string cannot fail.
    let mut out = String::from("# Judges against people\n\n");
    let _ = writeln!(
        out,
        "Labels of people against verdicts; \"unsupported\" is the positive class of precision, recall and F1. A claim counts as \
         supported from a score of {} up, in all sets. Intervals are 95 %, from {} resamples of clusters: rows that share a \
         context, a question or a response.\n",
        report.threshold, report.resamples
    );
    sets(&mut out, report);
    for judge in &report.judges {
        one(&mut out, judge, with_time);
    }
    for comparison in &report.comparisons {
        compared(&mut out, comparison);
    }
    for judge in &report.judges {
        for set in &judge.sets {
            for example in &set.examples {
                mistake(&mut out, &judge.judge, &set.set, example);
            }
        }
    }
    out
}

fn sets(out: &mut String, report: &JudgeReport) {
    let mut table = Table::new(&["set", "rows", "clusters", "supported"]);
    for set in &report.sets {
        let rows = if set.rows < set.labelled {
            format!("{} of {}", set.rows, set.labelled)
        } else {
            set.rows.to_string()
        };
        table.row([
            escape(&set.set),
            rows,
            set.clusters.to_string(),
            number(set.supported),
        ]);
    }
    table.write(out);
    for set in report.sets.iter().filter(|set| set.unlabelled > 0) {
        let _ = writeln!(
            out,
            "{}: rows without a label, left out: {}\n",
            escape(&set.set),
            set.unlabelled
        );
    }
}

fn one(out: &mut String, judge: &JudgeResult, with_time: bool) {
    let _ = writeln!(out, "## {}\n\n`{}`\n", judge.judge, judge.id);
    let heads: Vec<&str> = ["set"]
        .into_iter()
        .chain(MEASURES.map(|(_, head)| head))
        .collect();
    let mut table = Table::new(&heads);
    let line = |name: &str, of: &BTreeMap<String, Estimated>| {
        let each = MEASURES.map(|(key, _)| of.get(key).copied().map_or_else(String::new, interval));
        [name.to_owned()].into_iter().chain(each)
    };
    for set in &judge.sets {
        table.row(line(&escape(&set.set), &set.measures));
    }
    if judge.sets.len() > 1 {
        table.row(line("macro mean", &judge.macro_mean));
    }
    table.write(out);

    let mut table = Table::new(&[
        "set",
        "unsupported, found",
        "unsupported, missed",
        "supported, kept",
        "supported, rejected",
        "errors",
        "calibration error",
    ]);
    for set in &judge.sets {
        let counts = &set.confusion;
        table.row([
            escape(&set.set),
            counts.true_unsupported.to_string(),
            counts.false_supported.to_string(),
            counts.true_supported.to_string(),
            counts.false_unsupported.to_string(),
            set.errors.to_string(),
            set.calibration_error.map_or_else(|| "n/a".to_owned(), number),
        ]);
    }
    table.write(out);
    calibration(out, &judge.sets);
    labels(out, &judge.sets);
    let time = &judge.time;
    if let (true, Some(each)) = (with_time, time.seconds_per_1000_claims) {
        let _ = writeln!(
            out,
            "time: {each:.2} s per 1,000 claims ({} claims in {:.1} s, {} rows at a time)\n",
            time.claims, time.seconds, time.workers
        );
    }
}

fn calibration(out: &mut String, sets: &[JudgeOnSet]) {
    out.push_str("Share of rows that people call supported, by score (rows in parentheses):\n\n");
    let tenths: Vec<String> = (0..10).map(|n| format!("0.{n}–")).collect();
    let heads: Vec<&str> = ["set"]
        .into_iter()
        .chain(tenths.iter().map(String::as_str))
        .collect();
    let mut table = Table::new(&heads);
    for set in sets {
        let tenth = |n: usize| {
            let bin = set
                .bins
                .iter()
                .find(|bin| (bin.from * 10.0).round() as usize == n);
            bin.map_or_else(String::new, |bin| format!("{:.2} ({})", bin.supported, bin.rows))
        };
        table.row([escape(&set.set)].into_iter().chain((0..10).map(tenth)));
    }
    table.write(out);
}

fn labels(out: &mut String, sets: &[JudgeOnSet]) {
    let Some(first) = sets.iter().find_map(|set| set.labels) else {
        return;
    };
    let _ = writeln!(
        out,
        "Share of supported rows, estimated from {} labels of each set; means over {} samples:\n",
        first.labels, first.samples
    );
    let mut table = Table::new(&[
        "set",
        "true share",
        "by the judge",
        "width, labels alone",
        "width, corrected",
        "shrink",
        "labels saved",
        "coverage",
    ]);
    for (set, found) in sets.iter().filter_map(|set| Some((set, set.labels?))) {
        let ratio = found.width_corrected / found.width_labels_alone;
        let saved = found.labels as f64 * (1.0 / (ratio * ratio) - 1.0);
        table.row([
            escape(&set.set),
            number(found.truth),
            number(found.uncorrected),
            number(found.width_labels_alone),
            number(found.width_corrected),
            format!("{:.0} %", 100.0 * (1.0 - ratio)),
            format!("{saved:.0}"),
            number(found.coverage),
        ]);
    }
    table.write(out);
}

fn compared(out: &mut String, comparison: &JudgeComparison) {
    let (first, second) = (&comparison.first, &comparison.second);
    let _ = writeln!(
        out,
        "## {first} minus {second}\n\nOn the rows that both judged; p of the difference in balanced accuracy (paired \
         randomisation by cluster), not corrected for the number of sets.\n"
    );
    let (only_first, only_second) = (format!("only {first} right"), format!("only {second} right"));
    let mut table = Table::new(&[
        "set",
        "rows",
        "balanced accuracy",
        "AUC",
        &only_first,
        &only_second,
        "p",
    ]);
    let measure =
        |of: &BTreeMap<String, Estimated>, key: &str| of.get(key).copied().map_or_else(String::new, interval);
    for set in &comparison.sets {
        table.row([
            escape(&set.set),
            set.rows.to_string(),
            measure(&set.measures, "balanced_accuracy"),
            measure(&set.measures, "auc"),
            set.first_right.to_string(),
            set.second_right.to_string(),
            if set.p < 0.0001 {
                "< 0.0001".to_owned()
            } else {
                format!("{:.4}", set.p)
            },
        ]);
    }
    if comparison.sets.len() > 1 {
        let of = &comparison.macro_mean;
        let (balanced, auc) = (measure(of, "balanced_accuracy"), measure(of, "auc"));
        let blank = String::new;
        table.row([
            "macro mean".to_owned(),
            blank(),
            balanced,
            auc,
            blank(),
            blank(),
            blank(),
        ]);
    }
    table.write(out);
}

fn mistake(out: &mut String, judge: &str, set: &str, of: &JudgeExample) {
    let label = if of.label == 1 { "supported" } else { "unsupported" };
    let id = of.id.as_str().map_or_else(|| of.id.to_string(), str::to_owned);
    let _ = writeln!(
        out,
        "### {} {}: people say {label}, {judge} {}\n",
        escape(set),
        escape(&id),
        number(of.score)
    );
    if !of.question.is_empty() {
        quoted(out, "Question", &of.question);
    }
    for passage in &of.context {
        quoted(out, "Context", passage);
    }
    quoted(out, "Response", &of.response);
    if of.claims.is_empty() {
        out.push_str("No claim was found in it.\n");
    }
    for claim in &of.claims {
        let reason = if claim.reason.is_empty() {
            String::new()
        } else {
            format!(": {}", escape(&claim.reason))
        };
        let _ = writeln!(
            out,
            "- {} {} “{}”{reason}",
            number(claim.score),
            escape(&claim.verdict),
            escape(&claim.claim)
        );
    }
    out.push('\n');
}

/// Text of others, each line of it escaped and as a quotation: it cannot pose as a part of the report.
fn quoted(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "{name}:\n");
    for line in text.lines().map(escape).filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "> {line}");
    }
    out.push('\n');
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// `0.640 [0.602, 0.681]`.
pub fn interval(of: Estimated) -> String {
    match (of.value, of.ci_low, of.ci_high) {
        (Some(value), Some(low), Some(high)) => format!("{value:.3} [{low:.3}, {high:.3}]"),
        (Some(value), ..) => number(value),
        _ => "n/a".to_owned(),
    }
}

/// A Markdown table whose columns are aligned, so that it can be read as it is. Cells must be escaped.
struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(heads: &[&str]) -> Self {
        Self {
            rows: vec![heads.iter().map(|head| (*head).to_owned()).collect()],
        }
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn write(&self, out: &mut String) {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            format!("| {} |\n", cells.join(" | "))
        };
        for (at, row) in self.rows.iter().enumerate() {
            out.push_str(&line(row));
            if at == 0 {
                let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(width + 2)).collect();
                let _ = writeln!(out, "|{}|", dashes.join("|"));
            }
        }
        out.push('\n');
    }
}
