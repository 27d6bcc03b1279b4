//! What does each metric do when an answer is damaged? A metric that no damage moves measures nothing.

use crate::metrics::{REGISTRY, testing::scores};
use crate::{Cited, Expected, GoldQuote, Passage, Sample, Score};
use std::collections::BTreeSet;
use text::numbers::quantities;

/// A way to damage a row.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// The passages, and the retrieved documents, are those of another row.
    ForeignPassages,
    /// Quotes of citations are those of another row.
    SwappedQuotes,
    /// A number of the answer is another one.
    ChangedNumber,
    /// A sentence is added that nothing supports.
    AddedSentence,
    /// The citations are gone, from the list and the text.
    DroppedCitations,
    /// The answer, with its citations, is that of another row.
    OtherAnswer,
    /// Every answer is a refusal.
    AlwaysRefuse,
    /// Every answer is empty.
    EmptyAnswer,
    /// Passages and documents are in the reverse order.
    ReversedPassages,
}

const ALL: [Damage; 9] = [
    Damage::ForeignPassages,
    Damage::SwappedQuotes,
    Damage::ChangedNumber,
    Damage::AddedSentence,
    Damage::DroppedCitations,
    Damage::OtherAnswer,
    Damage::AlwaysRefuse,
    Damage::EmptyAnswer,
    Damage::ReversedPassages,
];

impl Damage {
    fn of(self, row: &Sample, other: &Sample) -> Sample {
        let mut out = row.clone();
        let answer = row.answer.clone().unwrap_or_default();
        let says = |answer: &str, refused: bool| Sample {
            answer: Some(answer.to_owned()),
            citations: Some(Vec::new()),
            refused: Some(refused),
            ..row.clone()
        };
        match self {
            Self::ForeignPassages => {
                out.passages.clone_from(&other.passages);
                out.retrieved.clone_from(&other.retrieved);
            }
            Self::SwappedQuotes => {
                let quotes = other.citations.iter().flatten().map(|cited| cited.quote.clone());
                for (cited, quote) in out.citations.iter_mut().flatten().zip(quotes) {
                    cited.quote = quote;
                }
            }
            Self::ChangedNumber => {
                if let Some(first) = quantities(&answer).first() {
                    let (before, after) = (&answer[..first.number.start], &answer[first.number.end..]);
                    out.answer = Some(format!("{before}{}{after}", first.value + 17.0));
                }
            }
            Self::AddedSentence if row.refused == Some(true) => {}
            Self::AddedSentence => {
                out.answer = Some(
                    answer + " In a later cohort, Quellmardine and Osterwick saw it in 4711 volunteers.",
                );
            }
            Self::DroppedCitations => {
                out.answer = answer.split(" [").next().map(str::to_owned);
                out.citations = Some(Vec::new());
            }
            Self::OtherAnswer => {
                out.answer.clone_from(&other.answer);
                out.citations.clone_from(&other.citations);
                out.refused = other.refused;
            }
            Self::AlwaysRefuse => return says("The documents do not answer this question.", true),
            Self::EmptyAnswer => return says("", false),
            Self::ReversedPassages => {
                out.passages.iter_mut().for_each(|passages| passages.reverse());
                out.retrieved.iter_mut().for_each(|ids| ids.reverse());
            }
        }
        out
    }
}

/// Four good rows about different things: a sentence that answers, a passage that has it, one that does not, and labels.
fn good() -> Vec<Sample> {
    let facts = [
        (
            "How does brisk walking affect blood pressure?",
            "Brisk walking lowered systolic blood pressure by 6 mmHg in 40 adults.",
        ),
        (
            "How does dietary fibre affect stool weight?",
            "Dietary fibre raised mean stool weight by 32 g in 18 volunteers.",
        ),
        (
            "How does metformin affect training gains?",
            "Metformin reduced the AMPK gains of endurance training by 45 % in older men.",
        ),
        (
            "How does sleep restriction affect glucose tolerance?",
            "Sleep restriction impaired glucose tolerance within 12 days in nurses.",
        ),
    ];
    let row = |(at, (question, fact)): (usize, &(&str, &str))| {
        let passage = |document: String, text: &str, distance: f64| Passage {
            text: text.to_owned(),
            id: Some(format!("{document}-1")),
            document: Some(document),
            distance: Some(distance),
            page: Some(3),
            ..Passage::default()
        };
        let (own, side) = (format!("paper_{at}"), format!("side_{at}"));
        Sample {
            id: format!("q{at}"),
            question: Some((*question).to_owned()),
            answer: Some(format!("{fact} [{own}]")),
            passages: Some(vec![
                passage(
                    own.clone(),
                    &format!("Participants were followed up. {fact}"),
                    0.5 + 0.1 * at as f64,
                ),
                passage(side.clone(), "The ethics board of the region approved the protocol in spring.", 1.2),
            ]),
            retrieved: Some(vec![own.clone(), side]),
            expected: Some(vec![Expected { document: own.clone(), pages: vec![3], grade: 1 }]),
            gold_quotes: Some(vec![GoldQuote { document: Some(own.clone()), quote: (*fact).to_owned() }]),
            reference: Some((*fact).to_owned()),
            citations: Some(vec![Cited {
                document: Some(own),
                quote: Some((*fact).to_owned()),
                ..Cited::default()
            }]),
            refused: Some(false),
            probability: Some(0.9),
            expected_refusal: Some(false),
            ..Sample::default()
        }
    };
    let mut rows: Vec<Sample> = facts.iter().enumerate().map(row).collect();
    let mut unanswerable = rows[0].clone();
    unanswerable.id = "q9".to_owned();
    unanswerable.answer = Some("The documents do not answer this question.".to_owned());
    unanswerable.refused = Some(true);
    unanswerable.expected_refusal = Some(true);
    unanswerable.citations = Some(Vec::new());
    unanswerable.expected = None;
    unanswerable.gold_quotes = None;
    unanswerable.reference = None;
    rows.push(unanswerable);
    rows
}

