//! The formats that can be read, and the extensions that files in them have.

use serde::{Deserialize, Serialize};
use std::path::Path;
use text::encoding::is_text;

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Format {
    /// PDF, read by a worker process.
    Pdf,
    /// One article in JATS XML, the form of PubMed Central and many publishers.
    Jats,
    /// A page of HTML, read by a worker process, as DOCX is.
    Html,
    /// A document of Word and other word processors (Office Open XML).
    Docx,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// A BEIR `corpus.jsonl`: one document a line.
    Beir,
    /// A zip archive of papers.
    Zip,
}

impl Format {
    /// The name for people and for keys.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Jats => "JATS",
            Self::Html => "HTML",
            Self::Docx => "DOCX",
            Self::Markdown => "Markdown",
            Self::Text => "text",
            Self::Beir => "BEIR",
            Self::Zip => "zip",
        }
    }

    /// Whether it is read in a worker process: PDFium is native code, and pages and archives can be bombs for memory and time.
    pub fn needs_worker(self) -> bool {
        matches!(self, Self::Pdf | Self::Html | Self::Docx)
    }

    /// The format that a file's extension stands for; `None` for files that are not searched for.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "pdf" => Some(Self::Pdf),
            "xml" | "nxml" => Some(Self::Jats),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "docx" => Some(Self::Docx),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "jsonl" => Some(Self::Beir),
            "zip" => Some(Self::Zip),
            _ => None,
        }
    }
}

/// What to do with a document that is not read, by its extension; `None` for one that is, and for files that are no documents.
pub(crate) fn remedy(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "doc" | "dot" | "docm" | "rtf" | "odt" | "wps" | "wpd" | "pages" => {
            "not read; save it as DOCX or PDF"
        }
        "epub" | "mobi" | "azw3" => "not read; convert it to HTML or PDF, for example with Calibre or Pandoc",
        "ps" | "djvu" | "dvi" => "not read; convert it to PDF",
        "mht" | "mhtml" => "not read; save the page as HTML only",
        "rar" | "7z" | "gz" | "tgz" | "tar" => "not read; unpack it, or pack it as zip",
        _ => return None,
    })
}

/// How far into a file the header of a PDF is looked for. Readers accept the header within the first 1,024
/// bytes; mail gateways and web servers put more before it.
const HEADER_WINDOW: usize = 64 * 1024;

/// Offset of `%PDF-` within the first 64 KiB.
pub(crate) fn pdf_header(bytes: &[u8]) -> Option<usize> {
    let window = &bytes[..bytes.len().min(HEADER_WINDOW)];
    window.windows(5).position(|w| w == b"%PDF-")
}

/// What an HTML page is called.
pub(crate) const HTML: &str = "an HTML page (a download that failed saves one often)";

/// Names what a file without a PDF header holds.
pub(crate) fn looks_like(bytes: &[u8]) -> &'static str {
    if let Some(name) = other_kind(bytes) {
        return name;
    }
    let head = &bytes[..bytes.len().min(4096)];
    let text =
        String::from_utf8_lossy(head).trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).to_lowercase();
    let kinds = [
        (is_html(&text) || text.contains("<body"), HTML),
        (text.starts_with("<?xml"), "an XML file"),
        (text.starts_with('{') || text.starts_with("[{"), "a JSON file"),
        (is_text(bytes), "plain text"),
    ];
    let kind = kinds.into_iter().find(|(is_it, _)| *is_it);
    kind.map_or("binary data of an unknown kind", |(_, name)| name)
}

/// Names a file that is empty or of another program's kind by its first bytes; `None` for texts and for what the
/// first bytes do not show.
pub(crate) fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a zip archive"),
        (b"PK\x05\x06", "an empty zip archive"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"II*\0", "a TIFF image"),
        (b"MM\0*", "a TIFF image"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"BZh", "a bzip2 archive"),
        (b"\xfd7zXZ", "an xz archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!", "a RAR archive"),
        (
            b"\xd0\xcf\x11\xe0",
            "an old or an encrypted office document; save it as DOCX or PDF, without a password",
        ),
        (b"{\\rtf", "a rich text document; save it as DOCX or PDF"),
        (b"%!PS", "a PostScript file"),
        (b"\x7fELF", "a program"),
        (b"AT&TFORM", "a DjVu document"),
    ];
    if bytes.is_empty() {
        return Some("an empty file");
    }
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(name);
    }
    let head = &bytes[..bytes.len().min(4096)];
    head.iter().all(|b| *b == 0).then_some("a file of zero bytes")
}

/// Whether a text begins as an HTML page does.
pub(crate) fn is_html(text: &str) -> bool {
    let begins = |tag: &str| text.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
    begins("<!doctype html") || begins("<html")
}

#[cfg(test)]
mod sniff_tests {
    use super::*;

    #[test]
    fn header_is_found_behind_junk_within_the_window() {
        let check = |junk: usize, want: Option<usize>| {
            let mut bytes = vec![b'x'; junk];
            bytes.extend_from_slice(b"%PDF-1.7\n");
            assert_eq!(pdf_header(&bytes), want, "{junk} bytes of junk");
        };
        check(0, Some(0));
        check(1_200, Some(1_200));
        check(HEADER_WINDOW - 5, Some(HEADER_WINDOW - 5));
        check(HEADER_WINDOW, None);
        assert_eq!(pdf_header(b""), None);
    }
}
