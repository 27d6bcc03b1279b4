//! Two evaluations of the same questions, row by row.

use super::document::{Evaluate, EvaluateAgainst, EvaluateResult};
use crate::{error::LabError, provenance::name_of};
use eval::metrics::all;
use eval::{
    Comparison, Ordered, Score,
    metrics::Range,
    paired::{Paired, compare, pairs_of},
};
use std::path::Path;
use types::files::{DATA_BYTES, read_text_bounded};

impl Paired for EvaluateResult {
    fn id(&self) -> &str {
        &self.query
    }
    fn cluster(&self) -> &str {
        // Documents of earlier versions name none.
        if self.cluster.is_empty() { &self.query } else { &self.cluster }
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        match key {
            OVERALL => self.overall_score,
            WITHOUT_REFERENCE => self.overall_without_reference,
            _ => self.metrics.get(key).and_then(Score::get),
        }
    }
}

/// The scores that are compared beside the metrics of 0 to 1.
const OVERALL: &str = "overall";
const WITHOUT_REFERENCE: &str = "overall_without_reference";

/// Reads an earlier document of `score`.
///
/// # Errors
/// When the file cannot be read or is no such document.
pub(super) fn read(path: &Path) -> Result<Evaluate, LabError> {
    let text = read_text_bounded(path, DATA_BYTES).map_err(LabError::io("read", path))?;
    serde_json::from_str(&text).map_err(|error| {
        LabError::Message(format!(
            "{} is not an output of `pipeline score`: {error}\nhint: write one with `pipeline score FILE --output SCORES.json`",
            path.display()
        ))
    })
}

/// This evaluation minus an earlier one, over the questions that both have.
///
/// # Errors
/// When one has several rows for a question, or they have no question in common.
pub(super) fn against(path: &Path, own: &Evaluate, earlier: &Evaluate) -> Result<EvaluateAgainst, LabError> {
    let (here, there) = (rows("the answers", own)?, rows(&path.display().to_string(), earlier)?);
    let pairs = pairs_of(&here, &there).len();
    if pairs == 0 {
        let first = |rows: &[&EvaluateResult]| rows.first().map(|row| row.query.clone()).unwrap_or_default();
        return Err(LabError::Message(format!(
            "{} has no row for any of these questions; its first is {:?}, here {:?}\nhint: rows are matched by query id or, failing \
             that, by question",
            path.display(),
            first(&there),
            first(&here)
        )));
    }
    let metrics = all().filter(|spec| spec.range == Range::UNIT).map(|spec| spec.key);
    // Different recalls are no pair, nor is what is made of them.
    let same_recall = own.metadata.context_recall == earlier.metadata.context_recall;
    let metrics = metrics.filter(|key| same_recall || !["context_recall", "rag_score"].contains(key));
    let keys: Vec<&str> = [OVERALL, WITHOUT_REFERENCE].into_iter().chain(metrics).collect();
    let compared = compare(&here, &there, &keys, own.metadata.seed);
    let compared: Ordered<Comparison> = compared.into_iter().filter(|(_, found)| found.n_pairs > 0).collect();
    Ok(EvaluateAgainst {
        file: name_of(path),
        pairs,
        only_here: here.len() - pairs,
        only_there: there.len() - pairs,
        compared,
    })
}

/// The rows, one for each question. `name` is for the message.
fn rows<'a>(name: &str, document: &'a Evaluate) -> Result<Vec<&'a EvaluateResult>, LabError> {
    let mut out: Vec<&EvaluateResult> = Vec::new();
    for (id, row) in document.results.iter() {
        if out.iter().any(|known| known.query == row.query) {
            return Err(LabError::Message(format!(
                "{name}: several rows answer {:?}, the last is {id:?}; a comparison needs one row for each question\nhint: score \
                 one system or mode at a time, for example after `pipeline eval --mode hybrid`",
                row.query
            )));
        }
        out.push(row);
    }
    Ok(out)
}
