//! The Phase report, of the verdicts that section 5 of the earlier system's Phase 2 document prints: its ids, types, confidences
//! and verdicts, with questions in other words. The document prints no table of vector-only, only its rates and that E01 is wrong
//! in both modes; one more question must be, and D04 stands for it.

use eval::report::{Evaluation, Provenance, Setting};
use eval::{Row, Score, Unsupported};
use lab::report::page::Terminal;
use lab::report::{evaluation, phase};
use serde_json::Value;
use std::collections::BTreeMap;
use types::{GuardrailAction, GuardrailKind};

fn rows() -> Vec<Row> {
    let mut out = Vec::new();
    for line in include_str!("../phase2.jsonl").lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().expect("a string").to_owned();
        for mode in ["hybrid", "vector"] {
            let own = &line[mode];
            let refused = own["refused"] == true;
            let right = own["no_evidence_accuracy"] == 1;
            let mut row = Row {
                query_id: text("query_id"),
                kind: text("type"),
                query: text("query"),
                confidence: text("confidence"),
                mode: mode.to_owned(),
                no_evidence: Some(refused),
                expected_no_evidence: Some(refused == right),
                answer: format!("The answer to {} in mode {mode}.", text("query_id")),
                attempts: 1,
                ..Row::default()
            };
            for key in ["citation_precision", "faithful", "no_evidence_accuracy"] {
                row.scores.insert(key, Score::value(own[key].as_f64().expect("a number")));
            }
            row.unsupported.extend(own["unsupported"].as_str().map(|reason| Unsupported {
                claim: String::new(),
                cited: Vec::new(),
                score: 0.0,
                reason: reason.to_owned(),
            }));
            if let Some(terms) = own["removed"].as_array() {
                let terms: Vec<&str> = terms.iter().map(|term| term.as_str().expect("a term")).collect();
                row.guardrails.push(GuardrailAction {
                    guardrail: GuardrailKind::Entity,
                    action: "stripped".to_owned(),
                    subject: "a sentence".to_owned(),
                    reason: format!("not in the context: {}", terms.join(", ")),
                    sentence: true,
                });
            }
            out.push(row);
        }
    }
    out
}

fn fixture() -> Evaluation {
    let setting = |section: &str, key: &str, value: &str| Setting {
        section: section.into(),
        key: key.into(),
        value: value.into(),
    };
    let from = Provenance {
        architecture: vec![
            setting("retrieve", "vector_weight", "0.6"),
            setting("retrieve", "fusion", "\"weighted\""),
            setting("rerank", "top_n", "6"),
        ],
        models: BTreeMap::from([("generator".to_owned(), "gpt-x-mini".to_owned())]),
        query_set: "phase2.jsonl".to_owned(),
        seed: 1,
        ..Provenance::default()
    };
    Evaluation::new("phase2", rows(), from)
}

#[test]
fn the_twenty_questions_give_the_numbers_of_the_document() {
    let evaluation = fixture();
    let markdown = phase::markdown(&evaluation);
    let headings: Vec<&str> = markdown.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        [
            "## 1. Pipeline architecture",
            "## 2. Query set design",
            "## 3. Metrics",
            "## 4. Summary results",
            "## 5. Results by question",
            "## 6. Failure cases",
            "## 7. Enhancement analysis",
            "## 8. Lessons learned",
        ]
    );
    for says in [
        "- Hybrid scores are 0.6 × vector + (1 − 0.6) × BM25 (fusion: weighted); mode vector switches BM25 off",
        "| direct | 10 | 10 | 0 | 0 |",
        "| Citation precision | 1.000 | 1.000 | +0.000",
        "| Binary faithfulness | 0.950 | 1.000 | -0.050 [",
        "| No-evidence accuracy | 0.950 | 0.900 | +0.050 [",
        // Nothing says whether these answers are right.
        "| D01 | direct | high | 1.00 | yes | yes | answered, not checked | The answer to D01 in mode hybrid. |",
        "| S01 | synthesis | high | 1.00 | NO | yes | answered, not checked |",
        "Out of 20 questions in mode hybrid, ",
        "1 answer unfaithful, 1 decision to answer or refuse wrong.",
        "- Judge's verdict: UNFAITHFUL",
        "- Not supported: it names authors that no retrieved passage names",
        "| S02 | hybrid | FMD, IIS/, DR/CR |",
        "- No-evidence accuracy: 1 question in mode hybrid against mode vector: D04",
        "- Binary faithfulness: 1 question in mode hybrid against mode vector: S01",
        "No difference between hybrid and vector is significant",
        "| Unsupported claim | 1 | verify each claim before the answer (guardrail.verify)",
        "Guardrails acted on answers before they were shown: entity stripped (hybrid) 5, entity stripped (vector) 1.",
    ] {
        assert!(markdown.contains(says), "{says:?} is not in {markdown}");
    }
    let html = phase::page(&evaluation).html("t");
    assert!(html.contains(">1. Pipeline architecture</h2>") && !html.contains("outcome right"), "{html}");
}

#[test]
fn a_report_of_another_system_does_not_deny_its_language_model() {
    let evaluation = fixture();
    let all = Terminal { unfolded: true, ..Terminal::default() };
    let text = evaluation::page(&evaluation).text(all);
    assert!(text.contains("The log does not say what language models spent."), "{text}");
    assert!(!text.contains("No language model was used"), "{text}");
    assert!(
        text.contains("Whether the answers are right was not checked.")
            && text.contains("Matched: not checked."),
        "{text}"
    );
    assert!(!text.contains("by construction for copied sentences: it"), "{text}");
}

#[test]
fn one_mode_has_nothing_to_compare_and_still_eight_sections() {
    let rows = rows().into_iter().filter(|row| row.mode == "vector").collect();
    let evaluation = Evaluation::new("vector-only", rows, Provenance::default());
    let markdown = phase::markdown(&evaluation);
    assert!(markdown.contains("All rows are of mode vector: there is nothing to compare."), "{markdown}");
    assert!(markdown.contains("The log does not hold the settings of this run."), "{markdown}");
    assert_eq!(markdown.lines().filter(|line| line.starts_with("## ")).count(), 8);
    let empty = Evaluation::new("empty", Vec::new(), Provenance::default());
    assert!(phase::markdown(&empty).contains("No question was asked."));
}
