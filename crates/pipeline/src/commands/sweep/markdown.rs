//! A sweep as Markdown.

use super::{
    table::{choice, legend, sharing, table, verdict},
    text::head,
};
use crate::markdown::escape;
use contract::Sweep;
use std::fmt::Write;

// Writing to a string cannot fail: the results of `writeln!` are dropped.
pub(super) fn markdown(done: &Sweep) -> String {
    let mut out = format!("# Sweep\n\n{}\n", escape(&head(done)));
    let _ = writeln!(out, "\n{}", escape(&verdict(done)));
    if let Some(settings) = &done.choice.recommended {
        let _ = writeln!(out, "\n```toml\n{}\n```", settings.trim_end().replace("```", ""));
    }
    out.push_str("\n| | |\n|---|---|\n");
    for (name, value) in choice(done) {
        let _ = writeln!(out, "| {} | {} |", escape(&name), escape(&value));
    }
    let (head, rows) = table(done);
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let _ = write!(out, "\n{}|{}\n", line(&head), "---|".repeat(head.len()));
    for row in rows {
        out.push_str(&line(&row));
    }
    out.push('\n');
    for line in legend(done).iter().chain(&done.notes).chain(sharing(done).iter()) {
        let _ = writeln!(out, "- {}", escape(line));
    }
    out
}
