//! Chooses the thresholds of refusals and of high confidence from a query set about one's own papers.
//!
//! Every labelled query is asked of the index; an answerable one also without the papers that answer it, which should be
//! refused. Nothing is generated: the thresholds are applied to the estimated probabilities.

pub use eval::answers::calibration::{High, HighChoice, RefusalChoice};

use crate::{
    benchmark::{Asking, check_output},
    error::LabError,
};
use engine::{Pipeline, Trace, settings::Settings};
use eval::{
    GoldEvidence, Query,
    answers::calibration::{FOLDS, Observed, choose_high, choose_refusal, cut},
};
use guardrail::{TopicRule, TopicSettings, Verdict, judge};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{
    Chunk, ChunkQuery, Filter, Mode, Reporter, SourceId, SourceQuery, Stop, path_text, words::decimal,
    written::write_output,
};

/// An answer is right if one of this many best sentences shows evidence; the stated probability means the same.
const BEST: usize = 3;

/// What to calibrate on.
#[derive(Clone, Debug)]
pub struct CalibrateRequest {
    /// The query set.
    pub queries: PathBuf,
    /// The retrieval mode.
    pub mode: Mode,
    /// Share of the answers of high confidence that should be right, 0 to 1.
    pub aim: f64,
    /// The settings file to write.
    pub output: Option<PathBuf>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What `calibrate` prints: the thresholds that were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Calibrate")]
pub struct Calibrated {
    /// Queries that the papers answer.
    pub answerable: usize,
    /// Queries that the papers do not answer.
    pub unanswerable: usize,
    /// Answerable queries that were also asked without the papers that answer them.
    pub removed: usize,
    /// Papers that the queries are about.
    pub papers: usize,
    /// Queries that were not asked, because they have no labels.
    pub left_out: usize,
    /// Answerable queries whose evidence no chunk contains; they count as wrong.
    pub in_no_chunk: usize,
    /// Refusals.
    pub refusals: CalibratedRefusals,
    /// High confidence.
    pub high: CalibratedHigh,
    /// The settings to change, by key; empty if no other threshold was better on papers that it was not chosen on.
    pub changes: BTreeMap<String, f64>,
    /// Hash of the settings that the questions were asked with.
    pub config_hash: String,
    /// Seed of the folds.
    pub seed: u64,
}

/// The threshold of refusals. Balanced accuracy is the mean of the share of answerable questions that are answered and the
/// share of the others that are refused, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CalibratedRefusals {
    /// The present setting `guardrail.refuse_below`.
    pub refuse_below: f64,
    /// What was chosen for it.
    #[serde(flatten)]
    pub choice: RefusalChoice,
}

/// The threshold of high confidence.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CalibratedHigh {
    /// The present setting `generate.high_confidence`.
    pub high_confidence: f64,
    /// Wanted share of right answers among those of high confidence.
    pub aim: f64,
    /// What was chosen for it.
    #[serde(flatten)]
    pub choice: HighChoice,
}

impl Calibrated {
    /// A settings file with the changes.
    fn toml(&self, queries: &Path) -> String {
        // Writing to a string cannot fail.
        let mut out = String::new();
        let _ = writeln!(
            out,
            "# Written by `pipeline calibrate` from {}, with the settings {}.",
            path_text::shown(queries),
            self.config_hash
        );
        if self.changes.is_empty() {
            out.push_str(
                "# Nothing to change: no other threshold was better on papers that it was not chosen on.\n",
            );
        }
        out + &self.sections()
    }

    /// The changes as sections of a settings file; empty if there are none.
    pub fn sections(&self) -> String {
        let mut out = String::new();
        for (key, value) in &self.changes {
            if let Some((section, name)) = key.split_once('.') {
                let _ = writeln!(out, "\n[{section}]\n{name} = {value:.2}");
            }
        }
        out
    }
}

