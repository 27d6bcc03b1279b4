//! What rows do not hold and a log does: citations, contexts, claims.

use crate::Row;
use crate::runlog::{LogIndex, LogRun};
use std::collections::{BTreeMap, HashMap};
use types::{CheckedClaim, ChunkId, Citation, ContextRecord, Origin, Refusal, RunRecord};

/// A chunk in the context of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct InContext {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// How it came there.
    pub origin: Origin,
    /// The reranker's score, 0 to 10.
    pub rerank_score: Option<f32>,
}

/// What the log says of one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerDetails {
    /// The quotes of the answer.
    pub citations: Vec<Citation>,
    /// The context, best first; `None` where it was not logged.
    pub context: Option<Vec<InContext>>,
    /// The claims of the answer with the verdicts of the checks.
    pub claims: Vec<CheckedClaim>,
    /// What the generator wrote, where guardrails changed it.
    pub before_guardrails: Option<String>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// A note on the evidence.
    pub evidence_quality: String,
}

/// What a log says of the answers of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    answers: BTreeMap<(String, String), AnswerDetails>,
    places: HashMap<ChunkId, String>,
}

impl Details {
    /// Reads the records of a run one at a time. Records that cannot be read are left out.
    pub fn read(&mut self, log: &LogIndex, run: &LogRun) {
        for found in log.records(run).flatten() {
            self.add(found.record);
        }
    }

    /// Adds one record.
    pub fn add(&mut self, record: RunRecord) {
        let mode = record.mode.map_or_else(|| record.retrieval.method.clone(), |mode| mode.to_string());
        let name = record.query_id.unwrap_or_else(|| record.query.trim().to_owned());
        let context = record.context.map(|chunks| {
            let each = chunks.into_iter().map(|chunk| {
                self.places.entry(chunk.chunk_id.clone()).or_insert_with(|| place(&chunk));
                let ContextRecord { chunk_id, origin, rerank_score, .. } = chunk;
                InContext { chunk_id, origin, rerank_score }
            });
            each.collect()
        });
        let raw = record.response_raw.map(|raw| raw.answer);
        let details = AnswerDetails {
            before_guardrails: raw.filter(|raw| *raw != record.response.answer),
            citations: record.response.citations,
            context,
            claims: record.claims,
            refusal: record.response.refusal,
            evidence_quality: record.response.evidence_quality,
        };
        self.answers.insert((name, mode), details);
    }

    /// What is known of the answer of a row.
    pub fn of_row(&self, row: &Row) -> Option<&AnswerDetails> {
        let named = |name: &str| {
            let mode = if row.mode == "unknown" { "" } else { &row.mode };
            self.answers.get(&(name.to_owned(), mode.to_owned()))
        };
        named(&row.query_id).or_else(|| named(row.query.trim()))
    }

    /// Where a chunk that a context held is from: title, section and pages, for people.
    pub fn place_of(&self, chunk: &ChunkId) -> Option<&str> {
        self.places.get(chunk).map(String::as_str)
    }
}

/// "Title (2021), results, p. 3–4".
fn place(chunk: &ContextRecord) -> String {
    let title = chunk.title.as_deref().unwrap_or(chunk.source_id.as_str());
    let year = chunk.year.map(|year| format!(" ({year})")).unwrap_or_default();
    let pages = match (chunk.page_start, chunk.page_end) {
        (0, _) => String::new(),
        (start, end) if start == end => format!(", p. {start}"),
        (start, end) => format!(", p. {start}–{end}"),
    };
    format!("{title}{year}, {}{pages}", chunk.section.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Mode, ResponseRecord};

    fn chunk(id: &str) -> ContextRecord {
        ContextRecord {
            title: Some("Walking".into()),
            year: Some(2021),
            ..crate::metrics::testing::chunk(id, "Text of the chunk.")
        }
    }

    #[test]
    fn answers_are_found_by_id_or_question() {
        let mut details = Details::default();
        for (id, answer) in [(Some("D01"), "a"), (None, "b")] {
            details.add(RunRecord {
                query: " What? ".into(),
                query_id: id.map(str::to_owned),
                mode: Some(Mode::Hybrid),
                context: Some(vec![chunk("a__body__000")]),
                response_raw: Some(ResponseRecord { answer: "a".into(), ..ResponseRecord::default() }),
                response: ResponseRecord { answer: answer.into(), ..ResponseRecord::default() },
                ..RunRecord::default()
            });
        }
        let place = details.place_of(&"a__body__000".into()).expect("a context held it");
        assert!(place.starts_with("Walking (2021), "), "{place}");
        let row = |id: &str, mode: &str| Row {
            query_id: id.into(),
            query: "What?".into(),
            mode: mode.into(),
            ..Row::default()
        };
        let found = details.of_row(&row("D01", "hybrid")).expect("known by its id");
        assert_eq!(found.before_guardrails, None);
        // A question that the log names by its text alone.
        let found = details.of_row(&row("L2", "hybrid")).expect("known by its text");
        assert_eq!(found.before_guardrails.as_deref(), Some("a"));
        assert!(details.of_row(&row("D01", "vector")).is_none());
    }
}
