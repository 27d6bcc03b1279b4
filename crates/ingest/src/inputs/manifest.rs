//! `manifest.csv`: what people know of the papers beside it.

use super::encoding;
use crate::discover;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use types::{SourceId, SourceMeta};

/// Name of the file.
pub const FILE: &str = "manifest.csv";

/// A larger manifest is not read: a row takes some hundred bytes.
const MAX_BYTES: u64 = 64 << 20;

const COLUMNS: [&str; 8] = [
    "source_id",
    "title",
    "authors",
    "year",
    "venue",
    "doi",
    "tags",
    "fictional",
];

/// A manifest, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    pub path: PathBuf,
    /// Its rows, in order, each source once.
    pub rows: Vec<Row>,
    /// What of it could not be used, with line numbers.
    pub notes: Vec<String>,
}

/// What a manifest says of one source. What it leaves empty is not touched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its line in the file, from 1.
    #[serde(skip)]
    pub line: u64,
    /// The source: the slug of the cell, as ids are made of file stems.
    #[serde(skip)]
    pub source_id: SourceId,
    /// Title.
    pub title: Option<String>,
    /// Authors, in order; cells separate them by semicolons.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// Journal or venue.
    pub venue: Option<String>,
    /// DOI without a resolver's prefix, in lower case.
    pub doi: Option<String>,
    /// Labels; cells separate them by semicolons.
    pub tags: Vec<String>,
    /// Whether the paper is a fictional sample; cells say `yes` or `no`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fictional: Option<bool>,
}

impl Row {
    /// Puts what the row says in the place of what was guessed.
    pub fn apply(&self, meta: &mut SourceMeta) {
        let texts = [
            (&self.title, &mut meta.title),
            (&self.venue, &mut meta.venue),
            (&self.doi, &mut meta.doi),
        ];
        for (from, to) in texts {
            if from.is_some() {
                to.clone_from(from);
            }
        }
        meta.year = self.year.or(meta.year);
        meta.fictional = self.fictional.unwrap_or(meta.fictional);
        for (from, to) in [(&self.authors, &mut meta.authors), (&self.tags, &mut meta.tags)] {
            if !from.is_empty() {
                to.clone_from(from);
            }
        }
    }

    /// Whether the row says nothing of its source.
    pub fn is_empty(&self) -> bool {
        Self {
            line: 0,
            source_id: SourceId::default(),
            ..self.clone()
        } == Self::default()
    }

