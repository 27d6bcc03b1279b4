//! Results in the XML of JUnit, which CI systems show.

use crate::GateResult;
use crate::report::Evaluation;
use quick_xml::escape::escape;
use std::fmt::Write;
use types::written::MARK;

/// How a test case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It holds.
    Passed,
    /// It does not hold, and why.
    Failed(String),
    /// It could not be checked, and why.
    Error(String),
}

/// A gate or a row, as a test case.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// What it belongs to, such as a mode.
    pub class: String,
    /// Its name.
    pub name: String,
    /// How long it took, in seconds, if known.
    pub seconds: Option<f64>,
    /// How it ended.
    pub ended: Ended,
}

/// The rows of a run as test cases: one without an answer or a verdict is an error.
pub fn test_cases(evaluation: &Evaluation) -> impl Iterator<Item = TestCase> {
    evaluation.rows.iter().map(|row| TestCase {
        class: row.mode.clone(),
        name: row.query_id.clone(),
        seconds: row.timings_ms.get("total").map(|ms| ms / 1000.0),
        ended: match &row.error {
            Some(error) => Ended::Error(error.clone()),
            None if row.pending => Ended::Error("pending: the judge could not be reached".to_owned()),
            None => Ended::Passed,
        },
    })
}

/// A document with one suite: the gates, of which one that did not pass is a failure, then the rows.
pub fn junit(suite: &str, gates: &[GateResult], rows: impl Iterator<Item = TestCase>) -> String {
    let gate = |result: &GateResult| TestCase {
        class: "gates".to_owned(),
        name: result.name().to_owned(),
        seconds: None,
        ended: if result.passed { Ended::Passed } else { Ended::Failed(result.gate.clone()) },
    };
    let cases: Vec<TestCase> = gates.iter().map(gate).chain(rows).collect();
    let count = |wanted: fn(&Ended) -> bool| cases.iter().filter(|case| wanted(&case.ended)).count();
    let failed = count(|ended| matches!(ended, Ended::Failed(_)));
    let errors = count(|ended| matches!(ended, Ended::Error(_)));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail: the results of `writeln!` are dropped.
    let _ = writeln!(
        out,
        "{MARK}\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\">",
        text(suite),
        cases.len()
    );
    for case in &cases {
        let _ = write!(out, "<testcase classname=\"{}\" name=\"{}\"", text(&case.class), text(&case.name));
        if let Some(seconds) = case.seconds {
            let _ = write!(out, " time=\"{seconds:.3}\"");
        }
        let _ = match &case.ended {
            Ended::Passed => writeln!(out, "/>"),
            Ended::Failed(why) => writeln!(out, "><failure message=\"{}\"/></testcase>", text(why)),
            Ended::Error(why) => writeln!(out, "><error message=\"{}\"/></testcase>", text(why)),
        };
    }
    let _ = writeln!(out, "</testsuite>\n</testsuites>\n{MARK}");
    out
}

/// Escaped, and without the characters that XML 1.0 does not allow. Line ends become spaces, as a parser of attributes reads
/// them anyway.
fn text(raw: &str) -> String {
    let allowed = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        '\u{20}'..='\u{fffd}' | '\u{10000}'.. => c,
        _ => '\u{fffd}',
    };
    escape(raw.chars().map(allowed).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_papers_and_models_wrote_stays_text() {
        let case = |name: &str, ended| TestCase {
            class: "rows".to_owned(),
            name: name.to_owned(),
            seconds: Some(0.25),
            ended,
        };
        let cases = [
            case("Q1", Ended::Passed),
            case("Q\"2\"", Ended::Failed("a < b\nand \u{1b}[31m".to_owned())),
            case("Q3", Ended::Error("</testsuite>".to_owned())),
        ];
        let gate = GateResult {
            gate: "faithful in mode hybrid has no value, but 1.000 is required".to_owned(),
            passed: false,
        };
        let xml = junit("eval & more", &[gate], cases.into_iter());
        let mut reader = quick_xml::Reader::from_str(&xml);
        let (mut names, mut messages) = (Vec::new(), Vec::new());
        loop {
            match reader.read_event().expect("well-formed") {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Start(e) | quick_xml::events::Event::Empty(e) => {
                    let value = |key: &str| {
                        let found = e.try_get_attribute(key).expect("attributes")?;
                        Some(quick_xml::escape::unescape(&found.value).expect("escaped").into_owned())
                    };
                    names.extend(value("name"));
                    messages.extend(value("message"));
                }
                _ => {}
            }
        }
        assert_eq!(names, ["eval & more", "faithful in mode hybrid", "Q1", "Q\"2\"", "Q3"]);
        assert_eq!(messages[1..], ["a < b and \u{fffd}[31m", "</testsuite>"]);
        assert!(xml.contains("tests=\"4\" failures=\"2\" errors=\"1\""), "{xml}");
        assert!(xml.contains("name=\"Q1\" time=\"0.250\"/>"), "{xml}");
    }
}
