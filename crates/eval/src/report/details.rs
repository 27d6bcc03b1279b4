//! What rows do not hold and a log does: citations, contexts, claims. Each chunk is held once, however many answers read it.

use crate::runlog::{LogIndex, LogRun};
use crate::{EvalError, Row};
use std::collections::{BTreeMap, HashMap};
use types::{CheckedClaim, ChunkId, Citation, ContextRecord, Origin, Refusal, RunRecord, SourceId};

/// Most bytes of chunk texts that are held: those of some 8,000 chunks. The texts of chunks beyond are left out.
const MOST_TEXT: usize = 24 << 20;

/// A chunk of a context.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// The paper.
    pub source_id: SourceId,
    /// Where it is from: title, section and pages, for people.
    pub place: String,
    /// Its text; `None` where it was left out to bound memory.
    pub text: Option<String>,
}

/// A chunk in the context of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct InContext {
    /// Its place in [`Details::passages`].
    pub passage: usize,
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
    /// Every chunk that a context held, in the order in which the log names them.
    pub passages: Vec<Passage>,
    /// Passages whose text was left out, because the texts of the run are too many to hold.
    pub without_text: usize,
    answers: BTreeMap<(String, String), AnswerDetails>,
    places: HashMap<ChunkId, usize>,
    bytes: usize,
}

impl Details {
    /// Reads the records of a run one at a time. Records that cannot be read are left out.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the log cannot be read.
    pub fn read(&mut self, log: &LogIndex, run: &LogRun) -> Result<(), EvalError> {
        for found in log.records(run)?.flatten() {
            self.add(found.record);
        }
        Ok(())
    }

    /// Adds one record.
    pub fn add(&mut self, record: RunRecord) {
        let mode = record.mode.map_or_else(|| record.retrieval.method.clone(), |mode| mode.to_string());
        let name = record.query_id.unwrap_or_else(|| record.query.trim().to_owned());
        let context = record.context.map(|chunks| {
            let each = chunks.into_iter().map(|chunk| InContext {
                origin: chunk.origin,
                rerank_score: chunk.rerank_score,
                passage: self.passage(chunk),
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

    /// The place of a chunk in [`Self::passages`], if a context held it.
    pub fn place_of(&self, chunk: &ChunkId) -> Option<usize> {
        self.places.get(chunk).copied()
    }

    fn passage(&mut self, chunk: ContextRecord) -> usize {
        if let Some(at) = self.places.get(&chunk.chunk_id) {
            return *at;
        }
        let place = place(&chunk);
        let fits = self.bytes + chunk.text.len() <= MOST_TEXT;
        if fits {
            self.bytes += chunk.text.len();
        } else {
            self.without_text += 1;
        }
        let at = self.passages.len();
        self.places.insert(chunk.chunk_id.clone(), at);
        self.passages.push(Passage {
            chunk_id: chunk.chunk_id,
            source_id: chunk.source_id,
            place,
            text: fits.then_some(chunk.text),
        });
        at
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
    fn a_chunk_that_two_answers_read_is_held_once() {
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
        assert_eq!(details.passages.len(), 1);
        assert!(details.passages[0].place.starts_with("Walking (2021), "));
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
