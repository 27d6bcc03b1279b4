//! No file outgrows its reader.

use super::Failure;
use crate::repo::Repo;

/// Lines of a Rust file at most; 100 to 250 is the aim.
const MOST: usize = 600;

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let files = repo.files.iter().filter(|file| file.is_rust());
    let long = files.filter_map(|file| {
        let lines = file.text.lines().count();
        let what = format!("{lines} lines, more than {MOST}");
        (lines > MOST).then(|| Failure::new(&file.path, what, "split it by idea"))
    });
    long.collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{faults, repo};

    #[test]
    fn long_files_are_faults() {
        let check = |lines: usize, want: &[&str]| {
            let text = "//\n".repeat(lines);
            let repo = repo(&[("crates/a/src/b.rs", &text)]);
            assert_eq!(faults(super::check, &repo), want, "{lines} lines");
        };
        check(600, &[]);
        check(601, &["crates/a/src/b.rs"]);
    }
}
