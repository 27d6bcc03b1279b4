//! A metric that cannot fall is no metric: answers are damaged by seed, and each metric must fall on exactly
//! the damaged rows.

use crate::world::{self, CLAIMS};
use eval::metrics::Direction;
use eval::{QuerySet, Row, evaluate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use types::{Mode, ResponseRecord, RunRecord};

const QUESTIONS: usize = 12;
const DAMAGED: usize = 4;

/// What is done to one claim of an answer.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Mark and citation name a chunk that nobody retrieved.
    ForeignChunk,
    /// Mark and citation name another chunk of the context.
    WrongChunk,
    /// The citation quotes what stands in another chunk.
    SwappedQuote,
    /// The citation's quote has one changed word.
    AlteredQuote,
    /// A number of the claim is another.
    ChangedNumber,
    /// A sentence that nothing supports is added.
    AddedSentence,
    /// The mark of a claim is gone; its citation stays.
    LostMark,
    /// The answer is turned into a refusal.
    Refused,
}

impl Damage {
    const ALL: [Self; 8] = [
        Self::ForeignChunk,
        Self::WrongChunk,
        Self::SwappedQuote,
        Self::AlteredQuote,
        Self::ChangedNumber,
        Self::AddedSentence,
        Self::LostMark,
        Self::Refused,
    ];

    /// The metrics that must fall; all others must stay.
    fn falls(self) -> &'static [&'static str] {
        match self {
            Self::ForeignChunk => &[
                "citation_precision",
                "quote_accuracy",
                "fully_cited",
                "claim_support",
                "citation_support",
                "grade",
                "gold_recall_answer",
            ],
            Self::WrongChunk => &[
                "quote_accuracy",
                "fully_cited",
                "claim_support",
                "citation_support",
                "grade",
            ],
            Self::SwappedQuote | Self::AlteredQuote => &["quote_accuracy"],
            Self::ChangedNumber => &[
                "faithful",
                "claim_support",
                "citation_support",
                "fully_cited",
                "grade",
                "hallucinated_numbers",
                "correct",
                "token_f1",
            ],
            Self::AddedSentence => &[
                "faithful",
                "claim_support",
                "citation_support",
                "fully_cited",
                "grade",
                "token_f1",
            ],
            Self::LostMark => &["fully_cited", "claim_support", "grade"],
            Self::Refused => &[
                "no_evidence_accuracy",
                "answerable_answered",
                "gold_recall_answer",
                "correct",
                "token_f1",
            ],
        }
    }

    fn apply(self, question: usize, claim: usize, response: &mut ResponseRecord) {
        let chunk = world::chunk_id(question, claim);
        let mark = format!("({}, {chunk})", world::source_id(question));
        let citation = &mut response.citations[claim];
        match self {
            Self::ForeignChunk => {
                let foreign = format!("elsewhere_{question}__body__000");
                response.answer = response
                    .answer
                    .replace(&mark, &format!("(elsewhere_{question}, {foreign})"));
                citation.chunk_id = foreign.into();
                citation.source_id = format!("elsewhere_{question}").into();
            }
            Self::WrongChunk => {
                let other = world::chunk_id(question, (claim + 1) % CLAIMS);
                response.answer = response.answer.replace(&chunk, &other);
                citation.chunk_id = other.into();
            }
            Self::SwappedQuote => citation.relevant_quote = world::sentence(question, (claim + 1) % CLAIMS),
            Self::AlteredQuote => {
                citation.relevant_quote = citation.relevant_quote.replace("retired", "young");
            }
            Self::ChangedNumber => {
                let sentence = world::sentence(question, claim);
                let body = sentence.trim_end_matches('.');
                let from = format!("changed by {}", 3 + question * CLAIMS + claim);
                let changed = body.replace(&from, &format!("changed by {}", 81 + question * CLAIMS + claim));
                assert_ne!(changed, body, "the number is there");
                response.answer = response.answer.replace(body, &changed);
            }
            Self::AddedSentence => {
                response
                    .answer
                    .push_str(" Quantum computers factor large integers quickly ");
                response.answer.push_str(&mark);
                response.answer.push('.');
            }
            Self::LostMark => response.answer = response.answer.replace(&format!(" {mark}"), ""),
            Self::Refused => *response = world::refusal(),
        }
    }
}

