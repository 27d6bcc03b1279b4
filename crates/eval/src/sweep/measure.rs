//! What a sweep compares combinations by: a metric, or a mean that gives answerable and unanswerable questions equal weight.

use crate::estimate::Statistic;
use crate::metrics::{self, Column, Direction, Need, Range};
use crate::{Row, Score};

/// The key of [`Measure::BalancedEvidence`], the default.
pub const BALANCED_EVIDENCE: &str = "balanced_evidence";
const BALANCED_ACCURACY: &str = "balanced_accuracy";

/// How rows are scored and averaged.
#[derive(Clone, Copy)]
pub enum Measure {
    /// The mean of a metric.
    Metric(Column),
    /// The arithmetic mean of two shares: answerable questions that were answered, and unanswerable ones that were refused.
    BalancedAccuracy,
    /// The harmonic mean of the gold evidence that answers to answerable questions show, and the share of unanswerable
    /// questions that were refused. A system that always refuses and one that always answers both score 0.
    BalancedEvidence,
}

impl Measure {
    /// The measure with this key: one of [`metrics::keys`], `balanced_accuracy` or `balanced_evidence`.
    pub fn find(key: &str) -> Option<Self> {
        match metrics::current(key) {
            BALANCED_ACCURACY => Some(Self::BalancedAccuracy),
            BALANCED_EVIDENCE => Some(Self::BalancedEvidence),
            key => metrics::find(key).map(Self::Metric),
        }
    }

    /// The keys of all measures, the default first.
    pub fn keys() -> Vec<String> {
        let own = [BALANCED_EVIDENCE, BALANCED_ACCURACY].map(str::to_owned);
        own.into_iter().chain(metrics::keys()).collect()
    }

    /// Its key.
    pub fn key(&self) -> String {
        match self {
            Self::Metric(column) => column.key(),
            Self::BalancedAccuracy => BALANCED_ACCURACY.to_owned(),
            Self::BalancedEvidence => BALANCED_EVIDENCE.to_owned(),
        }
    }

