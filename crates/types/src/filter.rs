//! Which passages a question may be answered from.

use crate::{SectionKind, SourceId, SourceMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Conditions, all of which a hit must meet. They apply before any list is cut, so that a filtered search
/// returns what an index of the permitted chunks alone would; only BM25's document frequencies remain those of
/// the whole index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Filter {
    /// Only these sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<SourceId>>,
    /// Only these sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<SectionKind>>,
    /// Published in this year or later; a source without a year does not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_from: Option<u16>,
    /// Published in this year or earlier; a source without a year does not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_to: Option<u16>,
    /// Only sources with at least one of these tags, compared exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

impl Filter {
    /// Whether the filter admits everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether chunks of this source may be returned, as far as their sections pass.
    pub fn admits(&self, meta: &SourceMeta) -> bool {
        let year = |holds: fn(u16, u16) -> bool, bound: Option<u16>| {
            bound.is_none_or(|bound| meta.year.is_some_and(|year| holds(year, bound)))
        };
        self.sources.as_ref().is_none_or(|wanted| wanted.contains(&meta.source_id))
            && self.tags.as_ref().is_none_or(|wanted| wanted.iter().any(|tag| meta.tags.contains(tag)))
            && year(|year, from| year >= from, self.year_from)
            && year(|year, to| year <= to, self.year_to)
    }

    /// The years in words.
    fn years(&self) -> Option<String> {
        Some(match (self.year_from, self.year_to) {
            (None, None) => return None,
            (Some(from), None) => format!("published in {from} or later"),
            (None, Some(to)) => format!("published in {to} or earlier"),
            (Some(from), Some(to)) if from == to => format!("published in {from}"),
            (Some(from), Some(to)) => format!("published {from}–{to}"),
        })
    }

    /// Whether chunks of this section may be returned.
    pub fn admits_section(&self, section: SectionKind) -> bool {
        self.sections.as_ref().is_none_or(|wanted| wanted.contains(&section))
    }
}

/// The conditions in words, as in "section methods, published in 2020 or later"; empty without any.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            one_of("source", self.sources.as_deref()),
            one_of("section", self.sections.as_deref()),
            one_of("tag", self.tags.as_deref()),
            self.years(),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// "section methods or results".
fn one_of<T: fmt::Display>(name: &str, values: Option<&[T]>) -> Option<String> {
    let values: Vec<String> = values?.iter().map(ToString::to_string).collect();
    Some(format!("{name} {}", values.join(" or ")))
}
