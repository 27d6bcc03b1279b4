//! A small corpus whose right answers are known, and an answerer over it.

use eval::judge::OfflineJudge;
use eval::{EvalError, Judge, PartialRows, QuerySet, Remains, RunJob, RunOutcome, RunSettings};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use types::{
    AnswerFailure, Answerer, BoxError, BoxFuture, Citation, ContextRecord, FailureKind, Mode, Origin,
    ResponseRecord, RunRecord, SectionKind, Silent, Spent, Usage,
};

const SUBJECTS: [&str; 8] = [
    "Blood pressure",
    "Grip strength",
    "Fasting glucose",
    "Resting pulse",
    "Bone density",
    "Gait speed",
    "Sleep latency",
    "Lung capacity",
];
const REMEDIES: [&str; 8] = [
    "brisk walking",
    "olive oil",
    "rowing machines",
    "green tea",
    "resistance bands",
    "swimming lessons",
    "evening yoga",
    "lentil soup",
];
const GROUPS: [&str; 8] =
    ["farmers", "nurses", "sailors", "teachers", "miners", "dancers", "bakers", "carpenters"];

/// Claims in each right answer.
pub(crate) const CLAIMS: usize = 3;

/// The sentence that claim `claim` of question `question` rests on. No two are alike.
pub(crate) fn sentence(question: usize, claim: usize) -> String {
    let at = question * CLAIMS + claim;
    format!(
        "{} changed by {}.{} percent in {} retired {} who used {} for {} weeks.",
        SUBJECTS[at % 8],
        3 + at,
        at % 9 + 1,
        140 + 7 * at,
        GROUPS[(at / 8 + at) % 8],
        REMEDIES[(at / 3 + 2 * at) % 8],
        20 + at
    )
}

/// The chunk that holds it.
pub(crate) fn chunk_id(question: usize, claim: usize) -> String {
    format!("paper_{question}__results__00{claim}")
}

pub(crate) fn source_id(question: usize) -> String {
    format!("paper_{question}")
}

pub(crate) fn context(question: usize) -> Vec<ContextRecord> {
    (0..CLAIMS)
        .map(|claim| ContextRecord {
            chunk_id: chunk_id(question, claim).into(),
            source_id: source_id(question).into(),
            section: SectionKind::Results,
            page_start: 3,
            page_end: 3,
            text: format!(
                "We report one outcome here. {} Adverse events were rare.",
                sentence(question, claim)
            ),
            origin: Origin::Reranked,
            rerank_score: Some(7.0),
            title: Some(format!("Trial number {question}")),
            authors: vec!["Orvella Tandrik".to_owned()],
            year: Some(2021),
        })
        .collect()
}

/// The right answer: each claim verbatim, marked and quoted.
pub(crate) fn right_answer(question: usize) -> ResponseRecord {
    let claim = |claim| {
        let text = sentence(question, claim);
        let mark = format!("({}, {})", source_id(question), chunk_id(question, claim));
        format!("{} {mark}.", text.trim_end_matches('.'))
    };
    ResponseRecord {
        answer: (0..CLAIMS).map(claim).collect::<Vec<_>>().join(" "),
        citations: (0..CLAIMS)
            .map(|claim| Citation {
                source_id: source_id(question).into(),
                chunk_id: chunk_id(question, claim).into(),
                relevant_quote: sentence(question, claim),
                section: Some(SectionKind::Results),
                page_start: Some(3),
                page_end: Some(3),
                ..Citation::default()
            })
            .collect(),
        confidence: "high".to_owned(),
        evidence_quality: "three sentences".to_owned(),
        ..ResponseRecord::default()
    }
}

pub(crate) fn refusal() -> ResponseRecord {
    ResponseRecord {
        answer: "No answer found in your papers.".to_owned(),
        confidence: "low".to_owned(),
        no_evidence: true,
        ..ResponseRecord::default()
    }
}

/// `answerable` questions with gold labels, then `unanswerable` ones.
pub(crate) fn query_set(answerable: usize, unanswerable: usize) -> QuerySet {
    let gold = |q: usize| -> Vec<serde_json::Value> {
        (0..CLAIMS).map(|c| serde_json::json!({"source_id": source_id(q), "quote": sentence(q, c)})).collect()
    };
    let right = (0..answerable).map(|q| {
        let reference: Vec<String> = (0..CLAIMS).map(|c| sentence(q, c)).collect();
        serde_json::json!({"id": format!("D{q:02}"), "type": "direct", "query": question(q), "target_papers": [source_id(q)],
            "expected_no_evidence": false, "reference_answer": reference.join(" "), "gold_evidence": gold(q), "tags": []})
    });
    let none = (answerable..answerable + unanswerable).map(|q| {
        serde_json::json!({"id": format!("E{q:02}"), "type": "edge", "query": question(q), "target_papers": [],
            "expected_no_evidence": true, "tags": ["out-of-scope"]})
    });
    let lines: Vec<String> = right.chain(none).map(|v| v.to_string()).collect();
    QuerySet::parse("world", &lines.join("\n")).expect("a good set")
}

pub(crate) fn question(number: usize) -> String {
    format!("What did trial {number} find?")
}

