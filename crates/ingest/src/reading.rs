//! How a file is to be read: within which limits, with which passwords, and how far the reader is.

use crate::OcrSettings;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bounds on one file. A file that passes one of them fails with the reason; nothing is cut off silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Address space of a worker process, in bytes.
    pub memory_bytes: u64,
    /// Wall-clock time and processor time of one file, in seconds.
    pub seconds_per_file: u64,
    /// Size of a file on disk, in bytes.
    pub max_file_bytes: u64,
    /// Pages of a file.
    pub max_pages: u32,
    /// Characters of one page.
    pub max_chars_per_page: u64,
    /// Characters of a whole file.
    pub max_chars: u64,
}

impl Default for Limits {
    /// The values of the settings; a test compares them.
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            seconds_per_file: 60,
            max_file_bytes: 256 << 20,
            max_pages: 2_000,
            max_chars_per_page: 400_000,
            max_chars: 8_000_000,
        }
    }
}

/// Whether a text has at most `limit` characters.
pub(crate) fn has_at_most(text: &str, limit: u64) -> bool {
    // A character has at least one byte, so a short text needs no counting.
    text.len() as u64 <= limit || text.chars().count() as u64 <= limit
}

/// A password for encrypted files. It travels to workers through their private pipe; printed for debugging it
/// shows only that it is there.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Password(String);

/// Readers since PDF 1.7 use so many bytes of a password.
const MOST_BYTES: usize = 127;

impl Password {
    /// The forms in which it may open a file: as it stands, and cut to what the standard lets a reader use.
    /// Nothing for a password with a zero byte, which no file has.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        let whole = (!self.0.contains('\0')).then_some(self.0.as_str());
        let long = whole.filter(|w| w.len() > MOST_BYTES);
        let cut = long.map(|w| &w[..w.floor_char_boundary(MOST_BYTES)]);
        whole.into_iter().chain(cut)
    }
}

impl From<String> for Password {
    fn from(password: String) -> Self {
        Self(password)
    }
}

impl From<&str> for Password {
    fn from(password: &str) -> Self {
        Self(password.to_owned())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// How a PDF is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// Passwords to try where one is needed.
    pub(crate) passwords: &'a [Password],
    pub(crate) limits: &'a Limits,
    /// How pages without text are recognised; `None` leaves them without.
    pub(crate) ocr: Option<&'a OcrSettings>,
}

/// How far a file is. Pages count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Progress {
    /// This page, of so many, is about to be read.
    Page(u32, u32),
    /// This page, without text, is about to be recognised, which takes seconds.
    Recognising(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_passwords_are_tried_cut_as_well() {
        let check = |password: &str, lengths: &[usize]| {
            let password = Password::from(password);
            let forms: Vec<usize> = password.forms().map(str::len).collect();
            assert_eq!(forms, lengths, "{lengths:?}");
        };
        check("", &[0]);
        check("secret", &[6]);
        check(&"x".repeat(127), &[127]);
        check(&"x".repeat(200), &[200, 127]);
        check(&"ß".repeat(64), &[128, 126]);
        check("a\0b", &[]);
    }
}
