//! Every shared dependency says why it is there.

use super::Failure;
use crate::repo::Repo;

const MANIFEST: &str = "Cargo.toml";

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let text = repo.text(MANIFEST).unwrap_or_default();
    let mut out = Vec::new();
    let (mut inside, mut grouped) = (false, false);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') && line.ends_with(']') {
            inside = line == "[workspace.dependencies]";
            grouped = false;
        } else if line.is_empty() {
            grouped = false;
        } else if line.starts_with('#') {
            grouped = true;
        } else if inside && !grouped && begins_entry(line) && comment(line).is_none_or(str::is_empty) {
            let name = line.split(['=', '.']).next().unwrap_or(line).trim();
            let hint = "write the reason behind it, or one above its group";
            out.push(Failure::new(
                format!("{MANIFEST}:{}", at + 1),
                format!("{name} has no comment that says why"),
                hint,
            ));
        }
    }
    out
}

/// Whether a line is `name = …` and not the inside of a value of several lines.
fn begins_entry(line: &str) -> bool {
    let name = line.split(['=', '.']).next().unwrap_or_default().trim();
    line.contains('=')
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// What stands behind the first `#` outside quotes.
fn comment(line: &str) -> Option<&str> {
    let mut quoted = false;
    let at = line.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == '#' && !quoted).then_some(at)
    })?;
    Some(line[at + 1..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{faults, repo};

    #[test]
    fn dependencies_have_reasons() {
        let check = |lines: &str, want: &[&str]| {
            let text = format!(
                "[workspace]\nresolver = \"3\"\n[workspace.dependencies]\n{lines}\n[profile.dev]\ndebug = 1\n"
            );
            assert_eq!(faults(super::check, &repo(&[(MANIFEST, &text)])), want, "{lines}");
        };
        check("a = \"1\" # adds", &[]);
        check("a = \"1\"", &["Cargo.toml:4"]);
        check("a = \"1\" #", &["Cargo.toml:4"]);
        check("a = { path = \"#x\" }", &["Cargo.toml:4"]);
        check("# What adds.\na = \"1\"\nb = \"2\"\n\nc = \"3\"", &["Cargo.toml:8"]);
        check("a = { version = \"1\", features = [ # adds\n  \"x\",\n] }", &[]);
        check("a.workspace = true", &["Cargo.toml:4"]);
    }
}
