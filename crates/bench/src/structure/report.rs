//! Results as tables and as JSON.

use super::Scored;
use super::gate::Baseline;
use super::paper::{METRICS, Paper};
use super::summary::{Group, Summary};
use crate::output::table;
use serde_json::{Value, json};
use std::fmt::Write;

/// The JSON document.
pub(super) fn json(scored: &Scored, summary: &Summary, seed: u64) -> Value {
    let papers: Vec<Value> = scored.papers.iter().map(paper).collect();
    let unreadable: Vec<Value> = scored
        .unreadable
        .iter()
        .map(|(name, reason)| json!({ "name": name, "reason": reason }))
        .collect();
    json!({
        "parser_version": ingest::PARSER_VERSION,
        "commit": engine::COMMIT,
        "seed": seed,
        "all": summary.all,
        "publishers": summary.publishers,
        "unreadable_truth": unreadable,
        "papers": papers,
    })
}

fn paper(paper: &Paper) -> Value {
    let truth = |at: &usize| paper.truth.headings[*at].printed.as_str();
    let ours = |at: &usize| paper.ours.sections[*at].heading.as_str();
    json!({
        "name": paper.name,
        "publisher": paper.truth.publisher,
        "failure": paper.failure,
        "metrics": paper.shares,
        "missed_headings": paper.headings.missed.iter().map(truth).collect::<Vec<_>>(),
        "absent_headings": paper.headings.absent.iter().map(truth).collect::<Vec<_>>(),
        "invented_headings": paper.headings.invented.iter().map(ours).collect::<Vec<_>>(),
        "missed_authors": paper.authors.missed,
        "wrong_authors": paper.authors.wrong,
    })
}

/// The tables for people: all metrics over all papers, then a line for each publisher.
pub(super) fn tables(
    scored: &Scored,
    summary: &Summary,
    baseline: Option<&Baseline>,
    markdown: bool,
) -> String {
    let mut out = metrics(&summary.all, baseline, markdown);
    let Group {
        papers,
        failed,
        absent_headings,
        ..
    } = summary.all;
    let _ = writeln!(
        out,
        "\n{papers} papers, {failed} not read (all of their truth counts as missed); {absent_headings} headings of the \
         truth do not stand in the PDFs' text and count neither way."
    );
    let wrong: usize = scored.papers.iter().map(|p| p.authors.wrong.len()).sum();
    let missed: usize = scored.papers.iter().map(|p| p.authors.missed.len()).sum();
    let _ = writeln!(
        out,
        "{missed} authors of the truth are missed; {wrong} names given are not among them.\n"
    );
    for columns in [&STRUCTURE[..], &METADATA] {
        out.push_str(&publishers(summary, columns, markdown));
        out.push('\n');
    }
    for paper in scored.papers.iter().filter(|p| p.failure.is_some()) {
        let reason = paper.failure.as_deref().unwrap_or_default();
        let _ = writeln!(out, "\nnot read: {}: {reason}", paper.name);
    }
    for (name, reason) in &scored.unreadable {
        let _ = writeln!(out, "\ntruth not read: {name}: {reason}");
    }
    out
}

fn metrics(all: &Group, baseline: Option<&Baseline>, markdown: bool) -> String {
    let words = [
        "metric",
        "micro",
        "95 % interval",
        "macro",
        "counted",
        "papers (n/a)",
    ];
    let mut header: Vec<String> = words.iter().map(|&w| w.to_owned()).collect();
    if baseline.is_some() {
        header.extend(["before".to_owned(), "change".to_owned()]);
    }
    let mut rows = vec![header];
    for metric in &METRICS {
        let Some(mean) = all.metrics.get(metric.key) else {
            continue;
        };
        let mut row = vec![
            metric.label.to_owned(),
            number(mean.micro),
            format!("{} to {}", number(mean.ci_low), number(mean.ci_high)),
            number(mean.by_paper),
            format!("{}/{}", mean.hits, mean.of),
            format!("{} ({})", mean.papers, mean.n_a),
        ];
        if let Some(baseline) = baseline {
            let before = baseline.value(metric.key);
            row.push(number(before));
            let change = mean
                .micro
                .zip(before)
                .map(|(now, then)| format!("{:+.3}", now - then));
            row.push(change.unwrap_or_else(|| "n/a".to_owned()));
        }
        rows.push(row);
    }
    table(&rows, markdown)
}

/// Columns of the tables by publisher: heading, metric key.
const STRUCTURE: [(&str, &str); 9] = [
    ("F1 soft", "soft_f1"),
    ("P", "soft_precision"),
    ("R", "soft_recall"),
    ("F1 strict", "strict_f1"),
    ("order", "section_order"),
    ("¶ whole", "paragraphs_whole"),
    ("¶ section", "paragraphs_right_section"),
    ("¶ order", "reading_order"),
    ("leak", "reference_leak"),
];

const METADATA: [(&str, &str); 8] = [
    ("title", "title"),
    ("first author", "first_author"),
    ("authors P", "author_precision"),
    ("R", "author_recall"),
    ("F1", "author_f1"),
    ("all right", "authors_exact"),
    ("year", "year"),
    ("DOI", "doi"),
];

fn publishers(summary: &Summary, columns: &[(&str, &str)], markdown: bool) -> String {
    let mut header = vec!["publisher".to_owned(), "n".to_owned()];
    header.extend(columns.iter().map(|(label, _)| (*label).to_owned()));
    let mut rows = vec![header];
    let mut row = |name: &str, group: &Group, by_paper: bool| {
        let mut cells = vec![name.to_owned(), group.papers.to_string()];
        cells.extend(columns.iter().map(|(_, key)| {
            let mean = group.metrics.get(key);
            number(mean.and_then(|m| if by_paper { m.by_paper } else { m.micro }))
        }));
        rows.push(cells);
    };
    for (name, group) in &summary.publishers {
        row(name, group, false);
    }
    row("all (micro)", &summary.all, false);
    row("all (macro)", &summary.all, true);
    table(&rows, markdown)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |v| format!("{v:.3}"))
}
