//! A row as the metrics read it.

use super::citations::Reading;
use super::claims::{Judged, judge};
use super::{Field, Tools, documents};
use eval::Score;
use eval::ranking::Grades;
use rows::{AnswerRow, Passage};
use std::cell::OnceCell;

/// A row with what several metrics compute from it.
pub struct Sample<'a> {
    pub(super) row: &'a AnswerRow,
    pub(super) tools: Tools<'a>,
    reading: OnceCell<Reading>,
    judged: OnceCell<Result<Vec<Judged>, Score>>,
}

/// N/a, because the row lacks a field.
pub(super) fn lacks(field: Field) -> Score {
    Score::n_a(format!("the row has no `{field}`"))
}

impl<'a> Sample<'a> {
    pub(super) fn new(row: &'a AnswerRow, tools: Tools<'a>) -> Self {
        Self {
            row,
            tools,
            reading: OnceCell::new(),
            judged: OnceCell::new(),
        }
    }

    pub(super) fn question(&self) -> Result<&'a str, Score> {
        let question = self
            .row
            .question
            .as_deref()
            .filter(|text| !text.trim().is_empty());
        question.ok_or_else(|| lacks(Field::Question))
    }

    /// The answer, taken apart; it may be empty.
    pub(super) fn answer(&self) -> Result<&Reading, Score> {
        self.row.answer.as_ref().ok_or_else(|| lacks(Field::Answer))?;
        Ok(self.reading.get_or_init(|| Reading::new(self.row)))
    }

    pub(super) fn passages(&self) -> Result<&'a [Passage], Score> {
        self.row.passages.as_deref().ok_or_else(|| lacks(Field::Passages))
    }

    pub(super) fn reference(&self) -> Result<&'a str, Score> {
        let reference = self
            .row
            .reference
            .as_deref()
            .filter(|text| !text.trim().is_empty());
        reference.ok_or_else(|| lacks(Field::Reference))
    }

    /// The retrieved documents, best first, each once.
    pub(super) fn retrieved(&self) -> Result<Vec<&'a str>, Score> {
        documents::retrieved(self.row).ok_or_else(|| lacks(Field::Retrieved))
    }

    /// The grades of the expected documents that are relevant.
    pub(super) fn grades(&self) -> Result<Grades, Score> {
        let expected = self.row.expected.as_ref().ok_or_else(|| lacks(Field::Expected))?;
        let least = self.tools.limits.min_grade;
        let mut grades = Grades::new();
        for document in expected.iter().filter(|document| document.grade >= least) {
            let grade = grades.entry(documents::key(&document.document)).or_default();
            *grade = (*grade).max(i32::try_from(document.grade).unwrap_or(i32::MAX));
        }
        if grades.is_empty() {
            return Err(Score::n_a(format!(
                "`expected` has no document of grade {least} or more"
            )));
        }
        Ok(grades)
    }

    /// Whether the answer is a refusal: as the row says, or as the answer does, which then claims nothing and denies.
    pub(super) fn refused(&self) -> Result<bool, Score> {
        if let Some(refused) = self.row.refused {
            return Ok(refused);
        }
        let reading = self.answer()?;
        let words = text::words(&reading.text).into_iter();
        let denies = words
            .map(|span| &reading.text[span])
            .any(|word| text::is_negation(word) || word.eq_ignore_ascii_case("unable"));
        Ok(reading.claims.is_empty() && reading.references.is_empty() && denies)
    }

    /// The answer of a row that must be answered. `None` if nothing was answered, which is the worst answer; n/a where a
    /// refusal is right.
    pub(super) fn owed(&self) -> Result<Option<&Reading>, Score> {
        let reading = self.answer()?;
        if self.row.expected_refusal == Some(true) {
            return Err(Score::n_a("a refusal is expected: premise_refusal scores it"));
        }
        let empty = reading.text.trim().is_empty();
        Ok((!empty && !self.refused()?).then_some(reading))
    }

    /// The answer, if it is none of a refusal.
    pub(super) fn given(&self) -> Result<&Reading, Score> {
        let reading = self.answer()?;
        if self.refused()? {
            return Err(Score::n_a("the answer is a refusal"));
        }
        Ok(reading)
    }

    /// The claims of the answer with their support by the passages; at least one.
    pub(super) fn judged(&self) -> Result<&[Judged], Score> {
        let judged = self.judged.get_or_init(|| {
            let reading = self.given()?;
            let passages = self.passages()?;
            if reading.claims.is_empty() {
                return Err(Score::n_a("the answer claims nothing"));
            }
            judge(reading, passages, self.row, self.tools)
        });
        judged.as_deref().map_err(Clone::clone)
    }
}
