use super::*;
use std::collections::BTreeMap;

/// A document of its own text: other seeds share nothing.
fn print(seed: u32, has_text: bool) -> Fingerprint {
    let text: Vec<String> = (0..60).map(|i| format!("{:08x}", seed * 1000 + i)).collect();
    let json = serde_json::json!({"has_text": has_text, "sketched": true, "sketch": text.concat()});
    serde_json::from_value(json).expect("a fingerprint")
}

struct Choice {
    left: Vec<String>,
    same: Vec<String>,
    undecided: Vec<String>,
    without_text: Vec<String>,
}

/// Chooses from one group of files, in the order of preference.
fn choose(files: &[(&str, FileContent)], defer_unread: bool) -> Choice {
    let member = |name: &str| Paper {
        path: name.into(),
        copies: Vec::new(),
        record: None,
        root: "/".into(),
        format: Some(Format::Text),
        hash: name.to_owned(),
        source_id: name.into(),
        metadata: MetadataSource::Document,
    };
    let group: Vec<Paper> = files.iter().map(|(name, _)| member(name)).collect();
    let contents: BTreeMap<PathBuf, FileContent> =
        files.iter().map(|(name, c)| (name.into(), c.clone())).collect();
    let found = group
        .iter()
        .map(|file| Candidate {
            path: file.path.clone(),
            copies: Vec::new(),
            record: None,
            root: file.root.clone(),
            format: Format::Text,
            hash: file.hash.clone(),
            source: None,
        })
        .collect();
    let mut plan = IngestPlan::default();
    let left = choose_files(found, &[group], &|m| contents[&m.path].clone(), defer_unread, &mut plan);
    let first =
        |pairs: &[(String, String)]| pairs.iter().map(|(file, of)| format!("{file} = {of}")).collect();
    Choice {
        left: left.iter().map(|c| c.path.display().to_string()).collect(),
        same: first(&plan.same_paper),
        undecided: first(&plan.undecided),
        without_text: plan.without_text.iter().map(|l| l.path.display().to_string()).collect(),
    }
}

fn read(seed: u32) -> FileContent {
    FileContent::Read(print(seed, true))
}

#[test]
fn of_one_paper_the_first_is_read_and_other_papers_too() {
    let files = [("a.pdf", read(1)), ("a.xml", read(1)), ("a.md", read(2)), ("a.txt", read(2))];
    let all = choose(&files, false);
    assert_eq!(all.left, ["a.pdf", "a.md"]);
    assert_eq!(all.same, ["a.xml = a.pdf", "a.txt = a.md"]);
}

#[test]
fn what_cannot_be_read_or_has_no_text_leaves_the_next() {
    let failed = choose(&[("a.pdf", FileContent::Failed), ("a.md", read(1))], false);
    assert_eq!(failed.left, ["a.pdf", "a.md"]);
    assert!(failed.same.is_empty());
    let scan = choose(&[("a.pdf", FileContent::Read(print(9, false))), ("a.md", read(1))], false);
    assert_eq!((scan.left, scan.without_text), (vec!["a.md".to_owned()], vec!["a.pdf".to_owned()]));
    // Where no file has text, none is dropped.
    let none = FileContent::Read(print(9, false));
    assert_eq!(choose(&[("a.pdf", none.clone()), ("a.md", none)], false).left.len(), 2);
}

#[test]
fn a_dry_run_leaves_undecided_what_was_not_read() {
    let all = choose(&[("a.pdf", FileContent::Unread), ("a.md", FileContent::Unread)], true);
    assert_eq!((all.left, all.undecided), (vec!["a.pdf".to_owned()], vec!["a.md = a.pdf".to_owned()]));
    let files = [("a.pdf", FileContent::Failed), ("a.xml", FileContent::Unread), ("a.md", read(1))];
    let one = choose(&files, true);
    assert_eq!(one.left, ["a.pdf", "a.xml"]);
    assert_eq!(one.undecided, ["a.md = a.xml"]);
    // A run that could not read a file indexes the others.
    assert_eq!(choose(&[("a.pdf", FileContent::Unread), ("a.md", read(1))], false).left.len(), 2);
}
