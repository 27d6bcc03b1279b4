//! The document of an evaluation of answers.

use super::{EvaluateRequest, Measured, input::Input, judge::Judge, scored::Scored};
use crate::{
    benchmark::converted,
    error::LabError,
    eval_run::{name_of, version},
};
use assess::dimensions::{Dimension, Overall, Verdict, page_recall};
use contract::{
    AnswerRelevance, CitationQuality, Completeness, Correctness, Evaluate, EvaluateMean, EvaluateMetadata,
    EvaluateRow, EvaluateSummary, Evaluations, Faithfulness, Pass,
};
use engine::settings::Settings;
use eval::{MetricSummary, Score, judge::JudgeError, metrics::Range};
use rows::AnswerRow;

/// A row with all its scores.
struct Finished<'a> {
    row: &'a AnswerRow,
    scored: Scored,
    measured: assess::metrics::Scored,
    scores: Vec<(Dimension, Score)>,
    overall: Overall,
    pages: Score,
}

impl<'a> Finished<'a> {
    fn new(
        settings: &Settings,
        row: &'a AnswerRow,
        scored: Scored,
        measured: assess::metrics::Scored,
    ) -> Self {
        let score = |verdict: &Result<Verdict, JudgeError>| match verdict {
            Ok(verdict) => Score::value(verdict.score),
            Err(JudgeError::NotApplicable(reason)) => Score::n_a(reason.as_str()),
            Err(error) => Score::Error(error.to_string()),
        };
        let scores: Vec<(Dimension, Score)> = (scored.verdicts.iter())
            .map(|(dimension, verdict)| (*dimension, score(verdict)))
            .collect();
        Self {
            row,
            overall: settings.evaluate.weights.overall(&scores),
            scores,
            scored,
            measured,
            pages: page_recall(row),
        }
    }

    fn score(&self, dimension: Dimension) -> &Score {
        let found = self.scores.iter().find(|(own, _)| *own == dimension);
        found.map_or(&self.overall.score, |(_, score)| score)
    }

    fn document(&self) -> Result<EvaluateRow, LabError> {
        let row = self.row;
        let query = row.query_id.clone().or_else(|| row.question.clone());
        let weights = self.overall.weights_used.iter();
        let failed: Vec<String> = (self.scores.iter())
            .filter_map(|(dimension, score)| match score {
                Score::Error(error) => Some(format!("{}: {error}", dimension.key())),
                _ => None,
            })
            .collect();
        Ok(EvaluateRow {
            query: query.unwrap_or_else(|| row.id.clone()),
            answer: row.answer.clone(),
            evaluations: self.evaluations(),
            overall_score: self.overall.score.get(),
            weights_used: weights
                .map(|(dimension, weight)| (dimension.key().to_owned(), *weight))
                .collect(),
            overall_without_reference: self.overall.without_reference.get(),
            page_recall: self.pages.get(),
            metrics: converted(&self.measured.scores)?,
            relevance: self.pass("relevance"),
            groundedness: self.pass("groundedness"),
            retrieval_relevance: self.pass("retrieval_relevance_pass"),
            correctness: self.pass("correct"),
            overall_pass: self.pass("overall_pass").score,
            auto_fail: self.measured.auto_fail,
            failure_reasons: self.measured.failure_reasons.clone(),
            question: row.question.clone(),
            cluster: self.measured.cluster().to_owned(),
            line: row.line,
            tags: row.tags.clone(),
            error: (!failed.is_empty()).then(|| failed.join("; ")),
        })
    }

    /// A metric that passes or fails.
    fn pass(&self, key: &str) -> Pass {
        let explained = self.measured.explanations.get(key).cloned();
        match self.measured.scores.get(key) {
            Some(Score::Value(value)) => Pass {
                score: Some(*value > 0.5),
                explanation: explained.unwrap_or_default(),
            },
            Some(Score::NotApplicable(reason)) => Pass {
                score: None,
                explanation: format!("n/a: {reason}"),
            },
            Some(Score::Error(reason)) => Pass {
                score: None,
                explanation: format!("error: {reason}"),
            },
            None => Pass::default(),
        }
    }

