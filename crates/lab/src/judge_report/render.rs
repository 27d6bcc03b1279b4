//! The report of judges against people.

use super::document::{JudgeComparison, JudgeExample, JudgeOnSet, JudgeReport, JudgeResult};
use eval::agreement::Estimate;
use report::page::{Line, Page};
use std::collections::BTreeMap;

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
pub fn page(report: &JudgeReport, with_time: bool) -> Page {
    let mut page = Page::new();
    page.document("Judges against people");
    page.line(format!(
        "Labels of people against verdicts; \"unsupported\" is the positive class of precision, recall and F1. A claim counts as \
         supported from a score of {} up, in all sets. Intervals are 95 %, from {} resamples of clusters: rows that share a \
         context, a question or a response.",
        report.threshold, report.resamples
    ));
    sets(&mut page, report);
    for judge in &report.judges {
        one(&mut page, judge, with_time);
    }
    for comparison in &report.comparisons {
        compared(&mut page, comparison);
    }
    for judge in &report.judges {
        for set in &judge.sets {
            for example in &set.examples {
                mistake(&mut page, &judge.judge, &set.set, example);
            }
        }
    }
    page
}

fn sets(page: &mut Page, report: &JudgeReport) {
    page.rows(&report.sets)
        .column("set", |set| set.set.clone())
        .column("rows", |set| match set.rows {
            rows if rows < set.labelled => format!("{rows} of {}", set.labelled),
            rows => rows.to_string(),
        })
        .column("clusters", |set| set.clusters.to_string())
        .column("supported", |set| number(set.supported));
    for set in report.sets.iter().filter(|set| set.unlabelled > 0) {
        page.line(format!("{}: rows without a label, left out: {}", set.set, set.unlabelled));
    }
}

fn one(page: &mut Page, judge: &JudgeResult, with_time: bool) {
    page.heading(judge.judge.as_str());
    page.line(judge.id.as_str());
    let mut lines: Vec<(&str, &BTreeMap<&'static str, Estimate>)> =
        judge.sets.iter().map(|set| (set.set.as_str(), &set.measures)).collect();
    if judge.sets.len() > 1 {
        lines.push(("macro mean", &judge.macro_mean));
    }
    let mut rows = page.rows(lines).column("set", |(name, _)| (*name).to_owned());
    for (key, head) in MEASURES {
        rows = rows.column(head, |(_, of)| measure(of, key));
    }
    page.gap();
    page.rows(&judge.sets)
        .column("set", |set| set.set.clone())
        .column("unsupported, found", |set| set.confusion.true_unsupported.to_string())
        .column("unsupported, missed", |set| set.confusion.false_supported.to_string())
        .column("supported, kept", |set| set.confusion.true_supported.to_string())
        .column("supported, rejected", |set| set.confusion.false_unsupported.to_string())
        .column("errors", |set| set.errors.to_string())
        .column("calibration error", |set| set.calibration_error.map_or_else(|| "n/a".to_owned(), number));
    calibration(page, &judge.sets);
    let time = &judge.time;
    if let (true, Some(each)) = (with_time, time.seconds_per_1000_claims) {
        page.line(format!(
            "time: {each:.2} s per 1,000 claims ({} claims in {:.1} s, {} rows at a time)",
            time.claims, time.seconds, time.workers
        ));
    }
}

fn calibration(page: &mut Page, sets: &[JudgeOnSet]) {
    page.line("Share of rows that people call supported, by score (rows in parentheses):");
    let mut rows = page.rows(sets).column("set", |set| set.set.clone());
    for n in 0..10 {
        rows = rows.column(format!("0.{n}–"), |set| {
            let bin = set.bins.iter().find(|bin| (bin.from * 10.0).round() as usize == n);
            bin.map_or_else(String::new, |bin| format!("{:.2} ({})", bin.supported, bin.rows))
        });
    }
}

fn compared(page: &mut Page, comparison: &JudgeComparison) {
    let (first, second) = (&comparison.first, &comparison.second);
    page.heading(format!("{first} minus {second}"));
    page.line("On the rows that both judged; p of the difference in balanced accuracy (paired randomisation by cluster), not corrected for the number of sets.");
    page.rows(&comparison.sets)
        .column("set", |set| set.set.clone())
        .column("rows", |set| set.rows.to_string())
        .column("balanced accuracy", |set| measure(&set.measures, "balanced_accuracy"))
        .column("AUC", |set| measure(&set.measures, "auc"))
        .column(format!("only {first} right"), |set| set.first_right.to_string())
        .column(format!("only {second} right"), |set| set.second_right.to_string())
        .column("p", |set| report::words::p_value(set.p, 4).trim_start_matches("p = ").replace("p < ", "< "));
    if comparison.sets.len() > 1 {
        let of = &comparison.macro_mean;
        let (balanced, auc) = (measure(of, "balanced_accuracy"), measure(of, "auc"));
        page.line(format!("macro mean: balanced accuracy {balanced}, AUC {auc}"));
    }
}

fn mistake(page: &mut Page, judge: &str, set: &str, of: &JudgeExample) {
    let label = if of.label == 1 { "supported" } else { "unsupported" };
    let id = of.id.as_str().map_or_else(|| of.id.to_string(), str::to_owned);
    page.subheading(format!("{set} {id}: people say {label}, {judge} {}", number(of.score)));
    let question = Some(("Question", &of.question)).filter(|(_, text)| !text.is_empty());
    let context = of.context.iter().map(|passage| ("Context", passage));
    for (name, text) in question.into_iter().chain(context).chain([("Response", &of.response)]) {
        page.line(format!("{name}:"));
        page.quote(text);
    }
    if of.claims.is_empty() {
        page.line("No claim was found in it.");
    }
    for claim in &of.claims {
        let reason = if claim.reason.is_empty() { String::new() } else { format!(": {}", claim.reason) };
        let verdict = format!("{} {} ", number(claim.score), claim.verdict);
        page.item(Line::from(verdict).quoted(claim.claim.as_str()).text(reason));
    }
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

fn measure(of: &BTreeMap<&'static str, Estimate>, key: &str) -> String {
    of.get(key).copied().map_or_else(String::new, interval)
}

/// `0.640 [0.602, 0.681]`.
pub fn interval(of: Estimate) -> String {
    match (of.value, of.low, of.high) {
        (Some(value), Some(low), Some(high)) => format!("{value:.3} [{low:.3}, {high:.3}]"),
        (Some(value), ..) => number(value),
        _ => "n/a".to_owned(),
    }
}
