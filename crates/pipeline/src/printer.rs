//! Standard output, and how a command ends.

use crate::args::{Format, Global};
use serde_json::Value;
use std::io::{self, Write};

/// How a command that met no error ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// A negative result: nothing found, some files failed, or a check that did not pass.
    Negative,
}

/// Prints results on standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printer {
    format: Format,
}

impl Printer {
    /// A printer for these options.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            format: global.format,
        }
    }

    /// Prints the JSON document, or the text made by `text`.
    pub(crate) fn result(self, json: &Value, text: impl FnOnce() -> String) -> io::Result<()> {
        let mut out = match self.format {
            Format::Json => serde_json::to_string_pretty(json)?,
            Format::Text => printable(&text()),
        };
        if !out.ends_with('\n') {
            out.push('\n');
        }
        self.raw(&out)
    }

    /// Prints text as it is, whatever the format.
    #[expect(clippy::unused_self, reason = "all output goes through the printer")]
    pub(crate) fn raw(self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }
}

/// Text from papers may hold terminal control sequences, or marks that reverse what is read after them: both
/// go before anything reaches a terminal.
fn printable(text: &str) -> String {
    let shown = |c: &char| {
        let reverses = matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        *c == '\n' || !(c.is_control() || reverses)
    };
    text.chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(shown)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_never_reach_a_terminal() {
        let check = |text: &str, want: &str| assert_eq!(printable(text), want, "{text:?}");
        check("plain\ntext", "plain\ntext");
        check("\u{1b}[2Jgone\u{7}", "[2Jgone");
        check("a\tb\r\n", "a b\n");
        check("\u{202e}txt.exe\u{202c}", "txt.exe");
    }
}
