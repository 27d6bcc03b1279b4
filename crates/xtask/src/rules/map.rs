//! The map of the crates, `crates/README.md`, matches the crates and files that exist.

use super::Failure;
use crate::repo::{Package, Repo};

const MAP: &str = "crates/README.md";

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let Some(map) = repo.text(MAP) else {
        let hint = "add a table with one line for each crate";
        return vec![Failure::new(MAP, "there is no map of the crates", hint)];
    };
    let rows: Vec<Row<'_>> = map.lines().enumerate().filter_map(row).collect();
    let mut out = Vec::new();
    for package in &repo.packages {
        let lines = rows.iter().filter(|row| row.name == package.name).count();
        if lines != 1 {
            let what = format!("the crate {} has {lines} lines in the table of crates", package.name);
            out.push(Failure::new(MAP, what, "give each crate one line"));
        }
    }
    for row in &rows {
        let here = format!("{MAP}:{}", row.line);
        let Some(package) = repo.packages.iter().find(|p| p.name == row.name) else {
            let what = format!("there is no crate {}", row.name);
            out.push(Failure::new(here, what, "take the line out"));
            continue;
        };
        for path in row.start_with.iter().filter(|path| !in_crate(repo, package, path)) {
            let what = format!("{} has no src/{path}", row.name);
            let hint = "name a file, or a folder with a slash behind it, below src";
            out.push(Failure::new(here.clone(), what, hint));
        }
    }
    for (at, line) in map.lines().enumerate() {
        for path in quoted(line).into_iter().filter(|word| is_path(repo, word)) {
            let known = [path.to_owned(), format!("crates/{path}")];
            if !known.iter().any(|path| exists(repo, path)) {
                let what = format!("there is no {path}");
                let hint = "write paths from the root or from crates, folders too";
                out.push(Failure::new(format!("{MAP}:{}", at + 1), what, hint));
            }
        }
    }
    out
}

/// A line of the table of crates.
struct Row<'a> {
    line: usize,
    name: &'a str,
    /// What its last column names.
    start_with: Vec<&'a str>,
}

/// The row of a line whose first cell is one word in code style.
fn row((at, line): (usize, &str)) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
    let name = cells.first()?.strip_prefix('`')?.strip_suffix('`')?;
    Some(Row { line: at + 1, name, start_with: quoted(cells.get(2)?) })
}

/// The words in code style (between backticks).
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// Whether a word in code style is a path: it begins with `crates/` or the folder of a crate.
fn is_path(repo: &Repo, word: &str) -> bool {
    let first = word.split_once('/').filter(|(_, rest)| !rest.is_empty()).map(|(first, _)| first);
    first.is_some_and(|first| first == "crates" || repo.packages.iter().any(|p| p.name == first))
}

fn in_crate(repo: &Repo, package: &Package, path: &str) -> bool {
    exists(repo, &format!("{}/src/{path}", package.folder))
}

/// Whether git knows the file, or a file in the folder.
fn exists(repo: &Repo, path: &str) -> bool {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let file = |known: &str| known == path && !path.ends_with('/');
    repo.files.iter().any(|f| file(&f.path) || f.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{package, repo};

    fn faults(map: &str) -> Vec<String> {
        let mut repo = repo(&[
            (MAP, map),
            ("crates/a/src/lib.rs", ""),
            ("crates/a/src/parts/one.rs", ""),
            ("crates/b/src/lib.rs", ""),
        ]);
        repo.packages = vec![package("a", &[]), package("b", &[])];
        check(&repo).into_iter().map(|f| format!("{}: {}", f.path, f.what)).collect()
    }

    #[test]
    fn the_map_shows_every_crate_once_and_nothing_else() {
        let row = |name: &str, start: &str| format!("| `{name}` | adds | {start} |\n");
        let whole = row("a", "`lib.rs`, `parts/`") + &row("b", "`lib.rs`");
        let none: [&str; 0] = [];
        assert_eq!(faults(&whole), none);
        assert_eq!(
            faults(&row("a", "`lib.rs`")),
            [format!("{MAP}: the crate b has 0 lines in the table of crates")]
        );
        assert_eq!(
            faults(&(whole.clone() + &row("b", "`lib.rs`"))),
            [format!("{MAP}: the crate b has 2 lines in the table of crates")]
        );
        assert_eq!(
            faults(&(whole.clone() + &row("c", "`lib.rs`"))),
            [format!("{MAP}:3: there is no crate c")]
        );
        assert_eq!(
            faults(&(row("a", "`whole/`, `parts`, `two.rs`") + &row("b", "`lib.rs`"))),
            [format!("{MAP}:1: a has no src/whole/"), format!("{MAP}:1: a has no src/two.rs")]
        );
    }

    #[test]
    fn paths_in_the_text_exist() {
        let table = "| `a` | x | `lib.rs` |\n| `b` | x | `lib.rs` |\n";
        let check = |text: &str, good: bool| {
            let found = faults(&format!("{table}{text}"));
            assert_eq!(found.is_empty(), good, "{text}: {found:?}");
        };
        check("Start with `a/src/parts/one.rs` or `crates/a/src/lib.rs`.", true);
        check("Start with `a/src/parts`.", true);
        check("Start with `a/src/parts/two.rs`.", false);
        check("Start with `a/src/whole`.", false);
        check("`cargo xtask check`, `types::Answerer`, `and/or`, `logs`", true);
    }

    #[test]
    fn a_repository_without_a_map_is_told() {
        assert_eq!(check(&Repo::default()).len(), 1);
    }
}
