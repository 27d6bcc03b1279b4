//! BEIR's `corpus.jsonl`: one document a line, `{"_id", "title", "text", "metadata"?}` (Thakur et al., "BEIR: A
//! Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models", 2021).

use super::{Format, content_key, doi, manifest};
use crate::draft::Draft;
use crate::{Limits, ParseError, files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use types::{BlockKind, Document, SourceId, SourceMeta, digest::sha256};

/// Lines that are looked at to tell what a file is: the first may be damaged.
const TRIED: u64 = 20;

/// One document of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The line that it stands on, from 1.
    pub line: u64,
    /// Its `_id`, unique in its file.
    pub id: String,
    /// [`content_key`] of the line: another line has another one.
    pub content: String,
    raw: Raw,
}

impl Record {
    /// Its text, as written: [`Self::document`] closes up white space and drops control characters.
    pub fn text(&self) -> &str {
        &self.raw.text
    }

    /// The id that it gets, before collisions are looked at.
    pub fn source_id(&self) -> SourceId {
        SourceId::from_stem(&self.id)
    }

    /// The document: the text as one section, or the title where there is no text.
    ///
    /// # Errors
    /// [`ParseError::TooMuchText`].
    pub fn document(&self, limits: &Limits) -> Result<Document, ParseError> {
        let raw = &self.raw;
        let title = raw.title.as_deref().map(str::trim).filter(|t| !t.is_empty());
        let mut draft = Draft::new(limits);
        let mut warnings = Vec::new();
        for paragraph in raw.text.split("\n\n") {
            draft.block(BlockKind::Paragraph, paragraph, None);
        }
        if draft.is_empty()
            && let Some(title) = title
        {
            warnings.push("no text: the title is all there is".to_owned());
            draft.block(BlockKind::Paragraph, title, None);
        }
        let field = |names: &[&str]| names.iter().find_map(|name| raw.metadata.get(*name));
        let meta = SourceMeta {
            source_id: self.source_id(),
            title: title.map(str::to_owned),
            authors: field(&["authors", "author"]).map(strings).unwrap_or_default(),
            year: field(&["year", "date"]).and_then(|v| match v {
                Value::Number(n) => u16::try_from(n.as_u64()?).ok(),
                Value::String(s) => manifest::year_in(s),
                _ => None,
            }),
            venue: field(&["venue", "journal"]).and_then(Value::as_str).map(str::to_owned),
            doi: field(&["doi", "DOI"]).and_then(Value::as_str).and_then(doi::doi),
            tags: field(&["tags", "keywords"]).map(strings).unwrap_or_default(),
            fictional: field(&["fictional"]).and_then(Value::as_bool) == Some(true),
            ..SourceMeta::default()
        };
        draft.finish(meta, warnings)
    }
}

