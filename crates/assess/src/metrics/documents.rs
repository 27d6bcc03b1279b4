//! Ids of documents: which are the same, and which were retrieved.

use rows::{AnswerRow, Passage};
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

/// The retrieved documents, best first, each once: those listed, else those of the passages.
pub(super) fn retrieved(row: &AnswerRow) -> Option<Vec<&str>> {
    let all: Vec<&str> = match (&row.retrieved, &row.passages) {
        (Some(listed), _) => listed.iter().map(String::as_str).collect(),
        (None, Some(passages)) => {
            let named: Vec<&str> = passages.iter().filter_map(document).collect();
            if named.is_empty() && !passages.is_empty() {
                return None;
            }
            named
        }
        (None, None) => return None,
    };
    let mut seen = BTreeSet::new();
    Some(all.into_iter().filter(|id| seen.insert(key(id))).collect())
}

fn document(passage: &Passage) -> Option<&str> {
    passage.document.as_deref()
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
        let mut row = AnswerRow::default();
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
