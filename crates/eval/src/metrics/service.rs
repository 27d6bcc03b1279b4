//! The score and the automatic failure of the Ragas service.

use super::{Direction, Metric, Need, Spec, View, documents, invented::facts};
use crate::Score;
use std::collections::BTreeSet;
use types::words::first_of;

/// The three scores of the Ragas service as one.
pub(super) static RAG_SCORE: Metric = Metric::new(
    Spec {
        key: "rag_score",
        title: "RAG score",
        needs: &[Need::Question, Need::Answer, Need::Context],
        needs_one_of: &[Need::GoldEvidence, Need::Expected, Need::ReferenceAnswer],
        ..Spec::SHARE
    },
    |sample| {
        let of = |key: &str| {
            sample.value_of(key).map_err(|score| match score {
                Score::NotApplicable(why) => Score::n_a(format!("{key}: {why}")),
                other => other,
            })
        };
        let recall = of("context_recall")?;
        let faithfulness = of("faithfulness")?;
        let relevance = of("answer_relevance")?;
        Ok(rag_score(recall, faithfulness, relevance))
    },
);

/// The weighted sum, 0 to 1.
pub(crate) fn rag_score(recall: f64, faithfulness: f64, relevance: f64) -> f64 {
    0.4 * recall + 0.4 * faithfulness + 0.2 * relevance
}

/// Does a rule of automatic failure apply?
pub(super) static AUTO_FAIL: Metric = Metric::new(
    Spec {
        key: "auto_fail",
        title: "Automatic failure",
        direction: Direction::Lower,
        needs: &[Need::Answer],
        needs_one_of: &[Need::Context, Need::Expected, Need::GoldEvidence, Need::ReferenceAnswer],
        ..Spec::PASS
    },
    |sample| {
        sample.answer()?;
        let failures = failures(sample);
        let faithfulness = sample.value_of("faithfulness");
        let others = [sample.value_of("context_recall"), sample.value_of("hallucination")];
        let stray = strays(sample);
        if let Err(error @ Score::Error(_)) = &faithfulness {
            return Err(error.clone());
        }
        let checked = faithfulness.is_ok() || others.iter().any(Result::is_ok) || stray.is_some();
        if !checked {
            return Err(Score::n_a("no rule of automatic failure can be checked"));
        }
        Ok(f64::from(!failures.is_empty()))
    },
);

/// A rule that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its number in the reference, 1 to 4.
    pub rule: u8,
    /// What it found.
    pub reason: String,
}

/// So many facts or documents are named in a reason.
const NAMED: usize = 3;

/// The rules that apply, in order.
pub(super) fn failures(sample: &View<'_>) -> Vec<Failure> {
    let limit = sample.tools.limits.fail_faithfulness_below;
    let mut out = Vec::new();
    let mut fail = |rule, reason| out.push(Failure { rule, reason });
    if let Ok(value) = sample.value_of("faithfulness")
        && value < limit
    {
        fail(1, format!("faithfulness {value:.2} is below {limit}"));
    }
    if let Ok(value) = sample.value_of("context_recall")
        && value <= 0.0
    {
        fail(2, "context recall is 0: nothing that was expected was retrieved".to_owned());
    }
    if let Ok(facts) = facts(sample)
        && !facts.is_empty()
    {
        fail(3, format!("the answer mentions what no passage has: {}", named(&facts)));
    }
    if let Some(strays) = strays(sample).filter(|strays| !strays.is_empty()) {
        fail(4, format!("the answer refers to documents that were not retrieved: {}", named(&strays)));
    }
    out
}

fn named(all: &[String]) -> String {
    first_of(all.iter().map(|one| format!("{one:?}")), NAMED)
}

