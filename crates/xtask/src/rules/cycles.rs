//! No modules of a crate use each other in a cycle.
//!
//! A module is a file. It uses another when it names something of it by a path that begins with `crate`, `super`,
//! `self` or one of its child modules; a name that a module only passes on (`pub use`) counts for the module that it
//! comes from. A child may use what its parents define. Tests and the root of the crate do not count.

use super::Failure;
use crate::repo::Repo;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A path of names: a module below the root of its crate, or something in it.
type Path = Vec<String>;

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let mut out = Vec::new();
    for package in &repo.packages {
        let source = format!("{}/src", package.folder);
        let mut modules = BTreeMap::new();
        for file in repo.rust_below(&source) {
            let below = &file.path[source.len() + 1..];
            if !below.ends_with("tests.rs") && !below.contains("tests/") && !below.starts_with("bin/") {
                modules.insert(module(below), Names::read(&file.text));
            }
        }
        for cycle in cycles(&uses(&modules)) {
            let names: Vec<String> = cycle.iter().map(|module| module.join("::")).collect();
            let what = format!("modules use each other in a cycle: {}", names.join(" → "));
            let hint = "move what both need into a module of its own";
            out.push(Failure::new(&source, what, hint));
        }
    }
    out
}

/// The module of a file: `a/b.rs` and `a/b/mod.rs` are `a::b`; the root has no name.
fn module(file: &str) -> Path {
    let mut parts: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let last = parts.last().map(String::as_str);
    if matches!(last, Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// The paths that a file names, outside of comments and tests.
#[derive(Default)]
struct Names {
    /// Paths of imports and of the code.
    used: Vec<Path>,
    /// Paths of imports that are passed on.
    passed_on: Vec<Path>,
}

impl Names {
    fn read(text: &str) -> Self {
        let mut names = Self::default();
        let code = text.split("#[cfg(test)]\n").enumerate().filter(|(part, code)| {
            // What follows the mark of a test module is left out; other items are not.
            *part == 0 || !code.lines().next().is_some_and(|line| line.contains("mod "))
        });
        for (_, code) in code {
            let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
            names.read_code(&lines.collect::<Vec<_>>().join("\n"));
        }
        names
    }

    fn read_code(&mut self, code: &str) {
        let mut rest = code;
        let mut searched = 0;
        while let Some(found) = rest[searched..].find("use ").map(|at| searched + at) {
            let before = rest[..found].rsplit('\n').next().unwrap_or_default().trim();
            if !before.is_empty() && !before.starts_with("pub") {
                searched = found + "use ".len();
                continue;
            }
            self.used.extend(paths_in(&rest[..found]));
            let end = rest[found..].find(';').map_or(rest.len(), |end| found + end);
            let tree: String =
                rest[found + "use ".len()..end].split_whitespace().collect::<Vec<_>>().join(" ");
            if before.is_empty() {
                self.used.extend(expand(&tree));
            } else {
                self.passed_on.extend(expand(&tree));
            }
            rest = &rest[end..];
            searched = 0;
        }
        self.used.extend(paths_in(rest));
    }
}

/// The paths of an import: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<Path> {
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts
        .filter(|part| !part.trim().is_empty())
        .flat_map(|part| expand(&format!("{}{}", &tree[..open], part.trim())))
        .collect()
}

/// Every `a::b::c` in the code.
fn paths_in(code: &str) -> Vec<Path> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words
        .filter(|word| word.contains("::") && !word.starts_with(':'))
        .map(|word| word.split("::").map(str::to_owned).collect())
        .collect()
}

/// Which modules each module uses.
fn uses(modules: &BTreeMap<Path, Names>) -> BTreeMap<&Path, BTreeSet<&Path>> {
    let mut out = BTreeMap::new();
    for (module, names) in modules {
        let used = names.used.iter().filter_map(|path| absolute(modules, module, path));
        let used = used.filter_map(|path| home(modules, path));
        let others: BTreeSet<&Path> = used.filter(|other| !module.starts_with(other)).collect();
        out.insert(module, others);
    }
    out
}

