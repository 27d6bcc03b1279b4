//! A sample as the metrics read it.

use super::citations::Reading;
use super::{Metric, Need, Tools, documents, find_metric};
use crate::judge::{Decision, JudgeOutput, Judged, Verdicts};
use crate::ranking::Grades;
use crate::{Passage, Sample, Score};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use types::SupportError;

/// The reason for n/a when a refusal has nothing to measure.
pub const REFUSAL: &str = "the answer is a refusal";

/// A sample with the verdicts on it and what several metrics compute from it.
pub struct View<'a> {
    pub(super) sample: &'a Sample,
    pub(super) tools: Tools<'a>,
    pub(super) verdicts: &'a Verdicts,
    reading: OnceCell<Reading>,
    scores: RefCell<HashMap<&'static str, Score>>,
}

/// The text of a field, unless it is blank.
fn filled(text: Option<&str>, field: Need) -> Result<&str, Score> {
    text.filter(|text| !text.trim().is_empty()).ok_or_else(|| lacks(field))
}

/// N/a, because the sample lacks a field.
pub(super) fn lacks(field: Need) -> Score {
    Score::n_a(format!("the row has no `{field}`"))
}

impl<'a> View<'a> {
    /// A sample, and what judges say of it.
    pub fn new(sample: &'a Sample, tools: Tools<'a>, verdicts: &'a Verdicts) -> Self {
        Self { sample, tools, verdicts, reading: OnceCell::new(), scores: RefCell::default() }
    }

    /// The score of a metric: what a language model decided, where it decides that, or else its own definition. A value
    /// outside its range is an error.
    pub fn score(&self, metric: &Metric) -> Score {
        let spec = &metric.spec;
        if let Some(score) = self.scores.borrow().get(spec.key) {
            return score.clone();
        }
        let score = match self.verdicts.decided.get(spec.key) {
            Some(decided) => decided.score(|decision| Score::value(decision.value)),
            None => (metric.value)(self).map_or_else(|score| score, Score::value),
        };
        let score = match score {
            Score::Value(value) if !spec.range.contains(value) => {
                Score::Error(format!("the score came out as {value}, not between {}", spec.range))
            }
            score => score,
        };
        self.scores.borrow_mut().insert(spec.key, score.clone());
        score
    }

