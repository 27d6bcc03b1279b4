//! A language model corrects its answer.

use crate::corpus::Corpus;
use crate::language_model::{answer, corpus};
use crate::script::{COST, Script, said};
use generate::{LanguageModel, LlmGenerateSettings};
use std::sync::Arc;
use types::{
    Citation, Confidence, Context, Evidence, FailureKind, Filter, Generated, GenerationFailure,
    GenerationInput, Generator, Mode, RagResponse, RefusalReason, Usage,
};

/// The answer that is revised.
fn earlier() -> RagResponse {
    RagResponse {
        answer: "It cured all (orvella_2021, orvella_2021__results__000).".to_owned(),
        citations: vec![Citation {
            source_id: "orvella_2021".into(),
            chunk_id: "orvella_2021__results__000".into(),
            relevant_quote: "Walking helped the adults of the trial.".to_owned(),
            page_start: Some(7),
            ..Citation::default()
        }],
        confidence: Confidence::High,
        ..RagResponse::default()
    }
}

async fn revise(
    generator: &dyn Generator,
    context: &Context,
    answer: &RagResponse,
    problems: &[&str],
) -> Option<Result<Generated, GenerationFailure>> {
    let question = question::analyse("Does walking help?", Vec::new(), Mode::Hybrid, Filter::default());
    let problems: Vec<String> = problems.iter().map(|p| (*p).to_owned()).collect();
    let input = GenerationInput {
        question: &question,
        context,
        ranking: &types::Ranking::default(),
        statistics: &types::TermStatistics::default(),
        evidence: Evidence::Sufficient,
    };
    Some(generator.revise(input, answer, &problems)?.await)
}

fn reviser(model: &Arc<Script>) -> LanguageModel {
    LanguageModel::new(Arc::clone(model) as _, LlmGenerateSettings::default())
}

#[tokio::test]
async fn the_model_sees_the_excerpts_its_answer_and_the_problems() {
    let model = Script::new([said(&answer(false, 1))]);
    let problem = "It cured all. (the passage does not say \"cured\")";
    let revised = revise(&reviser(&model), &corpus().context, &earlier(), &[problem, "next"])
        .await
        .expect("it can revise")
        .expect("an answer");
    assert!(revised.response.answer.starts_with("It helped"), "{revised:?}");
    assert_eq!(revised.usage, COST);
    let asked = &model.asked()[0];
    assert_eq!(asked.schema.as_ref().map(|s| s.name.as_str()), Some("cited_answer"));
    for part in [
        "pages=\"1\">\nWalking helped",
        "<question>\nDoes walking help?\n</question>\n\n<question_reply>\n{\"claims\":[{\"evidence\":[{\"source_id\":\"orvella_2021\",",
        "\"sentence\":\"It cured all.\"}],\"no_evidence\":false,\"confidence\":\"high\"",
        &format!("<question_problems>\n1. {problem}\n2. next\n</question_problems>"),
    ] {
        assert!(asked.user.contains(part), "{part} in {}", asked.user);
    }
    assert!(!asked.user.contains("page_start"), "the fields of the schema only");
    assert!(!asked.system.contains("cured"), "instructions hold no text of others");
}

#[tokio::test]
async fn what_is_not_corrected_stays_as_it_was() {
    let long = "Walking for an hour on each day of the week helped the older adults who took part in the trial of the four towns at the sea";
    let first = RagResponse {
        answer: format!(
            "{long} (orvella_2021, orvella_2021__results__000). It cured all (orvella_2021, orvella_2021__results__000). \
             Nobody fell (b, b__body__000)."
        ),
        citations: [
            earlier().citations,
            vec![Citation { source_id: "b".into(), chunk_id: "b__body__000".into(), ..Citation::default() }],
        ]
        .concat(),
        ..earlier()
    };
    let revised = async |reply: &str, problems: &[&str]| {
        let model = Script::new([said(reply)]);
        let done = revise(&reviser(&model), &corpus().context, &first, problems).await;
        done.expect("it can revise").expect("an answer").response
    };
    let cured = "It cured all. (why)";
    let corrected = revised(&answer(false, 1), &[cured]).await;
    let at =
        |part: &str| corrected.answer.find(part).unwrap_or_else(|| panic!("{part}: {}", corrected.answer));
    assert!(at(long) < at("It helped") && at("It helped") < at("Nobody fell (b, b__body__000)."));
    assert!(!corrected.answer.contains("cured"), "{corrected:?}");
    assert!(corrected.citations.iter().any(|c| c.chunk_id.as_str() == "b__body__000"));
    // A problem may name the beginning of a sentence.
    let beginning = format!("{}… (why)", &long[..120]);
    let left = revised(&answer(true, 0), &[&beginning, "Nobody fell. (why)"]).await;
    assert_eq!(left.answer, "It cured all (orvella_2021, orvella_2021__results__000).");
    assert_eq!(left.citations, earlier().citations, "of the sentences that are left");
    let none = revised(&answer(true, 0), &[&beginning, cured, "Nobody fell. (why)"]).await;
    assert!(none.no_evidence, "{none:?}");
}

#[tokio::test]
async fn a_bad_revision_is_not_asked_for_again() {
    let model = Script::new([said("no json")]);
    let failed = revise(&reviser(&model), &corpus().context, &earlier(), &["x"])
        .await
        .expect("it can revise")
        .expect_err("no answer");
    let spent = Usage { failed_requests: 1, ..COST };
    assert_eq!((failed.usage, failed.kind), (spent, FailureKind::Permanent));
    let text = failed.to_string();
    assert!(text.contains("gave 1 reply that does not follow"), "{text}");
}

#[tokio::test]
async fn caveats_of_the_prompt_are_given_once() {
    let reviser = |model: &Arc<Script>| {
        let settings = LlmGenerateSettings { max_context_chars: 300, ..LlmGenerateSettings::default() };
        LanguageModel::new(Arc::clone(model) as _, settings)
    };
    let model = Script::new([said(&answer(false, 1))]);
    let corpus = corpus();
    let first = revise(&reviser(&model), &corpus.context, &earlier(), &["x"]).await;
    let first = first.expect("it can revise").expect("an answer").response;
    assert_eq!(first.caveats.len(), 2, "{first:?}");
    // The model repeats the caveats that it was shown.
    let mut reply: serde_json::Value = serde_json::from_str(&answer(false, 1)).expect("JSON");
    reply["caveats"] = serde_json::json!(first.caveats);
    let model = Script::new([said(&reply.to_string())]);
    let second = revise(&reviser(&model), &corpus.context, &first, &["x"]).await;
    let second = second.expect("it can revise").expect("an answer").response;
    assert_eq!(second.caveats, first.caveats);
}

#[tokio::test]
async fn nothing_to_read_is_refused_without_a_call() {
    let model = Script::new([]);
    let revised = revise(&reviser(&model), &Corpus::default().context, &earlier(), &["x"]).await;
    let refusal = revised.expect("it can revise").expect("a refusal").response.refusal;
    assert_eq!(refusal.map(|r| r.reason), Some(RefusalReason::NoCandidates));
    assert!(model.asked().is_empty());
}
