//! Detects the format of a file: by its bytes, and by its name where bytes cannot tell.

use super::{beir, jats};
use crate::format::{self, Format};
use crate::{Limits, ParseError, content, files, zipped};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use text::encoding;
use types::written::is_ours;

/// Bytes at the start of a file that are examined.
const HEAD: u64 = 64 * 1024;

/// The format of what `path` holds. The content counts before the name: a PDF named `.txt` is a PDF. Only a file named
/// `.pdf` is not opened here but left to the worker: without a PDF inside it is most often a download that failed, never
/// a paper in another format.
///
/// # Errors
/// [`ParseError::Unreadable`]; or what the file is, when it is nothing that can be read.
pub fn detect(path: &Path) -> Result<Format, ParseError> {
    let name = Format::of_name(path);
    if name == Some(Format::Pdf) {
        return Ok(Format::Pdf);
    }
    let head = content::head(path, HEAD)?;
    if zipped::member_of(path).is_some() {
        return detect_head(path, &head);
    }
    if head.starts_with(b"PK\x03\x04") {
        return zipped::format_of(path);
    }
    of_bytes(name, &head, || beir::open(path, &Limits::default()))
}

/// The same of a file of which only the name and the first bytes are at hand: a DOCX is one by its name.
///
/// # Errors
/// Those of [`detect`].
pub(crate) fn detect_head(name: &Path, head: &[u8]) -> Result<Format, ParseError> {
    let format = Format::of_name(name);
    match format {
        Some(Format::Pdf) => Ok(Format::Pdf),
        _ if head.starts_with(b"PK\x03\x04") => {
            Ok(if format == Some(Format::Docx) { Format::Docx } else { Format::Zip })
        }
        _ => of_bytes(format, head, || Ok(Box::new(io::Cursor::new(head.to_vec())))),
    }
}

/// Whether this program wrote a file. PDFs and what cannot be read are not looked at.
pub fn is_own_output(path: &Path) -> bool {
    let looked_at = Format::of_name(path) != Some(Format::Pdf);
    let is_ours = || is_ours(BufReader::new(files::open(path)?));
    looked_at && is_ours().unwrap_or(false)
}

