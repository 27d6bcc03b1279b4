//! What a row says of the way of its evidence, set from the record of its question.

use crate::{Query, Row, failure_modes, funnel};
use types::RunRecord;

impl Row {
    /// Follows the evidence of the question through the stages: sets the ranks of the gold quotes, the funnel,
    /// where each missed quote was lost, and the failure modes. `ranks` are those of [`crate::GoldChunks::ranks`]; empty if nobody looked.
    pub fn follow(&mut self, record: &RunRecord, query: Option<&Query>, ranks: Vec<Option<usize>>) {
        let followed = funnel::follow(record, query, &self.gold, &ranks);
        let lost = followed.quotes.into_iter().flatten();
        // Missed quotes are those of the query that the answer does not show, in their order, as the lost ones are,
        // unless the log cannot tell where any was lost.
        for (missed, lost) in self.missed_gold.iter_mut().zip(lost) {
            missed.lost_at = Some(lost);
        }
        self.gold_ranks = ranks;
        self.funnel = followed.funnel;
        self.lost_at = followed.lost_at;
        self.failure_modes = failure_modes::of_row(self);
    }
}
