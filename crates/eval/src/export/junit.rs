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

impl TestCase {
    /// A gate; `why` is its value.
    pub fn gate(name: String, passed: bool, why: &impl ToString) -> Self {
        let ended = if passed { Ended::Passed } else { Ended::Failed(why.to_string()) };
        Self { class: "gates".to_owned(), name, seconds: None, ended }
    }
}

/// The gates, then the rows: a gate that did not pass is a failure, a row without an answer or a verdict an error.
pub fn test_cases(evaluation: &Evaluation, gates: &[GateResult]) -> Vec<TestCase> {
    let gates = gates.iter().map(|result| {
        let name = match result.mode.as_str() {
            "" => result.gate.to_string(),
            mode => format!("{} in mode {mode}", result.gate),
        };
        TestCase::gate(name, result.passed, result)
    });
    let rows = evaluation.rows.iter().map(|row| TestCase {
        class: row.mode.clone(),
        name: row.query_id.clone(),
        seconds: row.timings_ms.get("total").map(|ms| ms / 1000.0),
        ended: match &row.error {
            Some(error) => Ended::Error(error.clone()),
            None if row.pending => Ended::Error("pending: the judge could not be reached".to_owned()),
            None => Ended::Passed,
        },
    });
    gates.chain(rows).collect()
}

/// A document with one suite.
pub fn junit(suite: &str, cases: &[TestCase]) -> String {
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
    for case in cases {
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
        let xml = junit("eval & more", &cases);
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
        assert_eq!(names, ["eval & more", "Q1", "Q\"2\"", "Q3"]);
        assert_eq!(messages, ["a < b and \u{fffd}[31m", "</testsuite>"]);
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{xml}");
        assert!(xml.contains("name=\"Q1\" time=\"0.250\"/>"), "{xml}");
    }
}