/// The metrics that have another value in a row that the damage leaves one.
fn moved(damage: Damage) -> BTreeSet<&'static str> {
    let rows = good();
    let mut out = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        let damaged = damage.of(row, &rows[(at + 1) % rows.len()]);
        let (before, after) = (scores(row), scores(&damaged));
        for metric in REGISTRY {
            let key = metric.spec.key;
            let [before, after] = [&before, &after].map(|row| row.scores.get(key).and_then(Score::get));
            if before.zip(after).is_some_and(|(a, b)| (a - b).abs() > 1e-9) {
                out.insert(key);
            }
        }
    }
    out
}

#[test]
fn each_damage_moves_what_should_see_it() {
    let check = |damage: Damage, want: &[&str]| {
        let want: BTreeSet<&str> = want.iter().copied().collect();
        assert_eq!(moved(damage), want, "{damage:?}");
    };
    let ranks = ["context_average_precision", "ndcg@10", "mrr@10"];
    let by_passages = [
        "faithful",
        "faithfulness",
        "hallucination",
        "hallucinated_numbers",
        "factual_accuracy",
        "overall_pass",
        "rag_score",
        "auto_fail",
    ];
    let by_citations = ["fully_cited", "claim_support", "citation_support", "citation_quality", "grade"];
    let found = [
        "context_recall",
        "context_recall_documents",
        "context_recall_claims",
        "gold_recall_context",
        "recall@10",
        "page_recall",
    ];
    let cited = ["citation_precision", "citation_verification_rate", "source_diversity"];
    let retrieval = ["retrieval_relevance", "retrieval_relevance_pass", "average_distance"];
    let right = ["matched", "correctness", "token_f1", "brier_score"];
    let all = |lists: &[&[&'static str]]| -> Vec<&'static str> { lists.concat() };
    check(
        Damage::ForeignPassages,
        &all(&[
            &ranks,
            &by_passages,
            &by_citations,
            &found,
            &cited,
            &["quote_accuracy", "hallucinated_entities"],
            &retrieval,
        ]),
    );
    check(Damage::SwappedQuotes, &["citation_verification_rate", "citation_quality", "quote_accuracy"]);
    check(Damage::ChangedNumber, &all(&[&by_passages, &by_citations, &right, &["completeness"]]));
    check(
        Damage::AddedSentence,
        &all(&[
            &by_passages,
            &["fully_cited", "claim_support", "citation_quality", "grade"],
            &["correctness", "token_f1", "hallucinated_entities"],
        ]),
    );
    check(
        Damage::DroppedCitations,
        &all(&[&by_citations, &cited, &["quote_accuracy", "gold_recall_answer"]]),
    );
    check(Damage::ReversedPassages, &ranks);
}

#[test]
fn answers_of_other_questions_refusals_and_silence_are_seen() {
    for damage in [Damage::OtherAnswer, Damage::AlwaysRefuse, Damage::EmptyAnswer] {
        let moved = moved(damage);
        for key in
            "answer_relevance|relevance|completeness|correctness|matched|token_f1|overall_pass".split('|')
        {
            assert!(moved.contains(key), "{key}: {damage:?}");
        }
        assert!(!moved.iter().any(|key| key.starts_with("context_") || key.contains('@')), "{moved:?}");
    }
    assert!(moved(Damage::EmptyAnswer).contains("unanswerable_accuracy"));
}

#[test]
fn every_metric_is_moved_by_some_damage_or_describes() {
    let all: BTreeSet<&str> = ALL.into_iter().flat_map(moved).collect();
    let still: Vec<&str> = REGISTRY.iter().map(|m| m.spec.key).filter(|key| !all.contains(key)).collect();
    assert_eq!(
        still,
        ["documents_per_query", "passages_per_query", "recall_ceiling@10"],
        "they describe labels and settings"
    );
}
