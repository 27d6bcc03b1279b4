//! What `pipeline eval --baseline` prints.

use anyhow::Result;
use lab::eval_run::BaselineResult;
use std::fmt::Write;

/// Whether the run is as good as the file says; a file that was just written always agrees.
pub(super) fn passes(result: &BaselineResult) -> bool {
    let checked = &result.checked;
    result.written || matches!(checked, Some(checked) if checked.passes())
}

/// Why it failed and what to do, on one line.
pub(super) fn failure(result: &BaselineResult) -> String {
    let path = result.path.display();
    let renew = "if the change is intended, renew the file with --write-baseline";
    match &result.checked {
        None => format!("{path} holds nothing of this query set; add it with --write-baseline"),
        Some(checked) if !checked.same_query_set => {
            format!("{path} was made with other questions or labels; {renew}")
        }
        Some(checked) if checked.drops.is_empty() => {
            let new = checked.changes.iter().filter(|c| c.before.is_none());
            format!(
                "{path} lacks {} outcomes; add them with --write-baseline",
                new.count()
            )
        }
        Some(checked) => {
            let drops: Vec<String> = checked.drops.iter().map(ToString::to_string).collect();
            format!("{path}: {}; {renew}", drops.join("; "))
        }
    }
}

/// What changed, by query.
pub(super) fn text(result: &BaselineResult) -> String {
    let path = result.path.display();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match &result.checked {
        None => writeln!(out, "baseline: {path} held nothing of this query set"),
        Some(checked) if !checked.same_query_set => {
            writeln!(out, "baseline: {path} was made with other questions or labels")
        }
        Some(checked) if checked.changes.is_empty() => {
            writeln!(
                out,
                "baseline: all {} outcomes are as in {path}",
                checked.compared
            )
        }
        Some(checked) => writeln!(
            out,
            "baseline: {} of {} outcomes differ from {path}{}",
            checked.changes.len(),
            checked.compared,
            if checked.passes() {
                ", within the tolerance"
            } else {
                ""
            }
        ),
    };
    if let Some(checked) = &result.checked {
        for change in &checked.changes {
            let _ = writeln!(out, "  {change}");
        }
        for drop in &checked.drops {
            let _ = writeln!(out, "  {drop}");
        }
        if !checked.changes.is_empty() && !checked.same_settings {
            let _ = writeln!(out, "  the settings differ from those of the baseline");
        }
    }
    if result.written {
        let _ = writeln!(out, "baseline written: {path}");
    }
    out
}

/// The same for programs.
pub(super) fn document(result: &BaselineResult) -> Result<contract::BaselineCheck> {
    Ok(contract::BaselineCheck {
        file: result.path.clone(),
        passed: passes(result),
        written: result.written,
        checked: serde_json::to_value(&result.checked)?,
    })
}
