//! The results of `bench passages`, for people.

use crate::commands::figures::{counted, mean, tested};
use crate::words::{count, thousands};
use lab::{
    bench_beir::Ordered,
    bench_passages::{Comparison, Group, Measure, PassagesRun},
};
use std::fmt::Write;
use types::path_text;

/// Columns of a measure in the table.
const WIDTH: usize = 23;
/// Columns of the names of systems.
const NAMES: usize = 18;

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn text(done: &PassagesRun) -> String {
    let mut out = String::new();
    for (at, group) in done.groups.iter().enumerate() {
        if at > 0 {
            let _ = writeln!(out);
        }
        section(&mut out, done, group);
    }
    let _ = writeln!(out);
    notes(&mut out, done);
    out
}

/// A title, the table, the comparisons.
fn section(out: &mut String, done: &PassagesRun, group: &Group) {
    let name = match group.name {
        "first_half" => "first half of the articles",
        "second_half" => "second half of the articles",
        _ => done.dataset.as_str(),
    };
    let _ = writeln!(
        out,
        "{name}: {} about {}\n",
        count(group.questions as u64, "question"),
        count(group.articles as u64, "article"),
    );
    let mut header = " ".repeat(NAMES);
    for measure in Measure::ALL {
        let _ = write!(header, "{:<WIDTH$}", measure.key());
    }
    let _ = writeln!(out, "{}", header.trim_end());
    for system in &group.systems {
        let mut line = format!("{:<NAMES$}", system.system.label());
        for measure in Measure::ALL {
            let cell = system.measures.get(measure.key()).map_or_else(String::new, mean);
            let _ = write!(line, "{cell:<WIDTH$}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if group.comparisons.is_empty() && group.against.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\ndifference of the means, and p of a paired randomisation test (by article):"
    );
    for compared in &group.comparisons {
        let systems = format!("{} - {}", compared.first.label(), compared.second.label());
        differences(out, &systems, &compared.measures);
    }
    for (system, measures) in &group.against {
        differences(out, &format!("{} - earlier run", system.label()), measures);
    }
}

fn differences(out: &mut String, systems: &str, measures: &Ordered<Comparison>) {
    let _ = writeln!(out, "  {systems}:");
    for (key, compared) in measures.iter() {
        let _ = writeln!(out, "    {}", tested(key, compared, "question", "questions"));
    }
}

/// What limits the figures, and where the index is.
fn notes(out: &mut String, done: &PassagesRun) {
    let depths = done.depths;
    let _ = writeln!(
        out,
        "retrieve.candidates = {}, rerank.keep = {}, expand.cap = {}, retrieve.threshold = {}",
        depths.candidates, depths.keep, depths.cap, done.threshold
    );
    for run in &done.systems {
        let _ = write!(
            out,
            "{}: {:.1} questions/s",
            run.system.label(),
            run.questions_per_second
        );
        if run.nothing_kept > 0 {
            let _ = write!(
                out,
                "; no passage kept for {}",
                counted(run.nothing_kept, "question", "questions")
            );
        }
        let _ = writeln!(out);
    }
    let left_out = &done.left_out;
    let _ = writeln!(
        out,
        "left out: {} marked as impossible, {} without an answer, {} whose answer cannot be located",
        thousands(left_out.impossible as u64),
        thousands(left_out.without_answer as u64),
        thousands(left_out.not_located.len() as u64),
    );
    for (id, reason) in left_out.not_located.iter().take(3) {
        let _ = writeln!(out, "  {id}: {reason}");
    }
    if done.article_missing > 0 {
        let _ = writeln!(
            out,
            "{} about articles that are not in the index: they count as not found",
            count(done.article_missing as u64, "question")
        );
    }
    if done.in_no_chunk > 0 {
        let _ = writeln!(
            out,
            "{} whose answer is in no chunk: they count as not found",
            count(done.in_no_chunk as u64, "question")
        );
    }
    let indexed = &done.indexed;
    let _ = writeln!(
        out,
        "index: {} ({}, {}; {} added in {:.1} s)",
        path_text::shown(&indexed.dir),
        count(indexed.documents as u64, "article"),
        count(indexed.chunks as u64, "chunk"),
        thousands(indexed.added as u64),
        indexed.seconds
    );
}