/// Asks every labelled query, chooses the thresholds, and writes them if a file was named.
///
/// # Errors
/// When the query set has too few queries of a kind, the settings do not use the thresholds, the index or a model is
/// missing, the user stopped the work, a stage fails, or the file cannot be written.
pub async fn run(
    settings: &Settings,
    request: &CalibrateRequest,
    reporter: &dyn Reporter,
) -> Result<Calibrated, LabError> {
    if let Some(path) = &request.output {
        check_output(path)?;
    }
    let rule = settings.guardrail.topic_check.rule;
    if !settings.guardrail.topic || rule != TopicRule::Probability {
        return Err(LabError::Message(
            "these settings do not refuse by probability; set guardrail.topic = true and guardrail.topic_rule = \
             \"probability\""
                .to_owned(),
        ));
    }
    let set = crate::query_set::load(&request.queries)?;
    let labelled = |query: &&Query| query.expected_no_evidence || !query.gold_evidence.is_empty();
    let questions: Vec<&Query> = set.queries.iter().filter(labelled).collect();
    let answered = || questions.iter().filter(|query| !gold_of(query).is_empty());
    let answerable = answered().count();
    let papers = answered().map(|query| document_of(query)).collect::<BTreeSet<_>>().len();
    check_size(&request.queries, answerable, papers)?;
    let pipeline = Pipeline::open(settings).await?;
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
    let sources: Vec<SourceId> = sources.iter().map(|source| source.meta.source_id.clone()).collect();
    let in_no_chunk = in_no_chunk(&questions, &chunks);
    drop(chunks);
    let observed = observe(&pipeline, &sources, settings, request, &questions, reporter).await?;

    let seed = settings.eval.seed;
    let topic_check = &settings.guardrail.topic_check;
    let refuse_below = decimal(topic_check.refuse_below);
    let high_confidence = decimal(settings.generate.extractive.high_confidence);
    // Below it, an answer is partial, and its confidence low.
    let least = decimal(topic_check.partial_below);
    let refusal = choose_refusal(&observed, refuse_below, seed).ok_or_else(|| {
        let path = &request.queries;
        too_small(
            path,
            "has no unanswerable queries, and every paper of the index answers each of its queries: nothing should be refused",
        )
    })?;
    let mut changes = BTreeMap::new();
    let better = refusal.held_out > refusal.now && differ(refusal.cut, refuse_below);
    if better {
        changes.insert("guardrail.refuse_below".to_owned(), refusal.cut);
    }
    let high =
        choose_high(&observed, better.then_some(refusal.at), high_confidence, least, request.aim, seed);
    if let Some(cut) = high.cut.filter(|cut| worth_it(&high, request.aim) && differ(*cut, high_confidence)) {
        changes.insert("generate.high_confidence".to_owned(), cut);
    }
    let done = Calibrated {
        answerable,
        unanswerable: questions.len() - answerable,
        removed: observed.iter().filter(|each| each.probability.is_none()).count(),
        papers,
        left_out: set.queries.len() - questions.len(),
        in_no_chunk,
        refusals: CalibratedRefusals { refuse_below, choice: refusal },
        high: CalibratedHigh { high_confidence, aim: request.aim, choice: high },
        changes,
        config_hash: settings.config_hash(),
        seed,
    };
    if let Some(path) = &request.output {
        let text = done.toml(&request.queries);
        write_output(path, &[text.as_bytes()]).map_err(LabError::io("write", path))?;
    }
    Ok(done)
}

/// Whether the chosen threshold is better on other papers than the present one: where that misses the aim, a larger share is
/// right; else the aim is kept, and more right answers are of high confidence.
fn worth_it(high: &HighChoice, aim: f64) -> bool {
    match (high.now.share_right(), high.held_out.share_right()) {
        (Some(now), Some(held_out)) if now < aim => held_out > now,
        (_, Some(held_out)) => held_out >= aim && high.held_out.right > high.now.right,
        (_, None) => false,
    }
}

/// Whether two thresholds differ by more than what rounding leaves.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.005
}

