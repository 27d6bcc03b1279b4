//! No modules of a crate use each other in a cycle. A module is one at the root of its crate, with all files below it; it
//! uses another when it names it, or something of it that the root passes on, by a path from the root. Tests do not count.

use super::Failure;
use crate::repo::Repo;
use std::collections::{BTreeMap, BTreeSet};

type Uses = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let mut out = Vec::new();
    for package in &repo.packages {
        let source = format!("{}/src/", package.folder);
        for cycle in cycles(&uses(repo, &source)) {
            let what = format!("modules use each other in a cycle: {}", cycle.join(", "));
            out.push(Failure::new(&source, what, "move what they share into a module of its own"));
        }
    }
    out
}

/// Which modules each module uses.
fn uses(repo: &Repo, source: &str) -> Uses {
    let files = repo.rust_below(source.trim_end_matches('/')).filter_map(|file| {
        let path = file.path.strip_prefix(source)?.strip_suffix(".rs")?;
        let path: Vec<&str> = path.split('/').filter(|part| *part != "mod").collect();
        let tested = path.iter().any(|part| *part == "tests" || *part == "bin");
        (!tested).then(|| (path, code(&file.text)))
    });
    let (root, files): (Vec<_>, Vec<_>) = files.partition(|(path, _)| matches!(path[..], ["lib" | "main"]));
    let modules: BTreeSet<&str> = files.iter().map(|(path, _)| path[0]).collect();
    // What the root passes on, by its name.
    let mut passed_on: BTreeMap<String, &str> = BTreeMap::new();
    for statement in root.iter().flat_map(|(_, code)| code.split(';')) {
        let Some((_, tree)) = statement.split_once("use ") else { continue };
        let tree = tree.strip_prefix("crate::").unwrap_or(tree);
        if let Some(module) = modules.get(tree.split("::").next().unwrap_or_default()) {
            let names = tree.split(|c: char| !c.is_alphanumeric() && c != '_');
            passed_on.extend(names.map(|name| (name.to_owned(), *module)));
        }
    }
    let mut out = Uses::new();
    for (path, code) in &files {
        let to_root = ["crate::".to_owned(), "super::".repeat(path.len())];
        let used = to_root.iter().flat_map(|root| {
            let found = code.match_indices(root.as_str());
            // Not the end of a longer path, such as `super::super::`.
            let whole = found.filter(|(at, _)| !code[..*at].ends_with([':', '_', '$']));
            whole.flat_map(|(at, _)| heads(&code[at + root.len()..]))
        });
        let module = |name: &str| modules.get(name).or_else(|| passed_on.get(name)).copied();
        let others = used.filter_map(module).filter(|other| *other != path[0]);
        out.entry(path[0].to_owned()).or_default().extend(others.map(str::to_owned));
    }
    out
}

/// The code of a file without comments and the tests at its end.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The first names of a path, of several if it is a group: `a` and `b` of `{a::{c, d}, b}`.
fn heads(tree: &str) -> Vec<&str> {
    let name = |part: &'_ str| part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
    let Some(group) = tree.strip_prefix('{') else {
        return vec![&tree[..name(tree)]];
    };
    let (mut out, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let part = group[start..at].trim_start();
                out.push(&part[..name(part)]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    out
}

/// The modules that one reaches.
fn reached<'u>(uses: &'u Uses, from: &'u String) -> BTreeSet<&'u String> {
    let (mut all, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(uses.get(module).into_iter().flatten().filter(|next| all.insert(*next)));
    }
    all
}

/// The sets of modules that reach each other.
fn cycles(uses: &Uses) -> BTreeSet<Vec<String>> {
    let circle = |from: &String| {
        let back = reached(uses, from).into_iter().filter(|to| reached(uses, to).contains(from));
        back.cloned().collect::<Vec<_>>()
    };
    uses.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{package, repo};

    #[test]
    fn modules_that_use_each_other_are_found() {
        let check = |files: &[(&str, &str)], want: &[&str]| {
            let files: Vec<_> =
                files.iter().map(|(name, text)| (format!("crates/a/src/{name}.rs"), *text)).collect();
            let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
            let repo = crate::repo::Repo { packages: vec![package("a", &[])], ..repo(&files) };
            let found: Vec<String> = super::check(&repo).into_iter().map(|failure| failure.what).collect();
            let want: Vec<String> =
                want.iter().map(|names| format!("modules use each other in a cycle: {names}")).collect();
            assert_eq!(found, want, "{files:?}");
        };
        check(&[("b", "use crate::c::C;"), ("c", "use super::b;")], &["b, c"]);
        check(
            &[("b/d", "use crate::{e, c::{C, D}};"), ("c", "fn f() { crate::b::g() }"), ("e", "")],
            &["b, c"],
        );
        check(
            &[("b", "use crate::c;"), ("c", "use crate::d;"), ("d/e", "use super::super::b;")],
            &["b, c, d"],
        );
        // Through a name that the root passes on.
        let root = ("lib", "mod b;\nmod c;\npub use b::{A, B};");
        check(&[root, ("b", "use crate::c::C;"), ("c", "use crate::B;")], &["b, c"]);
        // Its own parts, comments and tests do not count.
        check(&[root, ("b", "use crate::c;"), ("b/e", "use super::A; use crate::b::A; // crate::c")], &[]);
        check(&[("b", "use crate::c;"), ("c", "#[cfg(test)]\nmod tests { use crate::b; }")], &[]);
        check(&[("b", "use crate::c;"), ("c/tests", "use crate::b;")], &[]);
    }
}