fn of_bytes(
    name: Option<Format>,
    head: &[u8],
    whole: impl FnOnce() -> Result<Box<dyn BufRead>, ParseError>,
) -> Result<Format, ParseError> {
    // A text may speak of PDF headers; nobody puts junk before a PDF and calls it a text.
    let blank = |b: &u8| b.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(b);
    let first = head.iter().position(|b| !blank(b)).unwrap_or(head.len());
    if head[first..].starts_with(b"%PDF-") || name.is_none() && format::pdf_header(head).is_some() {
        return Ok(Format::Pdf);
    }
    let unknown = |looks_like: &str| Err(ParseError::UnknownFormat { looks_like: looks_like.to_owned() });
    if let Some(other) = format::other_kind(head) {
        return unknown(other);
    }
    if !encoding::is_utf16(head) && !encoding::is_text(head) {
        return unknown(format::looks_like(head));
    }
    let text = encoding::decode_head(head);
    let text = text.trim_start();
    if format::is_html(text) || name == Some(Format::Html) {
        return Ok(Format::Html);
    }
    if text.starts_with('<') {
        match jats::root(text) {
            Ok(()) => return Ok(Format::Jats),
            Err(detail) if detail.contains("<html>") => return Ok(Format::Html),
            Err(detail) if matches!(name, Some(Format::Jats) | None) => {
                return Err(ParseError::NotJats { detail });
            }
            // Markdown may begin with a tag, a text with a bracket.
            Err(_) => {}
        }
    }
    if text.starts_with('{') && name != Some(Format::Markdown) {
        match beir::looks_like_corpus(whole()?)? {
            Ok(()) => return Ok(Format::Beir),
            Err(detail) if matches!(name, Some(Format::Beir) | None) => {
                return Err(ParseError::NotBeir { detail });
            }
            Err(_) => {}
        }
    }
    match name {
        Some(Format::Markdown) => Ok(Format::Markdown),
        Some(Format::Text) | None => Ok(Format::Text),
        Some(Format::Html) => Ok(Format::Html),
        Some(Format::Docx | Format::Zip) => unknown(format::looks_like(head)),
        Some(Format::Jats) => Err(ParseError::NotJats { detail: "it holds no XML".to_owned() }),
        Some(Format::Beir | Format::Pdf) => {
            Err(ParseError::NotBeir { detail: "its first lines are no JSON objects".to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    const RECORD: &str = r#"{"_id": "1", "title": "T", "text": "Words."}"#;

    fn of(name: &str, bytes: &[u8]) -> Result<Format, ParseError> {
        let whole = Cursor::new(bytes.to_vec());
        of_bytes(Format::of_name(Path::new(name)), bytes, || Ok(Box::new(whole)))
    }

    #[test]
    fn bytes_decide() {
        let check = |name: &str, bytes: &[u8], want: Result<Format, &str>| {
            let got = of(name, bytes);
            match (got, want) {
                (Ok(got), Ok(want)) => assert_eq!(got, want, "{name}"),
                (Err(got), Err(want)) => assert!(got.to_string().contains(want), "{name}: {got}"),
                (got, want) => panic!("{name}: {got:?}, not {want:?}"),
            }
        };
        let article = b"<?xml version=\"1.0\"?>\n<!-- x --><article><front/></article>";
        check("a.txt", b"%PDF-1.7 rest", Ok(Format::Pdf));
        check("a.md", b"\xef\xbb\xbf\n%PDF-1.7 rest", Ok(Format::Pdf));
        check("a.md", b"A file begins with %PDF-1.7.", Ok(Format::Markdown));
        check("a", b"junk %PDF-1.7", Ok(Format::Pdf));
        check("a", b"just words", Ok(Format::Text));
        check("a.MARKDOWN", b"# words", Ok(Format::Markdown));
        check("a.txt", article, Ok(Format::Jats));
        check("a.nxml", article, Ok(Format::Jats));
        check("a.xml", b"\xff\xfe<\0a\0r\0t\0i\0c\0l\0e\0>\0<\0b\0o\0d\0y\0/\0>\0", Ok(Format::Jats));
        check("a.md", b"<p align=center>Hello</p>", Ok(Format::Markdown));
        check("a.xml", b"<html><body/></html>", Ok(Format::Html));
        check("a.md", b"<!DOCTYPE html><p>404", Ok(Format::Html));
        check(
            "a.xml",
            b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
            Ok(Format::Html),
        );
        check("a.htm", b"<p>words", Ok(Format::Html));
        check("a.docx", b"words", Err("plain text"));
        check("a.xml", b"<?xml version='1.0'?><project/>", Err("<project>"));
        check("a.xml", b"plain", Err("no XML"));
        check("a.xml", b"<article xmlns='http://docbook.org/ns/docbook'><para/></article>", Err("<front>"));
        check("a.jsonl", RECORD.as_bytes(), Ok(Format::Beir));
        check("a.txt", RECORD.as_bytes(), Ok(Format::Beir));
        let torn = format!("{RECORD}\n{{\"_id\": \"2\", \"tit\n{RECORD}");
        check("a.jsonl", torn.as_bytes(), Ok(Format::Beir));
        let long = format!("{RECORD}\n{{\"text\": \"{}\", \"_id\": \"2\"}}", "x".repeat(HEAD as usize));
        check("a.jsonl", long.as_bytes(), Err("line 2 has no title"));
        check("q.jsonl", br#"{"_id": "1", "text": "a question?"}"#, Err("title"));
        check("q.jsonl", br#"{"id": "1"}"#, Err("_id"));
        check("q.jsonl", b"no json", Err("no JSON"));
        check("a.txt", b"PK\x03\x04\0", Err("zip"));
        check("a.txt", b"", Err("empty"));
        check("a.md", &[7, 1, 2, 3, 9, 250, 4], Err("binary"));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..300), name in 0..6_usize) {
            let names = ["a.md", "a.txt", "a.xml", "a.jsonl", "a", "a.bin"];
            let _ = of(names[name], &bytes);
        }
        #[test]
        fn no_markup_breaks_it(text in "[<!\\[\\]>a-e\"'{}:_ ?-]{0,60}") {
            for name in ["a.md", "a.xml", "a.jsonl", "a"] {
                let _ = of(name, text.as_bytes());
            }
        }
    }
}