fn check_size(path: &Path, answerable: usize, papers: usize) -> Result<(), LabError> {
    const FEWEST: usize = 20;
    if answerable < FEWEST {
        let text = format!("has gold_evidence for {answerable} of the {FEWEST} queries that are needed");
        return Err(too_small(path, &text));
    }
    if papers < FOLDS {
        let text = format!("asks about {papers} of the {FOLDS} papers that cross-validation needs");
        return Err(too_small(path, &text));
    }
    Ok(())
}

fn too_small(path: &Path, reason: &str) -> LabError {
    LabError::unusable(path, reason, "add queries with gold_evidence; `pipeline queries draft` drafts them")
}

async fn observe(
    pipeline: &Pipeline,
    sources: &[SourceId],
    settings: &Settings,
    request: &CalibrateRequest,
    questions: &[&Query],
    reporter: &dyn Reporter,
) -> Result<Vec<Observed>, LabError> {
    let mut asking = Asking::new("calibrate", "questions", questions.len(), &request.stop, reporter);
    let mut out = Vec::new();
    for question in questions {
        asking.next()?;
        let all = Filter::default();
        out.push(one(pipeline, settings, request.mode, question, &all, false).await?);
        let answers = |id: &SourceId| {
            question.target_papers.contains(id) || gold_of(question).iter().any(|gold| gold.source_id == *id)
        };
        let others: Vec<SourceId> = sources.iter().filter(|id| !answers(id)).cloned().collect();
        if !gold_of(question).is_empty() && !others.is_empty() {
            let without = Filter { sources: Some(others), ..Filter::default() };
            out.push(one(pipeline, settings, request.mode, question, &without, true).await?);
        }
        asking.answered(Vec::new());
    }
    asking.finish();
    Ok(out)
}

/// The evidence that answers a query.
fn gold_of(query: &Query) -> &[GoldEvidence] {
    if query.expected_no_evidence { &[] } else { &query.gold_evidence }
}

/// What a query is about: queries about one paper are in one fold.
fn document_of(query: &Query) -> &str {
    query.target_papers.first().map_or(&query.id, SourceId::as_str)
}

/// Asks one question of the papers that the filter admits. `removed` says that those which answer it are not among them.
async fn one(
    pipeline: &Pipeline,
    settings: &Settings,
    mode: Mode,
    question: &Query,
    filter: &Filter,
    removed: bool,
) -> Result<Observed, LabError> {
    let Trace { context, ranking, topic, .. } = pipeline.trace(&question.query, mode, filter).await?;
    let features = topic.map(|topic| topic.features).unwrap_or_default();
    let refused = |refuse_below: f32| {
        let own = TopicSettings { refuse_below, ..settings.guardrail.topic_check };
        context.chunks.is_empty() || judge(&features, &own).0 == Verdict::Refuse
    };
    let gold: &[GoldEvidence] = if removed { &[] } else { gold_of(question) };
    let right = ranking.sentences.iter().take(BEST).any(|sentence| {
        let chunk = &context.chunks[sentence.chunk].chunk;
        gold.iter().any(|item| item.shown_by(chunk)[sentence.sentence])
    });
    Ok(Observed {
        document: document_of(question).to_owned(),
        answerable: !gold.is_empty(),
        refused: std::array::from_fn(|at| refused(cut(at) as f32)),
        refused_now: refused(settings.guardrail.topic_check.refuse_below),
        probability: (!removed).then_some(f64::from(ranking.probability)),
        right,
    })
}

/// Questions with evidence that no chunk contains: they cannot be answered right.
fn in_no_chunk(questions: &[&Query], chunks: &[Arc<Chunk>]) -> usize {
    let mut of: HashMap<&SourceId, Vec<&Chunk>> = HashMap::new();
    for chunk in chunks {
        of.entry(&chunk.source_id).or_default().push(chunk);
    }
    let found = |item: &GoldEvidence| {
        let own = of.get(&item.source_id).map_or(&[][..], Vec::as_slice);
        own.iter().any(|chunk| item.shown_by(chunk).contains(&true))
    };
    let answerable = questions.iter().filter(|question| !gold_of(question).is_empty());
    answerable.filter(|question| !gold_of(question).iter().any(found)).count()
}
