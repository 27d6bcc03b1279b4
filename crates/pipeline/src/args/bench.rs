//! `bench`.

use super::at_least_one;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use types::Mode;

/// `bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Measure retrieval on a folder in BEIR's layout: nDCG, recall, MAP, MRR, precision
    Beir(Beir),
}

/// `bench beir`.
#[derive(Debug, Args)]
#[command(after_help = "\
The corpus is indexed on the first run and reused after that, in a folder of its own:
index-bench/NAME-HASH beside the configured index, or the folder of --index, which must hold no
other papers. Settings apply as in ask and search, for example --set retrieve.vector_weight=0.5.

A document scores by its best passage. For 100 documents per query, the index is asked for more
passages than an answer gets (retrieve.candidates); retrieve.threshold applies as configured.
Measures are those of trec_eval (ndcg_cut_10, recall_10, recall_100, map, recip_rank of the first
10, P_10), with 95 % bootstrap intervals. A query that returns nothing scores 0. Queries without a
relevant document are left out and counted.

Examples:
  pipeline bench beir nfcorpus --mode all
  pipeline bench beir nfcorpus --mode hybrid --rerank on --run-out run.trec --min ndcg@10=0.3")]
pub(crate) struct Beir {
    /// The benchmark: a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Retrieval mode, or all of them with a comparison [default: the setting retrieve.mode]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<BeirModeArg>,
    /// Rerank the candidates of each query as for an answer: those that the reranker keeps come first, the others follow
    /// in the order of retrieval
    #[arg(long, value_enum, default_value_t = Switch::Off)]
    pub(crate) rerank: Switch,
    /// The judgements to measure against: qrels/SPLIT.tsv
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    pub(crate) split: String,
    /// Leave out of each ranking the document that has the id of the query, as BEIR does for ArguAna and Quora, whose
    /// queries are documents too
    #[arg(long)]
    pub(crate) skip_same_id: bool,
    /// Measure only the first N judged queries
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Write the rankings to this file in TREC format; with --mode all, one file per mode (run.trec: run.bm25.trec, ...)
    #[arg(long, value_name = "FILE")]
    pub(crate) run_out: Option<PathBuf>,
    /// Write the measures of each query to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) per_query: Option<PathBuf>,
    /// Exit with code 1 if a measure is below this value in any measured mode, for example --min ndcg@10=0.3. Repeatable
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
}

/// The modes of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BeirModeArg {
    // BEIR's own baseline.
    Bm25,
    // Vectors alone.
    Vector,
    // BM25 and vectors.
    Hybrid,
    // Each of them, hybrid against the others, paired.
    All,
}

impl BeirModeArg {
    /// The modes to measure, the one that is compared with the others first.
    pub(crate) fn modes(self) -> Vec<Mode> {
        match self {
            Self::Bm25 => vec![Mode::Bm25],
            Self::Vector => vec![Mode::Vector],
            Self::Hybrid => vec![Mode::Hybrid],
            Self::All => vec![Mode::Hybrid, Mode::Vector, Mode::Bm25],
        }
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    // Yes.
    On,
    // No.
    Off,
}
