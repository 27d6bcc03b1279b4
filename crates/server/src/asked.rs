//! What requests have in common.

use crate::{
    failed::Failed,
    limits::{LISTED, LISTED_MOST},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Filter, SectionKind, SourceId};

/// Conditions that every passage must meet.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Filters {
    /// Only these sources.
    sources: Option<Vec<SourceId>>,
    /// Only these sections.
    sections: Option<Vec<SectionKind>>,
    /// Published in this year or later.
    year_from: Option<u16>,
    /// Published in this year or earlier.
    year_to: Option<u16>,
    /// Only sources with at least one of these tags.
    tags: Option<Vec<String>>,
}

impl From<Filters> for Filter {
    fn from(filters: Filters) -> Self {
        Self {
            sources: filters.sources,
            sections: filters.sections,
            year_from: filters.year_from,
            year_to: filters.year_to,
            tags: filters.tags,
        }
    }
}

/// What was deleted.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Deleted {
    /// How many.
    pub(crate) deleted: usize,
}

/// How many items of a list.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// The newest so many, 1 to 1000; 50 unless given.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

impl Limit {
    /// # Errors
    /// When it is out of range.
    pub(crate) fn get(self) -> Result<usize, Failed> {
        limit_of(self.limit)
    }
}

/// # Errors
/// When it is out of range.
pub(crate) fn limit_of(limit: Option<usize>) -> Result<usize, Failed> {
    within("limit", limit.unwrap_or(LISTED), LISTED_MOST)
}

/// A number from 1 to `most`.
///
/// # Errors
/// When it is another.
pub(crate) fn within(name: &'static str, number: usize, most: usize) -> Result<usize, Failed> {
    if (1..=most).contains(&number) {
        Ok(number)
    } else {
        let message = format!("{name} must be from 1 to {most}");
        Err(Failed::invalid("out_of_range", message).value(number.to_string()))
    }
}

/// # Errors
/// When it would take too long to score an answer, or all answers of a file.
pub(crate) fn check_cost(cost: u64, most: u64) -> Result<(), Failed> {
    if cost <= most {
        return Ok(());
    }
    let message = format!(
        "scoring this would take too long: the bytes of an answer times those of its passages may be {most} at most"
    );
    let failed = Failed::invalid("too_long_to_score", message).value(cost.to_string());
    Err(failed.hint("shorten the answer, or send fewer passages"))
}
