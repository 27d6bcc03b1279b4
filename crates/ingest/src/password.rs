//! Passwords of encrypted files; they are never logged.

use serde::{Deserialize, Serialize};
use std::fmt;

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
        let cut = whole.filter(|w| w.len() > MOST_BYTES).map(|w| {
            let mut end = MOST_BYTES;
            while !w.is_char_boundary(end) {
                end -= 1;
            }
            &w[..end]
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_are_tried_cut_as_well() {
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

    #[test]
    fn it_does_not_show() {
        assert!(!format!("{:?}", Password::from("hunter2")).contains("hunter2"));
    }
}
