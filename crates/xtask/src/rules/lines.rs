//! The code stays within its budget, so that growth is a decision.
//!
//! Lines are those that are not empty. Tests are what stands below `tests`, `benches`, `fuzz` or `examples`, in `tests.rs`,
//! `testing.rs` or `*_tests.rs`, in the crate `testkit`, or in a module behind `#[cfg(test)]` to the end of its file.
//! Comments in code count on their own.

use super::Failure;
use crate::repo::Repo;
use std::{collections::BTreeMap, fmt::Write as _};

const MANIFEST: &str = "Cargo.toml";
const SECTION: &str = "[workspace.metadata.lines]";

/// Lines of Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    code: usize,
    comments: usize,
    tests: usize,
    files: usize,
}

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let all = sum(&by_crate(repo));
    let budgets = [("code", all.code), ("tests", all.tests)];
    let failure = |(name, lines): (&str, usize)| {
        let hint = "delete what is not needed, or raise the budget and say why in the commit message";
        match budget(repo, name) {
            Some(most) if lines <= most => None,
            Some(most) => {
                let what = format!("{lines} lines of {name}, more than the budget of {most}");
                Some(Failure::new(MANIFEST, what, hint))
            }
            None => {
                let what = format!("{SECTION} gives no budget for {name}");
                Some(Failure::new(MANIFEST, what, format!("write {name} = {lines}")))
            }
        }
    };
    budgets.into_iter().filter_map(failure).collect()
}

/// The lines of each crate, most code first.
pub(crate) fn table(repo: &Repo) -> String {
    let crates = by_crate(repo);
    let mut rows: Vec<(&str, Lines)> = crates.iter().map(|(name, lines)| (*name, *lines)).collect();
    rows.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.code));
    rows.push(("all", sum(&crates)));
    let mut out = format!("{:<12} {:>7} {:>8} {:>7} {:>6}\n", "crate", "code", "comment", "tests", "files");
    for (name, lines) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{name:<12} {:>7} {:>8} {:>7} {:>6}",
            lines.code, lines.comments, lines.tests, lines.files
        );
    }
    out
}

fn budget(repo: &Repo, name: &str) -> Option<usize> {
    let manifest = repo.text(MANIFEST)?;
    let (_, section) = manifest.split_once(SECTION)?;
    let own = section.lines().skip(1).take_while(|line| !line.starts_with('['));
    let value = own.filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == name)?.1;
    let value = value.split('#').next().unwrap_or_default();
    value.trim().replace('_', "").parse().ok()
}

fn sum(crates: &BTreeMap<&str, Lines>) -> Lines {
    crates.values().fold(Lines::default(), |sum, lines| Lines {
        code: sum.code + lines.code,
        comments: sum.comments + lines.comments,
        tests: sum.tests + lines.tests,
        files: sum.files + lines.files,
    })
}

fn by_crate(repo: &Repo) -> BTreeMap<&str, Lines> {
    let mut crates: BTreeMap<&str, Lines> = BTreeMap::new();
    for file in repo.rust_below("crates") {
        let mut parts = file.path.split('/').skip(1);
        let name = parts.next().unwrap_or_default();
        let inside: Vec<&str> = parts.collect();
        let lines = crates.entry(name).or_default();
        lines.files += 1;
        let tests_from = if is_test(name, &inside) { 0 } else { tests_from(&file.text) };
        for (at, line) in file.text.lines().enumerate() {
            match line.trim() {
                "" => {}
                _ if at >= tests_from => lines.tests += 1,
                text if text.starts_with("//") => lines.comments += 1,
                _ => lines.code += 1,
            }
        }
    }
    crates
}

fn is_test(name: &str, inside: &[&str]) -> bool {
    let (file, folders) = inside.split_last().unwrap_or((&"", &[]));
    name == "testkit"
        || folders.iter().any(|folder| matches!(*folder, "tests" | "benches" | "fuzz" | "examples"))
        || matches!(*file, "tests.rs" | "testing.rs")
        || file.ends_with("_tests.rs")
}

/// The line of `#[cfg(test)]` before a module with a body; the number of lines if there is none.
fn tests_from(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let opens = |at: usize| {
        let mut after = lines.iter().skip(at + 1).skip_while(|l| l.starts_with("#[") && l.ends_with(']'));
        let next = after.next().copied().unwrap_or_default();
        let next = next.strip_prefix("pub(crate) ").unwrap_or(next);
        let next = next.strip_prefix("pub ").unwrap_or(next);
        next.starts_with("mod ") && next.ends_with('{')
    };
    (0..lines.len()).find(|at| lines[*at] == "#[cfg(test)]" && opens(*at)).unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{faults, repo};

    const CODE: &str = "//! A.\n\nfn a() {}\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[allow(x)]\npub(crate) mod test {\n    fn b() {}\n}\n";

    #[test]
    fn code_comments_and_tests_count_apart() {
        let repo = repo(&[
            ("crates/a/src/a.rs", CODE),
            ("crates/a/tests/t.rs", "fn t() {}\n// c\n"),
            ("crates/testkit/src/lib.rs", "fn k() {}\n"),
        ]);
        let crates = by_crate(&repo);
        let a = Lines { code: 3, comments: 1, tests: 7, files: 2 };
        assert_eq!((crates["a"], crates["testkit"].tests), (a, 1));
    }

    #[test]
    fn the_budget_is_in_the_manifest() {
        let check = |section: &str, want: usize| {
            let manifest = format!("[workspace]\n{section}\n[profile.dev]\ncode = 0\n");
            let repo = repo(&[("crates/a/src/a.rs", CODE), (MANIFEST, &manifest)]);
            assert_eq!(faults(super::check, &repo).len(), want, "{section}");
        };
        check(&format!("{SECTION}\ncode = 3 # why\ntests = 1_000"), 0);
        check(&format!("{SECTION}\ncode = 2\ntests = 4"), 2);
        check(&format!("{SECTION}\ncode = 3"), 1);
        check("", 2);
    }
}
