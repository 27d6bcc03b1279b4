//! Questions that the papers of a library answer, for who does not know them yet.

use super::cache::Made;
use crate::{
    app::{App, Caller},
    failed::Failed,
    limits::OPEN_INDEXES,
};
use engine::{Pipeline, settings::AnswerMethod};
use std::sync::Arc;
use types::{Confidence, Filter};

/// Examples that are shown.
const SHOWN: usize = 5;
/// Bytes of a title that can stand in a question.
const TITLE: usize = 400;
/// Papers that are tried for one.
const TRIED: usize = 12;

/// The examples for the papers of the caller; made once for each state of the index, by one request at a time.
///
/// # Errors
/// When the index cannot be opened or read.
pub(super) async fn of(app: &App, caller: &Caller) -> Result<Arc<[String]>, Failed> {
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let mut all = app.examples.lock().await;
    let same = |(of, _): &&Made| of.as_ptr() == Arc::as_ptr(&pipeline);
    if let Some((_, questions)) = all.get(&place).filter(same) {
        return Ok(Arc::clone(questions));
    }
    let _turn = app.turn(caller)?;
    let questions: Arc<[String]> = answered(&pipeline).await?.into();
    if all.len() >= OPEN_INDEXES {
        all.clear();
    }
    all.insert(place, (Arc::downgrade(&pipeline), Arc::clone(&questions)));
    Ok(questions)
}

/// Questions about papers from all over the library that are answered without a language model.
async fn answered(pipeline: &Pipeline) -> Result<Vec<String>, Failed> {
    let mut settings = pipeline.settings().clone();
    settings.generate.method = AnswerMethod::Extractive;
    let pipeline = pipeline.with(&settings)?;
    let papers = pipeline.papers(&Filter::default()).await?;
    let step = papers.len().div_ceil(TRIED).max(1);
    let mut out = Vec::new();
    for paper in papers.iter().step_by(step) {
        let Some(title) = paper.meta.title.as_ref().filter(|title| title.len() <= TITLE) else { continue };
        let short = title.split([':', '?']).next().unwrap_or_default().trim();
        let question = format!("What is the main result of “{short}”?");
        let answer = pipeline.ask(&question, settings.retrieve.mode, &Filter::default()).await?;
        let response = answer.response();
        if !response.no_evidence && response.confidence != Confidence::Low.as_str() {
            out.push(question);
        }
        if out.len() == SHOWN {
            break;
        }
    }
    Ok(out)
}
