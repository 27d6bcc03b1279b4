//! The examples of the documents of other systems, in own words: the same keys, nesting and types. `docs/coming-from.md`
//! says what to use for each.

use crate::common::{Place, natives};
use crate::evaluate::results::{conforms, has_shape};
use serde_json::{Value, json};

/// The request of `ragas-evaluation-service.md` with its optional fields, and a row without them.
fn requests() -> Value {
    json!([
        {"company_id": "ac", "question": "Does the candidate have Kubernetes experience?",
            "answer": "Yes, candidate r_12 has Kubernetes experience.",
            "contexts": ["Implemented Kubernetes-based deployments and CI/CD pipelines.",
                "Worked as Backend Engineer at Flipkart for 3 years using Java."],
            "retrieved_resumes": ["resume_12.txt", "resume_03.txt"], "expected_resumes": ["resume_12.txt"],
            "ground_truth": "Candidate r_12 has Kubernetes experience."},
        {"company_id": "ac", "question": "How often did it rain that summer?",
            "answer": "Forty whales sang 12 operas in Lisbon, says resume_99.txt.",
            "contexts": ["Rain fell on forty days of that summer in the hills."], "retrieved_resumes": ["resume_03.txt"]},
    ])
}

#[test]
fn the_response_and_the_summary_of_the_ragas_service() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    place.write("rows.json", requests().to_string().as_bytes());
    let (code, document) = place.json(&["evaluate", "rows.json"]);
    assert_eq!((code, &document["metadata"]["input_format"]), (0, &json!("ragas-service (JSON)")));
    conforms(&place, &document);
    let response = json!({"metrics": {"context_recall": 1.0, "faithfulness": 0.96, "answer_relevance": 0.91},
        "auto_fail": false, "failure_reasons": []});
    let good = &document["results"]["1"];
    for key in response.as_object().expect("an object").keys() {
        assert!(good.get(key).is_some(), "{key}: {good:#}");
    }
    has_shape(&response["metrics"], &good["metrics"], "metrics");
    assert_eq!((&good["auto_fail"], &good["failure_reasons"]), (&json!(false), &json!([])), "{good:#}");
    assert_eq!(good["metrics"]["context_recall"], 1.0);
    // No label: n/a with the missing field, not 0.
    let bad = &document["results"]["2"];
    assert!(bad["metrics"]["context_recall"]["n_a"].is_string(), "{bad:#}");
    assert_eq!(bad["auto_fail"], true);
    let reasons = bad["failure_reasons"].to_string();
    assert!(reasons.contains("is below 0.85") && reasons.contains("what no passage has"), "{reasons}");

    let summary = &document["metrics"];
    has_shape(
        &json!({"total_questions": 40, "avg_metrics": {"context_recall": 0.88, "faithfulness": 0.93, "answer_relevance": 0.89},
            "failure_rate": 0.12, "hallucination_rate": 0.06, "rag_score": 0.9}),
        summary,
        "metrics",
    );
    // Rates are counts of rows: one of two.
    assert_eq!(
        (
            &summary["total_questions"],
            &summary["failure_rate"],
            &summary["hallucination_rate"],
            &summary["rag_score_n"]
        ),
        (&json!(2), &json!(0.5), &json!(0.5), &json!(1))
    );
    let three =
        ["context_recall", "faithfulness", "answer_relevance"].map(|key| good["metrics"][key].as_f64());
    let [Some(recall), Some(faithful), Some(relevant)] = three else { panic!("{good:#}") };
    let score = 0.4 * recall + 0.4 * faithful + 0.2 * relevant;
    assert!(summary["rag_score"].as_f64().is_some_and(|own| (own - score).abs() < 1e-9), "{summary:#}");
    assert_eq!(summary["band"], "green");
}

