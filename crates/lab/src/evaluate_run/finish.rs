//! Fills the document of `score`.

use super::{
    EvaluateRequest,
    document::{Evaluate, EvaluateDimension, EvaluateMean, EvaluateMetadata, EvaluateResult, Pass},
    input::Input,
    judge::Judge,
};
use crate::provenance::{name_of, version};
use engine::settings::Settings;
use eval::{
    Ordered, Sample, Score,
    assessment::{Summary, summarise, with_extremes},
    judge::dimensions::{Dimension, Overall},
    metrics::{Range, Scores},
};

/// Reads one overall score.
type ScoreOf = fn(&Overall) -> &Score;

/// The overall scores of the summary.
const OVERALL: [(&str, ScoreOf); 2] = [
    ("overall", |overall| &overall.score),
    ("overall_without_reference", |overall| &overall.without_reference),
];

/// The overall score of a row.
fn overall(settings: &Settings, scores: &Scores) -> Overall {
    Overall::of(&settings.evaluate.weights, &Dimension::ALL.map(|of| (of, scores.get(of.key()))))
}

/// The document of one row.
pub(super) fn row(settings: &Settings, row: &Sample, scores: &Scores) -> EvaluateResult {
    let overall = overall(settings, scores);
    let query = row.query_id.clone().or_else(|| row.question.clone());
    let failed = Dimension::ALL.into_iter().filter_map(|dimension| match scores.get(dimension.key()) {
        Score::Error(error) => Some(format!("{}: {error}", dimension.key())),
        _ => None,
    });
    let failed: Vec<String> = failed.collect();
    let by_key = |(dimension, weight): &(Dimension, f64)| (dimension.key().to_owned(), *weight);
    EvaluateResult {
        query: query.unwrap_or_else(|| row.id.clone()),
        answer: row.answer.clone(),
        evaluations: Dimension::ALL.into_iter().map(|of| dimension(of, scores)).collect(),
        overall_score: overall.score.get(),
        weights_used: overall.weights_used.iter().map(by_key).collect(),
        overall_without_reference: overall.without_reference.get(),
        page_recall: scores.get("page_recall").get(),
        metrics: scores.scores.clone(),
        relevance: pass("relevance", scores),
        groundedness: pass("faithful", scores),
        retrieval_relevance: pass("retrieval_relevance_pass", scores),
        correctness: pass("matched", scores),
        overall_pass: pass("overall_pass", scores).score,
        auto_fail: scores.auto_fail,
        failure_reasons: scores.failure_reasons.clone(),
        question: row.question.clone(),
        cluster: scores.cluster.clone(),
        line: row.line,
        tags: row.tags.clone(),
        error: (!failed.is_empty()).then(|| failed.join("; ")),
    }
}

/// A metric that passes or fails.
fn pass(key: &str, scores: &Scores) -> Pass {
    let (score, explanation) = match scores.get(key) {
        Score::Value(value) => (Some(value > 0.5), scores.explanations.get(key).cloned().unwrap_or_default()),
        Score::NotApplicable(reason) => (None, format!("n/a: {reason}")),
        Score::Error(reason) => (None, format!("error: {reason}")),
    };
    Pass { score, explanation }
}

/// The score in a dimension, why, and what lowers it. Without a language model the reason is what the metric counted.
fn dimension(dimension: Dimension, scores: &Scores) -> (String, EvaluateDimension) {
    let key = dimension.key();
    let mut out = EvaluateDimension::default();
    let mut findings = Vec::new();
    match scores.get(key) {
        Score::Value(value) => {
            let reason = scores.explanations.get(key).cloned();
            out.reasoning = reason.unwrap_or_else(|| format!("as `pipeline metrics {key}` defines it"));
            out.score = Some(value);
            findings = scores.findings.get(key).cloned().unwrap_or_default();
        }
        Score::NotApplicable(why) => out.n_a = Some(why),
        Score::Error(why) => out.error = Some(why),
    }
    out.findings.insert(dimension.findings_key().to_owned(), findings);
    (key.to_owned(), out)
}

/// The document of a finished run; its gates are not checked yet.
pub(super) fn document(
    (settings, judge): (&Settings, &Judge),
    request: &EvaluateRequest,
    input: &Input,
    rows: &[Scores],
) -> Evaluate {
    let of_rows: Vec<(&str, Overall)> =
        rows.iter().map(|scores| (scores.cluster.as_str(), overall(settings, scores))).collect();
    let measured: Summary = summarise(rows, &settings.evaluate.limits, settings.eval.seed);
    let file = |path: &Option<std::path::PathBuf>| path.as_deref().map(name_of);
    let versions = Dimension::ALL.into_iter().filter_map(|dimension| {
        let version = judge.prompt_version(dimension)?;
        Some((dimension.key().to_owned(), version.to_owned()))
    });
    let weight =
        |dimension: Dimension| (dimension.key().to_owned(), dimension.weight(&settings.evaluate.weights));
    let metadata = EvaluateMetadata {
        test_results_file: input.name.clone(),
        evaluator_model: judge.name.clone(),
        context_recall: input.rows.first().and_then(|row| row.recall).map(str::to_owned),
        total_tests: rows.len(),
        rows_in_file: input.in_file,
        input_format: input.format.clone(),
        ground_truth_file: file(&request.ground_truth),
        queries_file: file(&request.queries),
        qrels_file: file(&request.qrels),
        judge: judge.id(),
        prompt_versions: versions.collect(),
        weights: Dimension::ALL.into_iter().map(weight).collect(),
        errors: of_rows.iter().filter(|(_, own)| matches!(own.score, Score::Error(_))).count(),
        config_hash: settings.config_hash(),
        version: version(),
        seed: settings.eval.seed,
    };
    let seed = settings.eval.seed;
    let of = |key: &str| measured.metrics.get(key).map(EvaluateMean::from).unwrap_or_default();
    let mut summary: Ordered<EvaluateMean> =
        Dimension::ALL.map(Dimension::key).map(|key| (key.to_owned(), of(key))).into_iter().collect();
    for (key, score) in OVERALL {
        let scores = of_rows.iter().map(|(cluster, own)| (*cluster, Some(score(own))));
        summary.insert(key, EvaluateMean::from(&with_extremes(scores, key, Range::UNIT, seed)));
    }
    summary.insert("page_recall", of("page_recall"));
    Evaluate {
        metadata,
        results: input
            .rows
            .iter()
            .zip(rows)
            .map(|(of, own)| (of.id.clone(), row(settings, of, own)))
            .collect(),
        summary,
        metrics: measured,
        gates: Vec::new(),
        against: None,
    }
}
