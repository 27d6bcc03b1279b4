//! Bibliographies beside the papers, as reference managers export them: their entries are metadata.
//! A BibTeX or BibLaTeX file ends in `.bib`; CSL-JSON is a `.json` file that holds a list of items.

mod bibtex;
mod csl;

use super::manifest::{Row, parts};
use super::{doi, fingerprint, metadata_text};
use crate::{content, error::guarded};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How much of a `.json` file is looked at before it is taken for a bibliography.
const HEAD: u64 = 4096;

/// A bibliography, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bibliography {
    /// The file.
    pub path: PathBuf,
    /// Its entries, in order.
    pub entries: Vec<Reference>,
    /// What of it could not be used.
    pub notes: Vec<String>,
    by_doi: BTreeMap<String, Vec<usize>>,
    by_title: BTreeMap<String, Vec<usize>>,
}

impl Bibliography {
    fn new(path: &Path, entries: Vec<Reference>, notes: Vec<String>) -> Self {
        let mut out = Self { path: path.to_owned(), entries, notes, ..Self::default() };
        for (at, entry) in out.entries.iter().enumerate() {
            if let Some(doi) = &entry.row.doi {
                out.by_doi.entry(doi.to_lowercase()).or_default().push(at);
            }
            if let Some(title) = entry.row.title.as_deref().and_then(fingerprint::comparable_title) {
                out.by_title.entry(title).or_default().push(at);
            }
        }
        out
    }

    /// The entries of a paper with this DOI and title, by their positions: by DOI, else by title up to case, punctuation and
    /// spaces.
    pub fn find(&self, doi: Option<&str>, title: Option<&str>) -> Option<&[usize]> {
        let by_doi = doi.and_then(|doi| self.by_doi.get(&doi.to_lowercase()));
        let by_title = || self.by_title.get(&fingerprint::comparable_title(title?)?);
        by_doi.or_else(by_title).map(Vec::as_slice)
    }
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    /// What the file calls it.
    pub key: String,
    /// What it says.
    pub row: Row,
}

/// Whether a file is a bibliography: by its extension, and a `.json` file also by how it begins.
pub fn is_bibliography(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let name = path.file_name().unwrap_or_default();
    match extension.as_deref() {
        // What macOS writes beside a file on a disk of another system.
        _ if name.as_encoded_bytes().starts_with(b"._") => false,
        Some("bib") => true,
        Some("json") => {
            content::head(path, HEAD).is_ok_and(|head| csl::looks_like(&String::from_utf8_lossy(&head)))
        }
        _ => false,
    }
}

/// Reads a bibliography. Entries that cannot be used are named in [`Bibliography::notes`]; the rest counts.
///
/// # Errors
/// When the file cannot be read, or holds no bibliography at all, in words for people.
pub fn read(path: &Path) -> Result<Bibliography, String> {
    let is_bib = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bib"));
    // What an entry, a field or an item takes in memory.
    let costs: &[(u8, u64)] =
        if is_bib { &[(b'@', 700), (b'=', 256), (b'#', 80)] } else { &[(b'{', 900), (b',', 64), (b'[', 64)] };
    let decoded = metadata_text(path, costs)?;
    let entries = || {
        if is_bib { bibtex::entries(&decoded.text) } else { Ok(csl::entries(&decoded.text)) }
    };
    let (mut entries, mut notes) = guarded(entries).map_err(|panic| panic.to_string()).flatten()?;
    let mut at = 0;
    entries.retain(|entry| {
        at += 1;
        let size = entry.row.check_size(entry.key.len());
        notes.extend(size.as_ref().err().map(|error| format!("entry {at} is left out: {error}")));
        size.is_ok()
    });
    notes.extend(decoded.warning);
    Ok(Bibliography::new(path, entries, notes))
}

/// The DOI of an entry: of its own field, else of its URL.
fn doi_of(own: Option<&str>, url: Option<&str>) -> Option<String> {
    let own = own.and_then(|text| doi::doi(text).or_else(|| doi::doi_in_url(text)));
    own.or_else(|| url.and_then(doi::doi_in_url))
}

/// The parts of a list of keywords.
fn keywords(text: &str) -> Vec<String> {
    parts(text, &[';', ','])
}