    fn evaluations(&self) -> Evaluations {
        macro_rules! dimension {
            ($name:ident, $list:ident) => {{
                let score = self.score(Dimension::$name);
                let verdict =
                    self.scored.verdicts.iter().find_map(|(own, verdict)| {
                        verdict.as_ref().ok().filter(|_| *own == Dimension::$name)
                    });
                $name {
                    score: score.get(),
                    reasoning: verdict
                        .map(|verdict| verdict.reasoning.clone())
                        .unwrap_or_default(),
                    $list: verdict
                        .map(|verdict| verdict.findings.clone())
                        .unwrap_or_default(),
                    n_a: match score {
                        Score::NotApplicable(reason) => Some(reason.clone()),
                        _ => None,
                    },
                    error: match score {
                        Score::Error(reason) => Some(reason.clone()),
                        _ => None,
                    },
                }
            }};
        }
        Evaluations {
            faithfulness: dimension!(Faithfulness, unsupported_claims),
            answer_relevance: dimension!(AnswerRelevance, missing_aspects),
            citation_quality: dimension!(CitationQuality, issues),
            completeness: dimension!(Completeness, missing_info),
            correctness: dimension!(Correctness, differences),
        }
    }
}

/// The document of a finished run; its gates are not checked yet.
///
/// # Errors
/// When a number cannot be written as JSON.
pub(super) fn document(
    settings: &Settings,
    request: &EvaluateRequest,
    input: &Input,
    judge: &Judge,
    scored: Vec<Scored>,
    measured: Measured,
) -> Result<Evaluate, LabError> {
    let rows: Vec<Finished<'_>> = (input.rows.iter().zip(scored).zip(measured.rows))
        .map(|((row, scored), measured)| Finished::new(settings, row, scored, measured))
        .collect();
    let file = |path: &Option<std::path::PathBuf>| path.as_deref().map(name_of);
    let versions = Dimension::ALL.into_iter().filter_map(|dimension| {
        let version = judge.dimensions.prompt_version(dimension)?;
        Some((dimension.key().to_owned(), version.to_owned()))
    });
    let weight = |dimension: Dimension| {
        (
            dimension.key().to_owned(),
            settings.evaluate.weights.of(dimension),
        )
    };
    let metadata = EvaluateMetadata {
        test_results_file: input.name.clone(),
        evaluator_model: judge.name.clone(),
        total_tests: rows.len(),
        rows_in_file: input.in_file,
        input_format: input.format.clone(),
        ground_truth_file: file(&request.ground_truth),
        queries_file: file(&request.queries),
        qrels_file: file(&request.qrels),
        judge: judge.dimensions.id(),
        prompt_versions: versions.collect(),
        weights: Dimension::ALL.into_iter().map(weight).collect(),
        errors: rows
            .iter()
            .filter(|row| matches!(row.overall.score, Score::Error(_)))
            .count(),
        config_hash: settings.config_hash(),
        version: version(),
        seed: settings.eval.seed,
    };
    let seed = settings.eval.seed;
    let of = |dimension: Dimension| mean(&rows, seed, dimension.key(), |row| row.score(dimension));
    let summary = EvaluateSummary {
        faithfulness: of(Dimension::Faithfulness),
        answer_relevance: of(Dimension::AnswerRelevance),
        citation_quality: of(Dimension::CitationQuality),
        completeness: of(Dimension::Completeness),
        correctness: of(Dimension::Correctness),
        overall: mean(&rows, seed, "overall", |row| &row.overall.score),
        overall_without_reference: mean(&rows, seed, "overall_without_reference", |row| {
            &row.overall.without_reference
        }),
        page_recall: mean(&rows, seed, "page_recall", |row| &row.pages),
    };
    Ok(Evaluate {
        metadata,
        results: rows
            .iter()
            .map(|row| Ok((row.row.id.clone(), row.document()?)))
            .collect::<Result<_, LabError>>()?,
        summary,
        metrics: measured.summary,
        gates: Vec::new(),
        against: None,
    })
}

fn mean<'r>(
    rows: &'r [Finished<'_>],
    seed: u64,
    key: &str,
    score: impl Fn(&'r Finished<'_>) -> &'r Score,
) -> EvaluateMean {
    let scores = rows.iter().map(|row| (row.measured.cluster(), Some(score(row))));
    let found = MetricSummary::of_scores(scores, key, Range::UNIT, seed);
    let values = || rows.iter().filter_map(|row| score(row).get());
    EvaluateMean {
        mean: found.mean,
        min: values().reduce(f64::min),
        max: values().reduce(f64::max),
        count: found.n,
        n_a: found.n_a,
        errors: found.errors,
        ci_low: found.ci_low,
        ci_high: found.ci_high,
    }
}
