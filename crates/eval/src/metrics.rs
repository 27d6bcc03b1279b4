//! The metrics. Each is a [`Metric`], a description with a function, in the file of its family; [`REGISTRY`] lists them in the
//! order of tables. Rows, gates, summaries, comparisons and reports read only that list: to add a metric, add it and a line.
//!
//! A metric reads a [`Sample`], whoever answered: the same sample has the same scores in every command. Each has a
//! definition of its own that needs no language model: words, names, numbers, ids, verbatim quotes, and the support of
//! claims by single passages. Where a language model decides ([`Verdicts::decided`]), its value stands in place of that
//! definition. What a sample has no field for is n/a, and the reason names the field.
//!
//! Runs of this pipeline compute the metrics that say so ([`Spec::in_runs`]), and those about the response twice: for the
//! response that the user gets, under its key, and for the generator's own output before guardrails, under its key with
//! [`RAW_SUFFIX`]. Each of the two is a [`Column`].

mod citations;
mod cited;
mod decided;
mod documents;
pub(crate) mod gold;
mod invented;
pub(crate) mod matched;
mod ranks;
mod reference;
mod relevance;
mod retrieved;
mod service;
mod spec;
mod supported;
#[cfg(test)]
pub(crate) mod testing;
mod view;
mod wording;

pub(crate) use citations::passage_id;
pub use retrieved::one_recall;
pub use spec::{Direction, Kind, Need, Range, Spec};
pub use view::REFUSAL;
pub use view::View;

use crate::judge::{Basis, CompareInput, JudgeInput, Verdicts};
use crate::{Limits, Ordered, Sample, Score};
use evidence::support::LexicalSupport;
use std::sync::LazyLock;
use types::SupportScorer;

/// The suffix of the key of a metric of the generator's own output.
pub const RAW_SUFFIX: &str = "_raw";
/// Maximum number of words of a quote; a longer one does not count as a quote.
pub const QUOTE_WORDS: usize = 40;
/// The reason for n/a when a log has no response before guardrails.
const NO_RAW: &str = "the log holds no response before guardrails";

/// What scoring needs besides the sample and the verdicts on it.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Judges whether a text says what a statement says.
    pub support: &'a dyn SupportScorer,
    /// What counts as supported, relevant and failed.
    pub limits: &'a Limits,
}

static LEXICAL: LazyLock<LexicalSupport> = LazyLock::new(LexicalSupport::new);
static DEFAULT_LIMITS: LazyLock<Limits> = LazyLock::new(Limits::default);

impl Default for Tools<'static> {
    /// Support by words alone, and the default limits.
    fn default() -> Self {
        Self { support: &*LEXICAL, limits: &DEFAULT_LIMITS }
    }
}

