//! What changed since a baseline was written, and whether it is a significant drop.

use super::{BaselineSet, Outcome};
use crate::report::Provenance;
use crate::stats::{mcnemar_exact, paired_randomisation};
use crate::{ALPHA, Row};
use serde::Serialize;
use std::fmt;

/// An outcome that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
        let said = |outcome: &Option<Outcome>| {
            outcome
                .as_ref()
                .map_or("not there".to_owned(), Outcome::to_string)
        };
        write!(
            f,
            "{} ({}): {} → {}",
            self.query_id,
            self.mode,
            said(&self.before),
            said(&self.now)
        )
    }
}

/// A measure that fell significantly in one mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drop {
    /// The mode.
    pub mode: String,
    /// What fell, in words.
    pub measure: &'static str,
    /// Its mean in the baseline, over the queries with a value in both.
    pub before: f64,
    /// Its mean now.
    pub now: f64,
    /// Two-sided p of the paired test.
    pub p: f64,
    /// Queries with a value in both.
    pub n: usize,
}

impl fmt::Display for Drop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            mode,
            measure,
            before,
            now,
            p,
            n,
        } = self;
        write!(
            f,
            "{measure} in mode {mode} fell significantly, from {before:.3} to {now:.3} ({n} queries, p = {p:.3})"
        )
    }
}

/// A run held against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checked {
    /// Whether the baseline was made with the same query set: otherwise nothing was compared.
    pub same_query_set: bool,
    /// Whether it was made with the same settings.
    pub same_settings: bool,
    /// Outcomes compared.
    pub compared: usize,
    /// Outcomes that differ, in the order of the set.
    pub changes: Vec<Change>,
    /// Measures that fell significantly.
    pub drops: Vec<Drop>,
}

impl Checked {
    /// Whether the run is what the baseline says.
    pub fn matches(&self) -> bool {
        self.same_query_set && self.changes.is_empty()
    }
}

/// What a measure is of one outcome; the flag says whether a refusal is the right decision.
type Measure = fn(&Outcome, Option<bool>) -> Option<f64>;

const MEASURES: [(&str, Measure); 4] = [
    ("the reciprocal rank of the gold evidence", |outcome, _| {
        outcome.reciprocal_rank()
    }),
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
        let before = baseline
            .queries
            .get(&row.query_id)
            .and_then(|own| own.get(&row.mode));
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
            let pairs: Vec<(f64, f64)> = rows
                .iter()
                .filter(|row| row.mode == mode)
                .filter_map(|row| {
                    let before = baseline.queries.get(&row.query_id)?.get(mode)?;
                    let expected = row.expected_no_evidence;
                    Some((value(before, expected)?, value(&Outcome::of(row), expected)?))
                })
                .collect();
            checked.drops.extend(drop_of(mode, measure, &pairs, from.seed));
        }
    }
    checked
}

/// The drop, where the measure is lower and the paired test is significant.
fn drop_of(mode: &str, measure: &'static str, pairs: &[(f64, f64)], seed: u64) -> Option<Drop> {
    let n = pairs.len();
    let differences: Vec<f64> = pairs.iter().map(|(before, now)| now - before).collect();
    let fell = differences.iter().sum::<f64>() < 0.0;
    let is_rate = pairs.iter().all(|(a, b)| {
        [a, b]
            .into_iter()
            .all(|v| v.to_bits() == 0.0_f64.to_bits() || v.to_bits() == 1.0_f64.to_bits())
    });
    let p = if is_rate {
        let wins = differences.iter().filter(|d| **d > 0.0).count();
        let losses = differences.iter().filter(|d| **d < 0.0).count();
        mcnemar_exact(wins, losses)
    } else {
        paired_randomisation(&differences, seed).p
    };
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n as f64;
    (fell && p < ALPHA).then(|| Drop {
        mode: mode.to_owned(),
        measure,
        before: mean(|pair| pair.0),
        now: mean(|pair| pair.1),
        p,
        n,
    })
}
