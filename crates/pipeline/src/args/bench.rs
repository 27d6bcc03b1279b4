//! `bench`.

use super::{Modes, at_least, modes, words};
use clap::{
    ArgAction, Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use std::path::PathBuf;
use types::Mode;

/// `bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Measure retrieval on a folder in BEIR's layout: nDCG, recall, MAP, MRR, precision
    Beir(Beir),
    /// Measure answers on questions with labelled evidence: evidence recall, refusals, calibration
    Answers(Answers),
}

/// `bench beir`.
#[derive(Debug, Args)]
#[command(after_help = "\
The first run indexes the corpus, later runs reuse the index. It is stored next to the configured
index, in index-bench/NAME-HASH by default. With --index, it is stored in that folder, which must
not contain other papers. Settings apply as in ask and search, for example
--set retrieve.vector_weight=0.5.

The score of a document is the score of its best passage. To rank 100 documents per query, more
passages are retrieved than retrieve.candidates says; retrieve.threshold still applies. Metrics
match trec_eval: ndcg_cut_10, recall_10, recall_100, map (100 documents), recip_rank (10 documents)
and P_10, with 95 % bootstrap intervals. A query that returns nothing scores 0. Queries without
relevant documents are excluded; the output shows how many.

Examples:
  pipeline bench beir nfcorpus --mode all
  pipeline bench beir nfcorpus --mode hybrid --rerank on --output run.trec --min ndcg@10=0.3")]
pub(crate) struct Beir {
    /// The benchmark: a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Retrieval mode; "all" measures every mode and compares hybrid with the others [default: retrieve.mode]
    #[arg(long, value_parser = words::<Modes>(["bm25", "vector", "hybrid", "all"]))]
    pub(crate) mode: Option<Modes>,
    /// Rerank the first retrieve.candidates passages, as ask does. Passages that the reranker keeps come first, the rest
    /// keep their retrieval order
    #[arg(long, action = ArgAction::Set, default_value = "off", value_parser = PossibleValuesParser::new(["on", "off"]).map(|word| word == "on"))]
    pub(crate) rerank: bool,
    /// The judgements to measure against: qrels/SPLIT.tsv
    #[arg(long, value_name = "SPLIT", default_value = "test")]
    pub(crate) split: String,
    /// Measure only the first N judged queries
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Write the rankings to this file in TREC format; with --mode all, one file per mode (run.trec: run.bm25.trec, ...)
    #[arg(long, alias = "run-out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
}

/// `bench answers`.
#[derive(Debug, Args)]
#[command(after_help = "\
DIR is a folder in one of these layouts:
  articles.jsonl and qa.jsonl    one article per line ({_id, title, text}), and one question per line ({id,
                                 doc_id, question, answers: [{text, answer_start}], is_impossible}), as
                                 in COVID-QA. answer_start counts the characters of the article's text.
                                 Impossible questions should be refused
  papers/ and questions.jsonl    papers in any format that ingest reads, and a query set
  any folder of papers           with --queries FILE, a query set with gold_evidence

The first run indexes the papers, later runs reuse the index. It is stored as for bench beir.

Each answerable question is asked twice: once over all papers, and once without its gold papers,
where the right response is a refusal. A sentence shows evidence if it and the labelled text share
at least half of the shorter one. Metrics (all over answerable questions):
  candidates, kept, context  share of questions whose evidence is in a passage that retrieval passes on
                             (retrieve.candidates), that the reranker keeps (rerank.keep), in the
                             expanded context (at most expand.cap passages)
  mrr                        mean of 1 / rank of the first kept passage with evidence (0 if none has)
  article                    share with a kept passage of the paper that the question is about
  hit@5, hit@3, hit@1        share with evidence in the five, three best sentences, in the best one
  answer, first              share whose answer, or whose first quote, shows evidence
  recall@5, recall           mean share of the evidence in the five best sentences, in the answer
  answered                   share that was not refused

Intervals (95 %, bootstrap) and p values (paired randomisation) are clustered by paper.

The plain baselines take the five best sentences of all papers by cosine, by BM25, and by half the
sum of both, without passages, reranking or refusal.

Examples:
  pipeline bench answers covid-qa --baselines
  pipeline bench answers corpus --queries queries/extended.jsonl --per-query before.jsonl
  pipeline bench answers trials --against before.jsonl --min hit@5=0.7
  pipeline bench answers trials --mode bm25 --set rerank.method=none --against before.jsonl")]
pub(crate) struct Answers {
    /// The benchmark: a folder with papers and questions
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Query set with gold_evidence, for a folder of papers [default: questions.jsonl in DIR]
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Retrieval mode [default: retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Search only the papers that the question is about, once
    #[arg(long)]
    pub(crate) own_paper: bool,
    /// Also measure the plain baselines, and compare with them
    #[arg(long)]
    pub(crate) baselines: bool,
    /// Measure only the first N answerable questions, and the first N others
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Write the sentences of each context with their features and labels to this file, one JSON object per question: the
    /// training data for the sentence models
    #[arg(long, value_name = "FILE")]
    pub(crate) features: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
}

/// What is done with the results of any benchmark.
#[derive(Debug, Args)]
pub(crate) struct ResultArgs {
    /// Write the metrics of each query to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub(crate) per_query: Option<PathBuf>,
    /// Compare with an earlier run: a file that it wrote with --per-query. Paired by query, mode by mode if it has several
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Exit with code 1 if a metric is below this value in any measured mode, for example --min METRIC=0.3. Repeatable
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
}
