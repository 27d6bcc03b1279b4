//! Every prompt file is compiled in.

use super::Failure;
use crate::repo::Repo;

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let mut out = Vec::new();
    for file in &repo.files {
        let Some((krate, name)) = file
            .path
            .split_once("/src/prompts/")
            .filter(|(k, _)| k.starts_with("crates/"))
        else {
            continue;
        };
        let end = format!("prompts/{name}\"");
        let includes = |text: &str| {
            text.split("include_str!").skip(1).any(|rest| {
                let path = rest
                    .split_once('"')
                    .and_then(|(_, rest)| rest.split_inclusive('"').next());
                path.is_some_and(|p| p.ends_with(&end))
            })
        };
        if !repo.rust_below(krate).any(|f| includes(&f.text)) {
            let hint = format!("read it with include_str!(\"prompts/{name}\"), or delete it");
            out.push(Failure::new(
                &file.path,
                "no source of its crate uses this prompt",
                hint,
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{faults, repo};

    #[test]
    fn prompts_are_used() {
        let check = |source: &str, good: bool| {
            let repo = repo(&[
                ("crates/a/src/prompts/ask.md", "Ask."),
                ("crates/a/src/x.rs", source),
            ]);
            assert_eq!(faults(super::check, &repo).is_empty(), good, "{source}");
        };
        check("const ASK: &str = include_str!(\"prompts/ask.md\");", true);
        check(
            "const ASK: &str = include_str!(\n    \"../prompts/ask.md\"\n);",
            true,
        );
        check("const ASK: &str = include_str!(\"prompts/task.md\");", false);
        check("const ASK: &str = \"prompts/ask.md\";", false);
        check("", false);
    }
}
