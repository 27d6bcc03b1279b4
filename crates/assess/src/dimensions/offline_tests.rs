//! The offline dimensions on small answers.

use super::*;
use rows::Cited;
use support::LexicalSupport;

const RENEWAL: &str = "Renewal of the harbour cards began in May 2021 at the north office.";
const RAIN: &str = "Rain fell on 40 days of that summer in the hills.";

fn row(answer: &str) -> AnswerRow {
    let passage = |text: &str, page: u32| rows::Passage {
        text: text.to_owned(),
        document: Some("guide.pdf".to_owned()),
        page: Some(page),
        ..rows::Passage::default()
    };
    AnswerRow {
        question: Some("When did renewal begin?".to_owned()),
        answer: Some(answer.to_owned()),
        passages: Some(vec![passage(RENEWAL, 3), passage(RAIN, 4)]),
        reference: Some("In May 2021.".to_owned()),
        ..AnswerRow::default()
    }
}

async fn score(dimension: Dimension, row: &AnswerRow) -> Result<Verdict, JudgeError> {
    let judge = OfflineDimensions::new(Arc::new(LexicalSupport::new()), 0.5);
    judge.judge(dimension, row).await
}

fn why(found: Result<Verdict, JudgeError>) -> String {
    match found {
        Err(JudgeError::NotApplicable(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn faithfulness_is_the_mean_support_of_the_claims() {
    let good = score(Dimension::Faithfulness, &row(&format!("{RENEWAL} [guide.pdf:3]"))).await;
    let good = good.expect("a verdict");
    assert!(good.score > 0.8 && good.findings.is_empty(), "{good:?}");
    // A foreign sentence halves it; the citation does not matter here.
    let half = row(&format!(
        "{RENEWAL} [guide.pdf:4] Forty whales sang operas in Lisbon. [guide.pdf:4]"
    ));
    let half = score(Dimension::Faithfulness, &half).await.expect("a verdict");
    assert!(half.score < good.score - 0.3, "{half:?}");
    assert_eq!(half.findings, ["Forty whales sang operas in Lisbon."]);
    let mut none = row(RENEWAL);
    none.passages = Some(Vec::new());
    assert!(
        score(Dimension::Faithfulness, &none)
            .await
            .expect("a verdict")
            .score
            < 1e-9
    );
}

#[tokio::test]
async fn citations_must_exist_and_support() {
    let quality = async |row: AnswerRow| score(Dimension::CitationQuality, &row).await.expect("a verdict");
    let good = quality(row(&format!("{RENEWAL} [guide.pdf:3]"))).await;
    assert!(good.score > 0.8 && good.findings.is_empty(), "{good:?}");
    let wrong = quality(row(&format!("{RENEWAL} [guide.pdf:4]"))).await;
    assert!(
        wrong.score < 0.5 && wrong.findings[0].starts_with("not supported by its citation"),
        "{wrong:?}"
    );
    let absent = quality(row(&format!("{RENEWAL} [guide.pdf:9]"))).await;
    assert!(
        absent.score < 1e-9 && absent.findings[0] == "not among the passages: guide.pdf:9",
        "{absent:?}"
    );
    let both = quality(row(&format!("{RENEWAL} [guide.pdf:3; guide.pdf:9]"))).await;
    assert!((both.score - good.score / 2.0).abs() < 1e-9, "{both:?}");
    let uncited = quality(row(RENEWAL)).await;
    assert!(
        uncited.score < 1e-9 && uncited.findings == ["no citations"],
        "{uncited:?}"
    );
    // Citations beside the text.
    let mut beside = row(RENEWAL);
    let cited = |page: u32| Cited {
        document: Some("guide".to_owned()),
        pages: Some((page, page)),
        ..Cited::default()
    };
    beside.citations = Some(vec![cited(3)]);
    assert!(quality(beside.clone()).await.score > 0.8);
    beside.citations = Some(vec![cited(4)]);
    assert!(quality(beside).await.score < 0.5);
}

#[tokio::test]
async fn correctness_is_the_overlap_of_words() {
    let found = score(Dimension::Correctness, &row("In May 2021. [guide.pdf:3]")).await;
    assert!((found.expect("a verdict").score - 1.0).abs() < 1e-9);
    let mut refusal = row("The papers do not say.");
    refusal.refused = Some(true);
    assert!(
        score(Dimension::Correctness, &refusal)
            .await
            .expect("a verdict")
            .score
            < 1e-9
    );
    refusal.expected_refusal = Some(true);
    assert_eq!(
        why(score(Dimension::Correctness, &refusal).await),
        "a refusal is expected"
    );
    assert_eq!(
        why(score(Dimension::Faithfulness, &refusal).await),
        "the answer is a refusal"
    );
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let mut bare = row(RENEWAL);
    (bare.passages, bare.reference, bare.question) = (None, None, None);
    for (dimension, want) in [
        (Dimension::Faithfulness, "the row has no passages"),
        (Dimension::AnswerRelevance, "the row has no question"),
        (Dimension::CitationQuality, "the row has no passages"),
        (Dimension::Completeness, "the row has no question"),
        (Dimension::Correctness, "the row has no reference answer"),
    ] {
        assert_eq!(why(score(dimension, &bare).await), want, "{dimension:?}");
    }
    bare.answer = None;
    assert_eq!(
        why(score(Dimension::Correctness, &bare).await),
        "the row has no answer"
    );
    assert_eq!(
        why(score(Dimension::AnswerRelevance, &row(RENEWAL)).await),
        "needs a language model"
    );
    let empty = score(Dimension::Completeness, &row(" "))
        .await
        .expect("a verdict");
    assert!(empty.score < 1e-9, "{empty:?}");
}
