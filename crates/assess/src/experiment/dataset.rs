//! Questions with what is known of their right answers.

use crate::AssessError;
use eval::QuerySet;
use rows::{AnswerRow, Expected, GoldQuote};
use std::collections::HashSet;
use std::path::Path;
use types::files::{DATA_BYTES, read_bounded};

/// Questions with what is known of their right answers: reference answers, documents that answer, gold quotes, whether a
/// refusal is right. What is not known makes the metrics that need it n/a.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    name: String,
    questions: Vec<AnswerRow>,
    ids: HashSet<String>,
}

impl Dataset {
    /// A data set with this name and no question yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Adds a question with its reference answer. Its id is its place, from 1.
    pub fn add(&mut self, question: impl Into<String>, reference: impl Into<String>) -> &mut Self {
        let row = AnswerRow {
            id: self.next_id(),
            question: Some(question.into()),
            reference: Some(reference.into()),
            ..AnswerRow::default()
        };
        self.ids.insert(row.id.clone());
        self.questions.push(row);
        self
    }

    /// Adds a question with all that is known of it; an answer in the row is replaced by that of the system. Without an id, it
    /// gets its place.
    ///
    /// # Errors
    /// [`AssessError::DuplicateId`].
    pub fn push(&mut self, mut question: AnswerRow) -> Result<&mut Self, AssessError> {
        if question.id.is_empty() {
            question.id = self.next_id();
        }
        if !self.ids.insert(question.id.clone()) {
            return Err(AssessError::DuplicateId { id: question.id });
        }
        self.questions.push(question);
        Ok(self)
    }

    fn next_id(&self) -> String {
        let free = (self.questions.len() + 1..).map(|place| place.to_string());
        let mut free = free.filter(|id| !self.ids.contains(id));
        free.next().unwrap_or_default()
    }

    /// The questions of a file: see [`rows::questions`]. It is named after the file.
    ///
    /// # Errors
    /// [`AssessError::Read`], [`AssessError::Questions`] with every line that is wrong.
    pub fn load(path: &Path) -> Result<Self, AssessError> {
        let name = path.display().to_string();
        let bytes = read_bounded(path, DATA_BYTES).map_err(|source| AssessError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Self::parse(&name, &rows::decode(&name, &bytes)?.text)
    }

    /// The questions of the text of a file, which messages call `name`.
    ///
    /// # Errors
    /// [`AssessError::Questions`] with every line that is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, AssessError> {
        let mut dataset = Self::new(name);
        for question in rows::questions(name, text)? {
            dataset.push(question)?;
        }
        Ok(dataset)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The questions in order.
    pub fn questions(&self) -> &[AnswerRow] {
        &self.questions
    }

    /// Number of questions.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }
}

impl From<&QuerySet> for Dataset {
    fn from(set: &QuerySet) -> Self {
        let question = |query: &eval::Query| AnswerRow {
            id: query.id.clone(),
            question: Some(query.query.clone()),
            reference: query.reference_answer.clone(),
            expected: (!query.target_papers.is_empty()).then(|| {
                let expected = query.target_papers.iter().map(|paper| Expected {
                    document: paper.to_string(),
                    pages: Vec::new(),
                    grade: 1,
                });
                expected.collect()
            }),
            gold_quotes: (!query.gold_evidence.is_empty()).then(|| {
                let quotes = query.gold_evidence.iter().map(|gold| GoldQuote {
                    document: Some(gold.source_id.to_string()),
                    quote: gold.quote.clone(),
                });
                quotes.collect()
            }),
            expected_refusal: Some(query.expected_no_evidence),
            tags: query.tags.clone(),
            ..AnswerRow::default()
        };
        let questions: Vec<AnswerRow> = set.queries.iter().map(question).collect();
        Self {
            name: set.name.clone(),
            ids: questions.iter().map(|row| row.id.clone()).collect(),
            questions,
        }
    }
}
