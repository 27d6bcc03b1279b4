//! Arguments of the commands about papers: `ingest`, `parse` and `papers`.

use clap::{Args, Subcommand};
use engine::Password;
use std::path::PathBuf;
use types::Part;

/// A part, as in 3/8.
fn part(text: &str) -> Result<Part, String> {
    let wrong = || "a part is like 3/8: its number, from 1, and how many parts there are".to_owned();
    let (number, of) = text.split_once('/').ok_or_else(wrong)?;
    let part = Part { number: number.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
    if (1..=part.of).contains(&part.number) { Ok(part) } else { Err(wrong()) }
}

/// `ingest`.
#[derive(Debug, Args)]
#[command(after_help = "\
The type of a file is detected from its content. If files differ only in their extension (paper.pdf, paper.xml)
and are the same paper, the PDF is used; if not, all are. What pipeline writes (indexes, run logs,
reports, exports, saved answers) is never read.

Metadata comes from the files. A BibTeX (.bib) or CSL-JSON (.json) file beside the papers corrects it, matched by DOI and
then by title; a manifest.csv beside the papers corrects both. Its columns: source_id, title, authors, year, venue, doi,
url_or_doi, tags, relevance_note, fictional. To start one:
  pipeline ingest papers/ --write-manifest papers/manifest.csv

Changing the embedding model re-embeds, and does nothing else. Unchanged files are skipped.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Ingest {
    /// Papers, or folders to search for papers: PDF, HTML, DOCX, Markdown, text, JATS XML, BEIR corpus.jsonl, zip archives of these
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would be done with each file, without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// After the run, write the metadata of these papers to a CSV file, one row per paper
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) write_manifest: Option<PathBuf>,
    /// Let --write-manifest replace a file
    #[arg(long, requires = "write_manifest")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Also follow symbolic links that lead out of a folder. Otherwise they are skipped and named
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Retry files that failed before, even if neither the file nor the parser nor the limits have changed
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Remove a folder's papers from the index even if the folder is empty or missing. Without this option, such a
    /// run is refused, because the folder may be on a disk that is not mounted
    #[arg(long)]
    pub(crate) prune_all: bool,
    /// Ingest one of several parts, such as 3/8; the hash of a paper's content says to which it belongs. Run every part, on any
    /// machines, with the same papers and the same Qdrant server (store.kind); questions see them when the last part is stored
    #[arg(long, value_name = "I/N", value_parser = part, conflicts_with_all = ["dry_run", "write_manifest", "watch"])]
    pub(crate) part: Option<Part>,
    /// Ingest again whenever papers are added, changed or removed, until Ctrl-C
    #[arg(long, conflicts_with_all = ["dry_run", "write_manifest"])]
    pub(crate) watch: bool,
    /// PDF worker processes [default: one per core]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
}

/// Passwords of encrypted files.
#[derive(Debug, Args)]
pub(crate) struct Passwords {
    /// Password for encrypted files; `-` asks for it. Other users can see a password given here in the list of processes:
    /// prefer `-` or --password-file. Repeatable; each password is tried
    #[arg(long = "password", value_name = "PASSWORD", env = "PIPELINE_PDF_PASSWORD", hide_env_values = true)]
    pub(crate) given: Vec<Password>,
    /// File whose first line is a password for encrypted files. Repeatable
    #[arg(long = "password-file", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// `parse`.
#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// A paper: PDF, HTML, DOCX, Markdown, text, JATS XML, a BEIR corpus.jsonl, or one of an archive: archive.zip/paper.pdf.
    pub(crate) file: PathBuf,
    /// Show only the corpus record with this _id
    #[arg(long, value_name = "ID")]
    pub(crate) record: Option<String>,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
}

/// `papers`.
#[derive(Debug, Args)]
pub(crate) struct Sources {
    #[command(subcommand)]
    pub(crate) command: Option<SourcesCommand>,
}

/// The commands of `papers`.
#[derive(Debug, Subcommand)]
pub(crate) enum SourcesCommand {
    /// List the indexed papers; the same as no command
    List,
    /// Show the metadata, sections and size of one paper
    Show {
        /// Source id, as printed by `pipeline papers`
        #[arg(value_name = "SOURCE_ID")]
        source: String,
    },
    /// Draw a page of a paper, with a quote marked
    #[command(after_help = "\
Example:
  pipeline papers page lee_2020 3 --quote \"Ten adults took part.\" --output page.png")]
    Page {
        /// Source id, as printed by `pipeline papers`
        #[arg(value_name = "SOURCE_ID")]
        source: String,
        /// Page of the PDF, counted from 1
        page: u32,
        /// Mark this quote, as an answer has it
        #[arg(long, value_name = "TEXT")]
        quote: Option<String>,
        /// Write the picture to this file, a PNG
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        passwords: Passwords,
    },
    /// Remove papers from the index; their files are kept, and later ingest runs skip them
    #[command(
        after_help = "To add a removed paper again, pass its file to ingest: pipeline ingest papers/one.pdf"
    )]
    Remove {
        /// Source ids, as printed by `pipeline papers`
        #[arg(required = true, value_name = "SOURCE_ID")]
        sources: Vec<String>,
    },
}