    /// A hash of what the row says: another one where, and only where, it says something else.
    pub fn digest(&self) -> String {
        // A row of texts and numbers always serialises.
        discover::hash_of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// Reads a manifest. Rows that cannot be used are named in [`Manifest::notes`]; the rest counts.
///
/// # Errors
/// When the file cannot be read, is no text, or has no column `source_id`, in words for people.
pub fn read(path: &Path) -> Result<Manifest, String> {
    let told = |e: io::Error| e.to_string();
    let bytes = fs::metadata(path).map_err(told)?.len();
    if bytes > MAX_BYTES {
        return Err(format!(
            "it has {bytes} bytes, more than the limit of {MAX_BYTES} for a manifest"
        ));
    }
    let bytes = fs::read(path).map_err(told)?;
    let decoded = encoding::decode(&bytes).map_err(|e| e.to_string())?;
    let mut manifest = rows(&decoded.text)?;
    path.clone_into(&mut manifest.path);
    manifest.notes.splice(0..0, decoded.warning);
    Ok(manifest)
}

fn rows(text: &str) -> Result<Manifest, String> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    let at = |name: &str| header.iter().position(|h| h.eq_ignore_ascii_case(name));
    let Some(id_column) = at("source_id") else {
        let columns: Vec<&str> = header.iter().collect();
        let hint = if columns.len() == 1 && text.lines().next().is_some_and(|l| l.contains([';', '\t'])) {
            "; separate columns by commas"
        } else {
            ""
        };
        return Err(format!(
            "it has no column source_id, only {:?}{hint}",
            columns.join(", ")
        ));
    };
    let mut out = Manifest::default();
    let known = |name: &str| COLUMNS.iter().any(|c| c.eq_ignore_ascii_case(name));
    let others: Vec<&str> = header.iter().filter(|h| !known(h) && !h.is_empty()).collect();
    if !others.is_empty() {
        out.notes.push(format!("columns not used: {}", others.join(", ")));
    }
    let columns = COLUMNS.map(at);
    let mut seen: BTreeMap<SourceId, u64> = BTreeMap::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                out.notes.push(error.to_string());
                continue;
            }
        };
        let line = record.position().map_or(0, |at| line_of(text, at));
        let note = |what: String| format!("line {line}: {what}");
        if record.len() != header.len() {
            out.notes.push(note(format!(
                "{} cells in place of {}; the row is not used (quote cells that hold commas)",
                record.len(),
                header.len()
            )));
            continue;
        }
        let id = record.get(id_column).unwrap_or_default();
        if id.is_empty() {
            out.notes
                .push(note("no source_id; the row is not used".to_owned()));
            continue;
        }
        let source_id = SourceId::from_stem(id);
        if let Some(first) = seen.get(&source_id) {
            out.notes.push(note(format!(
                "{source_id} stands on line {first} already; this row is not used"
            )));
            continue;
        }
        seen.insert(source_id.clone(), line);
        let cell = |i: usize| columns[i].and_then(|at| record.get(at)).filter(|c| !c.is_empty());
        let year = cell(3).map(|text| {
            text.parse::<u16>()
                .ok()
                .filter(|y| (1000..=2999).contains(y))
                .ok_or(text)
        });
        if let Some(Err(text)) = year {
            out.notes
                .push(note(format!("{text:?} is no year; the cell is not used")));
        }
        let doi_cell = cell(5).map(|text| doi(text).ok_or(text));
        if let Some(Err(text)) = &doi_cell {
            out.notes
                .push(note(format!("{text:?} is no DOI; the cell is not used")));
        }
        let fictional = cell(7).map(|text| yes_or_no(text).ok_or(text));
        if let Some(Err(text)) = fictional {
            out.notes.push(note(format!(
                "{text:?} in column fictional is neither yes nor no; the cell is not used"
            )));
        }
        out.rows.push(Row {
            line,
            source_id,
            title: cell(1).map(str::to_owned),
            authors: cell(2).map(list).unwrap_or_default(),
            year: year.and_then(Result::ok),
            venue: cell(4).map(str::to_owned),
            doi: doi_cell.and_then(Result::ok),
            tags: cell(6).map(list).unwrap_or_default(),
            fictional: fictional.and_then(Result::ok),
        });
    }
    Ok(out)
}

/// The line of a record: the reader counts the empty lines before it to its length.
fn line_of(text: &str, at: &csv::Position) -> u64 {
    let rest = usize::try_from(at.byte()).ok().and_then(|byte| text.get(byte..));
    let empty = rest
        .unwrap_or_default()
        .bytes()
        .take_while(|b| matches!(b, b'\n' | b'\r'));
    at.line() + empty.filter(|b| *b == b'\n').count() as u64
}

