//! The file of outcomes that a run is compared with.

use super::BaselineCheck;
use crate::error::LabError;
use eval::{
    baseline::{self, Baseline},
    report::Evaluation,
};
use std::path::Path;

pub(super) fn load_baseline(path: &Path, write: bool) -> Result<Baseline, LabError> {
    match Baseline::load(path)? {
        Some(baseline) => Ok(baseline),
        None if write => Ok(Baseline::default()),
        None => Err(LabError::Message(format!(
            "there is no baseline {}; add --write-baseline to write one from this run",
            path.display()
        ))),
    }
}

pub(super) fn against_baseline(
    path: &Path,
    mut held: Baseline,
    evaluation: &Evaluation,
    write: bool,
) -> Result<BaselineCheck, LabError> {
    let from = &evaluation.provenance;
    let checked = held.sets.get(&from.query_set).map(|set| baseline::compare(set, &evaluation.rows, from));
    if write {
        held.renew(&evaluation.rows, from);
        held.save(path)?;
    }
    Ok(BaselineCheck {
        file: path.to_path_buf(),
        passed: write || matches!(&checked, Some(checked) if checked.passes()),
        written: write,
        checked,
    })
}
