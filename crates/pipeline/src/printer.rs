//! Standard output, and how a command ends.

use crate::{
    args::{Format, Global},
    clean::{clean, clean_json},
};
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
            Format::Json => clean_json(&serde_json::to_string_pretty(json)?).into_owned(),
            Format::Text => clean(&text()).into_owned(),
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
