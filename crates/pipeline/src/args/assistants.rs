//! Arguments of `mcp` and `skill`.

use clap::Args;
use server::Origin;
use std::path::PathBuf;

/// `mcp`.
#[derive(Debug, Args)]
#[command(after_help = "\
Assistants start this command and speak with it on standard input and output; pipeline serve has the
same tools at /mcp. How to add either to an assistant: docs/assistants.md.

Example:
  claude mcp add papers -- pipeline mcp --index ~/papers-index")]
pub(crate) struct Mcp {
    /// Address of the pages that results link to
    #[arg(long, value_name = "ORIGIN", default_value = "http://127.0.0.1:8000")]
    pub(crate) portal: Origin,
    /// Also offer semantic_search and nc_semantic_search_answer, as ADR-013 names them
    #[arg(long)]
    pub(crate) nc: bool,
}

/// `skill`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pipeline skill --output-dir ~/.claude/skills")]
pub(crate) struct Skill {
    /// Write research-papers/SKILL.md below this folder of skills [default: standard output]
    #[arg(long, alias = "out", value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
}
