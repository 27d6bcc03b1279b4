//! `bench`.

use super::{Modes, at_least, words};
use clap::{
    ArgAction, Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use std::path::PathBuf;

/// `bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Measure retrieval on a folder in BEIR's layout: nDCG, recall, MAP, MRR, precision
    Beir(Beir),
}

/// `bench beir`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The first run indexes the corpus, later runs reuse the index. It is stored next to the configured
index, in index-bench/NAME-HASH by default. With --index, it is stored in that folder, which must
not contain other papers. Settings apply as in ask and search, for example
--set retrieve.vector_weight=0.5.

The score of a document is the score of its best passage. To rank 100 documents per query, more
passages are retrieved than retrieve.top_k says; retrieve.min_similarity still applies. Metrics
match trec_eval: ndcg_cut_10, recall_10, recall_100, map (100 documents), recip_rank (10 documents)
and P_10, with 95 % bootstrap intervals. A query that returns nothing scores 0. Queries without
relevant documents are excluded; the output shows how many.

Examples:
  pipeline bench beir nfcorpus --mode all
  pipeline bench beir nfcorpus --mode hybrid --rerank on --output run.trec --min ndcg@10=0.3
  pipeline score run.trec --qrels nfcorpus/qrels/test.tsv --output before.json
  pipeline score later.trec --qrels nfcorpus/qrels/test.tsv --against before.json")]
pub(crate) struct Beir {
    /// The benchmark: a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Retrieval mode; "all" measures every mode and compares hybrid with the others [default: retrieve.mode]
    #[arg(long, value_parser = words::<Modes>(["bm25", "vector", "hybrid", "all"]))]
    pub(crate) mode: Option<Modes>,
    /// Rerank the first retrieve.top_k passages, as ask does. Passages that the reranker keeps come first, the rest
    /// keep their retrieval order
    #[arg(long, action = ArgAction::Set, default_value = "off", value_parser = PossibleValuesParser::new(["on", "off"]).map(|word| word == "on"))]
    pub(crate) rerank: bool,
    /// The judgements to measure against: qrels/SPLIT.tsv
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    pub(crate) split: String,
    /// Measure only the first N judged questions
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Write the rankings to this file in TREC format; with --mode all, one file per mode (run.trec: run.bm25.trec, ...)
    #[arg(long, alias = "run-out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with code 1 if a metric is below this value in any measured mode, for example --min METRIC=0.3. Repeatable
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
}