    /// Its definition, for people.
    pub fn definition(&self) -> &'static str {
        match self {
            Self::Metric(column) => column.spec().definition,
            Self::BalancedAccuracy => {
                "Mean of two shares: answerable questions that were answered, and unanswerable questions that were \
                 refused. A system that always refuses, or always answers, scores 0.5."
            }
            Self::BalancedEvidence => {
                "Harmonic mean of two means: the gold evidence that answers to answerable questions show (0 on a \
                 refusal), and the share of unanswerable questions that were refused. A system that always refuses, or \
                 always answers, scores 0."
            }
        }
    }

    /// Which values are better.
    pub fn direction(&self) -> Direction {
        match self {
            Self::Metric(column) => column.spec().direction,
            Self::BalancedAccuracy | Self::BalancedEvidence => Direction::Higher,
        }
    }

    /// The range of its values.
    pub fn range(&self) -> Range {
        match self {
            Self::Metric(column) => column.spec().range,
            Self::BalancedAccuracy | Self::BalancedEvidence => Range::UNIT,
        }
    }

    /// Whether it needs the verdicts of a judge.
    pub fn needs_judge(&self) -> bool {
        matches!(self, Self::Metric(column) if column.spec().needs.contains(&Need::Verdict))
    }

    /// Whether it may not apply to refusals, so that two combinations are compared on different questions.
    pub fn skips_refusals(&self) -> bool {
        let labels = [Need::ExpectedRefusal, Need::GoldEvidence, Need::ReferenceAnswer];
        matches!(self, Self::Metric(column)
            if column.spec().needs.contains(&Need::Answer) && !column.spec().needs.iter().any(|need| labels.contains(need)))
    }

    /// The score of a row.
    pub fn score(&self, row: &Row) -> Score {
        let unlabelled = || Score::n_a("no query set says whether a refusal is expected");
        let key = match self {
            Self::Metric(column) => column.key(),
            Self::BalancedAccuracy if row.expected_no_evidence.is_none() => return unlabelled(),
            Self::BalancedAccuracy => "no_evidence_accuracy".to_owned(),
            Self::BalancedEvidence => match row.expected_no_evidence {
                None => return unlabelled(),
                Some(true) => "unanswerable_accuracy".to_owned(),
                Some(false) => "gold_recall_answer".to_owned(),
            },
        };
        let missing = || Score::Error(format!("the row has no {key}"));
        row.scores.get(&key).cloned().unwrap_or_else(missing)
    }

    /// How values are averaged.
    pub fn statistic(&self) -> Statistic {
        match self {
            Self::Metric(_) => Statistic::Mean,
            Self::BalancedAccuracy => Statistic::Balanced,
            Self::BalancedEvidence => Statistic::Harmonic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Totals;
    use crate::metrics::testing::close;

    fn totals(answerable: &[f64], unanswerable: &[f64]) -> Totals {
        let mut out = Totals::default();
        for (unanswerable, values) in [(false, answerable), (true, unanswerable)] {
            for value in values {
                out.add(unanswerable, *value);
            }
        }
        out
    }

    #[test]
    fn means_by_hand() {
        let check = |key: &str, answerable: &[f64], unanswerable: &[f64], want: f64| {
            let measure = Measure::find(key).expect("known");
            let mean = measure.statistic().of(&totals(answerable, unanswerable)).expect("values");
            close(&Score::value(mean), want, key);
        };
        // 2 × 0.5 × 0.75 / 1.25
        check("balanced_evidence", &[1.0, 0.0], &[1.0, 1.0, 1.0, 0.0], 0.6);
        check("balanced_accuracy", &[1.0, 0.0], &[1.0, 1.0, 1.0, 0.0], 0.625);
        check("no_evidence_accuracy", &[1.0, 0.0], &[1.0, 1.0, 1.0, 0.0], 4.0 / 6.0);
        check("balanced_evidence", &[1.0, 0.5], &[], 0.75);
        check("balanced_evidence", &[], &[1.0, 0.0], 0.5);
        assert_eq!(Statistic::Harmonic.of(&Totals::default()), None);
    }

    #[test]
    fn always_refusing_and_always_answering_score_nothing() {
        let evidence = |answerable: &[f64], unanswerable: &[f64]| {
            Statistic::Harmonic.of(&totals(answerable, unanswerable)).expect("values")
        };
        let (refuses, answers) = (evidence(&[0.0; 5], &[1.0; 5]), evidence(&[1.0; 5], &[0.0; 5]));
        assert!(refuses.abs() < 1e-12 && answers.abs() < 1e-12, "{refuses} {answers}");
        assert!(evidence(&[0.0; 5], &[0.0; 5]).abs() < 1e-12);
    }

    #[test]
    fn rows_are_scored_by_what_was_expected() {
        let mut row = Row::default();
        row.scores.insert("gold_recall_answer", Score::value(0.5));
        row.scores.insert("unanswerable_accuracy", Score::flag(true));
        let evidence = Measure::BalancedEvidence;
        assert!(matches!(evidence.score(&row), Score::NotApplicable(_)));
        row.expected_no_evidence = Some(false);
        assert_eq!(evidence.score(&row), Score::value(0.5));
        row.expected_no_evidence = Some(true);
        assert_eq!(evidence.score(&row), Score::value(1.0));
        assert!(
            matches!(Measure::BalancedAccuracy.score(&row), Score::Error(_)),
            "a row that was not scored"
        );
    }

    #[test]
    fn every_key_is_found_and_says_what_it_needs() {
        for key in Measure::keys() {
            assert_eq!(Measure::find(&key).expect("listed").key(), key);
        }
        assert!(Measure::find("speed").is_none());
        let find = |key| Measure::find(key).expect("known");
        assert!(find("faithful").needs_judge() && find("faithful").skips_refusals());
        assert!(!find("balanced_evidence").needs_judge() && !find("gold_recall_answer").skips_refusals());
        assert!(find("citation_precision").skips_refusals() && !find("citation_precision").needs_judge());
    }
}
