//! The Python client of `docs/examples`.

use crate::common::Place;

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
