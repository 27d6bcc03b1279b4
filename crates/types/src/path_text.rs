//! Paths as text, without loss.
//!
//! On Unix a file name is bytes and need not be UTF-8; JSON strings must be. [`encode`] writes each byte that is not
//! part of valid UTF-8 as one private-use character (U+10FE80 to U+10FEFF), and [`decode`] reads it back. A path that
//! is UTF-8 stays as it is, unless it holds one of these characters itself: then each of their bytes is written so.
//!
//! As a module for `#[serde(with = "types::path_text")]` it serialises a `PathBuf` in this form.

use serde::{Deserialize, Deserializer, Serializer};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The character of byte 0; only bytes from 0x80 can be invalid in UTF-8.
const BASE: u32 = 0x0010_FE00;

/// The path as text that [`decode`] turns into the same path.
pub fn encode(path: &Path) -> String {
    text(path, &mut |out, byte| {
        out.extend(char::from_u32(BASE + u32::from(byte)));
    })
}

/// The path that [`encode`] wrote.
pub fn decode(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match escaped(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// The path for people: a byte that is not UTF-8 as `\xFF`.
pub fn shown(path: &Path) -> String {
    text(path, &mut |out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\x{byte:02X}");
    })
}

/// Serialises the path in the form of [`encode`].
///
/// # Errors
/// When the serializer fails.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(path))
}

/// Reads what [`serialize`] wrote.
///
/// # Errors
/// When there is no string.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    String::deserialize(deserializer).map(|text| decode(&text))
}

/// The same for several paths.
pub mod list {
    use super::{Deserialize, Deserializer, PathBuf, Serializer, decode, encode};

    /// Serialises each path in the form of [`encode`].
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| encode(path)))
    }

    /// Reads what [`serialize`] wrote.
    ///
    /// # Errors
    /// When there is no list of strings.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        Ok(texts.iter().map(|text| decode(text)).collect())
    }
}

fn escaped(c: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(c).checked_sub(BASE)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

fn text(path: &Path, escape: &mut dyn FnMut(&mut String, u8)) -> String {
    let bytes = OsStr::as_bytes(path.as_os_str());
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if escaped(c).is_some() {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    escape(&mut out, byte);
                }
            } else {
                out.push(c);
            }
        }
        for byte in chunk.invalid() {
            escape(&mut out, *byte);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(bytes))
    }

    #[test]
    fn every_path_survives_and_utf8_stays_as_it_is() {
        let check = |bytes: &[u8], want: &str| {
            let path = path(bytes);
            let text = encode(&path);
            assert_eq!(decode(&text), path, "{bytes:?}");
            assert_eq!(shown(&path), want);
            assert_eq!(std::str::from_utf8(bytes) == Ok(&text), want == text, "{bytes:?}");
        };
        check(b"/papers/a.pdf", "/papers/a.pdf");
        check("/gr\u{fc}n/\u{10FE00}.md".as_bytes(), "/gr\u{fc}n/\u{10FE00}.md");
        check(b"/p/\xff.md", "/p/\\xFF.md");
        check(b"/p/\xc3.md", "/p/\\xC3.md");
        check("/p/\u{10FE80}.md".as_bytes(), "/p/\\xF4\\x8F\\xBA\\x80.md");
        for byte in 0x80..=0xff_u8 {
            let one = path(&[b'a', byte]);
            assert_eq!(decode(&encode(&one)), one);
        }
    }

    #[test]
    fn names_that_are_shown_alike_by_the_standard_library_stay_apart() {
        let (a, b) = (path(b"\xfe.md"), path(b"\xff.md"));
        assert_eq!(a.display().to_string(), b.display().to_string());
        assert_ne!(encode(&a), encode(&b));
        assert_ne!(shown(&a), shown(&b));
    }
}
