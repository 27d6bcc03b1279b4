//! What a system answers.

use rows::{AnswerRow, Cited, Passage};
use std::fmt::Display;

/// What a system answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The answer, with the citations inside its text.
    pub answer: String,
    /// The passages that it was written from, best first.
    pub passages: Vec<Passage>,
    /// Ids of the retrieved documents, best first; `None` if they are those of the passages.
    pub retrieved: Option<Vec<String>>,
    /// What the answer cites, if that is listed apart from its text.
    pub citations: Option<Vec<Cited>>,
    /// Whether the answer says that the documents do not answer; `None` to tell by its words.
    pub refused: Option<bool>,
}

impl Response {
    /// Puts the answer into the row of its question.
    pub(super) fn complete(self, row: &mut AnswerRow) {
        let mut documents: Vec<String> = Vec::new();
        for document in self
            .passages
            .iter()
            .filter_map(|passage| passage.document.as_ref())
        {
            if !documents.contains(document) {
                documents.push(document.clone());
            }
        }
        row.retrieved = self
            .retrieved
            .or_else(|| (!documents.is_empty()).then_some(documents));
        row.answer = Some(self.answer);
        row.passages = Some(self.passages);
        row.citations = self.citations;
        row.refused = self.refused;
    }
}

/// What a system may return: a [`Response`]; an answer with its documents, which are texts or [`Passage`]s; or a `Result` of
/// one of these, whose error says why there is no answer.
pub trait IntoResponse {
    /// The response, or why there is none.
    ///
    /// # Errors
    /// The error of the system, as text.
    fn into_response(self) -> Result<Response, String>;
}

impl IntoResponse for Response {
    fn into_response(self) -> Result<Response, String> {
        Ok(self)
    }
}

impl<A: Into<String>, D: Into<Passage>> IntoResponse for (A, Vec<D>) {
    fn into_response(self) -> Result<Response, String> {
        let (answer, documents) = self;
        Ok(Response {
            answer: answer.into(),
            passages: documents.into_iter().map(Into::into).collect(),
            ..Response::default()
        })
    }
}

impl<R: IntoResponse, E: Display> IntoResponse for Result<R, E> {
    fn into_response(self) -> Result<Response, String> {
        self.map_err(|error| error.to_string())?.into_response()
    }
}
