//! No file tells of the machine that it was written on.

use super::Failure;
use crate::repo::{File, Repo};

/// Where crates come from, for everyone.
const PUBLIC: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let paths = machine_paths(&repo.root);
    let hosts = private_hosts();
    let mut out = Vec::new();
    for file in &repo.files {
        for (at, line) in file.text.lines().enumerate() {
            let here = || format!("{}:{}", file.path, at + 1);
            if let Some(path) = paths.iter().find(|p| holds_path(line, p)) {
                let what = format!("it holds the path {path} of one machine");
                out.push(Failure::new(here(), what, "write it relative to the repository, or as a setting"));
            }
            if let Some(host) = hosts.iter().find(|h| names_host(line, h)) {
                let what = format!("it names a host like {host}, which others cannot reach");
                out.push(Failure::new(here(), what, "name the public source, or none"));
            }
        }
        out.extend(foreign_sources(file));
    }
    out
}

/// Beginnings of paths that exist on one machine only. Put together here, so that this file holds none.
fn machine_paths(root: &str) -> Vec<String> {
    let mut out: Vec<String> = ["root", "home", "Users"].iter().map(|folder| format!("/{folder}/")).collect();
    out.push(["file:", "///"].concat());
    out.push(root.to_owned());
    out
}

/// Parts of the names of private mirrors.
fn private_hosts() -> Vec<String> {
    [
        ["artifac", "tory"],
        ["jfr", "og"],
        ["nex", "us."],
        ["mir", "ror"],
        [".inter", "nal"],
        [".co", "rp"],
        [".intra", "net"],
    ]
    .iter()
    .map(|parts| parts.concat())
    .collect()
}

/// Whether the line holds `path` as the beginning of a path, not as the middle of one.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let begins =
            before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '>')));
        begins
            && (path.ends_with('/') || after.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-'))))
    })
}

/// Whether an address in the line has a host that holds `part`.
fn names_host(line: &str, part: &str) -> bool {
    line.match_indices("://").any(|(at, sign)| {
        let host =
            line[at + sign.len()..].split(['/', '"', '\'', ' ', ')', '>', '`']).next().unwrap_or_default();
        host.to_lowercase().contains(part)
    })
}

/// Entries of a lock file that come from elsewhere than the public registry.
fn foreign_sources(file: &File) -> Vec<Failure> {
    if !file.path.ends_with("Cargo.lock") {
        return Vec::new();
    }
    let source =
        |line: &str| line.trim().strip_prefix("source = ").is_some_and(|s| s.trim_matches('"') != PUBLIC);
    let foreign = file.text.lines().enumerate().filter(|(_, line)| source(line));
    foreign
        .map(|(at, _)| {
            let what = "a crate comes from elsewhere than the public registry";
            Failure::new(format!("{}:{}", file.path, at + 1), what, "use the published crate")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{faults, repo};

    #[test]
    fn nothing_tells_of_one_machine() {
        let check = |text: &str, good: bool| {
            let found = faults(super::check, &repo(&[("README.md", text)]));
            assert_eq!(found.is_empty(), good, "{text:?}: {found:?}");
        };
        // Assembled, so that the rule passes over its own test.
        let home = ["/ho", "me/"].concat();
        check(&format!("see {home}me/x"), false);
        check(&format!("`{home}me`"), false);
        check(&format!("https://example.org{home}x"), true);
        check(&format!("{}//{home}", "file:"), false);
        check("run it in /somewhere/checkout/crates", false);
        check("run it in /somewhere/checkout", false);
        check("run it in /somewhere/checkouts", true);
        check("a/somewhere/checkout", true);
        check("crates/home/x", true);
        check(&format!("from https://{}.example.org/x", ["artifac", "tory"].concat()), false);
        check(&format!("an {} is a place", ["artifac", "tory"].concat()), true);
        check("https://crates.io/crates/serde", true);
    }

    #[test]
    fn locked_crates_are_public() {
        let check = |source: &str, good: bool| {
            let text = format!("[[package]]\nname = \"a\"\nsource = \"{source}\"\n");
            assert_eq!(faults(super::check, &repo(&[("Cargo.lock", &text)])).is_empty(), good, "{source}");
        };
        check(PUBLIC, true);
        check("registry+https://example.org/index", false);
        check("git+https://github.com/someone/something", false);
    }
}
