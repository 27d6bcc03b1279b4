//! Fills the document of `evaluate`.

use super::{
    EvaluateRequest,
    document::{Evaluate, EvaluateDimension, EvaluateMean, EvaluateMetadata, EvaluateRow, Pass},
    input::Input,
    judge::Judge,
    scored::Scored,
};
use crate::eval_run::{name_of, version};
use engine::settings::Settings;
use eval::{
    Ordered, Sample, Score,
    assessment::{Summary, summarise, with_extremes},
    judge::dimensions::{Dimension, Overall},
    metrics::Range,
};

/// A row with all its scores.
struct Finished<'a> {
    row: &'a Sample,
    scored: Scored,
    overall: Overall,
}

impl<'a> Finished<'a> {
    fn new(settings: &Settings, row: &'a Sample, scored: Scored) -> Self {
        let score = |dimension: Dimension| (dimension, scored.scores.get(dimension.key()));
        let scores = Dimension::ALL.map(score);
        Self { row, overall: settings.evaluate.weights.overall(&scores), scored }
    }

    fn document(&self) -> EvaluateRow {
        let (row, scores) = (self.row, &self.scored.scores);
        let query = row.query_id.clone().or_else(|| row.question.clone());
        let weights = self.overall.weights_used.iter();
        let failed = Dimension::ALL.into_iter().filter_map(|dimension| match scores.get(dimension.key()) {
            Score::Error(error) => Some(format!("{}: {error}", dimension.key())),
            _ => None,
        });
        let failed: Vec<String> = failed.collect();
        EvaluateRow {
            query: query.unwrap_or_else(|| row.id.clone()),
            answer: row.answer.clone(),
            evaluations: Dimension::ALL
                .into_iter()
                .map(|of| (of.key().to_owned(), self.dimension(of)))
                .collect(),
            overall_score: self.overall.score.get(),
            weights_used: weights.map(|(dimension, weight)| (dimension.key().to_owned(), *weight)).collect(),
            overall_without_reference: self.overall.without_reference.get(),
            page_recall: scores.get("page_recall").get(),
            metrics: scores.scores.clone(),
            relevance: self.pass("relevance"),
            groundedness: self.pass("faithful"),
            retrieval_relevance: self.pass("retrieval_relevance_pass"),
            correctness: self.pass("matched"),
            overall_pass: self.pass("overall_pass").score,
            auto_fail: scores.auto_fail,
            failure_reasons: scores.failure_reasons.clone(),
            question: row.question.clone(),
            cluster: scores.cluster().to_owned(),
            line: row.line,
            tags: row.tags.clone(),
            error: (!failed.is_empty()).then(|| failed.join("; ")),
        }
    }

    /// A metric that passes or fails.
    fn pass(&self, key: &str) -> Pass {
        let explained = self.scored.scores.explanations.get(key).cloned();
        let (score, explanation) = match self.scored.scores.get(key) {
            Score::Value(value) => (Some(value > 0.5), explained.unwrap_or_default()),
            Score::NotApplicable(reason) => (None, format!("n/a: {reason}")),
            Score::Error(reason) => (None, format!("error: {reason}")),
        };
        Pass { score, explanation }
    }

    /// The score in a dimension, why, and what lowers it. Without a language model the reason is what the metric counted.
    fn dimension(&self, dimension: Dimension) -> EvaluateDimension {
        let (key, scored) = (dimension.key(), &self.scored.scores);
        let decided = self.scored.verdicts.decided.get(key);
        let reason = decided.and_then(|own| own.output()).map(|decision| decision.reason.clone());
        let explained = || scored.explanations.get(key).cloned();
        let reason =
            reason.or_else(explained).unwrap_or_else(|| format!("as `pipeline metrics {key}` defines it"));
        let findings = scored.findings.get(key).cloned().unwrap_or_default();
        let mut out = EvaluateDimension::default();
        let said = match scored.get(key) {
            Score::Value(value) => {
                (out.score, out.reasoning) = (Some(value), reason);
                findings
            }
            Score::NotApplicable(why) => {
                out.n_a = Some(why);
                Vec::new()
            }
            Score::Error(why) => {
                out.error = Some(why);
                Vec::new()
            }
        };
        out.findings.insert(dimension.findings_key().to_owned(), said);
        out
    }
}

/// The document of one row.
pub(super) fn row(settings: &Settings, row: &Sample, scored: Scored) -> EvaluateRow {
    Finished::new(settings, row, scored).document()
}

/// The document of a finished run; its gates are not checked yet.
pub(super) fn document(
    settings: &Settings,
    request: &EvaluateRequest,
    input: &Input,
    judge: &Judge,
    scored: Vec<Scored>,
) -> Evaluate {
    let rows: Vec<Finished<'_>> =
        (input.rows.iter().zip(scored)).map(|(row, scored)| Finished::new(settings, row, scored)).collect();
    let each: Vec<_> = rows.iter().map(|row| row.scored.scores.clone()).collect();
    let measured: Summary = summarise(&each, &settings.evaluate.limits, settings.eval.seed);
    let file = |path: &Option<std::path::PathBuf>| path.as_deref().map(name_of);
    let versions = Dimension::ALL.into_iter().filter_map(|dimension| {
        let version = judge.prompt_version(dimension)?;
        Some((dimension.key().to_owned(), version.to_owned()))
    });
    let weight = |dimension: Dimension| (dimension.key().to_owned(), settings.evaluate.weights.of(dimension));
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
        errors: rows.iter().filter(|row| matches!(row.overall.score, Score::Error(_))).count(),
        config_hash: settings.config_hash(),
        version: version(),
        seed: settings.eval.seed,
    };
    let seed = settings.eval.seed;
    let of = |key: &str| measured.metrics.get(key).map(EvaluateMean::from).unwrap_or_default();
    let mut summary: Ordered<EvaluateMean> =
        Dimension::ALL.map(Dimension::key).map(|key| (key.to_owned(), of(key))).into_iter().collect();
    type ScoreOf = fn(&Overall) -> &Score;
    let overall: [(&str, ScoreOf); 2] = [
        ("overall", |overall| &overall.score),
        ("overall_without_reference", |overall| &overall.without_reference),
    ];
    for (key, score) in overall {
        let scores = rows.iter().map(|row| (row.scored.scores.cluster(), Some(score(&row.overall))));
        summary.insert(key, EvaluateMean::from(&with_extremes(scores, key, Range::UNIT, seed)));
    }
    summary.insert("page_recall", of("page_recall"));
    Evaluate {
        metadata,
        results: rows.iter().map(|row| (row.row.id.clone(), row.document())).collect(),
        summary,
        metrics: measured,
        gates: Vec::new(),
        against: None,
    }
}
