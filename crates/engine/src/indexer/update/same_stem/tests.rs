use super::*;
use std::collections::BTreeMap;

/// A document of its own text: other seeds share nothing.
fn print(seed: u32, has_text: bool) -> Fingerprint {
    let text: Vec<String> = (0..60).map(|i| format!("{:08x}", seed * 1000 + i)).collect();
    let json = serde_json::json!({"has_text": has_text, "sketch": text.concat()});
    serde_json::from_value(json).expect("a fingerprint")
}

struct Choice {
    left: Vec<String>,
    same: Vec<String>,
    without_text: Vec<String>,
}

/// Chooses from one group of files, in the order of preference.
fn choose(files: &[(&str, Option<Fingerprint>)]) -> Choice {
    let member = |name: &str| document(name.into(), None, "/".into(), Format::Text, name.to_owned());
    let group: Vec<Paper> = files.iter().map(|(name, _)| member(name)).collect();
    let contents: BTreeMap<PathBuf, Option<Fingerprint>> =
        files.iter().map(|(name, c)| (name.into(), c.clone())).collect();
    let mut plan = IngestPlan::default();
    let left = choose_files(group.clone(), &[group], &|m| contents[&m.path].clone(), &mut plan);
    let same = plan.same_paper.iter().map(|same| format!("{} = {}", same.path, same.same_as));
    Choice {
        left: left.iter().map(|c| c.path.display().to_string()).collect(),
        same: same.collect(),
        without_text: plan.without_text.iter().map(|l| l.path.display().to_string()).collect(),
    }
}

#[test]
fn of_one_paper_the_first_is_read_and_other_papers_too() {
    let files = [
        ("a.pdf", Some(print(1, true))),
        ("a.xml", Some(print(1, true))),
        ("a.md", Some(print(2, true))),
        ("a.txt", Some(print(2, true))),
    ];
    let all = choose(&files);
    assert_eq!(all.left, ["a.pdf", "a.md"]);
    assert_eq!(all.same, ["a.xml = a.pdf", "a.txt = a.md"]);
}

#[test]
fn what_cannot_be_read_or_has_no_text_leaves_the_next() {
    let failed = choose(&[("a.pdf", None), ("a.md", Some(print(1, true)))]);
    assert_eq!(failed.left, ["a.pdf", "a.md"]);
    assert!(failed.same.is_empty());
    let scan = choose(&[("a.pdf", Some(print(9, false))), ("a.md", Some(print(1, true)))]);
    assert_eq!((scan.left, scan.without_text), (vec!["a.md".to_owned()], vec!["a.pdf".to_owned()]));
    // Where no file has text, none is dropped.
    let none = Some(print(9, false));
    assert_eq!(choose(&[("a.pdf", none.clone()), ("a.md", none)]).left.len(), 2);
}

#[test]
fn what_was_not_read_is_a_paper_of_its_own() {
    assert_eq!(choose(&[("a.pdf", None), ("a.xml", None), ("a.md", Some(print(1, true)))]).left.len(), 3);
}
