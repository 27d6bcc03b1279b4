//! Two runs of one mode each, as one evaluation of both.

use super::{Evaluation, sort_rows};
use crate::runlog::{LogIndex, LogRun, RunHeader};
use types::Mode;

/// The modes that are compared, in the order of the report.
const COMPARED: [Mode; 2] = [Mode::Hybrid, Mode::Vector];

/// The newest finished run of the other mode that differs from a run of one mode in nothing else: questions, settings, models,
/// index.
pub fn beside<'a>(log: &'a LogIndex, run: &LogRun) -> Option<&'a LogRun> {
    let own = RunHeader::of(run)?;
    let [mode] = own.modes.as_slice() else {
        return None;
    };
    let wanted = COMPARED.map(|mode| mode.to_string()).into_iter().find(|other| other != mode)?;
    let is_compared = COMPARED.iter().any(|other| other.as_str() == mode);
    let (a, own_queries) = (&own.provenance, &own.queries);
    let fits = |other: &&LogRun| {
        other.len() == own_queries.len()
            && RunHeader::of(other).is_some_and(|header| {
                let b = &header.provenance;
                header.modes == [wanted.as_str()]
                    && header.queries == *own_queries
                    && (&a.query_set_hash, &a.config_hash, &a.generation, &a.models)
                        == (&b.query_set_hash, &b.config_hash, &b.generation, &b.models)
            })
    };
    log.runs.iter().rev().filter(|_| is_compared).find(fits)
}

impl Evaluation {
    /// With the rows of another run; a note names it.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let mut notes = self.notes;
        notes.extend(other.notes);
        let modes: Vec<&str> = other.summary.modes.keys().collect();
        notes.push(format!("mode {} is of the run {}", modes.join(", "), other.summary.run_id));
        let mut rows = self.rows;
        rows.extend(other.rows);
        sort_rows(&mut rows, &[], &COMPARED.map(|mode| mode.to_string()));
        Self {
            notes,
            unread: [self.unread, other.unread].concat(),
            ..Self::new(&self.summary.run_id, rows, self.provenance)
        }
    }
}
