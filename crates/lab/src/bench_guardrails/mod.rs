//! Measures the guardrails on answers with planted errors.
//!
//! Answers are made from sentences of the indexed papers ([`eval::planted`]): correct answers, and answers with a single
//! error. The guardrails of the settings check every answer; so do those of the earlier system (preset `phase2`). The
//! sentences that they strip or flag, or whose citation they change, are counted. No question is asked and nothing is
//! generated.

mod document;
mod outcome;
mod sample;

pub use outcome::{Counts, KindCounts};

use crate::error::LabError;
use engine::{
    Pipeline,
    settings::{Loaded, Settings},
};
use eval::planted::{ErrorKind, plant};
use guardrail::{Guarded, verify};
use outcome::{Tally, touched};
use sample::{LEAST_PAPERS, Samples, samples};
use types::{ChunkQuery, GuardrailAction, GuardrailKind, Reporter, SourceQuery, Stop};

/// What to measure.
#[derive(Clone, Debug)]
pub struct GuardrailsRequest {
    /// Number of correct answers, and of answers with each kind of error.
    pub answers: usize,
    /// Seed of the sample and of the errors.
    pub seed: u64,
    /// The caller sets this to stop the work.
    pub stop: Stop,
}

/// What the guardrails did.
#[derive(Clone, Debug)]
pub struct GuardrailsMeasured {
    /// Number of papers that the sentences are from.
    pub papers: usize,
    /// Number of answers that were asked for, correct ones and of each kind of error.
    pub requested: usize,
    /// Counts with the guardrails of the settings.
    pub now: Counts,
    /// Counts with those of the earlier system.
    pub phase2: Counts,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of the sample and of the errors.
    pub seed: u64,
}

/// Plants errors and runs the guardrails.
///
/// # Errors
/// Returns an error if the index has too few papers or cannot be read, if a model is missing, or if the user stopped the
/// work.
pub async fn run(
    settings: &Settings,
    request: &GuardrailsRequest,
    reporter: &dyn Reporter,
) -> Result<GuardrailsMeasured, LabError> {
    let pipeline = Pipeline::open(settings).await?;
    let support = pipeline.support();
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
    let Samples { samples, papers } = samples(&chunks, &sources, request.answers, request.seed);
    if samples.is_empty() {
        return Err(LabError::Message(format!(
            "{papers} of the {} papers of the index have sentences that an answer can be made of; guardrails are measured \
             on at least {LEAST_PAPERS}: ingest more papers of prose",
            sources.len()
        )));
    }
    // The answers are not verbatim: the check of support applies to them.
    let ours = settings.guardrail.verification;
    let earlier = Loaded::load(Some("phase2"), [], &[])?
        .settings
        .guardrail
        .verification;
    let mut now = Tally::default();
    let mut phase2 = Tally::default();
    let kinds: Vec<Option<ErrorKind>> = std::iter::once(None).chain(ErrorKind::ALL.map(Some)).collect();
    let task = reporter.task(
        "measuring guardrails",
        "answers",
        Some((kinds.len() * samples.len()) as u64),
    );
    for kind in kinds {
        for (number, sample) in samples.iter().enumerate() {
            if request.stop.is_requested() {
                return Err(LabError::Stopped);
            }
            // Every second answer is reworded.
            let seed = request.seed.wrapping_add(number as u64);
            let planted = plant(
                &sample.facts,
                &sample.decoy,
                &sample.foreign,
                kind,
                number % 2 == 1,
                seed,
            );
            if let Some(planted) = planted {
                for (settings, tally) in [(&ours, &mut now), (&earlier, &mut phase2)] {
                    let response = planted.response.clone();
                    let guarded = verify("", response, &sample.context, settings, &*support);
                    check_judged(&guarded, support.id())?;
                    tally.add(kind, &planted, &touched(&planted, &guarded));
                }
            }
            task.advance(1);
        }
    }
    Ok(GuardrailsMeasured {
        papers,
        requested: request.answers,
        now: now.counts(),
        phase2: phase2.counts(),
        config_hash: settings.config_hash(),
        seed: request.seed,
    })
}

/// The guardrails name the judge of support in an action if it fails: what they catch without it is not what is measured.
fn check_judged(guarded: &Guarded, judge: &str) -> Result<(), LabError> {
    let failed =
        |action: &&GuardrailAction| action.guardrail == GuardrailKind::Support && action.subject == judge;
    match guarded.actions.iter().find(failed) {
        Some(action) => Err(LabError::Message(format!("{judge} failed: {}", action.reason))),
        None => Ok(()),
    }
}
