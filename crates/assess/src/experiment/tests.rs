//! Experiments with systems written for the purpose.

use super::*;
use crate::AssessError;
use eval::judge::{ClaimVerdict, JudgeError, JudgeInput, JudgeOutput, Verdict};
use rows::Passage;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use types::BoxFuture;

const PRESSURE: &str = "How does walking affect blood pressure?";
const SLEEP: &str = "How long did the mice sleep?";

fn dataset() -> Dataset {
    let mut dataset = Dataset::new("walking");
    dataset.add(PRESSURE, "Walking lowered blood pressure by 6 mmHg.");
    dataset.add(SLEEP, "The mice slept for nine hours.");
    dataset.add("Who funded the study?", "The Orvel Foundation funded the study.");
    dataset
}

/// Answers the first two questions from their documents.
async fn good(question: String) -> Result<(String, Vec<String>), String> {
    let text = match question.as_str() {
        PRESSURE => "In both arms, walking lowered blood pressure by 6 mmHg.",
        SLEEP => "In the trial, the mice slept for nine hours.",
        _ => return Err(format!("nothing found for {question:?}")),
    };
    Ok((text.to_owned(), vec![text.to_owned()]))
}

/// As [`good`], but one answer is not in its document.
async fn bad(question: String) -> Result<(String, Vec<String>), String> {
    let (answer, documents) = good(question).await?;
    let answer = answer.replace("nine hours", "forty days in Lisbon");
    Ok((answer, documents))
}

