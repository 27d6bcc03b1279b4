//! Rankings of documents, scored against relevance judgements as trec_eval scores them.
//!
//! [`Qrels`] are the judgements of a benchmark, [`Ranking`] is what a system returned for one query, a [`Measure`]
//! compares the two, and [`summarise`] and [`compare`] give means, intervals and paired tests. Nothing here knows how
//! documents were found.
//!
//! Conventions, those of trec_eval: documents are ordered by score, equal scores by descending document id (bytes); a
//! grade above 0 is relevant; a document without a judgement is not; gain is the grade, its discount log2(rank + 1). A
//! query for which nothing was returned scores 0 and counts. A query without a relevant document cannot be scored and
//! is left out, and the caller says how many these are.

mod gate;
mod measure;
mod qrels;
mod queries;
mod ranked;
mod run_file;
mod scored;

pub use gate::parse_gate;
pub use measure::Measure;
pub use qrels::{Grades, Qrels};
pub use queries::{BenchmarkQuery, load_queries};
pub use ranked::Ranking;
pub use run_file::write_run;
pub use scored::{ScoredQuery, compare, summarise};
