//! Which run of a log a user means.

use super::{LONGEST_NAME, LogIndex, LogRun, RunHeader};
use crate::error::{LISTED, RunError};

/// The word for the run that began last.
pub const LATEST: &str = "latest";

/// The run that a word names: `latest`, an id, a name (the latest run that has it), or the beginning of one id only.
/// Records that belong to no run are found only as the `latest` of a log without any run.
///
/// # Errors
/// [`RunError`].
pub fn resolve<'a>(log: &'a LogIndex, wanted: &str) -> Result<&'a LogRun, RunError> {
    let runs = || log.runs.iter().rev().filter(|run| run.run_id.is_some());
    let id_of = |run: &LogRun| run.run_id.clone().unwrap_or_default();
    let name_of = |run: &LogRun| match RunHeader::name_of(run) {
        Some(name) => format!("{} ({name})", id_of(run)),
        None => id_of(run),
    };
    if wanted == LATEST {
        return runs()
            .next()
            .or_else(|| log.runs.last())
            .ok_or(RunError::Empty { path: log.path().to_path_buf() });
    }
    let by_id = runs().find(|run| run.run_id.as_deref() == Some(wanted));
    let named = |run: &&LogRun| RunHeader::name_of(run) == Some(wanted);
    if let Some(found) = by_id.or_else(|| runs().find(named)) {
        return Ok(found);
    }
    let begins: Vec<&LogRun> = runs()
        .filter(|run| !wanted.is_empty() && run.run_id.as_deref().is_some_and(|id| id.starts_with(wanted)))
        .collect();
    match begins.as_slice() {
        [found] => Ok(found),
        [] if runs().next().is_none() => Err(RunError::Empty { path: log.path().to_path_buf() }),
        [] => Err(RunError::Unknown {
            path: log.path().to_path_buf(),
            wanted: wanted.to_owned(),
            runs: (runs().take(LISTED).map(name_of).collect(), runs().count()),
        }),
        several => Err(RunError::Ambiguous {
            wanted: wanted.to_owned(),
            ids: several.iter().map(|run| id_of(run)).collect(),
        }),
    }
}

/// Whether a run can have this name: 1 to [`LONGEST_NAME`] characters, all printable, without spaces at its ends, and not
/// [`LATEST`].
///
/// # Errors
/// [`RunError::Name`].
pub fn check_name(name: &str) -> Result<(), RunError> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let reason = if name.trim().is_empty() {
        "it is empty"
    } else if name != name.trim() {
        "it begins or ends with a space"
    } else if name == LATEST {
        "that word names the latest run"
    } else if name.chars().count() > LONGEST_NAME {
        "it is too long"
    } else if name.chars().any(hidden) {
        "it has a character that cannot be seen"
    } else {
        return Ok(());
    };
    Err(RunError::Name { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runlog::append;
    use serde_json::json;
    use types::RunRecord;

    fn log(runs: &[(&str, Option<&str>)]) -> (tempfile::TempDir, LogIndex) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        let single = RunRecord { query: "alone".into(), ..RunRecord::default() };
        append(&path, &single).expect("appends");
        for (id, name) in runs {
            let record = RunRecord {
                query: "q".into(),
                run_id: Some((*id).to_owned()),
                run: Some(json!({"provenance": {}, "name": name})),
                ..RunRecord::default()
            };
            append(&path, &record).expect("appends");
        }
        let log = LogIndex::open(&path).expect("reads");
        (folder, log)
    }

    #[test]
    fn ids_names_and_beginnings() {
        let (_folder, log) = log(&[
            ("20260101T1-aa", Some("base")),
            ("20260102T1-bb", Some("base")),
            ("20260103T1-cc", None),
            ("20260103T2-dd", Some("20260101T1-aa")),
        ]);
        let found = |wanted: &str| resolve(&log, wanted).map(|run| run.run_id.clone().unwrap_or_default());
        assert_eq!(found("latest").as_deref(), Ok("20260103T2-dd"));
        assert_eq!(found("20260102T1-bb").as_deref(), Ok("20260102T1-bb"));
        // An id before a name, and the latest of those with a name.
        assert_eq!(found("20260101T1-aa").as_deref(), Ok("20260101T1-aa"));
        assert_eq!(found("base").as_deref(), Ok("20260102T1-bb"));
        assert_eq!(found("20260102").as_deref(), Ok("20260102T1-bb"));
        let error = found("20260103T").expect_err("two").to_string();
        assert!(error.contains("20260103T1-cc") && error.contains("write more of the id"), "{error}");
        for wanted in ["", "odd", "Base"] {
            let error = found(wanted).expect_err("none").to_string();
            assert!(error.contains("its runs are 20260103T2-dd"), "{error}");
        }
    }

    #[test]
    fn a_log_without_a_run() {
        let (_folder, log) = log(&[]);
        assert_eq!(resolve(&log, "latest").map(|run| run.run_id.clone()), Ok(None));
        let error = resolve(&log, "x").expect_err("no run").to_string();
        assert!(error.contains("pipeline eval"), "{error}");
    }

    #[test]
    fn names() {
        for name in ["base", "weights 0.3 : 0.7", "é✓", &"x".repeat(80)] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for (name, why) in [
            ("", "empty"),
            (" a", "space"),
            ("latest", "latest run"),
            ("a\nb", "cannot be seen"),
            ("a\u{202e}b", "cannot be seen"),
            (&"x".repeat(81), "too long"),
        ] {
            let error = check_name(name).expect_err("wrong").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