#[test]
fn whose_a_resume_is_stands_in_its_name() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let worked = "Worked as Backend Engineer at Flipkart for 3 years using Java.";
    let built = "Set up Jenkins pipelines and Docker images, and dashboards in React.";
    let rows = [
        (worked, "john_smith.pdf", "John Smith worked at Flipkart as a backend engineer.", false),
        (worked, "resume_03.txt", "Resume resume_03.txt shows three years at Flipkart.", false),
        (built, "priya_nair.txt", "Priya Nair has React experience.", false),
        (built, "r_4.txt", "Yes, the candidate has worked with Docker and Jenkins.", false),
        (worked, "john_smith.pdf", "John Smith worked at Google as a backend engineer.", true),
        (worked, "john_smith.pdf", "John Smith worked at Flipkart for 5 years.", true),
        (built, "priya_nair.txt", "Rahul Verma has React experience.", true),
    ];
    let request = rows.map(|(context, resume, answer, _)| {
        json!({"company_id": "ac", "question": "Who can do this work?", "answer": answer, "contexts": [context],
            "retrieved_resumes": [resume]})
    });
    place.write("rows.json", json!(request).to_string().as_bytes());
    let (_, document) = place.json(&["evaluate", "rows.json"]);
    for (at, (.., answer, fails)) in rows.iter().enumerate() {
        let row = &document["results"][(at + 1).to_string()];
        assert_eq!(row["auto_fail"], *fails, "{answer}: {row:#}");
    }
}

/// The four command lines of `five-dimension-llm-judge.md`, but for the model.
#[test]
fn the_command_lines_of_the_five_dimension_judge() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    crate::evaluate::results::files(&place);
    let run = |more: &[&str]| {
        let args = ["evaluate", "--test_results", "results.json", "--output", "scores.json"];
        let ran = place.run(&[&args[..], more].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        let text = std::fs::read(place.path("scores.json")).expect("written");
        serde_json::from_slice::<Value>(&text).expect("JSON")
    };
    let plain = run(&[]);
    assert_eq!(plain["metadata"]["total_tests"], 2);
    assert!(plain["results"]["test_a"]["evaluations"]["correctness"]["n_a"].is_string());
    let truth = run(&["--ground_truth", "truth.json"]);
    assert_eq!(truth["results"]["test_a"]["evaluations"]["correctness"]["score"], 1.0);
    let one = run(&["--limit", "1"]);
    assert_eq!(one["metadata"]["total_tests"], 1);
}

#[test]
fn a_python_program_sends_rows_and_gates_on_the_scores() {
    let place = Place::new(None);
    let script = crate::common::root().join("docs/examples/evaluate_answers.py");
    let python = |more: &[&str]| {
        let mut command = std::process::Command::new("python3");
        command.arg(&script).args(["--pipeline", env!("CARGO_BIN_EXE_pipeline")]);
        command.args(more).current_dir(place.path(""));
        command.env("PIPELINE_NATIVES", place.path("no-natives"));
        command.output().map(crate::common::Ran)
    };
    let Ok(ran) = python(&[]) else {
        eprintln!("skipped: python3 cannot be run");
        return;
    };
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let line = |text: &str, name: &str| {
        let found = text.lines().find(|line| line.split(' ').next() == Some(name));
        found.map_or_else(|| panic!("{name} is not in {text}"), str::to_owned)
    };
    assert!(line(&ran.stdout(), "faithfulness").contains("1.00  [0.34, 1.00]"), "{}", ran.stdout());
    let passed = python(&["--min", "faithfulness=0.85"]).expect("runs");
    assert_eq!(passed.code(), 0, "{}", passed.stderr());
    assert!(passed.stdout().contains("passed: faithfulness"), "{}", passed.stdout());
    let failed = python(&["--min", "faithfulness.ci_low=0.85"]).expect("runs");
    assert_eq!(failed.code(), 1, "{}", failed.stderr());
    assert!(failed.stdout().contains("failed: faithfulness.ci_low"), "{}", failed.stdout());
    let wrong = python(&["--min", "speed=1"]).expect("runs");
    wrong.fails_with(2, &["there is no metric \"speed\""]);
}
