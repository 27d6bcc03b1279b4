//! `pipeline skill`.

use crate::{
    args,
    printer::{Outcome, Printer},
};
use anyhow::{Context as _, Result};
use lab::eval::judge::dimensions::Dimension;
use std::path::Path;
use types::{path_text::shown, written::write_output};

/// The skill, with gaps for what the program knows.
const SKILL: &str = include_str!("skill/SKILL.md");
/// The folder of the skill, which has its name.
const NAME: &str = "research-papers";

/// Prints the skill, or writes it below a folder of skills.
pub(super) fn run(printer: Printer, out: Option<&Path>) -> Result<Outcome> {
    let Some(folder) = out else {
        return printer.text(&text());
    };
    let folder = folder.join(NAME);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", shown(&folder)))?;
    let file = folder.join("SKILL.md");
    write_output(&file, &[text().as_bytes()]).with_context(|| format!("cannot write {}", shown(&file)))?;
    printer.raw(&format!("written: {}\n", shown(&file)))?;
    Ok(Outcome::Done)
}

/// The skill.
pub(crate) fn text() -> String {
    let dimensions = Dimension::ALL.map(Dimension::key).join(", ");
    SKILL.replace("{exit_codes}", args::EXIT_CODES).replace("{dimensions}", &dimensions)
}
