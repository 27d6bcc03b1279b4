//! Rankings of documents, scored against relevance judgements as trec_eval scores them.
//!
//! [`Qrels`] are the judgements of a benchmark, [`Ranking`] is what a system returned for one query, a [`Measure`]
//! compares the two, and [`ScoredQuery`] has every measure of one query; [`crate::paired`] gives means, intervals and tests.
//! Nothing here knows how documents were found.
//!
//! Conventions, those of trec_eval: documents are ordered by score, equal scores by descending document id (bytes); a
//! grade above 0 is relevant; a document without a judgement is not; gain is the grade, its discount log2(rank + 1). A
//! query for which nothing was returned scores 0 and counts. A query without a relevant document cannot be scored and
//! is left out, and the caller says how many these are.

mod files;
mod measure;
mod ranked;

pub(crate) use files::columns;
pub use files::{BenchmarkQuery, Grades, QRELS_HINT, Qrels, load_queries, write_run};
pub use measure::{Measure, ScoredQuery};
pub use ranked::Ranking;