/// Text on one line; nothing for blank text.
fn line(text: &str) -> Option<String> {
    Some(text::one_line(text)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Bibliography, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        assert!(is_bibliography(&path), "{name}");
        read(&path)
    }

    #[test]
    fn both_formats_say_the_same() {
        let bib = r"@article{doe2019, title = {Sleep of {Garden} snails in winter}, author = {Doe, Jane and de la Cruz, Ana Maria},
            year = 2019, journal = {Journal of Invented Biology}, doi = {10.99999/JIB.7}, keywords = {snails, sleep}}";
        let csl = r#"[{"id": "doe2019", "type": "article-journal", "title": "Sleep of Garden snails in winter",
            "author": [{"family": "Doe", "given": "Jane"}, {"family": "Cruz", "non-dropping-particle": "de la", "given": "Ana Maria"}],
            "issued": {"date-parts": [[2019, 3]]}, "container-title": "Journal of Invented Biology",
            "URL": "https://doi.org/10.99999/jib.7", "keyword": "snails; sleep"}]"#;
        let row = Row {
            title: Some("Sleep of Garden snails in winter".to_owned()),
            authors: vec!["Jane Doe".to_owned(), "Ana Maria de la Cruz".to_owned()],
            year: Some(2019),
            venue: Some("Journal of Invented Biology".to_owned()),
            doi: Some("10.99999/jib.7".to_owned()),
            tags: vec!["snails".to_owned(), "sleep".to_owned()],
            ..Row::default()
        };
        for (name, text) in [("refs.bib", bib), ("refs.json", csl)] {
            let read = read_text(name, text).expect("a bibliography");
            assert!(read.notes.is_empty(), "{:?}", read.notes);
            let want = Reference { key: "doe2019".to_owned(), row: row.clone() };
            assert_eq!(read.entries, [want], "{name}");
        }
    }

    #[test]
    fn large_files_and_entries_are_refused() {
        let check = |name: &str, text: &str, want: &str| {
            let error = read_text(name, text).expect_err("refused");
            assert!(error.contains(want), "{error}");
        };
        let long = "x".repeat(300_000);
        let csl = "[{\"type\": \"book\", \"title\": \"a\"}";
        let read = read_text("a.json", &format!("{csl}, {{\"title\": \"{long}\"}}]")).expect("read");
        assert_eq!(read.entries.len(), 1);
        assert_eq!(read.notes, ["entry 2 is left out: 300000 bytes, more than the limit of 262144"]);
        check("a.bib", &"@".repeat(800_000), "more than 512 MiB of memory");
        check("a.json", &format!("{csl}{}]", ",{}".repeat(600_000)), "more than 512 MiB of memory");
        check("a.bib", &"%".repeat((64 << 20) + 1), "more than 64 MiB");
    }

    #[test]
    fn entries_match_by_doi_and_title() {
        let entry = |title: &str, doi: Option<&str>| Reference {
            row: Row { title: Some(title.to_owned()), doi: doi.map(str::to_owned), ..Row::default() },
            ..Reference::default()
        };
        let entries = vec![
            entry("Sleep of garden snails", Some("10.99999/jib.7")),
            entry("Sleep of Garden-Snails.", None),
            entry("Letter", None),
        ];
        let all = Bibliography::new(Path::new("refs.bib"), entries, Vec::new());
        assert_eq!(all.find(Some("10.99999/JIB.7"), None), Some(&[0][..]));
        assert_eq!(all.find(Some("10.99999/jib.70"), Some("sleep of garden SNAILS")), Some(&[0, 1][..]));
        assert_eq!(all.find(None, Some("Sleep of garden slugs")), None);
        // A short title tells nothing.
        assert_eq!(all.find(None, Some("Letter")), None);
    }

    #[test]
    fn other_json_is_no_bibliography() {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in
            [("a.json", "{\"version\": 3}"), ("b.json", "[1, 2]"), ("c.json", ""), ("d.txt", "[]")]
        {
            let path = dir.path().join(name);
            std::fs::write(&path, text).expect("written");
            assert!(!is_bibliography(&path), "{name}");
        }
    }
}
