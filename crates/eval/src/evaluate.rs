//! From one run record to one row.

use crate::hash;
use crate::judge::{Compared, Judge, JudgeError, Judged, Verdicts};
use crate::metrics::{self, Tools, View, gold};
use crate::{Query, Row, Sample, Score, failure_modes};
use types::{AnswerOutcome, ChunkId, Confidence, FailureKind, ResponseRecord, RunRecord, Spent};

/// Scores a record against its query's labels. Without a query, metrics that need labels are n/a; without a
/// judge, or without a logged context, those that need support are. Never fails: what cannot be scored is a
/// counted error. A row on which the judge gave no verdict says so in [`Row::error`] and keeps its other scores.
pub async fn evaluate(record: &RunRecord, query: Option<&Query>, judge: Option<&dyn Judge>) -> Row {
    evaluate_once(record, query, judge).await.0
}

/// As [`evaluate`], with the kind of failure where the judge gave no verdict.
pub(crate) async fn evaluate_once(
    record: &RunRecord,
    query: Option<&Query>,
    judge: Option<&dyn Judge>,
) -> (Row, Option<FailureKind>) {
    let response = &record.response;
    let sample = Sample::of_record(record, response, query);
    let verdicts = verdicts(&sample, judge).await;
    let raw = record.response_raw.as_ref();
    // Guardrails usually change nothing; a second look at the same text costs and says the same.
    let same =
        raw.is_some_and(|raw| raw.answer == response.answer && raw.no_evidence == response.no_evidence);
    let raw = raw.map(|raw| Sample::of_record(record, raw, query));
    let raw_verdicts = match &raw {
        None => Verdicts::default(),
        Some(_) if same => verdicts.clone(),
        Some(raw) => Verdicts { claims: judged(raw, judge).await, ..Verdicts::default() },
    };
    let tools = Tools::default();
    let given = View::new(&sample, tools, &verdicts);
    let own = raw.as_ref().map(|raw| View::new(raw, tools, &raw_verdicts));
    let scores = metrics::columns()
        .map(|column| {
            let sample = if column.is_raw() { own.as_ref() } else { Some(&given) };
            (column.key(), column.score(sample))
        })
        .collect();
    let compared = compared(&given);
    let decided = verdicts.decided.values().find_map(Judged::failure);
    let failure = verdicts.claims.failure().or(raw_verdicts.claims.failure()).or(decided);
    let mut usage = record.usage_by_stage.clone();
    usage.add(Spent::JUDGE, verdicts.usage());
    if !same {
        usage.add(Spent::JUDGE, raw_verdicts.usage());
    }
    let (judged, judged_raw) = (&verdicts.claims, &raw_verdicts.claims);
    let mut row = Row {
        query_id: record.query_id.clone().unwrap_or_default(),
        mode: record.mode.map_or_else(|| record.retrieval.method.clone(), |mode| mode.to_string()),
        kind: query.map_or_else(|| "unknown".to_owned(), |q| q.kind.clone()),
        tags: query.map(|q| q.tags.clone()).unwrap_or_default(),
        query: record.query.clone(),
        expected_no_evidence: query.map(|q| q.expected_no_evidence),
        no_evidence: Some(response.no_evidence),
        outcome: Some(outcome(response)),
        confidence: response.confidence.clone(),
        probability: response.probability.map(f64::from),
        scores,
        grade: judged.output().map(|output| output.grade),
        judge_score: judged.output().map(|output| output.score),
        compared,
        unsupported: judged.unsupported(),
        unsupported_raw: judged_raw.unsupported(),
        guardrails: record.guardrails.clone(),
        caveats: response.caveats.clone(),
        citations: Some(response.citations.len()),
        answer: response.answer.clone(),
        gold: gold::paths(record, query),
        foreign_authors: failure_modes::foreign_authors(record),
        failure_modes: Vec::new(),
        gold_ranks: Vec::new(),
        funnel: None,
        lost_at: None,
        cluster: query.map(Query::cluster).unwrap_or_default(),
        candidates_key: key_of(record.retrieval.candidates()),
        timings_ms: record.timings_ms.clone(),
        attempts: 1,
        usage,
        fallbacks: record.fallbacks.clone(),
        error: failure.map(|error| format!("no verdict: {error}")),
        pending: failure.is_some_and(JudgeError::is_pending),
    };
    row.follow(record, query, Vec::new());
    (row, failure.map(JudgeError::kind))
}

