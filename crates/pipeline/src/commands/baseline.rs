//! What `pipeline eval --baseline` prints.

use crate::{page::Page, words::when};
use lab::eval_run::BaselineCheck;

/// Why it failed and what to do, on one line.
pub(super) fn failure(result: &BaselineCheck) -> String {
    let path = result.file.display();
    let renew = "if the change is intended, renew the file with --write-baseline";
    match &result.checked {
        None => format!("{path} holds nothing of this query set; add it with --write-baseline"),
        Some(checked) if !checked.same_query_set => {
            format!("{path} was made with other questions or labels; {renew}")
        }
        Some(checked) if checked.drops.is_empty() => {
            let new = checked.changes.iter().filter(|c| c.before.is_none());
            format!("{path} lacks {} outcomes; add them with --write-baseline", new.count())
        }
        Some(checked) => {
            let drops: Vec<String> = checked.drops.iter().map(ToString::to_string).collect();
            format!("{path}: {}; {renew}", drops.join("; "))
        }
    }
}

/// What changed, by query.
pub(super) fn add(page: &mut Page, result: &BaselineCheck) {
    let path = result.file.display();
    page.gap();
    page.line(match &result.checked {
        None => format!("baseline: {path} held nothing of this query set"),
        Some(checked) if !checked.same_query_set => {
            format!("baseline: {path} was made with other questions or labels")
        }
        Some(checked) if checked.changes.is_empty() => {
            format!("baseline: all {} outcomes are as in {path}", checked.compared)
        }
        Some(checked) => {
            let (changes, all) = (checked.changes.len(), checked.compared);
            let within = when(checked.passes(), ", within the tolerance");
            format!("baseline: {changes} of {all} outcomes differ from {path}{within}")
        }
    });
    if let Some(checked) = &result.checked {
        let changes = checked.changes.iter().map(ToString::to_string);
        let drops = checked.drops.iter().map(ToString::to_string);
        for line in changes.chain(drops) {
            page.quote_line(line);
        }
        if !checked.changes.is_empty() && !checked.same_settings {
            page.quote_line("the settings differ from those of the baseline");
        }
    }
    if result.written {
        page.line(format!("baseline written: {path}"));
    }
}
