//! Ids of documents: which are the same, and which were retrieved.

use crate::{Passage, Sample};
use std::collections::BTreeSet;

/// Endings of file names that systems write or leave out.
const ENDINGS: [&str; 12] =
    [".pdf", ".txt", ".md", ".html", ".htm", ".xml", ".json", ".docx", ".doc", ".csv", ".tex", ".nxml"];

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
    ENDINGS.iter().any(|ending| lower.len() > ending.len() && lower.ends_with(ending))
}

/// The retrieved documents, best first, each once: those listed, else those of what retrieval returned, else those of the
/// passages. `None` if the row does not tell.
pub(super) fn retrieved(sample: &Sample) -> Option<Vec<&str>> {
    fn of(all: &[Passage]) -> Option<Vec<&str>> {
        let named: Vec<&str> = all.iter().filter_map(|passage| passage.document.as_deref()).collect();
        (!named.is_empty() || all.is_empty()).then_some(named)
    }
    let all: Vec<&str> = match &sample.retrieved {
        Some(listed) => listed.iter().map(String::as_str).collect(),
        None => of(sample.returned.as_deref().or(sample.passages.as_deref())?)?,
    };
    let mut seen = BTreeSet::new();
    Some(all.into_iter().filter(|id| seen.insert(key(id))).collect())
}

/// An id of letters and a number, such as `resume_12`: systems and their answers shorten it to `r_12`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbered<'a> {
    letters: &'a str,
    number: u64,
}

impl<'a> Numbered<'a> {
    fn of(key: &'a str) -> Option<Self> {
        let letters = key.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = key[letters.len()..].parse().ok()?;
        let letters = letters.strip_suffix(['_', '-'])?;
        (!letters.is_empty() && letters.chars().all(char::is_alphabetic)).then_some(Self { letters, number })
    }

    /// The same letters, or their first.
    fn is_like(&self, whole: &Numbered<'_>) -> bool {
        let first = whole.letters.chars().next().map(char::len_utf8);
        self.letters == whole.letters || first.is_some_and(|end| self.letters == &whole.letters[..end])
    }
}

/// The short form of an id of letters and a number: `r_12` for `resume_12.txt`.
pub(crate) fn short(id: &str) -> Option<String> {
    let key = key(id);
    let numbered = Numbered::of(&key)?;
    let digits = key.rsplit(['_', '-']).next()?;
    (numbered.letters.chars().count() > 1)
        .then(|| format!("{}_{digits}", numbered.letters.chars().take(1).collect::<String>()))
}

/// The documents that a text names, in brackets or not, and that are not among the retrieved ones: names of files, ids of
/// `known` documents, and ids made like those of `known` and `retrieved` ones (`resume_99`, `r_99`).
pub(super) fn strays(text: &str, retrieved: &[&str], known: &[&str]) -> Vec<String> {
    let keys: Vec<String> = retrieved.iter().chain(known).map(|id| key(id)).collect();
    let numbered: Vec<Numbered<'_>> = keys.iter().filter_map(|key| Numbered::of(key)).collect();
    let own: Vec<String> = retrieved.iter().map(|id| key(id)).collect();
    let folded = text::fold::fold(text);
    let token = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let tokens = folded.text().split(token).map(|token| token.trim_matches(['.', '-', '/']));
    let names = |token: &&str| {
        let key = key(token);
        let plain = key.chars().all(char::is_alphabetic) || key.chars().count() < 3;
        let listed = !plain && keys.contains(&key);
        let like = Numbered::of(&key).is_some_and(|own| numbered.iter().any(|known| own.is_like(known)));
        listed || is_file_name(token) || like
    };
    let is_retrieved = |token: &str| {
        let key = key(token);
        let means = |id: &String| {
            let both = Numbered::of(&key).zip(Numbered::of(id));
            both.is_some_and(|(own, whole)| own.number == whole.number && own.is_like(&whole))
        };
        own.iter().any(|id| *id == key || means(id))
    };
    let mut out: Vec<String> = tokens.filter(names).map(str::to_owned).collect();
    out.retain(|token| !is_retrieved(token));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_same_with_and_without_folder_and_ending() {
        for same in ["Resume_12.txt", "cvs/resume_12.TXT", "resume_12", " resume_12.txt"] {
            assert_eq!(key(same), "resume_12", "{same}");
        }
        assert_ne!(key("a.v1"), key("a.v2"));
        assert_eq!(key(".pdf"), ".pdf");
        assert!(is_file_name("a.pdf") && !is_file_name(".pdf") && !is_file_name("e.g"));
    }

    #[test]
    fn documents_come_from_the_list_or_else_from_the_passages() {
        let passage = |id: Option<&str>| Passage { document: id.map(str::to_owned), ..Passage::default() };
        let mut row = Sample::default();
        assert_eq!(retrieved(&row), None);
        row.passages = Some(vec![passage(None)]);
        assert_eq!(retrieved(&row), None, "passages that name no document");
        row.passages = Some(vec![passage(Some("b")), passage(Some("a")), passage(Some("B.pdf"))]);
        assert_eq!(retrieved(&row), Some(vec!["b", "a"]));
        row.retrieved = Some(vec![]);
        assert_eq!(retrieved(&row), Some(vec![]), "nothing was retrieved");
    }
}
