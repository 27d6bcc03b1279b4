//! A sweep for people, in at most 100 columns.

use super::table::{choice, legend, sharing, table, verdict};
use crate::words::count;
use contract::Sweep;
use lab::sweep::wrap;
use std::{collections::BTreeSet, fmt::Write};

/// Columns of the text.
const WIDTH: usize = 100;

/// A paragraph.
fn paragraph(text: &str) -> String {
    wrap(text, WIDTH) + "\n"
}

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn text(done: &Sweep) -> String {
    let mut out = head(done);
    for axis in &done.varied {
        out.push_str(&paragraph(&format!(
            "  {} = {}",
            axis.key,
            axis.values.join(", ")
        )));
    }
    out.push('\n');
    let (head, rows) = table(done);
    let axes = done.varied.len();
    // Whole names, or their last parts, or letters: the first that fit.
    let fits = |head: &Vec<String>| width(head, &rows) <= WIDTH;
    let named = |name: &dyn Fn(usize, &str) -> String| {
        let mut short = head.clone();
        for (at, axis) in done.varied.iter().enumerate() {
            short[at + 1] = name(at, &axis.key);
        }
        short
    };
    let last = named(&|_, key| key.rsplit('.').next().unwrap_or(key).to_owned());
    let distinct = last[1..=axes].iter().collect::<BTreeSet<_>>().len() == axes;
    let letter = |at: usize| format!("({})", char::from(b'a' + (at % 26) as u8));
    let letters = named(&|at, _| letter(at));
    if fits(&head) {
        columns(&head, &rows, axes, &mut out);
    } else if distinct && fits(&last) {
        columns(&last, &rows, axes, &mut out);
    } else if axes <= 26 && fits(&letters) {
        columns(&letters, &rows, axes, &mut out);
        for (at, axis) in done.varied.iter().enumerate() {
            let _ = writeln!(out, "{} {}", letter(at), axis.key);
        }
    } else {
        listed(done, &rows, &mut out);
    }
    out.push('\n');
    for line in legend(done) {
        out.push_str(&paragraph(&line));
    }
    out.push('\n');
    let lines = choice(done);
    let wide = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default();
    for (name, value) in lines {
        let _ = writeln!(out, "{name:<wide$}  {value}");
    }
    let _ = write!(out, "\n{}", paragraph(&verdict(done)));
    if let Some(settings) = &done.choice.recommended {
        let _ = write!(out, "\n{settings}");
    }
    if !done.notes.is_empty() {
        out.push('\n');
    }
    for note in &done.notes {
        out.push_str(&paragraph(&format!("note: {note}")));
    }
    if let Some(shared) = sharing(done) {
        let _ = write!(out, "\n{}", paragraph(&shared));
    }
    if done.calls_sent + done.calls_cached > 0 {
        let _ = writeln!(
            out,
            "{} to language models sent, {} answered from the cache",
            count(done.calls_sent, "call"),
            done.calls_cached
        );
    }
    if done.resumed > 0 {
        let _ = writeln!(
            out,
            "{} taken over from an unfinished sweep",
            count(done.resumed as u64, "row")
        );
    }
    out
}

/// What was compared.
pub(super) fn head(done: &Sweep) -> String {
    let combinations = match done.sampled {
        Some(sampled) => format!(
            "{sampled} of {} drawn",
            count(done.grid_size as u64, "combination")
        ),
        None => count(done.grid_size as u64, "combination"),
    };
    let and_start = if done.combinations.iter().any(|one| !one.in_grid) {
        ", and the settings that you started from"
    } else {
        ""
    };
    format!(
        "{} on {} from {}{and_start}\n",
        combinations,
        count(done.questions as u64, "question"),
        done.query_set
    )
}

fn width(head: &[String], rows: &[Vec<String>]) -> usize {
    widths(head, rows).iter().map(|width| width + 2).sum::<usize>() - 2
}

fn widths(head: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let chars = |row: &[String], at: usize| row.get(at).map_or(0, |cell| cell.chars().count());
    let column = |at| {
        rows.iter()
            .map(|row| chars(row, at))
            .chain([chars(head, at)])
            .max()
    };
    (0..head.len()).map(|at| column(at).unwrap_or_default()).collect()
}

fn columns(head: &[String], rows: &[Vec<String>], axes: usize, out: &mut String) {
    let widths = widths(head, rows);
    for row in std::iter::once(head).chain(rows.iter().map(Vec::as_slice)) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Marks, and the values of settings, are text; numbers end below each other.
            let left = at + 1 == row.len() || (1..=axes).contains(&at);
            let gap = if at == 0 { "" } else { "  " };
            let _ = if left {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Each combination as a line of results, with its settings below.
fn listed(done: &Sweep, rows: &[Vec<String>], out: &mut String) {
    let (head, _) = table(done);
    let axes = done.varied.len();
    let results = |row: &[String]| -> Vec<String> {
        let rest = row.iter().skip(axes + 1);
        row.iter().take(1).chain(rest).cloned().collect()
    };
    let own: Vec<Vec<String>> = rows.iter().map(|row| results(row)).collect();
    let mut lines = String::new();
    columns(&results(&head), &own, 0, &mut lines);
    let mut lines = lines.lines();
    let _ = writeln!(out, "{}", lines.next().unwrap_or_default());
    for (line, row) in lines.zip(rows) {
        let values = done.varied.iter().zip(row.iter().skip(1));
        let values: Vec<String> = values
            .map(|(axis, value)| format!("{} = {value}", axis.key))
            .collect();
        let _ = writeln!(out, "{line}");
        for part in wrap(&values.join(", "), WIDTH - 4).lines() {
            let _ = writeln!(out, "    {part}");
        }
    }
}
