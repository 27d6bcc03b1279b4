//! Passwords of encrypted files: as given, from files, or asked for.

use crate::args::Passwords;
use anyhow::{Context, Result, bail};
use console::Term;
use engine::Password;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, stdin};
use std::path::Path;
use types::path_text::shown;

/// Bytes of a first line at most; a PDF uses 127 of a password.
const MOST: u64 = 1024;

impl Passwords {
    /// All passwords, in the order in which they are tried.
    pub(crate) fn read(&self) -> Result<Vec<Password>> {
        let asks = Password::from("-");
        let given = self.given.iter().map(|given| match given {
            given if *given == asks => ask(),
            given => Ok(given.clone()),
        });
        given.chain(self.files.iter().map(|file| first_line(file))).collect()
    }
}

fn ask() -> Result<Password> {
    let terminal = Term::stderr();
    if !terminal.is_term() || !stdin().is_terminal() {
        bail!("`--password -` asks on a terminal, and there is none\nhint: use --password-file FILE");
    }
    terminal.write_str("Password of encrypted files: ")?;
    Ok(terminal.read_secure_line()?.into())
}

/// The password in a file. No error repeats what the file holds.
fn first_line(path: &Path) -> Result<Password> {
    let mut line = String::new();
    File::open(path)
        .and_then(|file| BufReader::new(file.take(MOST + 1)).read_line(&mut line))
        .with_context(|| format!("cannot read {}", shown(path)))?;
    let password = line.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
    if password.is_empty() || line.len() as u64 > MOST {
        bail!(
            "the first line of {} is not a password of 1 to {MOST} bytes\nhint: write the password alone on the first line",
            shown(path)
        );
    }
    Ok(password.into())
}