/// The parts of a list written with semicolons.
pub(super) fn list(text: &str) -> Vec<String> {
    let parts = text.split(';').map(str::trim);
    parts.filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

/// A DOI without the prefixes that it is written with, in lower case; `None` when it is none.
pub(super) fn doi(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    let at = lower.find("10.")?;
    let before = lower[..at].trim_end_matches([' ', '/', ':']);
    let known = [
        "",
        "doi",
        "http://doi.org",
        "https://doi.org",
        "http://dx.doi.org",
        "https://dx.doi.org",
        "doi.org",
    ];
    let doi = &lower[at..];
    let whole = doi.split_once('/').is_some_and(|(_, suffix)| !suffix.is_empty());
    (known.contains(&before) && whole && !doi.contains(char::is_whitespace)).then(|| doi.to_owned())
}

/// What a cell of yes or no says; `None` when it is neither.
pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// The first year in a date as people write it.
pub(super) fn year_in(text: &str) -> Option<u16> {
    let years = text.split(|c: char| !c.is_ascii_digit()).filter(|d| d.len() == 4);
    years
        .filter_map(|d| d.parse().ok())
        .find(|y| (1000..=2999).contains(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_say_what_they_say_and_no_more() {
        let text = "Source_ID, title,authors,year,venue,doi,type,tags\n\
            Barry 2014,\"A title, with a comma\",Barry RJ; De Blasio F ;,2014,,https://doi.org/10.1000/ABC,review,eeg; arousal\n\
            lee_2020,,,,,,,\n\
            \n\
            ,nobody,,,,,,\n\
            short,row\n\
            barry_2014,again,,,,,,\n\
            wong_2019,W,,20x9,J,n/a,,\n\
            \"multi\nline\",M,,,,,,\n\
            last,L,,12,,,,\n";
        let manifest = rows(text).expect("a manifest");
        let ids: Vec<&str> = manifest.rows.iter().map(|r| r.source_id.as_str()).collect();
        assert_eq!(ids, ["barry_2014", "lee_2020", "wong_2019", "multi_line", "last"]);
        let first = &manifest.rows[0];
        assert_eq!(first.title.as_deref(), Some("A title, with a comma"));
        assert_eq!(first.authors, ["Barry RJ", "De Blasio F"]);
        assert_eq!(
            (first.year, first.doi.as_deref()),
            (Some(2014), Some("10.1000/abc"))
        );
        assert_eq!(first.tags, ["eeg", "arousal"]);
        assert!(manifest.rows[1].is_empty() && !first.is_empty());
        let notes = manifest.notes.join("\n");
        for part in [
            "columns not used: type",
            "line 5: no source_id",
            "line 6: 2 cells in place of 8",
            "line 7: barry_2014 stands on line 2 already",
            "line 8: \"20x9\" is no year",
            "line 8: \"n/a\" is no DOI",
            "line 11: \"12\" is no year",
        ] {
            assert!(notes.contains(part), "{part:?} is not in:\n{notes}");
        }
        assert_eq!(manifest.notes.len(), 7, "{notes}");
    }

    #[test]
    fn empty_cells_leave_what_was_guessed() {
        let guessed = SourceMeta {
            title: Some("guessed".to_owned()),
            authors: vec!["G. Uess".to_owned()],
            year: Some(1999),
            ..SourceMeta::default()
        };
        let mut meta = guessed.clone();
        Row::default().apply(&mut meta);
        assert_eq!(meta, guessed);
        let row = Row {
            title: Some("known".to_owned()),
            tags: vec!["t".to_owned()],
            ..Row::default()
        };
        row.apply(&mut meta);
        assert_eq!(meta.title.as_deref(), Some("known"));
        assert_eq!(
            (meta.authors.len(), meta.year, meta.tags.len()),
            (1, Some(1999), 1)
        );
        assert_ne!(row.digest(), Row::default().digest());
        assert_eq!(
            row.digest(),
            Row {
                line: 9,
                ..row.clone()
            }
            .digest()
        );
    }

    #[test]
    fn fictional_papers_are_marked() {
        let text = "source_id,fictional\na,yes\nb,No\nc,\nd,perhaps\n";
        let manifest = rows(text).expect("a manifest");
        let marks: Vec<Option<bool>> = manifest.rows.iter().map(|r| r.fictional).collect();
        assert_eq!(marks, [Some(true), Some(false), None, None]);
        assert_eq!(
            manifest.notes,
            ["line 5: \"perhaps\" in column fictional is neither yes nor no; the cell is not used"]
        );
        let mut meta = SourceMeta::default();
        manifest.rows[0].apply(&mut meta);
        assert!(meta.fictional && !manifest.rows[0].is_empty());
        manifest.rows[2].apply(&mut meta);
        assert!(meta.fictional, "an empty cell changes nothing");
        manifest.rows[1].apply(&mut meta);
        assert!(!meta.fictional);
        let unmarked = serde_json::to_string(&Row::default()).expect("serialises");
        assert!(
            !unmarked.contains("fictional"),
            "rows of older manifests keep their digest"
        );
    }

    #[test]
    fn what_is_no_manifest_says_so() {
        let check = |text: &str, want: &str| {
            let error = rows(text).expect_err("no manifest");
            assert!(error.contains(want), "{error}");
        };
        check("id,title\na,b\n", "no column source_id, only \"id, title\"");
        check("source_id;title\na;b\n", "separate columns by commas");
        check("", "no column source_id");
    }

    #[test]
    fn dois_and_years() {
        let check = |text: &str, want: Option<&str>| assert_eq!(doi(text).as_deref(), want, "{text}");
        check("doi: 10.1000/Abc", Some("10.1000/abc"));
        check("10.1000/", None);
        check("see 10.1000/abc", None);
        assert_eq!(year_in("12 May 2003"), Some(2003));
        assert_eq!(year_in("2003-05-12"), Some(2003));
        assert_eq!(year_in("99"), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(source_id,year\n)?([a-c0-9,;\"\n\r \u{e9}\u{0}]){0,60}") {
            let _ = rows(&text);
            let _ = (doi(&text), year_in(&text));
        }
    }
}
