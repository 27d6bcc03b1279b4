//! Runs the example of the documentation.

#[path = "../examples/experiment.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod experiment;

#[tokio::test]
async fn the_example_scores_and_compares() {
    let folder = tempfile::tempdir().expect("a folder");
    let (results, compared) = experiment::run(folder.path()).await.expect("runs");
    assert_eq!(results.metrics.groundedness_pass_rate, Some(1.0));
    assert!(folder.path().join("experiment_v1.json").exists());
    assert_eq!(compared.pairs, 3);
    let relevance = compared.metrics.get("relevance").expect("compared");
    assert!(relevance.difference.delta > Some(0.0), "{relevance:?}");
    let text = results.to_string();
    assert!(
        text.contains("\"experiment_v2\" on \"three papers\": 3 questions, 0 without an answer"),
        "{text}"
    );
}
