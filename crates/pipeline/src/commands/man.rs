//! `pipeline man`.

use crate::{
    args,
    printer::{Outcome, Printer},
};
use anyhow::{Context, Result};
use std::path::Path;
use types::written::refuse_foreign;

/// Prints the page of the program, or writes the pages of all commands to a folder.
pub(super) fn run(printer: Printer, out: Option<&Path>) -> Result<Outcome> {
    let command = args::command();
    let Some(folder) = out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return printer.text(&String::from_utf8_lossy(&page));
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("pipeline") {
            let path = entry.path();
            refuse_foreign(&path).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write the manual pages to {}", folder.display()))?;
    Ok(Outcome::Done)
}
