//! Dimensions without a language model.
//!
//! Faithfulness is the mean probability that some passage supports a claim. Citation quality is the mean probability that what
//! a claim cites supports it, times the share of citations that exist. Correctness is the F1 of the words of answer and
//! reference. Relevance and completeness are n/a.

use super::{CitedText, Dimension, DimensionJudge, Verdict, citations::resolve, on_empty};
use eval::{
    Judge,
    judge::{Basis, JudgeError, JudgeInput, JudgeOutput, OfflineJudge, Passage},
    metrics::token_f1,
};
use rows::AnswerRow;
use std::sync::Arc;
use types::{BoxFuture, SupportScorer};

/// Scores three of the dimensions with a [`SupportScorer`].
pub struct OfflineDimensions {
    judge: OfflineJudge,
}

impl OfflineDimensions {
    /// A judge of claims with the support that counts, 0 to 1.
    pub fn new(scorer: Arc<dyn SupportScorer>, tau: f64) -> Self {
        Self {
            judge: OfflineJudge::with_tau(scorer, tau),
        }
    }

    async fn score(&self, dimension: Dimension, row: &AnswerRow) -> Result<Verdict, JudgeError> {
        if let Some(reason) = dimension.lacks(row) {
            return Err(JudgeError::NotApplicable(reason));
        }
        if let Some(verdict) = on_empty(dimension, row) {
            return Ok(verdict);
        }
        match dimension {
            Dimension::Faithfulness => self.faithfulness(row).await,
            Dimension::CitationQuality => self.citation_quality(row).await,
            Dimension::Correctness => correctness(row),
            // Scores of these without a language model belong here.
            Dimension::AnswerRelevance | Dimension::Completeness => {
                Err(JudgeError::NotApplicable("needs a language model".to_owned()))
            }
        }
    }

    async fn faithfulness(&self, row: &AnswerRow) -> Result<Verdict, JudgeError> {
        let text = CitedText::read(row);
        let context = context(row, |_| true);
        let input = input(row, text.bare, context, Basis::BestPassage);
        let output = self.judge.judge(&input).await?;
        let Some(score) = mean(&output) else {
            return Err(JudgeError::NotApplicable("the answer claims nothing".to_owned()));
        };
        let all = output.claims.len();
        let supported = all - output.unsupported().len();
        let reasoning =
            format!("The passages support {supported} of {all} claims; the score is their mean support.");
        Ok(Verdict::free(score, reasoning, output.unsupported()))
    }

    async fn citation_quality(&self, row: &AnswerRow) -> Result<Verdict, JudgeError> {
        let text = CitedText::read(row);
        let listed = row.citations.as_deref().unwrap_or_default();
        let passages = row.passages.as_deref().unwrap_or_default();
        // Where the text has no citations, those listed beside it may support any claim.
        let beside = text.references.is_empty() && !listed.is_empty();
        let (means, names): (Vec<Vec<usize>>, Vec<String>) = if beside {
            let each = listed.iter().map(|cited| {
                let parts = [cited.document.as_deref(), cited.passage.as_deref()];
                let name: Vec<&str> = parts.into_iter().flatten().collect();
                (resolve(cited, passages), name.join(", "))
            });
            each.unzip()
        } else {
            let each = text.references.iter();
            each.map(|reference| (reference.passages.clone(), reference.text.clone()))
                .unzip()
        };
        if means.is_empty() {
            let issue = vec!["no citations".to_owned()];
            return Ok(Verdict::free(0.0, "The answer cites nothing.", issue));
        }
        let (answer, basis) = if beside {
            (text.bare, Basis::BestPassage)
        } else {
            (text.marked, Basis::Cited)
        };
        let used = context(row, |at| !beside || means.iter().any(|means| means.contains(&at)));
        let output = self.judge.judge(&input(row, answer, used, basis)).await?;
        let Some(support) = mean(&output) else {
            return Err(JudgeError::NotApplicable("the answer claims nothing".to_owned()));
        };
        let existing = means.iter().filter(|means| !means.is_empty()).count();
        let mut issues: Vec<String> = means
            .iter()
            .zip(&names)
            .filter(|(means, _)| means.is_empty())
            .map(|(_, name)| format!("not among the passages: {name}"))
            .collect();
        let unsupported = output.claims.iter().filter(|claim| !claim.supported);
        issues.extend(unsupported.map(|claim| {
            let what = if claim.cited.is_empty() && !beside {
                "no citation"
            } else {
                "not supported by its citation"
            };
            format!("{what}: {}", claim.claim)
        }));
        let share = existing as f64 / means.len() as f64;
        let reasoning = format!(
            "{existing} of {} citations are among the passages; the mean support of the {} claims by what they cite is {support:.2}.",
            means.len(),
            output.claims.len()
        );
        Ok(Verdict::free(support * share, reasoning, issues))
    }
}

impl DimensionJudge for OfflineDimensions {
    fn id(&self) -> String {
        self.judge.id()
    }

    fn prompt_version(&self, _dimension: Dimension) -> Option<&'static str> {
        None
    }

    fn judge<'a>(
        &'a self,
        dimension: Dimension,
        row: &'a AnswerRow,
    ) -> BoxFuture<'a, Result<Verdict, JudgeError>> {
        Box::pin(self.score(dimension, row))
    }
}

/// F1 of words; 0 for a refusal, unless a refusal is right.
fn correctness(row: &AnswerRow) -> Result<Verdict, JudgeError> {
    if row.expected_refusal == Some(true) {
        return Err(JudgeError::NotApplicable("a refusal is expected".to_owned()));
    }
    if row.refused == Some(true) {
        return Ok(Verdict::free(0.0, "The answer is a refusal.", Vec::new()));
    }
    let reference = row.reference.as_deref().unwrap_or_default();
    match token_f1(&CitedText::read(row).bare, reference) {
        Some(f1) => Ok(Verdict::free(
            f1,
            "F1 of the words of the answer and of the reference; other words for the same thing count as different.",
            Vec::new(),
        )),
        None => Err(JudgeError::NotApplicable("the reference has no words".to_owned())),
    }
}

fn mean(output: &JudgeOutput) -> Option<f64> {
    let claims = &output.claims;
    let sum: f64 = claims.iter().map(|claim| claim.score).sum();
    (!claims.is_empty()).then(|| sum / claims.len() as f64)
}

fn context(row: &AnswerRow, keep: impl Fn(usize) -> bool) -> Vec<Passage> {
    let passages = row.passages.as_deref().unwrap_or_default().iter().enumerate();
    passages
        .filter(|(at, _)| keep(*at))
        .map(|(at, passage)| Passage {
            id: CitedText::chunk_id(at),
            source: String::new(),
            text: passage.text.clone(),
        })
        .collect()
}

fn input(row: &AnswerRow, response: String, context: Vec<Passage>, basis: Basis) -> JudgeInput {
    JudgeInput {
        question: row.question.clone().unwrap_or_default(),
        context,
        response,
        basis,
    }
}

#[cfg(test)]
#[path = "offline_tests.rs"]
mod tests;