/// The path from the root of the crate, when it leads into the crate.
fn absolute(modules: &BTreeMap<Path, Names>, module: &Path, path: &Path) -> Option<Path> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([module.get(..module.len().checked_sub(ups)?)?, &path[ups..]].concat()),
        child => {
            let below = [module, &path[..]].concat();
            modules.contains_key([&module[..], &[child.to_owned()]].concat().as_slice()).then_some(below)
        }
    }
}

/// The module that defines what a path names.
fn home(modules: &BTreeMap<Path, Names>, mut path: Path) -> Option<&Path> {
    // Names may be passed on more than once, but not in a cycle.
    for _ in 0..8 {
        let (module, names) = (0..=path.len()).rev().find_map(|end| modules.get_key_value(&path[..end]))?;
        let Some(name) = path.get(module.len()) else {
            return Some(module);
        };
        let from = names.passed_on.iter().find(|from| from.last() == Some(name));
        match from.and_then(|from| absolute(modules, module, from)) {
            Some(from) => path = [&from[..], &path[module.len() + 1..]].concat(),
            None => return Some(module),
        }
    }
    None
}

/// One cycle for each set of modules that reach each other, as its modules in order.
fn cycles<'m>(uses: &BTreeMap<&'m Path, BTreeSet<&'m Path>>) -> Vec<Vec<&'m Path>> {
    let mut out: Vec<Vec<&Path>> = Vec::new();
    for start in uses.keys().copied() {
        if out.iter().any(|cycle| cycle.contains(&start)) {
            continue;
        }
        let mut from: BTreeMap<&Path, &Path> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(module) = queue.pop_front().filter(|_| !from.contains_key(start)) {
            for next in uses.get(module).into_iter().flatten().copied() {
                if !from.contains_key(next) {
                    from.insert(next, module);
                    queue.push_back(next);
                }
            }
        }
        let Some(mut module) = from.get(start).copied() else {
            continue;
        };
        let mut cycle = vec![start];
        while module != start {
            cycle.insert(0, module);
            module = from[module];
        }
        cycle.insert(0, start);
        cycle.pop();
        out.push(cycle);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{package, repo};

    fn check(files: &[(&str, &str)], want: &[&str]) {
        let files: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("crates/a/src/{name}.rs"), *text)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let mut repo = repo(&files);
        repo.packages = vec![package("a", &[])];
        let found: Vec<String> = super::check(&repo)
            .into_iter()
            .map(|failure| failure.what.split(": ").nth(1).unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, want, "{files:?}");
    }

    #[test]
    fn modules_that_use_each_other_are_found() {
        check(&[("b", "use crate::c::C;"), ("c", "use super::b;")], &["b → c"]);
        check(&[("b", "fn f() { crate::c::g() }"), ("c", "use crate::{b::B, d};")], &["b → c"]);
        check(
            &[("b/mod", "use crate::c::C;"), ("c", "use super::{d::{D, E}};"), ("d", "use super::b;")],
            &["b → c → d"],
        );
        // Through a name that another module passes on.
        check(
            &[("lib", "pub use b::B;\nmod b;\nmod c;"), ("b", "use crate::c::C;"), ("c", "use crate::B;")],
            &["b → c"],
        );
    }

    #[test]
    fn what_is_no_cycle_is_left_alone() {
        check(&[("b", "use crate::c::C;"), ("c", "")], &[]);
        check(&[("b", "use crate::c::C;"), ("c", "// use crate::b::B;")], &[]);
        check(&[("b", "use crate::c::C;"), ("c", "#[cfg(test)]\nmod tests { use crate::b::B; }")], &[]);
        // A child and its parent.
        check(&[("b/mod", "mod c;\nuse c::C;"), ("b/c", "use super::B;")], &[]);
        // The root, and names of other crates.
        check(
            &[("lib", "mod b;\nuse b::B;"), ("b", "use crate::Error;\nuse c::C;"), ("c", "use b::B;")],
            &[],
        );
    }
}