async fn rows(records: &[RunRecord], set: &QuerySet) -> Vec<Row> {
    let judge = world::judge();
    let mut out = Vec::new();
    for (record, query) in records.iter().zip(&set.queries) {
        out.push(evaluate(record, Some(query), Some(&judge)).await);
    }
    out
}

/// The rows on which each metric does not have its best value, metrics without such a row left out.
fn fallen(rows: &[Row]) -> BTreeMap<String, BTreeSet<usize>> {
    let mut out: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for (key, score) in row.scores.iter() {
            assert!(
                !matches!(score, eval::Score::Error(_)),
                "{key} of row {at}: {score:?}"
            );
            let spec = eval::metrics::find(key).expect("registered").spec();
            let best = match spec.direction {
                Direction::Higher => spec.range.high,
                Direction::Lower => spec.range.low,
                Direction::Neither => continue,
            };
            if score.get().is_some_and(|v| (v - best).abs() > 1e-9) {
                out.entry(key.to_owned()).or_default().insert(at);
            }
        }
    }
    out
}

fn chosen(seed: u64) -> BTreeMap<usize, usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = BTreeMap::new();
    while out.len() < DAMAGED {
        out.insert(
            rng.next_u64() as usize % QUESTIONS,
            rng.next_u64() as usize % CLAIMS,
        );
    }
    out
}

#[tokio::test]
async fn each_metric_falls_on_exactly_the_damaged_rows() {
    let set = world::query_set(QUESTIONS, 0);
    let whole: Vec<RunRecord> = (0..QUESTIONS)
        .map(|q| world::record(q, QUESTIONS, Mode::Hybrid))
        .collect();
    assert_eq!(
        fallen(&rows(&whole, &set).await),
        BTreeMap::new(),
        "undamaged answers have the best scores"
    );
    for damage in Damage::ALL {
        for seed in [1, 2] {
            let chosen = chosen(seed);
            let hit: BTreeSet<usize> = chosen.keys().copied().collect();
            for raw in [false, true] {
                let mut records = whole.clone();
                for (question, claim) in &chosen {
                    let record = &mut records[*question];
                    let response = if raw {
                        record.response_raw.as_mut()
                    } else {
                        Some(&mut record.response)
                    };
                    damage.apply(*question, *claim, response.expect("a right answer has both"));
                }
                let suffix = if raw { eval::metrics::RAW_SUFFIX } else { "" };
                let expect: BTreeMap<String, BTreeSet<usize>> = damage
                    .falls()
                    .iter()
                    .map(|key| format!("{key}{suffix}"))
                    .filter(|key| eval::metrics::find(key).is_some())
                    .map(|key| (key, hit.clone()))
                    .collect();
                assert_eq!(
                    fallen(&rows(&records, &set).await),
                    expect,
                    "{damage:?}, seed {seed}, raw {raw}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_poorer_context_lowers_its_recall_alone_where_the_answer_stays() {
    let set = world::query_set(QUESTIONS, 0);
    let mut records: Vec<RunRecord> = (0..QUESTIONS)
        .map(|q| world::record(q, QUESTIONS, Mode::Hybrid))
        .collect();
    let context = records[3].context.as_mut().expect("it has one");
    // The sentence is lost from a chunk that stays: the answer's claim is then unsupported, too.
    context[1].text = "Nothing of note.".to_owned();
    let found = fallen(&rows(&records, &set).await);
    let hit: BTreeSet<usize> = [3].into();
    assert_eq!(found.get("gold_recall_context"), Some(&hit));
    assert_eq!(found.get("faithful"), Some(&hit));
    assert_eq!(found.get("citation_precision"), None);
}

#[tokio::test]
async fn answering_the_unanswerable_is_seen() {
    let set = world::query_set(0, 4);
    let mut records: Vec<RunRecord> = (0..4).map(|q| world::record(q, 0, Mode::Hybrid)).collect();
    assert_eq!(fallen(&rows(&records, &set).await), BTreeMap::new());
    records[2].response = world::right_answer(2);
    records[2].context = Some(world::context(2));
    let expect: BTreeMap<String, BTreeSet<usize>> = ["no_evidence_accuracy", "unanswerable_refused"]
        .map(|key| (key.to_owned(), [2].into()))
        .into();
    assert_eq!(fallen(&rows(&records, &set).await), expect);
}