/// The documents that the answer cites or names and that were not retrieved; `None` if that cannot be checked.
fn strays(sample: &View<'_>) -> Option<Vec<String>> {
    let expected = sample.sample.expected.as_ref()?;
    let retrieved = sample.retrieved().ok()?;
    let keys: BTreeSet<String> = retrieved.iter().map(|id| documents::key(id)).collect();
    let reading = sample.answer().ok()?;
    let cited = reading.references.iter().chain(&reading.marks);
    let cited = cited.filter_map(|cited| cited.document.clone());
    let known: Vec<&str> = expected.iter().map(|one| one.document.as_str()).collect();
    let in_text = documents::strays(&reading.text, &retrieved, &known);
    let mut seen = BTreeSet::new();
    let cited = cited.filter(|id| !keys.contains(&documents::key(id)));
    let mut out: Vec<String> = cited.chain(in_text).collect();
    out.retain(|id| seen.insert(documents::key(id)));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Tools;
    use crate::metrics::testing::{check, check_n_a, judged, ranked, row};

    #[test]
    fn the_example_of_the_service() {
        let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-12, "{got}");
        close(rag_score(0.88, 0.93, 0.89), 0.902);
        close(rag_score(1.0, 0.96, 0.91), 0.966);
    }

    #[test]
    fn all_three_or_none() {
        let question = "How does walking affect blood pressure?";
        let mut row = row(
            question,
            "Walking lowered blood pressure.",
            &[("a", "In the trial, walking lowered blood pressure.")],
        );
        check_n_a(&RAG_SCORE, &row, "context_recall: the row has no `expected`");
        row.expected = ranked(&[], &["a", "b"]).expected;
        check(&RAG_SCORE, &row, 0.8);
        row.answer = Some(String::new());
        check_n_a(&RAG_SCORE, &row, "faithfulness");
    }

    const TEXT: &str = "In the trial, walking lowered blood pressure by 6 mmHg.";

    fn reasons(row: &crate::Sample) -> Vec<u8> {
        let verdicts = judged(row);
        failures(&View::new(row, Tools::default(), &verdicts)).iter().map(|failure| failure.rule).collect()
    }

    #[test]
    fn each_rule_by_hand() {
        let question = "How does walking affect blood pressure?";
        let mut row = row(question, "Walking lowered blood pressure by 6 mmHg.", &[("doc_1.txt", TEXT)]);
        assert_eq!(reasons(&row), Vec::<u8>::new());
        check(&AUTO_FAIL, &row, 0.0);
        row.answer = Some("Walking lowered blood pressure by 67 mmHg.".to_owned());
        assert_eq!(reasons(&row), [1, 3]);
        check(&AUTO_FAIL, &row, 1.0);
        row.answer = Some("Walking lowered blood pressure by 6 mmHg [doc_2.txt].".to_owned());
        assert_eq!(reasons(&row), Vec::<u8>::new(), "rule 4 needs `expected`");
        row.expected = ranked(&[], &["doc_2.txt"]).expected;
        assert_eq!(reasons(&row), [2, 4]);
        row.expected = ranked(&[], &["doc_1.txt", "doc_2.txt"]).expected;
        row.answer = Some("Walking lowered blood pressure by 6 mmHg, as doc_2 says.".to_owned());
        assert!(reasons(&row).contains(&4), "{:?}", reasons(&row));
        row.answer = Some("Walking lowered blood pressure by 6 mmHg [doc_1.txt].".to_owned());
        assert_eq!(reasons(&row), Vec::<u8>::new());
    }

    #[test]
    fn what_cannot_be_checked_does_not_pass() {
        let mut row = row("q", "Mice ran.", &[]);
        row.passages = None;
        check_n_a(&AUTO_FAIL, &row, "no rule");
    }

    /// The example of the Ragas service, and answers with what its rules 3 and 4 name.
    #[test]
    fn candidates_by_their_short_names() {
        let contexts = [
            ("resume_12.txt", "Implemented Kubernetes-based deployments and CI/CD pipelines."),
            ("resume_03.txt", "Worked as Backend Engineer at Flipkart for 3 years using Java."),
        ];
        let answered = |answer: &str| {
            let mut row = row("Does the candidate have Kubernetes experience?", answer, &contexts);
            row.expected = ranked(&[], &["resume_12.txt"]).expected;
            row
        };
        check(&AUTO_FAIL, &answered("Yes, candidate r_12 has Kubernetes experience."), 0.0);
        for (answer, rule) in [
            ("resume_99.txt shows Kubernetes-based deployments.", 4),
            ("Candidate r_07 implemented Kubernetes-based deployments.", 4),
            ("Candidate r_12 implemented Kubernetes-based deployments three times.", 3),
            ("Candidate r_12 implemented Kubernetes-based deployments twice.", 3),
            ("Candidate r_12 implemented Kubernetes-based deployments at Google.", 3),
        ] {
            let reasons = reasons(&answered(answer));
            assert!(reasons.contains(&rule), "{answer}: {reasons:?}");
        }
    }
}
