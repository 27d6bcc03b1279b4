//! What a file is by its first bytes: where its PDF starts, or what it is instead.

use text::encoding::is_text;

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
    let text = String::from_utf8_lossy(head)
        .trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
        .to_lowercase();
    if is_html(&text) || text.contains("<body") {
        return HTML;
    }
    if text.starts_with("<?xml") {
        return "an XML file";
    }
    if text.starts_with('{') || text.starts_with("[{") {
        return "a JSON file";
    }
    if is_text(bytes) {
        return "plain text";
    }
    "binary data of an unknown kind"
}

/// Names a file that is empty or of another program's kind by its first bytes; `None` for texts and for what the
/// first bytes do not show.
pub(crate) fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a zip archive (or an office document)"),
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
        (b"\xd0\xcf\x11\xe0", "an old office document"),
        (b"{\\rtf", "a rich text document"),
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
    let begins = |tag: &str| {
        text.get(..tag.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(tag))
    };
    begins("<!doctype html") || begins("<html")
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn other_files_are_named() {
        let check =
            |bytes: &[u8], want: &str| assert!(looks_like(bytes).contains(want), "{:?}", looks_like(bytes));
        check(b"", "empty");
        check(b"PK\x03\x04rest", "zip");
        check(b"\x89PNG\r\n\x1a\nrest", "PNG");
        check(b"  <!DOCTYPE html><p>not found", "HTML");
        check("Gr\u{fc}\u{df}e, plain words".as_bytes(), "plain text");
        check(&[0, 0, 0, 0], "zero bytes");
        check(&[1, 2, 3, 4, 0, 255], "unknown");
    }
}