/// A row for a query that got no answer: every metric is an error, and counted as one.
pub(crate) fn failed_row(query: &Query, mode: &str, error: &str, attempts: u32) -> Row {
    Row {
        query_id: query.id.clone(),
        mode: mode.to_owned(),
        kind: query.kind.clone(),
        tags: query.tags.clone(),
        query: query.query.clone(),
        expected_no_evidence: Some(query.expected_no_evidence),
        cluster: query.cluster(),
        scores: metrics::keys().into_iter().map(|key| (key, Score::Error("no answer".to_owned()))).collect(),
        attempts,
        error: Some(error.to_owned()),
        ..Row::default()
    }
}

/// What a judge says of a sample: of its claims and, where it is a language model, whether it is right.
pub async fn verdicts(sample: &Sample, judge: Option<&dyn Judge>) -> Verdicts {
    let mut out = Verdicts { claims: judged(sample, judge).await, ..Verdicts::default() };
    if let (Some(judge), Some(input)) = (judge, metrics::compare_input(sample))
        && let Some(compared) = judge.compare(&input)
    {
        out.decided.insert("matched", Judged::of(compared.await));
    }
    out
}

async fn judged(sample: &Sample, judge: Option<&dyn Judge>) -> Judged {
    match (metrics::judge_input(sample), judge) {
        (Err(Score::NotApplicable(why)), _) => Judged::NotApplicable(why),
        (Err(_), _) | (_, None) => Judged::NotApplicable("no judge was asked".to_owned()),
        (Ok(input), Some(judge)) => Judged::of(judge.judge(&input).await),
    }
}

/// How the answer compares with what is known of the right one: as the language model says, or else by its content.
fn compared(sample: &View<'_>) -> Option<Compared> {
    match sample.decided("matched") {
        Some(decided) => decided.output().map(Compared::from),
        None => metrics::matched::compared(sample).ok().flatten(),
    }
}

fn outcome(response: &ResponseRecord) -> AnswerOutcome {
    match (response.no_evidence, response.confidence()) {
        (true, _) => AnswerOutcome::None,
        (false, Some(Confidence::Low)) => AnswerOutcome::Partial,
        (false, _) => AnswerOutcome::Answered,
    }
}

