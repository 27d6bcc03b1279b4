//! Arguments of `mcp` and `skill`.

use clap::Args;
use server::Origin;
use std::path::PathBuf;

/// `mcp`.
#[derive(Debug, Args)]
#[command(after_help = "\
An assistant starts this command itself and speaks the Model Context Protocol with it on standard input
and output; notes and errors go to standard error. Over HTTP, `pipeline serve` has the same tools at
/mcp. docs/assistants.md says how to add either to an assistant.

Results link to pages of `pipeline serve`, which need not run.

Examples:
  claude mcp add papers -- pipeline mcp --index ~/papers-index
  pipeline mcp --portal https://papers.example.org")]
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
#[command(after_help = "\
The skill is for assistants that run commands, such as Claude Code and Codex. It takes a hundred tokens
until it is used; a list of MCP tools takes some 1,500 in every conversation.

Examples:
  pipeline skill --out ~/.claude/skills
  pipeline skill --out .agents/skills")]
pub(crate) struct Skill {
    /// Write research-papers/SKILL.md below this folder of skills [default: standard output]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
