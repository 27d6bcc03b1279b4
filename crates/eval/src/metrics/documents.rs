//! Ids of documents: which are the same, and which were retrieved.

use crate::{Passage, Sample};
use std::collections::BTreeSet;

/// Endings of file names that systems write or leave out.
const ENDINGS: [&str; 12] = [
    ".pdf", ".txt", ".md", ".html", ".htm", ".xml", ".json", ".docx", ".doc", ".csv", ".tex", ".nxml",
];

/// What two ids of the same document have in common: no folder, no ending of a file name, no difference in case.
pub(super) fn key(id: &str) -> String {
    let name = id.trim().rsplit(['/', '\\']).next().unwrap_or(id).to_lowercase();
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    match stem.filter(|stem| !stem.is_empty()) {
        Some(stem) => stem.to_owned(),
        None => name,
    }
}

/// Whether a text ends as names of files do.
pub(super) fn is_file_name(text: &str) -> bool {
    let lower = text.to_lowercase();
    ENDINGS
        .iter()
        .any(|ending| lower.len() > ending.len() && lower.ends_with(ending))
}

/// The retrieved documents, best first, each once: those listed, else those of what retrieval returned, else those of the
/// passages. `None` if the row does not tell.
pub(super) fn retrieved(sample: &Sample) -> Option<Vec<&str>> {
    fn of(all: &[Passage]) -> Option<Vec<&str>> {
        let named: Vec<&str> = all
            .iter()
            .filter_map(|passage| passage.document.as_deref())
            .collect();
        (!named.is_empty() || all.is_empty()).then_some(named)
    }
    let all: Vec<&str> = match &sample.retrieved {
        Some(listed) => listed.iter().map(String::as_str).collect(),
        None => of(sample.returned.as_deref().or(sample.passages.as_deref())?)?,
    };
    let mut seen = BTreeSet::new();
    Some(all.into_iter().filter(|id| seen.insert(key(id))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_same_with_and_without_folder_and_ending() {
        for same in [
            "Resume_12.txt",
            "cvs/resume_12.TXT",
            "resume_12",
            " resume_12.txt",
        ] {
            assert_eq!(key(same), "resume_12", "{same}");
        }
        assert_ne!(key("a.v1"), key("a.v2"));
        assert_eq!(key(".pdf"), ".pdf");
        assert!(is_file_name("a.pdf") && !is_file_name(".pdf") && !is_file_name("e.g"));
    }

    #[test]
    fn documents_come_from_the_list_or_else_from_the_passages() {
        let passage = |id: Option<&str>| Passage {
            document: id.map(str::to_owned),
            ..Passage::default()
        };
        let mut row = Sample::default();
        assert_eq!(retrieved(&row), None);
        row.passages = Some(vec![passage(None)]);
        assert_eq!(retrieved(&row), None, "passages that name no document");
        row.passages = Some(vec![
            passage(Some("b")),
            passage(Some("a")),
            passage(Some("B.pdf")),
        ]);
        assert_eq!(retrieved(&row), Some(vec!["b", "a"]));
        row.retrieved = Some(vec![]);
        assert_eq!(retrieved(&row), Some(vec![]), "nothing was retrieved");
    }
}
