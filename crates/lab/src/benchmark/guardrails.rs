//! Measures the guardrails on answers with planted errors.
//!
//! Answers are made from sentences of the indexed papers ([`eval::planted`]): correct answers, and answers with a single
//! error. The guardrails of the settings check every answer; so do those of the earlier system (preset `phase2`). The
//! sentences that they strip or flag, or whose citation they change, are counted. No question is asked and nothing is
//! generated.

use super::{
    Asking,
    planted_sample::{LEAST_PAPERS, Samples, samples},
};
use crate::error::LabError;
use engine::{
    Pipeline,
    settings::{Loaded, Settings},
};
pub use eval::planted::ErrorKind;
use eval::planted::{PlantedAnswer, plant};
use guardrail::{Guarded, verify};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
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

/// What `bench guardrails` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BenchGuardrails {
    /// Papers that the sentences are from.
    pub papers: usize,
    /// Answers that were asked for, correct ones and of each kind of error. A kind has fewer if no sentence of an answer can have
    /// such an error.
    pub requested: usize,
    /// With the guardrails of the settings.
    pub now: GuardrailTable,
    /// With those of the preset `phase2`.
    pub phase2: GuardrailTable,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of the sample and of the errors.
    pub seed: u64,
}

/// What one set of guardrails did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailTable {
    /// Answers without an error.
    pub correct_answers: GuardrailCounts,
    /// Answers with one wrong sentence, by the kind of error.
    pub kinds: BTreeMap<String, GuardrailCounts>,
}

/// Counts over the answers of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailCounts {
    /// Answers.
    pub answers: usize,
    /// Answers with a sentence in other words than its paper.
    pub reworded: usize,
    /// Wrong sentences: one in each answer with an error.
    pub wrong: usize,
    /// Wrong sentences that were stripped.
    pub stripped: usize,
    /// Wrong sentences that were flagged, or whose citation was changed.
    pub flagged: usize,
    /// Share of the wrong sentences that were stripped or flagged, 0 to 1; null if there are none.
    pub recall: Option<f64>,
    /// Share of the stripped or flagged sentences that are wrong, 0 to 1; null if there are none.
    pub precision: Option<f64>,
    /// Correct sentences.
    pub correct: usize,
    /// Correct sentences that were stripped.
    pub correct_stripped: usize,
    /// Correct sentences that were flagged, or whose citation was changed.
    pub correct_flagged: usize,
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
) -> Result<BenchGuardrails, LabError> {
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
    let (mut now, mut phase2) = (GuardrailTable::new(), GuardrailTable::new());
    let kinds: Vec<Option<ErrorKind>> = std::iter::once(None).chain(ErrorKind::ALL.map(Some)).collect();
    let total = kinds.len() * samples.len();
    let mut asking = Asking::new("measuring guardrails", "answers", total, &request.stop, reporter);
    for kind in kinds {
        for (number, sample) in samples.iter().enumerate() {
            asking.next()?;
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
            asking.answered(Vec::new());
        }
    }
    asking.finish();
    Ok(BenchGuardrails {
        papers,
        requested: request.answers,
        now,
        phase2,
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

/// What happened to one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    /// It was left as it was.
    None,
    /// It was left, but the reader is warned, or its citation was changed.
    Flagged,
    /// It was removed, or the whole answer was withheld.
    Stripped,
}

/// Returns what happened to each sentence of an answer.
fn touched(planted: &PlantedAnswer, guarded: &Guarded) -> Vec<Touch> {
    let left = one_line(&guarded.response.answer);
    let each = planted.sentences.iter().zip(&planted.cited);
    each.map(|(sentence, chunk)| {
        let core = one_line(sentence.trim_end_matches('.'));
        if guarded.response.no_evidence || !left.contains(&core) {
            return Touch::Stripped;
        }
        let warned = guarded
            .actions
            .iter()
            .any(|action| concerns(action, &core, chunk.as_str()));
        if warned { Touch::Flagged } else { Touch::None }
    })
    .collect()
}

/// Whether an action is about this sentence or its citation.
fn concerns(action: &GuardrailAction, sentence: &str, chunk: &str) -> bool {
    let subject = one_line(&action.subject);
    let said = subject.trim_end_matches('.');
    match action.guardrail {
        // A clause of the sentence, or the sentence with its mark.
        GuardrailKind::Support | GuardrailKind::Entity => {
            let of_sentence = matches!(action.action.as_str(), "flagged" | "stripped");
            of_sentence && !said.is_empty() && (sentence.contains(said) || said.contains(sentence))
        }
        GuardrailKind::Citation => subject.contains(chunk) && action.action != "cut",
        _ => false,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl GuardrailTable {
    /// A kind that no answer can have is counted, too: 0 times.
    fn new() -> Self {
        let kinds = ErrorKind::ALL.map(|kind| (kind.as_str().to_owned(), GuardrailCounts::default()));
        Self {
            correct_answers: GuardrailCounts::default(),
            kinds: kinds.into(),
        }
    }

    /// Counts what happened to the sentences of one answer.
    fn add(&mut self, kind: Option<ErrorKind>, planted: &PlantedAnswer, touched: &[Touch]) {
        let counts = match kind {
            None => &mut self.correct_answers,
            Some(kind) => self.kinds.entry(kind.as_str().to_owned()).or_default(),
        };
        counts.answers += 1;
        counts.reworded += usize::from(planted.reworded);
        for (at, touch) in touched.iter().enumerate() {
            let wrong = planted.wrong == Some(at);
            counts.correct += usize::from(!wrong);
            counts.wrong += usize::from(wrong);
            match (touch, wrong) {
                (Touch::None, _) => {}
                (Touch::Flagged, true) => counts.flagged += 1,
                (Touch::Stripped, true) => counts.stripped += 1,
                (Touch::Flagged, false) => counts.correct_flagged += 1,
                (Touch::Stripped, false) => counts.correct_stripped += 1,
            }
        }
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let caught = counts.stripped + counts.flagged;
        let all = caught + counts.correct_stripped + counts.correct_flagged;
        counts.recall = share(caught, counts.wrong);
        counts.precision = share(caught, all).filter(|_| counts.wrong > 0);
    }
}