/// Names the set of chunks, whatever their order; empty for no chunk.
fn key_of(mut chunks: Vec<&ChunkId>) -> String {
    if chunks.is_empty() {
        return String::new();
    }
    chunks.sort_unstable();
    let mut key = hash::sha256_lines(chunks.into_iter().map(ToString::to_string));
    key.truncate(16);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::JudgeInput;
    use crate::judge::{JudgeOutput, OfflineJudge};
    use crate::metrics::testing::{chunk, cite, refusal, response};
    use crate::queries::QuerySet;
    use evidence::support::LexicalSupport;
    use std::sync::Arc;
    use types::{BoxFuture, Mode};

    const SENTENCE: &str = "Regular walking lowered blood pressure and CRP by 12 mmHg in 40 adults.";

    fn query() -> Query {
        let line = serde_json::json!({"id": "D01", "type": "direct", "query": "q", "expected_no_evidence": false,
            "reference_answer": SENTENCE, "gold_evidence": [{"source_id": "a", "quote": SENTENCE}], "tags": ["t"]});
        QuerySet::parse("set", &line.to_string()).expect("loads").queries.remove(0)
    }

    fn record(response: ResponseRecord) -> RunRecord {
        RunRecord {
            query: "q".into(),
            query_id: Some("D01".into()),
            mode: Some(Mode::Hybrid),
            context: Some(vec![chunk("a__body__000", &format!("Before this. {SENTENCE} After that."))]),
            response_raw: Some(response.clone()),
            response,
            ..RunRecord::default()
        }
    }

    fn cited() -> ResponseRecord {
        let answer = format!("{} (a, a__body__000).", SENTENCE.trim_end_matches('.'));
        ResponseRecord { probability: Some(1.0), ..response(&answer, &[cite("a__body__000", SENTENCE)]) }
    }

    fn offline() -> OfflineJudge {
        OfflineJudge::new(Arc::new(LexicalSupport::new()))
    }

    #[tokio::test]
    async fn a_perfect_answer_has_the_best_score_everywhere() {
        let row = evaluate(&record(cited()), Some(&query()), Some(&offline())).await;
        assert_eq!(row.scores.keys().collect::<Vec<_>>(), metrics::keys());
        let mut not_applicable = Vec::new();
        for (key, score) in row.scores.iter() {
            let spec = metrics::find(key).expect("registered").spec();
            let best = match spec.direction {
                metrics::Direction::Higher => spec.range.high,
                metrics::Direction::Lower => spec.range.low,
                metrics::Direction::Neither => continue,
            };
            match score {
                Score::NotApplicable(reason) => not_applicable.push((spec.key, reason.as_str())),
                score => assert_eq!(score, &Score::Value(best), "{key}"),
            }
        }
        not_applicable.dedup();
        assert_eq!(
            not_applicable,
            [
                ("unanswerable_accuracy", "an answer is expected"),
                ("average_distance", "the row has no `passages.distance`")
            ],
            "the record lists no chunks of retrieval"
        );
        assert_eq!(
            (row.grade, row.unsupported.len(), row.outcome),
            (Some(4), 0, Some(AnswerOutcome::Answered))
        );
        assert_eq!((row.mode.as_str(), row.kind.as_str()), ("hybrid", "direct"));
    }

    #[tokio::test]
    async fn raw_and_final_are_scored_apart() {
        let mut record = record(cited());
        let raw = record.response_raw.as_mut().expect("set above");
        raw.answer.push_str(" Quantum computers factor large integers.");
        raw.citations.push(cite("z__body__000", "invented"));
        let row = evaluate(&record, Some(&query()), Some(&offline())).await;
        let check = |key: &str, expect: f64| {
            let got = row.value(key).unwrap_or_else(|| panic!("{key}: {:?}", row.scores.get(key)));
            assert!((got - expect).abs() < 1e-12, "{key}: {got}");
        };
        check("citation_precision", 1.0);
        check("citation_precision_raw", 0.5);
        check("quote_accuracy_raw", 0.5);
        check("faithful", 1.0);
        check("faithful_raw", 0.0);
        check("claim_support_raw", 0.5);
        assert_eq!((row.unsupported.len(), row.unsupported_raw.len()), (0, 1));
    }

    #[tokio::test]
    async fn damage_to_an_answer_is_seen_by_binary_correctness() {
        let reference =
            "Regular walking lowered blood pressure by 12 mmHg. The pulse fell by four beats per minute.";
        let mut query = query();
        query.gold_evidence.clear();
        query.reference_answer = Some(reference.to_owned());
        let answered = |answer: &str| response(answer, &[cite("a__body__000", SENTENCE)]);
        let scored = async |response: ResponseRecord| {
            let row = evaluate(&record(response), Some(&query), Some(&offline())).await;
            (row.value("matched"), row.compared.map(|compared| compared.differences.is_empty()))
        };
        let whole = "The pulse fell by four beats per minute. Regular walking lowered blood pressure by 12 mmHg (a, a__body__000).";
        assert_eq!(scored(answered(whole)).await, (Some(1.0), Some(true)));
        let longer = format!("{whole} Forty adults took part.");
        assert_eq!(scored(answered(&longer)).await, (Some(1.0), Some(true)), "more is no fault");
        // A changed number, a claim that is left out, another answer.
        for damaged in [
            whole.replace("12 mmHg", "21 mmHg"),
            whole.replace("The pulse fell by four beats per minute. ", ""),
            "Quantum computers factor large integers.".to_owned(),
        ] {
            assert_eq!(scored(answered(&damaged)).await, (Some(0.0), Some(false)), "{damaged}");
        }
        // A refusal of a question that has an answer is wrong, and nobody is asked.
        assert_eq!(scored(refusal()).await, (Some(0.0), None));
        // Without a reference, or where a refusal is right, there is nothing to compare.
        let mut without = query.clone();
        without.reference_answer = None;
        without.gold_evidence.clear();
        let mut unanswerable = query.clone();
        unanswerable.expected_no_evidence = true;
        for query in [Some(&without), Some(&unanswerable), None] {
            let row = evaluate(&record(answered(whole)), query, Some(&offline())).await;
            assert!(matches!(row.scores.get("matched"), Some(Score::NotApplicable(_))));
            assert!(row.compared.is_none());
        }
    }

    struct Fails;
    impl Judge for Fails {
        fn id(&self) -> String {
            "fails".into()
        }
        fn judge<'a>(&'a self, _: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
            Box::pin(async { Err(JudgeError::TooLong { chars: 2, limit: 1 }) })
        }
    }

    #[tokio::test]
    async fn a_judge_that_fails_is_a_counted_error() {
        let row = evaluate(&record(cited()), Some(&query()), Some(&Fails)).await;
        let errors: Vec<&str> =
            row.scores.iter().filter(|(_, s)| matches!(s, Score::Error(_))).map(|(k, _)| k).collect();
        assert_eq!(
            errors,
            [
                "faithful",
                "fully_cited",
                "claim_support",
                "citation_support",
                "grade",
                "faithful_raw",
                "fully_cited_raw",
                "claim_support_raw",
                "citation_support_raw",
                "grade_raw"
            ]
        );
        assert_eq!(row.value("citation_precision"), Some(1.0));
        assert!(row.error.as_deref().is_some_and(|e| e.starts_with("no verdict: ")), "{:?}", row.error);
    }
}
