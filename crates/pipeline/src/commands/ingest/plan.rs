//! What a run would do, for people.

use super::{
    grouped::{Item, list},
    summary::others,
};
use crate::words::count;
use engine::indexer::{Action, Change, DryRun, Entry};
use std::fmt::Write;

/// The plan; `all` names every file and warning.
pub(super) fn text(plan: &DryRun, all: bool) -> String {
    let mut out = String::new();
    let mut counts = Vec::new();
    for (action, number) in &plan.counts {
        counts.push(format!("{number} {}", word(*action)));
        // What costs nothing is counted, not listed.
        if *action != Action::Keep {
            let entries = plan.entries.iter().filter(|e| e.action == *action);
            list(
                &mut out,
                label(*action),
                &entries.map(item).collect::<Vec<_>>(),
                "file",
                all,
            );
        }
    }
    others(&mut out, &plan.other_files);
    let warnings = plan.warnings.iter().map(|text| Item::warning(text));
    list(&mut out, "note", &warnings.collect::<Vec<_>>(), "paper", all);
    let _ = writeln!(
        out,
        "dry run of {}: {}; nothing was written",
        count(plan.entries.len() as u64, "file"),
        counts.join(", ")
    );
    out
}

fn item(entry: &Entry) -> Item {
    let mut path = entry.path.clone();
    if let Some(id) = &entry.source_id {
        let _ = write!(path, " as {id}");
    }
    let why: Vec<&str> = entry.why.iter().map(|why| reason(*why)).collect();
    let parts = [why.join(", "), entry.detail.clone().unwrap_or_default()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => Item::name(&path),
        parts => Item::new(&path, &parts.join("; ")),
    }
}

/// How the count of an action reads.
fn word(action: Action) -> &'static str {
    match action {
        Action::Add => "to add",
        Action::Change => "to update",
        Action::Move => "moved or copied",
        Action::Keep => "unchanged",
        Action::Remove => "to remove",
        Action::Duplicate => "with the bytes of another",
        Action::SamePaper => "of the same paper as another",
        Action::WithoutText => "without text",
        Action::Undecided => "to compare with another",
        Action::FailedBefore => "failed before",
        Action::Unreadable => "unreadable",
        Action::Skipped => "skipped",
    }
}

fn label(action: Action) -> &'static str {
    match action {
        Action::Add => "add",
        Action::Change => "update",
        Action::Move => "move",
        Action::Keep => "keep",
        Action::Remove => "remove",
        Action::Duplicate | Action::SamePaper => "same",
        Action::WithoutText => "no text",
        Action::Undecided => "compare",
        Action::FailedBefore | Action::Unreadable => "failed",
        Action::Skipped => "skipped",
    }
}

fn reason(change: Change) -> &'static str {
    match change {
        Change::Content => "the file changed",
        Change::Settings => "the settings changed",
        Change::Metadata => "its metadata changed",
    }
}