/// A line of a corpus file that gives no document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RefusedLine", deny_unknown_fields)]
pub struct Refused {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// Reads a corpus line by line, holding one line at a time, and hands each on until `on` says `false`. Empty lines
/// are passed over.
///
/// # Errors
/// When the file is too large or cannot be read.
pub fn entries(
    path: &Path,
    limits: &Limits,
    mut on: impl FnMut(Result<Record, Refused>) -> bool,
) -> Result<(), ParseError> {
    let mut lines = Lines::new(open(path, limits)?, limits);
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(bytes) = lines.next()? {
        let line = lines.line;
        let entry = match bytes {
            Ok(bytes) if bytes.is_empty() => continue,
            Ok(bytes) => record(line, &bytes).and_then(|record| {
                if let Some(first) = seen.get(&record.id) {
                    return Err(format!("the _id {:?} is already on line {first}", record.id));
                }
                seen.insert(record.id.clone(), line);
                Ok(record)
            }),
            Err(TooLong) => {
                let limit = lines.limit;
                Err(format!("more than {limit} bytes; raise the text limit to read it"))
            }
        };
        if !on(entry.map_err(|reason| Refused { line, reason })) {
            break;
        }
    }
    Ok(())
}

/// Whether each of the first lines of a file that can be read holds a document; else what one lacks.
pub(super) fn looks_like_corpus(source: Box<dyn BufRead>) -> Result<Result<(), String>, ParseError> {
    let mut lines = Lines::new(source, &Limits::default());
    let mut found = Err("its first lines are no JSON objects".to_owned());
    while lines.line < TRIED
        && let Some(bytes) = lines.next()?
    {
        let Ok(bytes) = bytes else { continue };
        let Ok(keys) = serde_json::from_slice::<BTreeMap<String, Option<IgnoredAny>>>(&bytes) else {
            continue;
        };
        if let Some(missing) = ["_id", "title", "text"].iter().find(|k| !keys.contains_key(**k)) {
            return Ok(Err(format!("line {} has no {missing}", lines.line)));
        }
        found = Ok(());
    }
    Ok(found)
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Raw {
    #[serde(rename = "_id")]
    id: Value,
    title: Option<String>,
    text: String,
    #[serde(default)]
    metadata: Value,
}

/// # Errors
/// Why the line gives no document.
fn record(line: u64, bytes: &[u8]) -> Result<Record, String> {
    let raw: Raw = serde_json::from_slice(bytes).map_err(|e| reason(&e))?;
    let id = match &raw.id {
        Value::String(id) => id.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Err("its _id is neither a text nor a number".to_owned()),
    };
    if id.is_empty() {
        return Err("its _id is empty".to_owned());
    }
    if raw.text.trim().is_empty() && raw.title.as_deref().unwrap_or_default().trim().is_empty() {
        return Err("it has neither text nor title".to_owned());
    }
    let content = content_key(Format::Beir, &sha256(bytes));
    Ok(Record { line, id, content, raw })
}

/// What serde says, without the line number of the one line that it saw.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("{text} (column {})", error.column())
}

/// One text, or a list of them, or a text that lists with semicolons.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => manifest::list(text),
        Value::Array(all) => {
            let texts = all.iter().filter_map(Value::as_str);
            texts.flat_map(|text| manifest::parts(text, &[])).collect()
        }
        _ => Vec::new(),
    }
}

/// The lines of a file in UTF-8.
pub(super) fn open(path: &Path, limits: &Limits) -> Result<Box<dyn BufRead>, ParseError> {
    let mut reader = BufReader::with_capacity(1 << 16, files::open_bounded(path, limits)?);
    if text::encoding::is_utf16(reader.fill_buf()?) {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let text = super::decode(&bytes)?.text;
        return Ok(Box::new(Cursor::new(text.into_bytes())));
    }
    Ok(Box::new(reader))
}

/// Lines of bounded length, trimmed.
struct Lines {
    source: Box<dyn BufRead>,
    limit: u64,
    line: u64,
}

/// A line that is longer than the limit; it is passed over.
struct TooLong;

impl Lines {
    fn new(source: Box<dyn BufRead>, limits: &Limits) -> Self {
        Self {
            source,
            // No character of JSON takes more than six bytes, and a line has other fields.
            limit: limits.max_chars.saturating_mul(6).saturating_add(1 << 16),
            line: 0,
        }
    }

    fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
        let mut bytes = Vec::new();
        let taken = (&mut self.source).take(self.limit).read_until(b'\n', &mut bytes)?;
        if taken == 0 {
            return Ok(None);
        }
        self.line += 1;
        if !bytes.ends_with(b"\n") && taken as u64 == self.limit {
            self.source.skip_until(b'\n')?;
            return Ok(Some(Err(TooLong)));
        }
        let line = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        Ok(Some(Ok(line.trim_ascii().to_vec())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(body: &[u8], limits: &Limits) -> Vec<Result<Record, Refused>> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("corpus.jsonl");
        std::fs::write(&path, body).expect("written");
        let mut out = Vec::new();
        entries(&path, limits, |entry| {
            out.push(entry);
            true
        })
        .expect("readable");
        out
    }

    #[test]
    fn every_line_gives_a_record_or_a_reason() {
        let body = [
            "\u{feff}{\"_id\": \"MED-1\", \"title\": \"A title\", \"text\": \"Some text.\\n\\nMore.\"}",
            "",
            "{\"_id\": 7, \"title\": null, \"text\": \"Seven.\", \"metadata\": {\"year\": \"12 May 2003\", \"authors\": \"A B; C D\"}}",
            "{\"_id\": \"MED-1\", \"title\": \"\", \"text\": \"Again.\"}",
            "{\"_id\": \"x\", \"title\": \"T\"}",
            "{\"_id\": \"y\", \"title\": \"T\", \"text\": \"cut off",
            "{\"_id\": \"z\", \"title\": \" \", \"text\": \"\"}",
            "{\"_id\": [], \"title\": \" \", \"text\": \"t\"}",
            "{\"_id\": \"only\", \"title\": \"Only a title\", \"text\": \" \"}\r",
        ]
        .join("\n");
        let found = all(body.as_bytes(), &Limits::default());
        let refused: Vec<(u64, &str)> =
            found.iter().filter_map(|e| e.as_ref().err()).map(|r| (r.line, r.reason.as_str())).collect();
        let check = |at: usize, line: u64, part: &str| {
            assert_eq!(refused[at].0, line, "{refused:?}");
            assert!(refused[at].1.contains(part), "{part}: {refused:?}");
        };
        assert_eq!(refused.len(), 5, "{refused:?}");
        check(0, 4, "line 1");
        check(1, 5, "text");
        check(2, 6, "EOF");
        check(3, 7, "neither");
        check(4, 8, "_id");
        let records: Vec<&Record> = found.iter().flatten().collect();
        let first = records[0].document(&Limits::default()).expect("a document");
        assert_eq!(first.meta.source_id.as_str(), "med-1");
        assert_eq!(first.meta.title.as_deref(), Some("A title"));
        assert_eq!(first.text, "Some text.\n\nMore.");
        assert_eq!((first.pages, first.sections.len()), (1, 1));
        let second = records[1].document(&Limits::default()).expect("a document");
        assert_eq!((second.meta.source_id.as_str(), second.meta.year), ("7", Some(2003)));
        assert_eq!(second.meta.authors, ["A B", "C D"]);
        let third = records[2].document(&Limits::default()).expect("a document");
        assert_eq!((third.text.as_str(), third.warnings.len()), ("Only a title", 1));
    }

    #[test]
    fn a_line_too_long_costs_itself_alone() {
        let limits = Limits { max_chars: 10, ..Limits::default() };
        let long = format!("{{\"_id\": \"a\", \"title\": \"\", \"text\": \"{}\"}}", "x".repeat(100_000));
        let body = format!(
            "{long}\n{{\"_id\": \"b\", \"title\": \"\", \"text\": \"short\"}}\n{{\"_id\": \"c\", \"title\": \"\", \"text\": \"not so short\"}}"
        );
        let found = all(body.as_bytes(), &limits);
        assert!(matches!(&found[0], Err(r) if r.line == 1 && r.reason.contains("65596")), "{found:?}");
        let document = |i: usize| found[i].as_ref().expect("a record").document(&limits);
        assert!(document(1).is_ok());
        assert!(matches!(document(2), Err(ParseError::TooMuchText { limit: 10, .. })));
    }

    #[test]
    fn content_tells_lines_apart_and_utf16_is_read() {
        let a = all(b"{\"_id\":\"a\",\"title\":\"\",\"text\":\"one\"}\n", &Limits::default());
        let b = all(b"{\"_id\":\"a\",\"title\":\"\",\"text\":\"two\"}\n", &Limits::default());
        let content = |of: &[Result<Record, Refused>]| of[0].as_ref().expect("a record").content.clone();
        assert_ne!(content(&a), content(&b));
        let mut utf16 = vec![0xff, 0xfe];
        let line = "{\"_id\":\"a\",\"title\":\"\",\"text\":\"one\"}";
        utf16.extend(line.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(content(&all(&utf16, &Limits::default())), content(&a));
    }

    proptest! {
        #[test]
        fn no_lines_break_it(body in "([{}\\[\\]\":,a_idtex\n\\\\]|\"_id\"|\"text\":|\"title\":){0,60}") {
            all(body.as_bytes(), &Limits::default());
            let _ = looks_like_corpus(Box::new(Cursor::new(body)));
        }
    }
}