    /// What a language model decided of the metric with this key, if it decides that.
    pub(crate) fn decided(&self, key: &str) -> Option<&'a Judged<Decision>> {
        self.verdicts.decided.get(key)
    }

    /// The value of the metric with this key.
    ///
    /// # Errors
    /// The score that stands for a missing value.
    pub(super) fn value_of(&self, key: &str) -> Result<f64, Score> {
        let metric = find_metric(key).ok_or_else(|| Score::Error(format!("no metric is named {key}")))?;
        match self.score(metric) {
            Score::Value(value) => Ok(value),
            missing => Err(missing),
        }
    }

    /// Why the metric has its value: the reason of the language model that decided it, or its own explanation.
    pub(super) fn explanation(&self, metric: &Metric) -> Option<String> {
        match self.verdicts.decided.get(metric.spec.key) {
            Some(decided) => decided.output().map(|decision| decision.reason.clone()),
            None => (metric.explanation)(self),
        }
    }

    /// What lowers the value of the metric.
    pub(super) fn findings(&self, metric: &Metric) -> Vec<String> {
        match self.verdicts.decided.get(metric.spec.key) {
            Some(decided) => decided.output().map(|decision| decision.findings.clone()).unwrap_or_default(),
            None => (metric.findings)(self),
        }
    }

    pub(super) fn question(&self) -> Result<&'a str, Score> {
        filled(self.sample.question.as_deref(), Need::Question)
    }

    /// The answer, taken apart; it may be empty.
    pub(super) fn answer(&self) -> Result<&Reading, Score> {
        self.sample.answer.as_ref().ok_or_else(|| lacks(Need::Answer))?;
        Ok(self.reading.get_or_init(|| Reading::new(self.sample)))
    }

    pub(super) fn passages(&self) -> Result<&'a [Passage], Score> {
        self.sample.passages.as_deref().ok_or_else(|| lacks(Need::Context))
    }

    pub(super) fn reference(&self) -> Result<&'a str, Score> {
        filled(self.sample.reference.as_deref(), Need::ReferenceAnswer)
    }

    /// Whether a text says what a statement says, as [`evidence::support::says`].
    pub(super) fn says(&self, statement: &str, text: &str) -> Result<bool, Score> {
        let Tools { support, limits } = self.tools;
        evidence::support::says(support, limits.support, statement, text).map_err(|error| match error {
            SupportError::NotApplicable(why) => Score::n_a(why),
            SupportError::Model(error) => Score::Error(format!("{}: {error}", support.id())),
        })
    }

    /// The retrieved documents, best first, each once.
    pub(super) fn retrieved(&self) -> Result<Vec<&'a str>, Score> {
        documents::retrieved(self.sample).ok_or_else(|| lacks(Need::Retrieved))
    }

    /// The grades of the expected documents that are relevant.
    pub(super) fn grades(&self) -> Result<Grades, Score> {
        let expected = self.sample.expected.as_ref();
        let expected = expected.ok_or_else(|| lacks(Need::Expected))?;
        let least = self.tools.limits.min_grade;
        let mut grades = Grades::new();
        for document in expected.iter().filter(|document| document.grade >= least) {
            let grade = grades.entry(documents::key(&document.document)).or_default();
            *grade = (*grade).max(i32::try_from(document.grade).unwrap_or(i32::MAX));
        }
        if grades.is_empty() {
            return Err(Score::n_a(format!("`expected` has no document of grade {least} or more")));
        }
        Ok(grades)
    }

    /// Whether the answer is a refusal: as the row says, or as the answer does, which then claims nothing and denies.
    pub(super) fn refused(&self) -> Result<bool, Score> {
        if let Some(refused) = self.sample.refused {
            return Ok(refused);
        }
        let reading = self.answer()?;
        let words = text::words(&reading.text).into_iter();
        let denies = words
            .map(|span| &reading.text[span])
            .any(|word| text::is_negation(word) || word.eq_ignore_ascii_case("unable"))
            || evidence::support::refuses(&reading.text);
        Ok(reading.claims.is_empty() && reading.references.is_empty() && denies)
    }

    /// Whether a refusal is right: as the row says, or else because its tags call the question leading.
    pub(super) fn expects_refusal(&self) -> Result<bool, Score> {
        let leading = |tag: &String| tag == "leading" || tag == "false_premise";
        match self.sample.expected_refusal {
            Some(expected) => Ok(expected),
            None if self.sample.tags.iter().any(leading) => Ok(true),
            None => Err(lacks(Need::ExpectedRefusal)),
        }
    }

    /// The answer of a row that must be answered. `None` if nothing was answered, which is the worst answer; n/a where a
    /// refusal is right.
    pub(super) fn owed(&self) -> Result<Option<&Reading>, Score> {
        let reading = self.answer()?;
        if self.expects_refusal() == Ok(true) {
            return Err(Score::n_a("a refusal is expected: no_evidence_accuracy scores it"));
        }
        let empty = reading.text.trim().is_empty();
        Ok((!empty && !self.refused()?).then_some(reading))
    }

    /// The answer, if it is none of a refusal.
    pub(super) fn given(&self) -> Result<&Reading, Score> {
        let reading = self.answer()?;
        if self.refused()? {
            return Err(Score::n_a(REFUSAL));
        }
        Ok(reading)
    }

    /// The answer, if it is none of a refusal and it is known what it cites.
    pub(super) fn cited(&self) -> Result<&Reading, Score> {
        let reading = self.given()?;
        if reading.tells { Ok(reading) } else { Err(lacks(Need::Citations)) }
    }

    /// The verdict on the claims of the answer, which may have none.
    pub(super) fn judged(&self) -> Result<&'a JudgeOutput, Score> {
        self.given()?;
        self.passages()?;
        match self.verdicts.claims.output() {
            Some(output) => Ok(output),
            None => Err(self.verdicts.claims.score(|_| Score::n_a("the answer was not judged"))),
        }
    }
}
