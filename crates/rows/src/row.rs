//! One answer of any system, as far as its file describes it.

use serde::{Deserialize, Serialize};

/// One answer. A field is `None` if the file has no such field, and metrics that need it are n/a; an empty list means that
/// there was nothing to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerRow {
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
    /// The time that the answer took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Groups of questions, such as the type or the language.
    pub tags: Vec<String>,
}

/// A passage of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// Id of the passage.
    pub id: Option<String>,
    /// Id of its document.
    pub document: Option<String>,
    /// Page of the document, from 1.
    pub page: Option<u32>,
    /// Score of the retrieval; higher is better.
    pub score: Option<f64>,
    /// Squared L2 distance between the unit vectors of question and passage, 0 to 4, if the file states one.
    pub distance: Option<f64>,
}

impl From<String> for Passage {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
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
