//! Decodes bytes to text: UTF-8, UTF-16, and older encodings.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// Bytes that show what a file is.
const HEAD: usize = 4096;

/// The bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoText;

/// Text, and what had to be guessed to have it.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, lines ended by line feeds, no byte order mark.
    pub text: String,
    /// For people: what the text is not certain of.
    pub warning: Option<String>,
}

/// Decodes a whole file: UTF-8 or UTF-16, with or without a mark; else bytes beyond ASCII are read as
/// Windows-1252, the superset of Latin-1 that programs which say Latin-1 mean, unless most of them are UTF-8.
///
/// # Errors
/// When it is no text at all.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NoText> {
    let (text, warning) = unify(bytes)?;
    Ok(Decoded { text: line_feeds(text), warning })
}

/// As [`decode`]; what is neither UTF-8 nor UTF-16 is in the encoding that the file names by a label of the Web, if it is known.
///
/// # Errors
/// When it is no text at all.
pub fn decode_labelled(bytes: &[u8], label: Option<&str>) -> Result<Decoded, NoText> {
    let named = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let other = named.filter(|encoding| encoding.is_ascii_compatible() && str::from_utf8(bytes).is_err());
    match other.filter(|_| utf16(bytes).is_none() && !bytes.contains(&0)) {
        Some(encoding) => {
            let (text, _, broken) = encoding.decode(bytes);
            let lost = || format!("broken {}: what could not be read shows as \u{fffd}", encoding.name());
            Ok(Decoded { text: line_feeds(text), warning: broken.then(lost) })
        }
        None => decode(bytes),
    }
}

/// Decodes the beginning of a file, which may end inside a character; nothing is refused.
pub fn decode_head(head: &[u8]) -> String {
    match utf16(head) {
        Some(encoding) => encoding.decode(head).0.into_owned(),
        None => String::from_utf8_lossy(without_mark(head)).into_owned(),
    }
}

/// Whether the bytes are UTF-16.
pub fn is_utf16(bytes: &[u8]) -> bool {
    utf16(bytes).is_some()
}

/// Whether the first bytes are those of a text in some encoding that holds ASCII.
pub fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let printable =
        head.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace() || **b >= 0x80).count();
    printable * 100 >= head.len() * 97 && !head.contains(&0)
}

fn unify(bytes: &[u8]) -> Result<(Cow<'_, str>, Option<String>), NoText> {
    if let Some(encoding) = utf16(bytes) {
        let (text, _, broken) = encoding.decode(bytes);
        if text.contains('\0') {
            return Err(NoText);
        }
        let warning = broken.then(|| "broken UTF-16: what could not be read shows as \u{fffd}".to_owned());
        return Ok((text, warning));
    }
    let bytes = without_mark(bytes);
    if bytes.contains(&0) {
        return Err(NoText);
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return Ok((Cow::Borrowed(text), None));
    }
    if !is_text(bytes) {
        return Err(NoText);
    }
    let (mut good, mut bad) = (0_usize, 0_usize);
    for part in bytes.utf8_chunks() {
        good += part.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += part.invalid().len();
    }
    if good > bad {
        let lost = format!("broken UTF-8: {bad} bytes could not be read and show as \u{fffd}");
        return Ok((String::from_utf8_lossy(bytes), Some(lost)));
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    let guess = "no UTF-8: read as Latin-1, letters beyond ASCII may be wrong".to_owned();
    Ok((text, Some(guess)))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Which UTF-16 it is, if any: by the mark, else by the half of each ASCII character that is 0.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    if let Some((marked, _)) = Encoding::for_bom(bytes) {
        return [UTF_16LE, UTF_16BE].into_iter().find(|utf16| *utf16 == marked);
    }
    let (pairs, _) = bytes[..bytes.len().min(HEAD)].as_chunks::<2>();
    let zeros = |half: usize| pairs.iter().filter(|pair| pair[half] == 0).count();
    let (encoding, low) = match (zeros(0), zeros(1)) {
        (0, high) if high * 8 > pairs.len() => (UTF_16LE, 0),
        (high, 0) if high * 8 > pairs.len() => (UTF_16BE, 1),
        _ => return None,
    };
    let is_control =
        |pair: &[u8; 2]| pair[1 - low] == 0 && pair[low] < 0x20 && !b"\t\n\r".contains(&pair[low]);
    (!pairs.iter().any(is_control)).then_some(encoding)
}

fn line_feeds(text: Cow<'_, str>) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_every_encoding_are_read() {
        let check = |bytes: &[u8], want: &str, warned: bool| {
            let decoded = decode(bytes).expect("text");
            assert_eq!(decoded.text, want, "{bytes:?}");
            assert_eq!(decoded.warning.is_some(), warned, "{:?}", decoded.warning);
        };
        check("größer\r\nals\rµ".as_bytes(), "größer\nals\nµ", false);
        check("\u{feff}größer".as_bytes(), "größer", false);
        check(b"\xff\xfeg\0\xf6\0", "gö", false);
        check(b"g\0\xf6\0\x14\x20,\0", "gö—,", false);
        check(b"\0g\0\xf6\x20\x14\0,", "gö—,", false);
        check(b"\xfe\xff\0g\0\xf6", "gö", false);
        check(b"\xff\xfeg\0\xf6", "g\u{fffd}", true);
        check(b"gr\xf6\xdfer \x96 5 \xb5m \x80", "größer – 5 µm €", true);
        check("αβγδ \u{fffd}".as_bytes(), "αβγδ \u{fffd}", false);
        let mut broken = "αβγδ ".as_bytes().to_vec();
        broken.push(0xff);
        check(&broken, "αβγδ \u{fffd}", true);
        check(b"", "", false);
    }

    #[test]
    fn the_named_encoding_is_used_where_bytes_leave_it_open() {
        let check = |bytes: &[u8], label: Option<&str>, want: &str| {
            assert_eq!(decode_labelled(bytes, label).expect("text").text, want, "{label:?}");
        };
        check(b"\xe1\xf1\r\n", Some(" Windows-1253 "), "\u{3b1}\u{3c1}\n");
        check("größer".as_bytes(), Some("iso-8859-7"), "größer");
        check(b"gr\xf6\xdfer", Some("no such"), "größer");
        check(b"gr\xf6\xdfer", Some("utf-16"), "größer");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for bytes in
            [&b"PK\x03\x04\0\0"[..], &[1, 2, 3, 4, 200, 255], b"\xff\xfe\0\0a\0\0\0", &[1, 0, 2, 0, 3, 0]]
        {
            assert_eq!(decode(bytes), Err(NoText), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn utf8_comes_back_as_it_was(text in "[^\r\0\u{feff}]{0,40}") {
            prop_assert_eq!(decode(text.as_bytes()).expect("text").text, text);
        }
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
            decode_head(&bytes);
        }
    }
}
