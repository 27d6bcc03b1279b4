//! What must never be printed, and text cleaned of it.

use std::fmt;

/// Shown in place of a secret.
const REDACTED: &str = "[redacted]";
/// Secrets shorter than this are not searched for in foreign text: replacing every `a` helps nobody.
const SHORTEST: usize = 4;
/// Characters of foreign text that an error quotes.
pub(crate) const PREVIEW_CHARS: usize = 300;

/// The key, and every other secret of the address.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// Remembers a secret.
    pub(crate) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= SHORTEST {
            self.values.push(value.to_owned());
            // The longest first: a secret that contains another one goes whole.
            self.values
                .sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
    }

    /// `text` without the secrets.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.values
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, REDACTED))
    }

    /// The start of foreign text on one line, without the secrets.
    pub(crate) fn preview(&self, text: &str) -> String {
        // Scrubbed before it is cut, so that no half of a secret survives at the cut.
        let clean = self.scrub(text);
        let mut out = String::new();
        for word in clean
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|w| !w.is_empty())
        {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            if out.len() > PREVIEW_CHARS * 4 {
                break;
            }
        }
        match out.char_indices().nth(PREVIEW_CHARS) {
            Some((at, _)) => format!("{}…", &out[..at]),
            None => out,
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} secrets", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_text_and_debug() {
        let mut secrets = Secrets::default();
        secrets.add(" sk-abcdef\n");
        secrets.add("sk-abcdef-longer");
        secrets.add("a");
        let check = |text: &str, want: &str| assert_eq!(secrets.preview(text), want);
        check("key sk-abcdef is wrong", "key [redacted] is wrong");
        check("key sk-abcdef-longer is wrong", "key [redacted] is wrong");
        check("a\n\tb\u{0}c", "a b c");
        check("", "");
        assert_eq!(format!("{secrets:?}"), "2 secrets");
    }

    #[test]
    fn a_preview_is_short_and_cuts_no_secret_in_half() {
        let mut secrets = Secrets::default();
        secrets.add("TOPSECRETKEY");
        let text = format!("{} TOPSECRETKEY", "é".repeat(PREVIEW_CHARS - 7));
        let preview = secrets.preview(&text);
        assert!(!preview.contains("TOPS"), "{preview}");
        assert_eq!(preview.chars().count(), PREVIEW_CHARS + 1);
    }
}
