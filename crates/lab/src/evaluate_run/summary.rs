//! An evaluation of answers for CI.

use super::document::Evaluate;
use eval::export::{self, Ended, TestCase};

/// Gates and rows as test cases.
pub(super) fn junit(document: &Evaluate) -> String {
    let ended = |passed: bool, why: &str| {
        if passed { Ended::Passed } else { Ended::Failed(why.to_owned()) }
    };
    let gates = document.gates.iter().map(|gate| TestCase {
        class: "gates".to_owned(),
        // The value is the message, so that the name stays the same from run to run.
        name: gate.gate.split(' ').next().unwrap_or(&gate.gate).to_owned(),
        seconds: None,
        ended: ended(gate.passed, &gate.gate),
    });
    let rows = document.results.iter().map(|(id, row)| TestCase {
        class: "rows".to_owned(),
        name: id.to_owned(),
        seconds: None,
        ended: match &row.error {
            Some(error) => Ended::Error(error.clone()),
            None => ended(!row.auto_fail, &row.failure_reasons.join("; ")),
        },
    });
    let cases: Vec<TestCase> = gates.chain(rows).collect();
    export::junit("pipeline evaluate", &cases)
}
