//! What holds for every registered metric.

use super::testing::{chunk, cite, refusal, response};
use super::*;
use crate::judge::{ClaimVerdict, Compared, JudgeOutput, Verdict};
use crate::queries::QuerySet;
use std::collections::BTreeSet;

const SENTENCE: &str = "Regular walking lowered blood pressure and CRP by 12 mmHg in 40 adults.";

fn query(line: &serde_json::Value) -> Query {
    let set = QuerySet::parse("set", &line.to_string()).expect("loads");
    set.queries.into_iter().next().expect("one query")
}

fn answerable() -> Query {
    query(
        &serde_json::json!({"id": "D01", "type": "direct", "query": "q", "expected_no_evidence": false,
        "reference_answer": SENTENCE, "gold_evidence": [{"source_id": "a", "quote": SENTENCE}]}),
    )
}

fn unanswerable() -> Query {
    query(&serde_json::json!({"id": "E01", "type": "edge", "query": "q", "expected_no_evidence": true}))
}

/// A verdict on one claim that the context supports, with the support by what it cites.
fn judged(cited: f64) -> Judged {
    let verdict = Verdict::of(cited, 0.0, 0.5);
    let claim = ClaimVerdict::new(SENTENCE, &["a__body__000".into()], (cited, 1.0), verdict, "", 0.5);
    Judged::Output(JudgeOutput::of("test", vec![claim], 0.5))
}

/// The response with a probability of 1.
fn stated(mut response: ResponseRecord) -> ResponseRecord {
    response.probability = Some(1.0);
    response
}

/// All that a metric may need, of an answer or a refusal that is right.
struct World {
    record: RunRecord,
    query: Option<Query>,
    judged: Judged,
    compared: Judged<Compared>,
}

impl World {
    fn new(query: Query) -> Self {
        let answer = format!("{} (a, a__body__000).", SENTENCE.trim_end_matches('.'));
        let response = if query.expected_no_evidence {
            refusal()
        } else {
            stated(response(&answer, &[cite("a__body__000", SENTENCE)]))
        };
        let judged = if query.expected_no_evidence {
            Judged::NotApplicable(REFUSAL.to_owned())
        } else {
            judged(1.0)
        };
        Self {
            record: RunRecord {
                context: Some(vec![chunk("a__body__000", SENTENCE)]),
                response,
                ..RunRecord::default()
            },
            query: Some(query),
            judged,
            compared: Judged::Output(Compared {
                same_facts: true,
                ..Compared::default()
            }),
        }
    }

    /// The same with something missing, or decided the other way.
    fn without(mut self, need: Need) -> Self {
        let query = self.query.as_mut().expect("a query");
        match need {
            Need::Answer if query.expected_no_evidence => self.record.response = stated(response("x", &[])),
            Need::Answer => {
                self.record.response = refusal();
                self.judged = Judged::NotApplicable(REFUSAL.to_owned());
            }
            Need::Citations if query.expected_no_evidence => {}
            Need::Citations => {
                self.record.response = stated(response(SENTENCE, &[]));
                self.judged = judged(0.0);
            }
            Need::Context => {
                self.record.context = None;
                self.judged = Judged::NotApplicable(NO_CONTEXT.to_owned());
            }
            Need::ExpectedRefusal => query.expected_no_evidence = !query.expected_no_evidence,
            Need::GoldEvidence => query.gold_evidence.clear(),
            Need::Probability => self.record.response.probability = None,
            Need::ReferenceAnswer => query.reference_answer = None,
            Need::Verdict => {
                self.judged = Judged::NotApplicable("no judge".to_owned());
                self.compared = Judged::NotApplicable("no judge".to_owned());
            }
        }
        self
    }

    fn score(&self, metric: &dyn Metric) -> Score {
        metric.score(&Sample {
            record: &self.record,
            response: &self.record.response,
            query: self.query.as_ref(),
            judged: &self.judged,
            compared: &self.compared,
        })
    }
}

#[test]
fn every_key_is_found_and_unique() {
    let keys = keys();
    assert_eq!(keys.len(), 30);
    for key in &keys {
        assert_eq!(&find(key).expect("a listed key").key(), key);
    }
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    assert!(find("gold_recall_context_raw").is_none());
    assert!(find("nonsense").is_none());
}

#[test]
fn every_metric_describes_itself() {
    let mut titles = BTreeSet::new();
    for spec in specs() {
        let key = spec.key;
        assert!(key.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{key}");
        assert!(
            !key.ends_with(RAW_SUFFIX),
            "{key}: the suffix means the raw response"
        );
        assert!(titles.insert(spec.title), "{key}: two metrics have this title");
        assert!(spec.definition.ends_with('.'), "{key}");
        assert!(!spec.source.is_empty(), "{key}");
        assert!(spec.range.low < spec.range.high, "{key}");
        assert!(!spec.needs.is_empty(), "{key}");
        let each: BTreeSet<Need> = spec.needs.iter().copied().collect();
        assert_eq!(each.len(), spec.needs.len(), "{key}");
        if spec.kind == Kind::Rate {
            assert_eq!(spec.range, Range::UNIT, "{key}: a rate is 0 or 1");
        }
    }
}

#[test]
fn a_right_answer_and_a_right_refusal_score_best() {
    for metric in REGISTRY {
        let spec = metric.spec();
        let best = match spec.direction {
            Direction::Higher => spec.range.high,
            Direction::Lower => spec.range.low,
        };
        let scores = [answerable(), unanswerable()].map(|query| World::new(query).score(*metric));
        assert!(
            scores.iter().any(|score| score.get().is_some()),
            "{}: it has no value for either: {scores:?}",
            spec.key
        );
        for score in scores {
            match score {
                Score::Value(value) => assert!((value - best).abs() < 1e-12, "{}: {value}", spec.key),
                Score::NotApplicable(_) => {}
                Score::Error(error) => panic!("{}: {error}", spec.key),
            }
        }
    }
}

#[test]
fn a_metric_reads_what_it_says_and_nothing_else() {
    for metric in REGISTRY {
        let spec = metric.spec();
        for need in Need::ALL {
            let changed = [answerable, unanswerable].iter().any(|query| {
                World::new(query()).score(*metric) != World::new(query()).without(need).score(*metric)
            });
            assert_eq!(
                changed,
                spec.needs.contains(&need),
                "{}: {need:?} {} its score",
                spec.key,
                if changed { "changes" } else { "does not change" }
            );
        }
    }
}

#[test]
fn a_score_outside_the_range_is_an_error() {
    struct Wrong;
    impl Metric for Wrong {
        fn spec(&self) -> &'static Spec {
            REGISTRY[0].spec()
        }
        fn score(&self, _: &Sample<'_>) -> Score {
            Score::value(1.5)
        }
    }
    let world = World::new(answerable());
    let sample = Sample {
        record: &world.record,
        response: &world.record.response,
        query: None,
        judged: &world.judged,
        compared: &world.compared,
    };
    let column = |raw: bool| Column { metric: &Wrong, raw };
    assert_eq!(
        column(false).score(Some(&sample)),
        Score::Error("the score came out as 1.5, not between 0 and 1".to_owned())
    );
    assert_eq!(column(true).score(None), Score::n_a(NO_RAW));
}
