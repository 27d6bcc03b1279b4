//! One answer to one question, whoever wrote it: what every metric reads.

use crate::Query;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use types::{ChunkId, ContextRecord, ResponseRecord, ReturnedChunk, RunRecord};

/// An answer to a question, whoever wrote it, with all that is known of both: what every metric reads. A field is `None` if the file has no such field, and metrics that need it are n/a; an empty list means that
/// there was nothing to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Identifies the row in its file; unique there.
    pub id: String,
    /// Id of its question in other files (ground truth, query set, judgements), if that is another one.
    pub query_id: Option<String>,
    /// Line of the file, from 1, if the format has lines.
    pub line: Option<usize>,
    /// The question.
    pub question: Option<String>,
    /// The answer, with the citations inside its text.
    pub answer: Option<String>,
    /// The passages that the answer was written from, best first.
    pub passages: Option<Vec<Passage>>,
    /// The passages that retrieval returned, best first, where the answer was written from others; texts may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Vec<Passage>>,
    /// Ids of the retrieved documents, best first, each once.
    pub retrieved: Option<Vec<String>>,
    /// The documents that answer the question.
    pub expected: Option<Vec<Expected>>,
    /// Sentences that answer the question, word for word.
    pub gold_quotes: Option<Vec<GoldQuote>>,
    /// The right answer.
    pub reference: Option<String>,
    /// What the answer cites, if the file lists it apart from the text.
    pub citations: Option<Vec<Cited>>,
    /// Whether the answer says that the documents do not answer.
    pub refused: Option<bool>,
    /// Whether a refusal is the right answer.
    pub expected_refusal: Option<bool>,
    /// The probability that the answer states, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// The time that the answer took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Groups of questions, such as the type or the language.
    pub tags: Vec<String>,
    /// Which recall `context_recall` is, by its key: one for all rows that are averaged. `None`: by the best label of the row.
    pub recall: Option<&'static str>,
}

impl Sample {
    /// A response of this pipeline, with the labels of its question. `response` is the one that the user gets, or the
    /// generator's own.
    pub fn of_record(record: &RunRecord, response: &ResponseRecord, query: Option<&Query>) -> Self {
        let returned = &record.retrieval.returned_chunks;
        let by_id: HashMap<&ChunkId, &ReturnedChunk> = returned.iter().map(|c| (&c.chunk_id, c)).collect();
        // The earlier system, and the settings that reproduce it, log another similarity than the cosine.
        let cosines = record.context.is_some() && record.retrieval.candidates.is_empty();
        let distance = |chunk: &ReturnedChunk| cosines.then(|| 2.0 - 2.0 * f64::from(chunk.vector_score));
        let seen = |chunk: &ContextRecord| Passage {
            score: by_id.get(&chunk.chunk_id).map(|own| f64::from(own.combined_score)),
            distance: by_id.get(&chunk.chunk_id).and_then(|own| distance(own)),
            ..Passage::from(chunk)
        };
        let listed = |chunk: &ReturnedChunk| Passage {
            id: Some(chunk.chunk_id.to_string()),
            document: Some(chunk.source_id.to_string()),
            score: Some(f64::from(chunk.combined_score)),
            distance: distance(chunk),
            ..Passage::default()
        };
        let cited = |citation: &types::Citation| Cited {
            document: Some(citation.source_id.to_string()),
            passage: Some(citation.chunk_id.to_string()),
            pages: None,
            quote: Some(citation.relevant_quote.clone()),
        };
        Self {
            id: record.query_id.clone().unwrap_or_default(),
            query_id: record.query_id.clone(),
            question: Some(record.query.clone()),
            answer: Some(response.answer.clone()),
            passages: record.context.as_ref().map(|all| all.iter().map(seen).collect()),
            returned: (!returned.is_empty()).then(|| returned.iter().map(listed).collect()),
            citations: Some(response.citations.iter().map(cited).collect()),
            refused: Some(response.no_evidence),
            probability: response.probability.map(f64::from),
            ..query.map(Self::of_query).unwrap_or_default()
        }
    }

    /// What the sample shares its chance with: the documents that answer its question, or the question itself. The same as
    /// [`Query::cluster`] where a query set says which papers these are.
    pub fn cluster(&self) -> String {
        let expected = self.expected.iter().flatten().map(|expected| expected.document.as_str());
        let question = self.query_id.as_deref().or(self.question.as_deref());
        crate::estimate::cluster_of(expected, question.unwrap_or(&self.id))
    }

    /// A question with its labels, not answered yet.
    pub fn of_query(query: &Query) -> Self {
        let expected =
            |id: &types::SourceId| Expected { document: id.to_string(), pages: Vec::new(), grade: 1 };
        Self {
            id: query.id.clone(),
            query_id: Some(query.id.clone()),
            question: Some(query.query.clone()),
            expected: (!query.target_papers.is_empty())
                .then(|| query.target_papers.iter().map(expected).collect()),
            gold_quotes: (!query.gold_evidence.is_empty())
                .then(|| query.gold_evidence.iter().map(GoldQuote::from).collect()),
            reference: query.reference_answer.clone(),
            expected_refusal: Some(query.expected_no_evidence),
            tags: query.tags.clone(),
            ..Self::default()
        }
    }
}

impl From<&ContextRecord> for Passage {
    fn from(chunk: &ContextRecord) -> Self {
        let line = evidence::support::source_line(chunk.title.as_deref(), &chunk.authors, chunk.year);
        Self {
            text: chunk.text.clone(),
            id: Some(chunk.chunk_id.to_string()),
            source: Some(line).filter(|line| !line.is_empty()),
            document: Some(chunk.source_id.to_string()),
            page: Some(chunk.page_start),
            ..Self::default()
        }
    }
}

/// A passage of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// Id of the passage.
    pub id: Option<String>,
    /// Title, authors and year of its document on one line, as the generator saw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Id of its document.
    pub document: Option<String>,
    /// Page of the document, from 1.
    pub page: Option<u32>,
    /// Score of the retrieval; higher is better.
    pub score: Option<f64>,
    /// Squared L2 distance between the unit vectors of question and passage, 0 to 4, if the file states one.
    pub distance: Option<f64>,
}

impl Passage {
    /// What is known of its document, and its text: a right attribution is supported by it, a wrong one is not.
    pub fn whole(&self) -> String {
        evidence::support::passage(self.source.as_deref().unwrap_or_default(), &self.text)
    }
}

impl From<String> for Passage {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A document that answers the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// Id of the document.
    pub document: String,
    /// The pages that answer, from 1; empty if the whole document does.
    pub pages: Vec<u32>,
    /// Grade of relevance, from 1.
    pub grade: u32,
}

/// A sentence that answers the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldQuote {
    /// Id of its document, if known.
    pub document: Option<String>,
    /// The sentence, word for word.
    pub quote: String,
}

impl From<&crate::GoldEvidence> for GoldQuote {
    fn from(gold: &crate::GoldEvidence) -> Self {
        Self { document: Some(gold.source_id.to_string()), quote: gold.quote.clone() }
    }
}

/// What an answer cites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    /// Id of the document.
    pub document: Option<String>,
    /// Id of the passage.
    pub passage: Option<String>,
    /// First and last page, from 1.
    pub pages: Option<(u32, u32)>,
    /// The quoted text.
    pub quote: Option<String>,
}
