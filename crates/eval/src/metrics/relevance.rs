//! Whether question, passages and answer are about the same.

use super::{Metric, Need, Spec, View, wording};
use crate::Score;

/// Does the answer address what was asked?
pub(super) static ANSWER_RELEVANCE: Metric = Metric::new(
    Spec {
        key: "answer_relevance",
        title: "Answer relevance",
        needs: &[Need::Question, Need::Answer],
        ..Spec::SHARE
    },
    |sample| {
        let question = sample.question()?;
        let Some(reading) = sample.owed()? else {
            return Ok(0.0);
        };
        let asked = wording::stems(question);
        if asked.is_empty() {
            return Err(Score::n_a("the question has no content term"));
        }
        if text::language(question) != text::language(&reading.text) {
            return Err(Score::n_a("question and answer are in different languages"));
        }
        Ok((2.0 * wording::share(&asked, &wording::stems(&reading.text))).min(1.0))
    },
);

/// Does the answer pass as relevant?
pub(super) static RELEVANCE: Metric = Metric::new(
    Spec { key: "relevance", title: "Relevant", needs: &[Need::Question, Need::Answer], ..Spec::PASS },
    |sample| {
        let relevance = sample.value_of("answer_relevance")?;
        Ok(f64::from(relevance >= sample.tools.limits.relevant_from))
    },
)
.explained(|sample| {
    let relevance = sample.value_of("answer_relevance").ok()?;
    let limit = sample.tools.limits.relevant_from;
    Some(format!("answer_relevance is {relevance:.2}, and passes from {limit} on"))
});

/// Are the passages about the question?
pub(super) static RETRIEVAL_RELEVANCE: Metric = Metric::new(
    Spec {
        key: "retrieval_relevance",
        title: "Retrieval relevance",
        needs: &[Need::Question, Need::Context],
        ..Spec::SHARE
    },
    |sample| {
        let (relevant, all) = relevant(sample)?;
        Ok(relevant as f64 / all as f64)
    },
);

/// The number of relevant passages, and of all, which is not 0.
pub(super) fn relevant(sample: &View<'_>) -> Result<(usize, usize), Score> {
    let question = sample.question()?;
    let passages = sample.passages()?;
    let terms = wording::stems(question);
    if terms.is_empty() {
        return Err(Score::n_a("the question has no content term"));
    }
    if passages.is_empty() {
        return Err(Score::n_a("no passage was retrieved"));
    }
    let language = text::language(question);
    if passages.iter().all(|passage| text::language(&passage.text) != language) {
        return Err(Score::n_a("question and passages are in different languages"));
    }
    let answers = |passage: &&crate::Passage| !wording::answering(&passage.text, &terms).is_empty();
    Ok((passages.iter().filter(answers).count(), passages.len()))
}

/// Is any passage about the question?
pub(super) static RETRIEVAL_RELEVANCE_PASS: Metric = Metric::new(
    Spec {
        key: "retrieval_relevance_pass",
        title: "Relevant passage retrieved",
        needs: &[Need::Question, Need::Context],
        ..Spec::PASS
    },
    |sample| {
        let (relevant, _) = relevant(sample)?;
        Ok(f64::from(relevant > 0))
    },
)
.explained(|sample| {
    let (relevant, all) = relevant(sample).ok()?;
    Some(format!(
        "{relevant} of {all} passages have a sentence with at least half of the question's content terms"
    ))
});

