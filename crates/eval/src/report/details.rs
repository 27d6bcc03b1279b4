//! What rows do not hold and a log does: citations, contexts, claims.

use crate::Row;
use crate::runlog::{LogIndex, LogRun};
use std::collections::BTreeMap;
use types::RunRecord;

/// What a log says of the answers of a run: their records, without candidates and texts of passages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details(BTreeMap<(String, String), RunRecord>);

impl Details {
    /// Reads the records of a run one at a time. Records that cannot be read are left out.
    pub fn read(&mut self, log: &LogIndex, run: &LogRun) {
        for found in log.records(run).flatten() {
            self.add(found.record);
        }
    }

    /// Adds one record.
    pub fn add(&mut self, mut record: RunRecord) {
        let method = std::mem::take(&mut record.retrieval).method;
        let mode = record.mode.map_or(method, |mode| mode.to_string());
        let name = record.query_id.clone().unwrap_or_else(|| record.query.trim().to_owned());
        for chunk in record.context.iter_mut().flatten() {
            chunk.text = String::new();
        }
        self.0.insert((name, mode), record);
    }

    /// What is known of the answer of a row.
    pub fn of_row(&self, row: &Row) -> Option<&RunRecord> {
        let named = |name: &str| {
            let mode = if row.mode == "unknown" { "" } else { &row.mode };
            self.0.get(&(name.to_owned(), mode.to_owned()))
        };
        named(&row.query_id).or_else(|| named(row.query.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Mode, ResponseRecord};

    #[test]
    fn answers_are_found_by_id_or_question() {
        let mut details = Details::default();
        for (id, answer) in [(Some("D01"), "a"), (None, "b")] {
            details.add(RunRecord {
                query: " What? ".into(),
                query_id: id.map(str::to_owned),
                mode: Some(Mode::Hybrid),
                response: ResponseRecord { answer: answer.into(), ..ResponseRecord::default() },
                ..RunRecord::default()
            });
        }
        let row = |id: &str, mode: &str| Row {
            query_id: id.into(),
            query: "What?".into(),
            mode: mode.into(),
            ..Row::default()
        };
        let found = details.of_row(&row("D01", "hybrid")).expect("known by its id");
        assert_eq!(found.response.answer, "a");
        // A question that the log names by its text alone.
        let found = details.of_row(&row("L2", "hybrid")).expect("known by its text");
        assert_eq!(found.response.answer, "b");
        assert!(details.of_row(&row("D01", "vector")).is_none());
    }
}
