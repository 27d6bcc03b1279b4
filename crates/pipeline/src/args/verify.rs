//! Arguments of `verify`.

use clap::Args;
use std::path::PathBuf;

/// `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
For each sentence, passages are retrieved and compared with it by the offline judge; for each text in
quotation marks of four words or more, it is looked for word for word. `not supported` means that no
passage was found that supports it. The judge errs: see docs/judges.md.

Example:
  pipeline verify summary.md
  pbpaste | pipeline verify -")]
pub(crate) struct Verify {
    /// A file with the text; `-` for standard input
    pub(crate) file: PathBuf,
    /// The question that the text answers, for which passages are retrieved too
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) question: String,
    /// Compare with this paper only; its ID is shown by `pipeline papers`. Repeatable
    #[arg(long = "source", value_name = "ID")]
    pub(crate) sources: Vec<String>,
}
