//! Does the answer address what was asked?

use super::asked::Asked;
use super::relation::{Stated, stated};
use super::wording;
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct AnswerRelevance;

const SPEC: Spec = Spec {
    key: "answer_relevance",
    title: "Answer relevance",
    definition: "Coverage × relation. Coverage: the share of the question's content terms (without those that only name the \
         relation, such as `effect`) that stand in the answer, doubled, at most 1, since an answer need not repeat the whole \
         question. Relation: 1 if the answer states what the question asks for (a cause, an effect, a number, a comparison, a \
         method, a definition, a time, a name) or the question asks for none of these, 0.5 if it states nothing of the kind, 0 \
         if it states the reverse (causes instead of effects).",
    edge_cases: "0 for a refusal and an empty answer; n/a where a refusal is expected, without a content term in the \
         question, and for question and answer in different languages; outside English only coverage counts.",
    source: "own definition; the aspects of LitPath's relevance judge, where an answer about causes fails a question about \
         impacts; Ragas scores answers that say nothing 0",
    needs: &[Need::Question, Need::Answer],
    ..Spec::SHARE
};

impl Metric for AnswerRelevance {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let question = sample.question()?;
        let Some(reading) = sample.owed()? else {
            return Ok(0.0);
        };
        let asked = Asked::new(question);
        if asked.terms.is_empty() {
            return Err(Score::n_a("the question has no content term"));
        }
        if text::language(question) != text::language(&reading.text) {
            return Err(Score::n_a("question and answer are in different languages"));
        }
        let coverage = wording::share(&asked.terms, &wording::stems(&reading.text));
        let relation = match asked
            .relation
            .map(|relation| stated(&asked, relation, &reading.text))
        {
            None | Some(Stated::Asked) => 1.0,
            Some(Stated::Nothing) => 0.5,
            Some(Stated::Reverse) => 0.0,
        };
        Ok((2.0 * coverage).min(1.0) * relation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn coverage_times_relation_by_hand() {
        let relevance = |question: &str, answer: &str, want: f64| {
            check(&AnswerRelevance, &row(question, answer, &[]), want);
        };
        // Terms: deforestation, Philippine, forests; "impact" names the relation.
        let impact = "What is the impact of deforestation on Philippine forests?";
        relevance(impact, "Deforestation reduces the forests of the islands.", 1.0);
        relevance(impact, "Deforestation led to floods.", 2.0 / 3.0);
        relevance(
            impact,
            "Deforestation of Philippine forests is driven by logging.",
            0.0,
        );
        relevance(impact, "Mice ran.", 0.0);
        // Participants, completed, trial: one of three, and no number.
        relevance(
            "How many participants completed the trial?",
            "Some participants did.",
            1.0 / 3.0,
        );
        relevance("How many participants completed the trial?", "", 0.0);
    }

    #[test]
    fn refusals_count_unless_they_are_expected() {
        let mut row = row(
            "What causes gout?",
            "The papers do not report what causes gout.",
            &[],
        );
        check(&AnswerRelevance, &row, 0.0);
        row.expected_refusal = Some(true);
        check_n_a(&AnswerRelevance, &row, "refusal is expected");
        row.question = None;
        check_n_a(&AnswerRelevance, &row, "`question`");
    }

    #[test]
    fn languages_must_be_the_same() {
        let german = "Die Teilnehmer der Studie haben nach zwölf Wochen deutlich weniger Gewicht, und der Blutdruck war \
                      auch niedriger als in der Gruppe ohne Bewegung.";
        check_n_a(
            &AnswerRelevance,
            &row(
                "What is the effect of walking on the weight of adults?",
                german,
                &[],
            ),
            "languages",
        );
    }
}
