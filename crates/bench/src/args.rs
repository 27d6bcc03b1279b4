//! The command line.

use crate::structure::half::Half;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Measures how well papers are read and how fast the stages run.
#[derive(Debug, Parser)]
#[command(name = "bench", version, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done; 1 a --min gate failed or a truth could not be read; 2 an error.")]
pub(crate) struct Cli {
    /// How results are printed on standard output.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// Tables for documents.
    Markdown,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare our reading of each PDF with the JATS of the same stem beside it.
    ScoreStructure(ScoreStructure),
    /// Measure parsing, chunking, embedding and the whole, beside Python peers that do the same work.
    Speed(Speed),
    /// Measure adding one paper of 20 chunks to indexes of several sizes; text and vectors are seeded.
    AddPaper(AddPaper),
    /// Measure searches by BM25 in indexes of several sizes; text and questions are seeded.
    #[command(name = "bm25")]
    Bm25(Bm25),
    /// Read PDFs for a parent process; not for people.
    #[command(hide = true, name = "worker")]
    Worker,
    /// Print PDFium's plain text for a parent process; not for people.
    #[command(hide = true, name = "raw-text")]
    RawText(RawText),
    /// Cut documents for a parent process; not for people.
    #[command(hide = true, name = "chunk-once")]
    ChunkOnce,
    /// Ingest a folder for a parent process; not for people.
    #[command(hide = true, name = "ingest-once")]
    IngestOnce(IngestOnce),
}

/// `score-structure`.
#[derive(Debug, Args)]
pub(crate) struct ScoreStructure {
    /// A folder with papers as NAME.pdf and their structure as NAME.xml or NAME.nxml.
    pub(crate) dir: PathBuf,
    /// Only papers whose name holds this.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// List for each paper what was missed, invented, absent from the PDF, or lost, and why.
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Fail with exit code 1 when a metric over all papers is lower (for reference_leak: higher), for example
    /// --min soft_f1=0.9; may be repeated.
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
    /// Compare with the JSON of an earlier run.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Only papers of one half of the publishers, drawn by --seed: make a rule with one half, check it on the other.
    #[arg(long, value_enum, value_name = "HALF")]
    pub(crate) publishers: Option<Half>,
    /// Seed of the bootstrap intervals and of the halves of the publishers.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) seed: u64,
    /// Worker processes [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// One setting, for example --set ingest.max_pages=50; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
}

/// `raw-text`.
#[derive(Debug, Args)]
pub(crate) struct RawText {
    /// The PDFium library.
    pub(crate) library: PathBuf,
    /// The PDF.
    pub(crate) file: PathBuf,
}

/// Pieces of work that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// From PDF to document.
    Parse,
    /// From document to chunks.
    Chunk,
    /// From text to vectors.
    Embed,
    /// From PDFs to an index.
    Whole,
}

/// `speed`.
#[derive(Debug, Args)]
pub(crate) struct Speed {
    /// A folder of PDFs.
    pub(crate) dir: PathBuf,
    /// What to measure [default: everything].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "TASK,…")]
    pub(crate) tasks: Vec<Task>,
    /// Rounds; in each, everyone does all of the work once. The whole is measured once.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) rounds: usize,
    /// Processes and threads of those that use several [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Model tokens to embed in a round, about.
    #[arg(long, default_value_t = 16_000, value_name = "N")]
    pub(crate) embed_tokens: usize,
    /// The Python that has the peers; scripts/bench.sh makes it.
    #[arg(long, default_value = "target/bench-venv/bin/python", value_name = "FILE")]
    pub(crate) python: PathBuf,
    /// One setting, for example --set embedding.model=DIR; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
}

/// `add-paper`.
#[derive(Debug, Args)]
pub(crate) struct AddPaper {
    /// Chunks that an index holds before, one index for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_usize, 10_000, 100_000], value_name = "N,…")]
    pub(crate) chunks: Vec<usize>,
    /// Papers that are added to each index, one after the other; the median is printed.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) rounds: usize,
    /// Seed of words and vectors.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) seed: u64,
}

/// `bm25`.
#[derive(Debug, Args)]
pub(crate) struct Bm25 {
    /// Chunks of the index, one index for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000_usize, 10_000, 100_000], value_name = "N,…")]
    pub(crate) chunks: Vec<usize>,
    /// Questions of each kind.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub(crate) questions: usize,
    /// Chunks of the list (retrieve.depth).
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub(crate) depth: usize,
    /// Rounds over all questions; the fastest time of each question counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) rounds: usize,
    /// Seed of words.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) seed: u64,
}

/// `ingest-once`.
#[derive(Debug, Args)]
pub(crate) struct IngestOnce {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// Where the index goes.
    pub(crate) index: PathBuf,
    /// As for `speed`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
}
