//! A regression test of answers: what each query of a set came to, kept in a file, and what changed since.
//!
//! The file holds, for each query and mode, the rank of each gold quote among the candidates, how much of the gold
//! evidence was in the context and in the answer, and the decision. [`compare`] names every query that differs,
//! and fails a mode in which losses exceed gains by more than [`TOLERANCE`]. One file can hold several query sets.

mod compare;

pub use compare::{Change, Checked, Drop, TOLERANCE, compare};

use crate::report::Provenance;
use crate::{EvalError, Ordered, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fmt, io};
use types::AnswerOutcome;
use types::files::{DATA_BYTES, read_text_bounded};

/// Changes when the file does.
const VERSION: u32 = 1;

/// What one query came to in one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Outcome {
    /// For each gold quote, its rank among the candidates; `None` where no candidate holds it.
    pub rank: Vec<Option<usize>>,
    /// Share of the gold quotes that the context held; `None` where there is none to find.
    pub context: Option<f64>,
    /// Share of the gold quotes that the answer shows.
    pub answer: Option<f64>,
    /// `answered`, `partial`, `refused` or `error`.
    pub decision: String,
}

impl Outcome {
    /// The outcome of a row.
    pub fn of(row: &Row) -> Self {
        // Four places: enough for any share, and the same text on every machine.
        let share = |key: &str| row.value(key).map(|value| (value * 1e4).round() / 1e4);
        let decision = match row.outcome {
            _ if row.error.is_some() => "error",
            None => "error",
            Some(AnswerOutcome::Answered) => "answered",
            Some(AnswerOutcome::Partial) => "partial",
            Some(AnswerOutcome::None) => "refused",
        };
        Self {
            rank: row.gold_ranks.clone(),
            context: share("gold_recall_context"),
            answer: share("gold_recall_answer"),
            decision: decision.to_owned(),
        }
    }

    /// Mean over the gold quotes of `1 / rank`, 0 for one that no candidate holds.
    fn reciprocal_rank(&self) -> Option<f64> {
        let sum: f64 = self.rank.iter().flatten().map(|rank| 1.0 / *rank as f64).sum();
        (!self.rank.is_empty()).then(|| sum / self.rank.len() as f64)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.decision)?;
        if !self.rank.is_empty() {
            let ranks: Vec<String> = self
                .rank
                .iter()
                .map(|rank| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string()))
                .collect();
            write!(f, ", rank {}", ranks.join(" "))?;
        }
        for (name, share) in [("context", self.context), ("answer", self.answer)] {
            if let Some(share) = share {
                write!(f, ", {name} {share:.2}")?;
            }
        }
        Ok(())
    }
}

/// The outcomes of one query set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BaselineSet {
    /// [`crate::QuerySet::hash`]: with other questions or labels, outcomes cannot be compared.
    pub query_set_hash: String,
    /// Hash of the settings that it was made with; for people.
    pub config_hash: String,
    /// By query, in the order of the set, then by mode.
    pub queries: Ordered<Ordered<Outcome>>,
}

/// A baseline file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    version: u32,
    /// By name of the query set.
    pub sets: Ordered<BaselineSet>,
}

impl Baseline {
    /// Reads a baseline; `None` when there is no such file.
    ///
    /// # Errors
    /// [`EvalError::Read`], or [`EvalError::Baseline`] when the file is not a baseline.
    pub fn load(path: &Path) -> Result<Option<Self>, EvalError> {
        let text = match read_text_bounded(path, DATA_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(EvalError::Read { path: path.to_path_buf(), source });
            }
        };
        let wrong = |reason: String| EvalError::Baseline { path: path.to_path_buf(), reason };
        let baseline: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if baseline.version != VERSION {
            let found = baseline.version;
            return Err(wrong(format!("it has version {found}, this program reads version {VERSION}")));
        }
        Ok(Some(baseline))
    }

    /// Puts in what the rows of an evaluation came to. Modes that were not run keep their outcomes, unless the
    /// query set changed.
    pub fn renew(&mut self, rows: &[Row], from: &Provenance) {
        self.version = VERSION;
        let old = self.sets.get(&from.query_set).filter(|set| set.query_set_hash == from.query_set_hash);
        let mut queries: Ordered<Ordered<Outcome>> = Ordered::default();
        for row in rows {
            let kept = old.and_then(|set| set.queries.get(&row.query_id));
            for (mode, outcome) in kept.into_iter().flat_map(Ordered::iter) {
                queries.entry(&row.query_id).insert(mode, outcome.clone());
            }
        }
        for row in rows {
            queries.entry(&row.query_id).insert(&row.mode, Outcome::of(row));
        }
        self.sets.insert(
            &from.query_set,
            BaselineSet {
                query_set_hash: from.query_set_hash.clone(),
                config_hash: from.config_hash.clone(),
                queries,
            },
        );
    }

    /// The file: one line for each query and mode, so that a change is a line of a diff.
    ///
    /// # Errors
    /// [`EvalError::Json`].
    pub fn text(&self) -> Result<String, EvalError> {
        let mut sets = Vec::new();
        for (name, set) in self.sets.iter() {
            let mut lines = Vec::new();
            for (query, modes) in set.queries.iter() {
                let mut own = Vec::new();
                for (mode, outcome) in modes.iter() {
                    own.push(format!("        {}: {}", json(mode)?, json(outcome)?));
                }
                lines.push(format!("      {}: {{\n{}\n      }}", json(query)?, own.join(",\n")));
            }
            sets.push(format!(
                "    {}: {{\n      \"query_set_hash\": {},\n      \"config_hash\": {},\n      \"queries\": {{\n{}\n      }}\n    }}",
                json(name)?,
                json(&set.query_set_hash)?,
                json(&set.config_hash)?,
                lines.join(",\n")
            ));
        }
        Ok(format!("{{\n  \"version\": {VERSION},\n  \"sets\": {{\n{}\n  }}\n}}\n", sets.join(",\n")))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`EvalError::Write`] or [`EvalError::Json`].
    pub fn save(&self, path: &Path) -> Result<(), EvalError> {
        crate::report::write_whole(path, &self.text()?)
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> Result<String, EvalError> {
    serde_json::to_string(value).map_err(|source| EvalError::Json { what: "the baseline", source })
}

#[cfg(test)]
#[path = "baseline/tests.rs"]
mod tests;
