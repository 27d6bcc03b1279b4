//! Answers scored by a judge that is loaded once: single ones as a file of them is.

use super::{
    EvaluateRequest,
    document::{Evaluate, EvaluateRow},
    finish,
    judge::Judge,
    judged, scored,
};
use crate::error::LabError;
use engine::{ComputePool, chat_models::ChatModels, settings::Settings};
use eval::{
    Sample,
    judge::dimensions::Dimension,
    rows::{Format, ReadOptions, read},
};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use types::{Reporter, Silent};

/// Scores answers; its judge is loaded once.
#[derive(Clone)]
pub struct Scorer {
    settings: Arc<Settings>,
    judge: Arc<Judge>,
    pool: ComputePool,
}

impl Scorer {
    /// A scorer with the judge of `eval.judge`, which computes on `pool`.
    ///
    /// # Errors
    /// When a language model is named and none is configured.
    pub fn new(
        settings: &Settings,
        models: &ChatModels,
        pool: ComputePool,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        Ok(Self {
            judge: Arc::new(Judge::new(settings, models, reporter)?),
            settings: Arc::new(settings.clone()),
            pool,
        })
    }

    /// The same with these language models, if one judges.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn asking(&self, models: &ChatModels) -> Result<Self, LabError> {
        if self.judge.asks_a_model() {
            Self::new(&self.settings, models, self.pool.clone(), &Silent)
        } else {
            Ok(self.clone())
        }
    }

    /// `lexical`, or the language model.
    pub fn judge(&self) -> &str {
        &self.judge.name
    }

    /// The document of [`evaluate`](super::evaluate) for a request that names neither a model nor a cost.
    ///
    /// # Errors
    /// As `evaluate`.
    pub async fn evaluate(
        &self,
        request: &EvaluateRequest,
        reporter: &dyn Reporter,
    ) -> Result<Evaluate, LabError> {
        let judge = || Ok(Arc::clone(&self.judge));
        let (document, _) = judged(&self.settings, request, judge, &self.pool, reporter).await?;
        Ok(document)
    }

    /// The row that `evaluate` would print for this answer. A judge that fails is part of it.
    pub async fn score(&self, answer: &Sample, dimensions: &'static [Dimension]) -> EvaluateRow {
        let limit = Duration::from_secs(self.settings.llm.question_seconds);
        let asked = (answer, dimensions);
        let scored = scored::score(&self.settings, &self.judge, asked, &self.pool, limit).await;
        finish::row(&self.settings, answer, scored)
    }
}

/// The answer in one record of this format.
///
/// # Errors
/// When the record has no answer, or a field that is not of its type.
pub fn read_answer(format: Format, record: &Value) -> Result<Sample, LabError> {
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let rows = read("the request", &record.to_string(), &options)?.rows;
    let one = rows.into_iter().next();
    one.ok_or_else(|| LabError::Message("the request has no answer".to_owned()))
}

/// Whether a text is a file of answers, in any format but a run log, whose passages are in further files.
///
/// # Errors
/// When it is not: every wrong line.
pub fn check_answers(text: &str) -> Result<(), LabError> {
    read("the request", text, &ReadOptions::default())?;
    Ok(())
}
