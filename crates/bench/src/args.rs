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
    /// Measure retrieval: how an index behaves as it grows, and searches beside Python programs that do the same.
    #[command(subcommand)]
    Retrieval(Retrieval),
    /// Print the features of the offline judge for labelled claims, to fit its model on.
    Support(Support),
    /// One step of `retrieval growth` for a parent process; not for people.
    #[command(hide = true, name = "retrieval-step")]
    RetrievalStep(RetrievalStep),
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

/// `retrieval`.
#[derive(Debug, Subcommand)]
pub(crate) enum Retrieval {
    /// Questions a second by BM25 on a BEIR folder, on one core, beside bm25s, rank_bm25, tantivy-py and Pyserini.
    #[command(name = "bm25")]
    Bm25(RetrievalBm25),
    /// Questions a second and recall over seeded vectors, on one core, beside faiss, hnswlib and usearch.
    Vectors(RetrievalVectors),
    /// Build indexes of several sizes from seeded text and vectors, and measure building, adding a paper, disk, memory,
    /// opening, searching and recall.
    Growth(Growth),
}

/// `retrieval bm25`.
#[derive(Debug, Args)]
pub(crate) struct RetrievalBm25 {
    /// A folder with corpus.jsonl and queries.jsonl.
    pub(crate) dir: PathBuf,
    /// Documents that a search returns.
    #[arg(short, long, default_value_t = 10, value_name = "N")]
    pub(crate) k: usize,
    /// Rounds over all questions.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) rounds: usize,
    /// A Python with peers/requirements-retrieval.txt installed.
    #[arg(long, default_value = "target/retrieval-venv/bin/python", value_name = "FILE")]
    pub(crate) python: PathBuf,
}

/// `retrieval vectors`.
#[derive(Debug, Args)]
pub(crate) struct RetrievalVectors {
    /// Vectors, of 384 numbers.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    pub(crate) chunks: usize,
    /// Questions.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub(crate) questions: usize,
    /// Vectors that a search returns.
    #[arg(short, long, default_value_t = 10, value_name = "N")]
    pub(crate) k: usize,
    /// Rounds over all questions.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) rounds: usize,
    /// Seed of vectors.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) seed: u64,
    /// Also measure the graph of the pipeline (retrieve.vector_index = "hnsw").
    #[arg(long)]
    pub(crate) hnsw: bool,
    /// A Python with peers/requirements-retrieval.txt installed.
    #[arg(long, default_value = "target/retrieval-venv/bin/python", value_name = "FILE")]
    pub(crate) python: PathBuf,
}

/// `retrieval growth`.
#[derive(Debug, Args)]
pub(crate) struct Growth {
    /// Chunks of an index, one index for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000_usize, 100_000, 1_000_000], value_name = "N,…")]
    pub(crate) chunks: Vec<usize>,
    /// Questions.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub(crate) questions: usize,
    /// Rounds over all questions, of which the fastest time of each question counts; and papers that are added.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(crate) rounds: usize,
    /// Seed of words and vectors.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) seed: u64,
    /// Threads of a search [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Folder in which the indexes stay; those that are there are not built again.
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Also draw the results here.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

/// What a step of `retrieval growth` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrowthStep {
    /// Builds the index.
    Build,
    /// Opens and searches it.
    Search,
    /// Adds papers.
    Add,
}

/// `retrieval-step`.
#[derive(Debug, Args)]
pub(crate) struct RetrievalStep {
    /// What to do.
    #[arg(value_enum)]
    pub(crate) step: GrowthStep,
    /// The index.
    pub(crate) index: PathBuf,
    /// As for `growth`.
    #[arg(long)]
    pub(crate) chunks: usize,
    /// As for `growth`.
    #[arg(long)]
    pub(crate) questions: usize,
    /// As for `growth`.
    #[arg(long)]
    pub(crate) rounds: usize,
    /// As for `growth`.
    #[arg(long)]
    pub(crate) seed: u64,
}

/// `bench support`.
#[derive(Debug, Args)]
pub(crate) struct Support {
    /// JSON objects, one a line: "id", "context", and a "response" that is cut into claims or a "claim".
    pub(crate) rows: PathBuf,
    /// Go by words alone, without the embedding model.
    #[arg(long)]
    pub(crate) words: bool,
}
