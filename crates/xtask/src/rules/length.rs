//! No file outgrows its reader.

use super::Failure;
use crate::repo::Repo;
use std::collections::BTreeMap;

/// Lines of a Rust file at most; 100 to 250 is the aim.
const MOST: usize = 600;
/// Exceptions and their reasons.
const EXCEPTIONS: &str = "crates/xtask/allow-long.txt";

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let listed = repo.text(EXCEPTIONS).unwrap_or_default().lines().map(str::trim);
    let listed = listed.filter(|l| !l.is_empty() && !l.starts_with('#'));
    let pairs = listed.map(|l| l.split_once(':').unwrap_or((l, "")));
    let mut exceptions: BTreeMap<&str, &str> =
        pairs.map(|(path, reason)| (path.trim(), reason.trim())).collect();
    let mut out = Vec::new();
    for file in repo.files.iter().filter(|f| f.is_rust()) {
        let lines = file.text.lines().count();
        if lines <= MOST {
            continue;
        }
        match exceptions.remove(file.path.as_str()) {
            Some("") => {
                let what = format!("{} is listed without a reason", file.path);
                out.push(Failure::new(EXCEPTIONS, what, "write the reason behind a colon"));
            }
            Some(_) => {}
            None => {
                let what = format!("{lines} lines, more than {MOST}");
                let hint = format!("split it by idea, or list it with a reason in {EXCEPTIONS}");
                out.push(Failure::new(&file.path, what, hint));
            }
        }
    }
    for path in exceptions.keys() {
        let what = format!("{path} needs no exception: it has at most {MOST} lines, or does not exist");
        out.push(Failure::new(EXCEPTIONS, what, "take the line out"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{faults, repo};

    #[test]
    fn long_files_need_a_reason() {
        let check = |lines: usize, listed: &str, want: &[&str]| {
            let text = "//\n".repeat(lines);
            let repo = repo(&[("crates/a/src/b.rs", &text), (EXCEPTIONS, listed)]);
            assert_eq!(faults(super::check, &repo), want, "{lines} lines, {listed:?}");
        };
        check(600, "# none", &[]);
        check(601, "# none", &["crates/a/src/b.rs"]);
        check(601, "crates/a/src/b.rs: one table", &[]);
        check(601, "crates/a/src/b.rs:", &[EXCEPTIONS]);
        check(600, "crates/a/src/b.rs: one table", &[EXCEPTIONS]);
        check(1, "crates/gone.rs: one table", &[EXCEPTIONS]);
    }
}