#[tokio::test]
async fn rows_keep_the_order_of_the_data_set_and_errors_are_counted() {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let system = |question: String| {
        let (now, most) = (&now, &most);
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // The first question takes longest.
            let wait = if question == PRESSURE { 30 } else { 5 };
            tokio::time::sleep(Duration::from_millis(wait)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            good(question).await
        }
    };
    let experiment = Experiment::new("experiment_v1").at_once(2);
    let results = experiment.run(&dataset(), system).await;
    assert_eq!(most.load(Ordering::SeqCst), 2);
    let ids: Vec<&str> = results.rows.iter().map(|row| row.row.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(
        results.rows[2].error.as_deref(),
        Some("nothing found for \"Who funded the study?\"")
    );
    assert_eq!(results.metrics.total_questions, 3);
    assert_eq!(
        (
            results.metrics.relevance_pass_rate,
            results.metrics.groundedness_pass_rate
        ),
        (Some(1.0), Some(1.0))
    );
    for key in ["relevance", "groundedness", "token_f1"] {
        let metric = results.metric(key);
        assert_eq!((metric.n, metric.n_a, metric.errors), (2, 0, 1), "{key}");
        assert!(metric.ci_low < metric.mean, "{key}: {metric:?}");
    }
    // No expected document was given: n/a for the answers, an error where there is none.
    let recall = results.metric("context_recall_documents");
    assert_eq!((recall.n, recall.n_a, recall.errors), (0, 2, 1));
    let again = experiment.run(&dataset(), good).await;
    assert_eq!(
        serde_json::to_string(&again).expect("JSON"),
        serde_json::to_string(&results).expect("JSON")
    );
    let shown = results.to_string();
    assert!(
        shown.contains("3 questions, 1 without an answer") && shown.contains("groundedness"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_is_saved_is_loaded_and_compared_by_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("experiment_v1.json");
    let earlier = Experiment::new("experiment_v1").run(&dataset(), bad).await;
    earlier.save(&path).expect("saved");
    let loaded = Results::load(&path).expect("loaded");
    assert_eq!(loaded, earlier);
    let mut more = dataset();
    more.add("Where was it?", "In Lisbon.");
    let results = Experiment::new("experiment_v2").run(&more, good).await;
    let compared = results.compare(&loaded).expect("comparable");
    assert_eq!(
        (
            compared.pairs,
            compared.only_here.as_slice(),
            compared.only_there.len()
        ),
        (3, &["4".to_owned()][..], 0)
    );
    let grounded = compared.metrics.get("groundedness").expect("compared");
    assert_eq!(
        (grounded.difference.delta, grounded.difference.n_pairs),
        (Some(0.5), 2)
    );
    assert_eq!(
        (grounded.better.as_slice(), grounded.worse.len()),
        (&["2".to_owned()][..], 0)
    );
    // One pair of two differs: both signs are equally likely.
    let p = (grounded.difference.p, grounded.difference.p_holm);
    assert_eq!(p, (Some(1.0), Some(1.0)));
    // Where lower is better, fewer failures are better.
    let failed = compared.metrics.get("auto_fail").expect("compared");
    assert_eq!(
        (failed.difference.delta, failed.better.as_slice()),
        (Some(-0.5), &["2".to_owned()][..])
    );
    assert_eq!(compared.metrics.get("context_recall_documents"), None);
}

#[tokio::test]
async fn what_cannot_be_compared_is_said() {
    let results = Experiment::new("a").run(&dataset(), good).await;
    let mut other = Dataset::new("other");
    other.add("Another question?", "Yes.");
    let other = Experiment::new("b").run(&other, good).await;
    let check = |first: &Results, second: &Results, says: &str| {
        let error = first.compare(second).expect_err("refused").to_string();
        assert!(
            error.contains("cannot compare \"a\" with \"b\"") && error.contains(says),
            "{error}"
        );
    };
    check(&results, &other, "the id \"1\" names two questions");
    let mut renamed = other.clone();
    renamed.rows[0].row.id = "x".into();
    check(&results, &renamed, "no question in common");
    renamed.judge = "someone".into();
    check(&results, &renamed, "use the same judge for both");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("odd.json");
    std::fs::write(&path, "{}").expect("written");
    let error = Results::load(&path).expect_err("refused").to_string();
    assert!(
        error.contains("does not hold the results of an experiment"),
        "{error}"
    );
    assert!(matches!(
        Results::load(Path::new("none.json")),
        Err(AssessError::Read { .. })
    ));
    assert!(matches!(
        results.save(&folder.path().join("none/file.json")),
        Err(AssessError::Write { .. })
    ));
}

#[tokio::test]
async fn passages_with_ids_give_recall_and_a_response_may_say_that_it_refuses() {
    let mut dataset = Dataset::new("ids");
    let question = |text: &str, expected: &str| AnswerRow {
        question: Some(text.into()),
        expected: Some(vec![rows::Expected {
            document: expected.into(),
            pages: Vec::new(),
            grade: 1,
        }]),
        ..AnswerRow::default()
    };
    dataset.push(question(PRESSURE, "a.pdf")).expect("new");
    dataset.push(question(SLEEP, "b.pdf")).expect("new");
    let twice = dataset.push(AnswerRow {
        id: "2".into(),
        ..AnswerRow::default()
    });
    assert!(matches!(twice, Err(AssessError::DuplicateId { .. })));
    let results = Experiment::new("e")
        .run(&dataset, |question| async move {
            Response {
                answer: "There is none.".into(),
                passages: vec![Passage {
                    text: question,
                    document: Some("a.pdf".into()),
                    ..Passage::default()
                }],
                refused: Some(true),
                ..Response::default()
            }
        })
        .await;
    assert_eq!(results.metric("context_recall_documents").mean, Some(0.5));
    let grounded = results.metric("groundedness");
    assert_eq!((grounded.n, grounded.n_a), (0, 2), "a refusal is not judged");
}

/// Calls every claim contradicted, unless it is told to fail.
struct Strict(Result<(), JudgeError>, Mutex<Vec<JudgeInput>>);

impl Judge for Strict {
    fn id(&self) -> String {
        "strict@1".into()
    }
    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        Box::pin(async move {
            self.1.lock().expect("not poisoned").push(input.clone());
            self.0.clone()?;
            let claims = support::claims(&input.response).into_iter();
            let claims = claims.map(|claim| {
                ClaimVerdict::new(&claim.text, &[], (0.0, 0.0), Verdict::Contradicted, "no", 0.5)
            });
            Ok(JudgeOutput::of("strict@1", claims.collect(), 0.5))
        })
    }
}

#[tokio::test]
async fn a_judge_decides_what_is_supported_and_nothing_else() {
    let strict = Strict(Ok(()), Mutex::default());
    let own = Experiment::new("e").run(&dataset(), good).await;
    let results = Experiment::new("e").judge(&strict).run(&dataset(), good).await;
    assert_eq!(results.judge, "strict@1");
    assert_eq!(
        (
            results.metrics.groundedness_pass_rate,
            results.metrics.overall_pass_rate
        ),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(results.metrics.failure_rate, Some(1.0));
    assert!(results.rows[0].scored.failure_reasons[0].starts_with("faithfulness 0.00"));
    for key in [
        "relevance",
        "token_f1",
        "correct",
        "completeness",
        "citation_quality",
    ] {
        assert_eq!(results.metric(key), own.metric(key), "{key}");
    }
    // A question without an answer is not judged.
    let seen = strict.1.lock().expect("not poisoned").clone();
    assert_eq!(seen.len(), 2);
    assert_eq!((seen[0].question.as_str(), seen[0].context.len()), (PRESSURE, 1));

    let broken = Strict(Err(JudgeError::TooLong { chars: 2, limit: 1 }), Mutex::default());
    let results = Experiment::new("e").judge(&broken).run(&dataset(), good).await;
    let grounded = results.metric("groundedness");
    assert_eq!((grounded.n, grounded.errors), (0, 3), "an error, never 0");
    assert_eq!(results.metrics.relevance_pass_rate, Some(1.0));
    let not_asked = Strict(
        Err(JudgeError::NotApplicable("two languages".into())),
        Mutex::default(),
    );
    let results = Experiment::new("e").judge(&not_asked).run(&dataset(), good).await;
    let grounded = results.metric("groundedness");
    assert_eq!((grounded.n, grounded.n_a, grounded.errors), (0, 2, 1));
}

#[test]
fn data_sets_come_from_files_and_from_query_sets() {
    let set = eval::QuerySet::parse(
        "set",
        "{\"id\":\"D1\",\"type\":\"direct\",\"query\":\"How far?\",\"target_papers\":[\"a\"],\"expected_no_evidence\":false,\
         \"reference_answer\":\"Two miles.\",\"gold_evidence\":[{\"source_id\":\"a\",\"quote\":\"two miles\"}],\"tags\":[\"t\"]}",
    )
    .expect("a set");
    let own = Dataset::from(&set);
    assert_eq!((own.name(), own.len(), own.is_empty()), ("set", 1, false));
    let question = &own.questions()[0];
    assert_eq!(question.reference.as_deref(), Some("Two miles."));
    assert_eq!(question.expected.as_ref().map(Vec::len), Some(1));
    assert_eq!(question.gold_quotes.as_ref().map(Vec::len), Some(1));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("questions.jsonl");
    std::fs::write(
        &path,
        "{\"user_input\": \"How far?\", \"reference\": \"Two miles.\"}\n",
    )
    .expect("written");
    let read = Dataset::load(&path).expect("reads");
    assert_eq!(read.questions()[0].reference, question.reference);
    assert!(Dataset::load(&folder.path().join("none")).is_err());
    let error = Dataset::parse("f", "{\"user_input\": 5}")
        .expect_err("wrong")
        .to_string();
    assert!(
        error.contains("f: line 1: user_input must be a string"),
        "{error}"
    );
}
