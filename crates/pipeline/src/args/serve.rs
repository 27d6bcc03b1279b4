//! Arguments of `serve`.

use clap::{Args, Subcommand};
use server::{Name, Origin, Role};
use std::{net::SocketAddr, path::PathBuf};

use super::at_least;

/// `serve`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
The index of --index is the collection `default` of the tenant `default`. Everything else is in the
folder of --data: uploaded papers, further indexes, keys, jobs, records of evaluations, questions,
answers and evidence.

Without a key, everybody on this machine may do everything, and any address but loopback is refused.
Once there is a key, every request needs one. A key opens the data of one tenant.

Standard output has the line `listening on URL` once requests are answered; standard error has one
JSON object for each request, without the text of questions. SIGTERM or Ctrl-C shuts the server
down gracefully: running requests finish, and jobs go on when it is started again.

Examples:
  pipeline serve --open
  pipeline serve keys add --tenant ac --role write
  pipeline serve --listen 0.0.0.0:8000
  pipeline serve --origin https://papers.example.org
  pipeline serve backup state-copy.sqlite")]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
    /// Address and port; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    pub(crate) listen: SocketAddr,
    /// Open the pages in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Folder of keys, uploads, jobs, records and further indexes
    #[arg(long, value_name = "DIR", default_value = "server-data", global = true)]
    pub(crate) data: PathBuf,
    /// Accept requests for this address, at which a proxy serves the pages, and requests of pages of this origin: a scheme and a host. Repeatable
    #[arg(long, value_name = "ORIGIN", alias = "allow-origin")]
    pub(crate) origin: Vec<Origin>,
    /// Requests being computed or waiting, at most; further ones are answered with 503
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least(1))]
    pub(crate) max_waiting: usize,
    /// Also offer assistants semantic_search and nc_semantic_search_answer at /mcp, as ADR-013 names them
    #[arg(long)]
    pub(crate) nc: bool,
}

/// The commands of `serve`.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Make, list or revoke keys
    #[command(subcommand)]
    Keys(Keys),
    /// Copy the state (keys, jobs, records, questions) to a new file, while the server may run
    Backup {
        /// The copy, which must not exist
        file: PathBuf,
    },
    /// Write the records of evaluations as JSON files
    Export {
        /// Only those of this tenant
        #[arg(long, value_name = "NAME")]
        tenant: Option<Name>,
        /// Write below DIR/storage/companies/
        dir: PathBuf,
    },
}

/// `serve keys`.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a key and print it; only its hash is kept
    Add {
        /// Whose data it opens: 1 to 64 letters, digits, _ or -
        #[arg(long, value_name = "NAME")]
        tenant: Name,
        /// What it may do: read, write (also add and delete papers and records) or admin (for the tenant default also read /metrics)
        #[arg(long, default_value_t = Role::Read)]
        role: Role,
        /// Name of its holder
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        name: String,
    },
    /// List the keys, without their secrets
    List,
    /// Revoke a key; a running server stops accepting it at once
    Revoke {
        /// Its number in the list
        id: i64,
    },
}
