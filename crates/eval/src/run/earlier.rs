//! What an unfinished run left of a row that is asked again.

use super::{RunJob, attempt::Item};
use types::{RunRecord, Spent};

/// The answer, where only its verdict is missing.
pub(super) fn answer<'a>(job: &'a RunJob<'_>, item: Item<'_>) -> Option<&'a RunRecord> {
    job.answers.iter().find(|record| {
        record.query_id.as_deref() == Some(item.query.id.as_str()) && record.mode == Some(item.mode)
    })
}

/// What the earlier run spent on the row. What its answer cost is left out if that is used again: the new row counts it.
pub(super) fn spent(job: &RunJob<'_>, item: Item<'_>) -> Spent {
    let same = |id: &str, mode: &str| id == item.query.id && mode == item.mode.as_str();
    let row = job.done.iter().find(|row| same(&row.query_id, &row.mode));
    let Some(row) = row else {
        return Spent::default();
    };
    match answer(job, item) {
        Some(record) => row.usage.without(&record.usage_by_stage),
        None => row.usage.clone(),
    }
}