/// Is the answer relevant and grounded?
pub(super) static OVERALL_PASS: Metric = Metric::new(
    Spec {
        key: "overall_pass",
        title: "Overall pass",
        needs: &[Need::Question, Need::Answer, Need::Context],
        ..Spec::PASS
    },
    |sample| {
        let relevant = sample.value_of("relevance");
        let grounded = sample.value_of("faithful");
        match (relevant, grounded) {
            (Err(error @ Score::Error(_)), _) | (_, Err(error @ Score::Error(_))) => Err(error),
            (Ok(value), _) | (_, Ok(value)) if value < 0.5 => Ok(0.0),
            (Err(missing), _) | (_, Err(missing)) => Err(missing),
            _ => Ok(1.0),
        }
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn the_terms_of_the_question_by_hand() {
        let relevance = |question: &str, answer: &str, want: f64| {
            check(&ANSWER_RELEVANCE, &row(question, answer, &[]), want);
        };
        // Terms: impact, deforestation, Philippine, forests.
        let impact = "What is the impact of deforestation on Philippine forests?";
        relevance(impact, "Deforestation reduces the forests of the islands.", 1.0);
        relevance(impact, "Deforestation led to floods.", 0.5);
        relevance(impact, "Mice ran.", 0.0);
        relevance(impact, "", 0.0);
    }

    #[test]
    fn refusals_count_unless_they_are_expected() {
        let mut row = row("What causes gout?", "The papers do not report what causes gout.", &[]);
        check(&ANSWER_RELEVANCE, &row, 0.0);
        row.expected_refusal = Some(true);
        check_n_a(&ANSWER_RELEVANCE, &row, "refusal is expected");
        row.question = None;
        check_n_a(&ANSWER_RELEVANCE, &row, "`question`");
    }

    #[test]
    fn languages_must_be_the_same() {
        let german = "Die Teilnehmer der Studie haben nach zwölf Wochen deutlich weniger Gewicht, und der Blutdruck war \
                  auch niedriger als in der Gruppe ohne Bewegung.";
        check_n_a(
            &ANSWER_RELEVANCE,
            &row("What is the effect of walking on the weight of adults?", german, &[]),
            "languages",
        );
    }

    #[test]
    fn relevant_from_the_limit_on() {
        let impact = "What is the impact of deforestation on Philippine forests?";
        check(&RELEVANCE, &row(impact, "Deforestation led to floods.", &[]), 1.0);
        check(&RELEVANCE, &row(impact, "Logging led to floods.", &[]), 0.0);
        check_n_a(&RELEVANCE, &row("", "x", &[]), "`question`");
    }

    #[test]
    fn passages_with_half_of_the_terms() {
        let question = "How does walking affect blood pressure?";
        let good = "In the trial, brisk walking lowered blood pressure.";
        let bad = "Mice slept for most of the day.";
        check(
            &RETRIEVAL_RELEVANCE,
            &row(question, "x", &[("a", good), ("b", bad), ("c", bad), ("d", good)]),
            0.5,
        );
        check_n_a(&RETRIEVAL_RELEVANCE, &row(question, "x", &[]), "no passage");
        check_n_a(&RETRIEVAL_RELEVANCE, &row("What is it?", "x", &[("a", good)]), "content term");
    }

    #[test]
    fn one_relevant_passage_is_enough() {
        let question = "How does walking affect blood pressure?";
        let (good, bad) =
            ("In the trial, brisk walking lowered blood pressure.", "Mice slept for most of the day.");
        check(&RETRIEVAL_RELEVANCE_PASS, &row(question, "x", &[("a", bad), ("b", good)]), 1.0);
        check(&RETRIEVAL_RELEVANCE_PASS, &row(question, "x", &[("a", bad)]), 0.0);
        check_n_a(&RETRIEVAL_RELEVANCE_PASS, &row(question, "x", &[]), "no passage");
    }

    #[test]
    fn both_must_pass() {
        let question = "How does walking affect blood pressure?";
        let passages =
            [("a", "In the trial, walking lowered blood pressure by 6 mmHg. Mice slept for nine hours.")];
        check(&OVERALL_PASS, &row(question, "Walking lowered blood pressure.", &passages), 1.0);
        check(&OVERALL_PASS, &row(question, "Mice slept for nine hours.", &passages), 0.0);
        check(&OVERALL_PASS, &row(question, "Walking raised blood pressure.", &passages), 0.0);
        check(&OVERALL_PASS, &row(question, "", &passages), 0.0);
        check_n_a(&OVERALL_PASS, &row("", "Walking lowered blood pressure.", &passages), "`question`");
    }
}