/// The record of a right answer, or of a refusal where `number` is not answerable.
pub(crate) fn record(number: usize, answerable: usize, mode: Mode) -> RunRecord {
    let answers = number < answerable;
    let response = if answers { right_answer(number) } else { refusal() };
    RunRecord {
        timestamp: "2026-01-02T03:04:05Z".to_owned(),
        query: question(number),
        prompt_version: "extractive-1".to_owned(),
        model: "extractive".to_owned(),
        mode: Some(mode),
        context: Some(if answers { context(number) } else { Vec::new() }),
        response_raw: answers.then(|| response.clone()),
        response,
        config_hash: "c0ffee".to_owned(),
        models: BTreeMap::from([("generator".to_owned(), "extractive".to_owned())]),
        ..RunRecord::default()
    }
}

pub(crate) fn judge() -> OfflineJudge {
    OfflineJudge::new(Arc::new(evidence::support::LexicalSupport::new()))
}

/// What the fake does with one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Answer,
    Fail,
    /// Fails for good, after three requests.
    Refuse,
    /// Fails whatever is asked.
    Fatal,
    Panic,
}

/// Answers rightly, but for what its script says; remembers every call.
pub(crate) struct Fake {
    pub(crate) answerable: usize,
    /// By question and mode: what the calls do in turn; then it answers.
    pub(crate) script: Mutex<BTreeMap<(String, Mode), Vec<Act>>>,
    pub(crate) calls: Mutex<Vec<(String, Mode)>>,
    in_flight: Mutex<(usize, usize)>,
}

impl Fake {
    pub(crate) fn new(answerable: usize) -> Self {
        Self { answerable, script: Mutex::default(), calls: Mutex::default(), in_flight: Mutex::default() }
    }

    pub(crate) fn does(self, number: usize, mode: Mode, acts: &[Act]) -> Self {
        self.script.lock().expect("not poisoned").insert((question(number), mode), acts.to_vec());
        self
    }

    pub(crate) fn calls(&self) -> Vec<(String, Mode)> {
        self.calls.lock().expect("not poisoned").clone()
    }

    /// The most calls that ran at once.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.in_flight.lock().expect("not poisoned").1
    }
}

/// A failure after three requests.
fn failure(reason: &str, kind: FailureKind) -> AnswerFailure {
    let usage = Usage { requests: 3, failed_requests: 3, prompt_tokens: 10, completion_tokens: 1 };
    AnswerFailure {
        kind,
        spent: Spent::of(Spent::GENERATE, usage),
        ..AnswerFailure::from(BoxError::from(reason))
    }
}

impl Answerer for Fake {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            self.calls.lock().expect("not poisoned").push((query.to_owned(), mode));
            {
                let mut now = self.in_flight.lock().expect("not poisoned");
                now.0 += 1;
                now.1 = now.1.max(now.0);
            }
            let number: usize =
                query.chars().filter(char::is_ascii_digit).collect::<String>().parse().expect("a number");
            // Some take longer than others, so that the order of completion is not the order of asking.
            for _ in 0..=(number * 7) % 5 {
                tokio::task::yield_now().await;
            }
            self.in_flight.lock().expect("not poisoned").0 -= 1;
            let act = {
                let mut script = self.script.lock().expect("not poisoned");
                match script.get_mut(&(query.to_owned(), mode)) {
                    Some(acts) if !acts.is_empty() => acts.remove(0),
                    _ => Act::Answer,
                }
            };
            match act {
                Act::Answer => Ok(record(number, self.answerable, mode)),
                Act::Fail => Err(failure("the model is down", FailureKind::Transient)),
                Act::Refuse => Err(failure("the reply breaks the schema", FailureKind::Permanent)),
                Act::Fatal => Err(failure("the key is refused", FailureKind::Fatal)),
                Act::Panic => panic!("a stage broke (on purpose)"),
            }
        })
    }
}

pub(crate) fn job<'a>(
    set: &'a QuerySet,
    modes: &'a [Mode],
    answerer: &'a dyn Answerer,
    judge: &'a dyn Judge,
) -> RunJob<'a> {
    RunJob {
        set,
        modes,
        answerer,
        judge,
        settings: RunSettings {
            run_id: "run-1".to_owned(),
            workers: 4,
            retries: 2,
            perfect_refusals: false,
            stop_after: 5,
        },
        done: Vec::new(),
        reporter: &Silent,
        gold: None,
    }
}

/// What a run in memory came to.
pub(crate) struct InMemory {
    pub(crate) outcome: Result<RunOutcome, EvalError>,
    /// In the order in which they were finished.
    pub(crate) records: Vec<RunRecord>,
}

impl InMemory {
    /// The outcome of a run that must not end early.
    pub(crate) fn finished(self) -> (RunOutcome, Vec<RunRecord>) {
        let outcome = self.outcome.expect("runs");
        assert_eq!(self.records.len(), outcome.rows.len(), "every row is recorded");
        (outcome, self.records)
    }
}

/// Runs to the end; nothing is kept on disk.
pub(crate) async fn in_memory(job: RunJob<'_>) -> InMemory {
    let (mut rows, mut records) = (PartialRows::none(Remains::Work), Vec::new());
    let mut on_record = |record| {
        records.push(record);
        Ok(())
    };
    let outcome = eval::run(job, &mut rows, &mut on_record, &types::Stop::default()).await;
    InMemory { outcome, records }
}