/// One metric.
pub struct Metric {
    pub(crate) spec: Spec,
    value: fn(&View<'_>) -> Result<f64, Score>,
    explanation: fn(&View<'_>) -> Option<String>,
    findings: fn(&View<'_>) -> Vec<String>,
}

impl Metric {
    /// A metric by its description and its value. In place of a missing value is the score that stands for it: n/a with a reason,
    /// or an error; it never guesses.
    const fn new(spec: Spec, value: fn(&View<'_>) -> Result<f64, Score>) -> Self {
        Self { spec, value, explanation: |_| None, findings: |_| Vec::new() }
    }

    /// With why its value is what it is, in a sentence without a full stop; asked only where there is a value.
    const fn explained(self, explanation: fn(&View<'_>) -> Option<String>) -> Self {
        Self { explanation, ..self }
    }

    /// With what lowers its value; asked only where there is a value.
    const fn finding(self, findings: fn(&View<'_>) -> Vec<String>) -> Self {
        Self { findings, ..self }
    }
}

/// Every metric, in the order of tables.
pub static REGISTRY: &[&Metric] = &[
    &cited::CITATION_PRECISION,
    &supported::FAITHFUL,
    &decided::NO_EVIDENCE_ACCURACY,
    &matched::MATCHED,
    &decided::COVERAGE,
    &decided::UNANSWERABLE_ACCURACY,
    &retrieved::GOLD_RECALL_CONTEXT,
    &reference::GOLD_RECALL_ANSWER,
    &supported::FULLY_CITED,
    &cited::QUOTE_ACCURACY,
    &supported::CLAIM_SUPPORT,
    &cited::CITATION_SUPPORT,
    &supported::GRADE,
    &invented::HALLUCINATED_ENTITIES,
    &invented::HALLUCINATED_NUMBERS,
    &reference::TOKEN_F1,
    &decided::BRIER_SCORE,
    &retrieved::AVERAGE_DISTANCE,
    &retrieved::DOCUMENTS_PER_QUERY,
    &retrieved::PASSAGES_PER_QUERY,
    &relevance::ANSWER_RELEVANCE,
    &relevance::RELEVANCE,
    &reference::COMPLETENESS,
    &reference::CORRECTNESS,
    &supported::FAITHFULNESS,
    &invented::HALLUCINATION,
    &invented::FACTUAL_ACCURACY,
    &cited::CITATION_QUALITY,
    &cited::CITATION_VERIFICATION_RATE,
    &cited::SOURCE_DIVERSITY,
    &relevance::RETRIEVAL_RELEVANCE,
    &relevance::RETRIEVAL_RELEVANCE_PASS,
    &retrieved::CONTEXT_RECALL,
    &retrieved::CONTEXT_RECALL_DOCUMENTS,
    &retrieved::CONTEXT_RECALL_CLAIMS,
    &retrieved::CONTEXT_AVERAGE_PRECISION,
    &retrieved::PAGE_RECALL,
    &ranks::RECALL_10,
    &ranks::RECALL_CEILING_10,
    &ranks::NDCG_10,
    &ranks::MRR_10,
    &relevance::OVERALL_PASS,
    &service::RAG_SCORE,
    &service::AUTO_FAIL,
];

/// The scores of a sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// What the sample shares its chance with: [`Sample::cluster`].
    pub cluster: String,
    /// Its scores by metric, in the order of [`REGISTRY`].
    pub scores: Ordered<Score>,
    /// Whether a rule of automatic failure applies.
    pub auto_fail: bool,
    /// Why, one for each rule that applies.
    pub failure_reasons: Vec<String>,
    /// By metric that passes or fails and has a value: why.
    pub explanations: Ordered<String>,
    /// By metric that has a value: what lowers it, if anything is known.
    pub findings: Ordered<Vec<String>>,
}

impl Scores {
    /// The score of a metric of [`REGISTRY`].
    pub fn get(&self, key: &str) -> Score {
        let unknown = || Score::n_a(format!("no metric has the key {key}"));
        self.scores.get(key).cloned().unwrap_or_else(unknown)
    }
}

/// A metric of the response after guardrails, or before: one column of the rows of a run.
#[derive(Clone, Copy)]
pub struct Column {
    metric: &'static Metric,
    raw: bool,
}

impl Column {
    /// The metric's description.
    pub fn spec(&self) -> &'static Spec {
        &self.metric.spec
    }

    /// Whether it is about the generator's own output, before guardrails.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// Its name in JSON, gates and logs.
    pub fn key(&self) -> String {
        let key = self.spec().key;
        if self.raw { format!("{key}{RAW_SUFFIX}") } else { key.to_owned() }
    }

    /// The score of the metric. `sample` is `None` if the log does not have the response.
    pub(crate) fn score(&self, sample: Option<&View<'_>>) -> Score {
        sample.map_or_else(|| Score::n_a(NO_RAW), |sample| sample.score(self.metric))
    }
}

/// The description of every metric of runs, in the order of the report.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    all().filter(|spec| spec.in_runs)
}

/// The description of every metric, in the order of tables.
pub fn all() -> impl Iterator<Item = &'static Spec> {
    REGISTRY.iter().map(|metric| &metric.spec)
}

/// The columns after guardrails, or before them if `raw`, in the order of the report.
pub fn stage(raw: bool) -> impl Iterator<Item = Column> {
    REGISTRY
        .iter()
        .map(move |metric| Column { metric, raw })
        .filter(|column| column.spec().in_runs && (column.spec().staged || !column.raw))
}

/// Every column, in the order of the report: after guardrails, then before.
pub fn columns() -> impl Iterator<Item = Column> {
    stage(false).chain(stage(true))
}

/// The keys of [`columns`].
pub fn keys() -> Vec<String> {
    columns().map(|column| column.key()).collect()
}

/// The column with this key.
pub fn find(key: &str) -> Option<Column> {
    columns().find(|column| column.key() == key)
}

/// The title of the column with this key: its name in tables.
pub fn title(key: &str) -> String {
    find(key).map_or_else(|| key.to_owned(), |column| column.spec().title.to_owned())
}

/// Keys of older logs and files, and what they are called now.
const FORMER: [(&str, &str); 5] = [
    ("answerable_answered", "coverage"),
    ("unanswerable_refused", "unanswerable_accuracy"),
    ("confidence_error", "brier_score"),
    ("context_precision", "context_average_precision"),
    ("correct", "matched"),
];

/// The key of today for one of an older version, any other as it is.
pub fn current(key: &str) -> &str {
    let renamed = FORMER.iter().find(|(former, _)| *former == key);
    renamed.map_or(key, |(_, now)| now)
}

/// Reads scores, those under a key of an older version too.
///
/// # Errors
/// Those of the deserializer.
pub fn read_scores<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Ordered<Score>, D::Error> {
    let read = <Ordered<Score> as serde::Deserialize>::deserialize(from)?;
    Ok(read.iter().map(|(key, score)| (current(key).to_owned(), score.clone())).collect())
}

/// The metric with this key.
fn find_metric(key: &str) -> Option<&'static Metric> {
    REGISTRY.iter().copied().find(|metric| metric.spec.key == key)
}

/// Every score of a sample, and why it fails.
pub fn score(sample: &Sample, tools: Tools<'_>, verdicts: &Verdicts) -> Scores {
    let view = View::new(sample, tools, verdicts);
    let scores: Ordered<Score> =
        REGISTRY.iter().map(|metric| (metric.spec.key.to_owned(), view.score(metric))).collect();
    let scored = |metric: &&&'static Metric| scores.get(metric.spec.key).and_then(Score::get).is_some();
    let scored = || REGISTRY.iter().filter(scored).map(|metric| (metric.spec.key.to_owned(), *metric));
    let explanations = scored().filter_map(|(key, metric)| Some((key, view.explanation(metric)?)));
    let explanations = explanations.collect();
    let findings = scored().map(|(key, metric)| (key, view.findings(metric)));
    let findings = findings.filter(|(_, all)| !all.is_empty()).collect();
    let failures = service::failures(&view);
    Scores {
        cluster: sample.cluster(),
        scores,
        auto_fail: !failures.is_empty(),
        failure_reasons: failures.into_iter().map(|failure| failure.reason).collect(),
        explanations,
        findings,
    }
}

/// What a judge reads of a sample: its claims and the passages that each cites.
///
/// # Errors
/// Why there is nothing to judge: a field that is missing, or a refusal.
pub fn judge_input(sample: &Sample) -> Result<JudgeInput, Score> {
    let verdicts = Verdicts::default();
    let view = View::new(sample, Tools::default(), &verdicts);
    let reading = view.given()?;
    let passages = view.passages()?.iter().enumerate();
    Ok(JudgeInput {
        question: sample.question.clone().unwrap_or_default(),
        context: passages
            .map(|(at, passage)| crate::judge::Passage {
                id: passage_id(at, passage),
                source: passage.source.clone().or_else(|| named(passage)).unwrap_or_default(),
                text: passage.text.clone(),
            })
            .collect(),
        response: sample.answer.clone().unwrap_or_default(),
        claims: reading.claims.clone(),
        basis: if reading.tells { Basis::Cited } else { Basis::BestPassage },
    })
}

/// What answers call the document of a passage, where they shorten its id: `resume_12.txt (r_12)`.
fn named(passage: &crate::Passage) -> Option<String> {
    let document = passage.document.as_deref()?;
    documents::short(document).map(|short| format!("{document} ({short})"))
}

/// What a language model reads to decide whether a sample is right; `None` where that needs no model: nothing is known of the
/// right answer, or nothing was answered.
pub fn compare_input(sample: &Sample) -> Option<CompareInput> {
    let verdicts = Verdicts::default();
    let view = View::new(sample, Tools::default(), &verdicts);
    let quotes = sample.gold_quotes.iter().flatten().map(|gold| gold.quote.as_str());
    let reference = match view.reference() {
        Ok(reference) => reference.to_owned(),
        Err(_) => quotes.collect::<Vec<_>>().join("\n"),
    };
    let answer = view.owed().ok().flatten()?.text.clone();
    (!reference.is_empty()).then(|| CompareInput {
        question: sample.question.clone().unwrap_or_default(),
        reference,
        answer,
    })
}

/// Whether the text of the answer has citation marks.
pub(crate) fn has_marks(sample: &Sample) -> bool {
    !citations::Reading::new(sample).marks.is_empty()
}

/// The share of what holds, 0 to 1; 0 of nothing.
fn share(holds: impl IntoIterator<Item = bool>) -> f64 {
    let (mut yes, mut all) = (0usize, 0usize);
    for one in holds {
        yes += usize::from(one);
        all += 1;
    }
    yes as f64 / all.max(1) as f64
}

/// The harmonic mean of precision and recall.
fn f1(precision: f64, recall: f64) -> f64 {
    let sum = precision + recall;
    if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }
}

/// As [`share`], of what can fail.
fn share_of(holds: impl Iterator<Item = Result<bool, Score>>) -> Result<f64, Score> {
    Ok(share(holds.collect::<Result<Vec<_>, _>>()?))
}

#[cfg(test)]
mod tests;
