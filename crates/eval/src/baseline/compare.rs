//! What changed since a baseline was written, and whether more was lost than gained.

use super::{BaselineSet, Outcome};
use crate::Row;
use crate::report::Provenance;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// An outcome that differs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Change {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// In the baseline; `None` when it holds no such query and mode.
    pub before: Option<Outcome>,
    /// In this run; `None` when the query is no longer in the set.
    pub now: Option<Outcome>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said =
            |outcome: &Option<Outcome>| outcome.as_ref().map_or("not there".to_owned(), Outcome::to_string);
        write!(f, "{} ({}): {} → {}", self.query_id, self.mode, said(&self.before), said(&self.now))
    }
}

/// By how many queries losses may exceed gains in a mode, by each measure; in a set of fewer than twenty queries, by one
/// in five. Vectors differ in their last digits between processors, which moves a few ranks and decisions, up and down.
pub const TOLERANCE: usize = 4;

/// A measure by which a mode lost more queries than it gained, beyond the tolerance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Drop {
    /// The mode.
    pub mode: String,
    /// What fell, in words.
    pub measure: &'static str,
    /// Queries in which it is lower than in the baseline.
    pub losses: usize,
    /// Queries in which it is higher.
    pub gains: usize,
    /// By how many losses may exceed gains.
    pub tolerance: usize,
}

impl fmt::Display for Drop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mode, measure, losses, gains, tolerance } = self;
        write!(
            f,
            "mode {mode}: {measure} fell in {losses} queries and rose in {gains}, more than {tolerance} apart"
        )
    }
}

/// A run held against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "BaselineResult")]
pub struct Checked {
    /// Whether the baseline was made with the same query set: otherwise nothing was compared.
    pub same_query_set: bool,
    /// Whether it was made with the same settings.
    pub same_settings: bool,
    /// Outcomes compared.
    pub compared: usize,
    /// Outcomes that differ, in the order of the set.
    pub changes: Vec<Change>,
    /// Measures that lost too many queries.
    pub drops: Vec<Drop>,
}

impl Checked {
    /// Whether every outcome could be compared, and no mode lost more than the tolerance.
    pub fn passes(&self) -> bool {
        let known = |change: &Change| change.before.is_some();
        self.same_query_set && self.drops.is_empty() && self.changes.iter().all(known)
    }
}

/// What a measure is of one outcome; the flag says whether a refusal is the right decision.
type Measure = fn(&Outcome, Option<bool>) -> Option<f64>;

const MEASURES: [(&str, Measure); 4] = [
    ("the reciprocal rank of the gold evidence", |outcome, _| outcome.reciprocal_rank()),
    ("gold evidence in the context", |outcome, _| outcome.context),
    ("gold evidence in the answer", |outcome, _| outcome.answer),
    ("the share of right decisions", |outcome, expected| {
        let refused = outcome.decision == "refused";
        let decided = outcome.decision != "error";
        expected.map(|expected| f64::from(u8::from(decided && refused == expected)))
    }),
];

/// Compares the rows of a run with a baseline of the same query set. Modes that were not run are not looked at.
pub fn compare(baseline: &BaselineSet, rows: &[Row], from: &Provenance) -> Checked {
    let mut checked = Checked {
        same_query_set: baseline.query_set_hash == from.query_set_hash,
        same_settings: baseline.config_hash == from.config_hash,
        ..Checked::default()
    };
    if !checked.same_query_set {
        return checked;
    }
    let mut modes: Vec<&str> = Vec::new();
    for row in rows {
        if !modes.contains(&row.mode.as_str()) {
            modes.push(&row.mode);
        }
        let before = baseline.queries.get(&row.query_id).and_then(|own| own.get(&row.mode));
        let now = Outcome::of(row);
        checked.compared += usize::from(before.is_some());
        if before != Some(&now) {
            checked.changes.push(Change {
                query_id: row.query_id.clone(),
                mode: row.mode.clone(),
                before: before.cloned(),
                now: Some(now),
            });
        }
    }
    for mode in modes {
        for (measure, value) in MEASURES {
            let (mut losses, mut gains) = (0, 0);
            for row in rows.iter().filter(|row| row.mode == mode) {
                let own = baseline.queries.get(&row.query_id);
                let Some(before) = own.and_then(|own| own.get(mode)) else {
                    continue;
                };
                let of = |outcome| value(outcome, row.expected_no_evidence);
                // A row that failed has no evidence to measure: what it had is lost.
                let (before, now) = (of(before), of(&Outcome::of(row)).unwrap_or(0.0));
                losses += usize::from(before.is_some_and(|before| now < before));
                gains += usize::from(before.is_some_and(|before| now > before));
            }
            let tolerance = TOLERANCE.min(baseline.queries.len() / 5);
            if losses > gains + tolerance {
                checked.drops.push(Drop { mode: mode.to_owned(), measure, losses, gains, tolerance });
            }
        }
    }
    checked
}
