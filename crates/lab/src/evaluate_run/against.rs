//! Two evaluations of the same questions, row by row.

use super::document::{Evaluate, EvaluateAgainst, EvaluateRow};
use crate::{error::LabError, eval_run::name_of};
use eval::metrics::all;
use eval::{
    Comparison, Ordered,
    metrics::Range,
    paired::{Scored, compare},
};
use std::{collections::BTreeMap, path::Path};
use types::files::{DATA_BYTES, read_text_bounded};

/// The values of a row by name.
struct Values {
    id: String,
    cluster: String,
    of: BTreeMap<String, f64>,
}

impl Scored for Values {
    fn id(&self) -> &str {
        &self.id
    }
    fn cluster(&self) -> &str {
        &self.cluster
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        self.of.get(key).copied()
    }
}

/// Reads an earlier document of `evaluate`.
///
/// # Errors
/// When the file cannot be read or is no such document.
pub(super) fn read(path: &Path) -> Result<Evaluate, LabError> {
    let text = read_text_bounded(path, DATA_BYTES).map_err(LabError::io("read", path))?;
    serde_json::from_str(&text).map_err(|error| {
        LabError::Message(format!(
            "{} is no output of evaluate: {error}\nhint: write one with `pipeline evaluate FILE --output SCORES.json`",
            path.display()
        ))
    })
}

/// This evaluation minus an earlier one, over the questions that both have.
///
/// # Errors
/// When one has several rows for a question, or they have no question in common.
pub(super) fn against(path: &Path, own: &Evaluate, earlier: &Evaluate) -> Result<EvaluateAgainst, LabError> {
    let (here, there) = (
        values("the answers", own)?,
        values(&path.display().to_string(), earlier)?,
    );
    let shared: Vec<&str> = here
        .iter()
        .map(|row| row.id.as_str())
        .filter(|id| there.iter().any(|row| row.id == *id))
        .collect();
    if shared.is_empty() {
        let first = |rows: &[Values]| rows.first().map(|row| row.id.clone()).unwrap_or_default();
        return Err(LabError::Message(format!(
            "{} has no row for any of these questions; its first is {:?}, here {:?}\nhint: rows are matched by query id or, failing \
             that, by question",
            path.display(),
            first(&there),
            first(&here)
        )));
    }
    let pairs = shared.len();
    let metrics = all()
        .filter(|spec| spec.range == Range::UNIT)
        .map(|spec| spec.key);
    let keys: Vec<&str> = FIXED.iter().map(|(key, _)| *key).chain(metrics).collect();
    let compared = compare(&here, &there, &keys, own.metadata.seed);
    let compared: Ordered<Comparison> = compared
        .into_iter()
        .filter(|(_, found)| found.n_pairs > 0)
        .collect();
    let corrected = compared
        .iter()
        .filter_map(|(key, found)| Some((key.to_owned(), found.p_holm?)));
    let corrected = corrected.collect();
    Ok(EvaluateAgainst {
        file: name_of(path),
        pairs,
        only_here: here.len() - pairs,
        only_there: there.len() - pairs,
        compared,
        p_holm: corrected,
    })
}

/// The rows with their values. `name` is for the message.
fn values(name: &str, document: &Evaluate) -> Result<Vec<Values>, LabError> {
    let mut out: Vec<Values> = Vec::new();
    for (id, row) in document.results.iter() {
        if out.iter().any(|known| known.id == row.query) {
            return Err(LabError::Message(format!(
                "{name}: several rows answer {:?}, the last is {id:?}; a comparison needs one row for each question\nhint: evaluate \
                 one system or mode at a time, for example after `pipeline eval --mode hybrid`",
                row.query
            )));
        }
        out.push(Values {
            id: row.query.clone(),
            // Documents of earlier versions name none.
            cluster: if row.cluster.is_empty() {
                &row.query
            } else {
                &row.cluster
            }
            .clone(),
            of: of(row),
        });
    }
    Ok(out)
}

/// Reads a score out of a row.
type Read = fn(&EvaluateRow) -> Option<f64>;

/// The scores that can be compared, beside the metrics of 0 to 1.
const FIXED: [(&str, Read); 2] = [
    ("overall", |row| row.overall_score),
    ("overall_without_reference", |row| row.overall_without_reference),
];

fn of(row: &EvaluateRow) -> BTreeMap<String, f64> {
    let fixed = FIXED
        .iter()
        .filter_map(|(key, read)| Some(((*key).to_owned(), read(row)?)));
    let metrics = row.metrics.iter();
    let metrics = metrics.filter_map(|(key, score)| Some((key.to_owned(), score.get()?)));
    fixed.chain(metrics).collect()
}
