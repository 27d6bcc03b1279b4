//! Answers of which a language model only picks the sentences.

use crate::corpus::Corpus;
use crate::extractive::{QUERY, SLEEP, WALK, WEATHER, one, quotes};
use crate::promise::{holds, settings};
use crate::script::{COST, Script, said};
use generate::{ExtractiveSettings, GenerateError, REFUSAL, SelectOnly, SelectSettings, extractive};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;
use types::{
    ChatError, ChatFailure, ChatReply, ChatRequest, Confidence, Evidence, FailureKind, Generated, Generator,
    RagResponse, RefusalReason, SectionKind::Results, Usage,
};

/// A reply that picks these sentences.
fn picks(sentences: &[i64], answers: bool) -> String {
    json!({"sentences": sentences, "answers": answers}).to_string()
}

/// Asks a model that gives these replies. Probabilities are given in the order of the sentences of the context.
fn asked(
    corpus: &Corpus,
    probabilities: &[f32],
    evidence: Evidence,
    settings: SelectSettings,
    replies: &[&str],
) -> (Result<Generated, GenerateError>, Vec<ChatRequest>) {
    let model = Script::new(replies.iter().map(|text| said(text)));
    let generator = SelectOnly::new(Arc::clone(&model) as _, settings, ExtractiveSettings::default());
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().expect("a runtime");
    let ranking = corpus.ranking(probabilities);
    let result =
        corpus.asked_with(QUERY, &ranking, evidence, |input| runtime.block_on(generator.answer(input)));
    (result, model.asked())
}

/// The answer to one reply, with what every verbatim answer promises.
fn answered(corpus: &Corpus, probabilities: &[f32], reply: &str) -> RagResponse {
    let (result, _) = asked(corpus, probabilities, Evidence::Sufficient, SelectSettings::default(), &[reply]);
    let generated = result.expect("an answer");
    assert_eq!(generated.usage, COST);
    holds(&generated.response, corpus, &settings());
    generated.response
}

#[test]
fn the_sentences_stand_in_the_order_of_the_model() {
    let corpus = one(&[SLEEP, WALK, WEATHER]);
    // Shown: 1 WALK, 2 SLEEP, 3 WEATHER.
    let answer = answered(&corpus, &[0.5, 0.79, 0.1], &picks(&[3, 1], true));
    assert_eq!(quotes(&answer), [WEATHER, WALK]);
    let mark = "(orvella_2021, orvella_2021__results__000)";
    assert_eq!(answer.answer, format!("{WEATHER} {mark} {WALK} {mark}"));
    assert_eq!(
        (answer.confidence, answer.probability),
        (Confidence::Medium, Some(0.79)),
        "both come from the ranking"
    );
    assert!(answer.caveats.is_empty(), "{answer:?}");
}

#[test]
fn it_reads_as_an_extractive_answer() {
    let mut corpus = one(&[WALK, SLEEP]);
    corpus.add("tandrik_2019", Results, 0, &[WEATHER]);
    let probabilities = [0.9, 0.6, 0.7];
    let reply = picks(&[1, 3, 2], true);
    let evidence = Evidence::Sufficient;
    let (result, _) = asked(&corpus, &probabilities, evidence, SelectSettings::default(), &[&reply]);
    let ranking = corpus.ranking(&probabilities);
    let want = corpus.asked_with(QUERY, &ranking, evidence, |input| extractive(input, &settings()));
    assert_eq!(result.expect("an answer").response, want);
}

#[test]
fn numbers_that_were_not_shown_or_are_repeated_are_passed_over() {
    let corpus = one(&[WALK, SLEEP, WEATHER]);
    let reply = picks(&[0, 9, 2, -4, 2, 1], true);
    let answer = answered(&corpus, &[0.9, 0.8, 0.7], &reply);
    assert_eq!(quotes(&answer), [SLEEP, WALK]);
}

#[test]
fn the_model_sees_the_most_likely_sentences_and_no_others() {
    let mut corpus = one(&[SLEEP, WALK, "Effects of brisk walking"]);
    corpus.add("tandrik_2019", Results, 0, &[WALK, WEATHER]);
    let settings = SelectSettings { max_sentences_shown: 2, ..SelectSettings::default() };
    let (result, requests) = asked(
        &corpus,
        &[0.3, 0.8, 0.99, 0.7, 0.2],
        Evidence::Sufficient,
        settings.clone(),
        &[&picks(&[2], true)],
    );
    assert_eq!(quotes(&result.expect("an answer").response), [SLEEP]);
    let request = &requests[0];
    assert_eq!(
        &*request.user,
        format!(
            "<excerpt number=\"1\" source=\"Orvella 2021\" section=\"results\">\n{WALK}\n</excerpt>\n\
             <excerpt number=\"2\" source=\"Orvella 2021\" section=\"results\">\n{SLEEP}\n</excerpt>\n\
             \n<question>\n{QUERY}\n</question>"
        ),
        "a heading cannot be quoted, and the same words are shown once"
    );
    assert_eq!(request.max_tokens, settings.max_tokens);
    let schema = &request.schema.as_ref().expect("a schema").schema;
    let order: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
    assert_eq!(order, ["sentences", "answers"]);
    assert!(!request.system.contains("Orvella"));
}

#[test]
fn no_answer_is_a_refusal() {
    for picked in [&[][..], &[1]] {
        let answer = answered(&one(&[WALK, SLEEP]), &[0.9, 0.8], &picks(picked, false));
        assert_eq!(answer.answer, REFUSAL);
        let refusal = answer.refusal.expect("a reason");
        assert_eq!(refusal.reason, RefusalReason::NotInPassages);
        assert_eq!(refusal.detail, "the language model found no answer in the 2 most likely sentences");
    }
}

#[test]
fn nothing_to_pick_from_is_refused_without_a_call() {
    let check = |corpus: &Corpus, want: RefusalReason| {
        let (result, requests) = asked(corpus, &[0.9], Evidence::Sufficient, SelectSettings::default(), &[]);
        let generated = result.expect("a refusal");
        assert!(generated.response.no_evidence && requests.is_empty());
        assert_eq!(generated.usage, Usage::default());
        assert_eq!(generated.response.refusal.map(|r| r.reason), Some(want));
    };
    check(&Corpus::default(), RefusalReason::NoCandidates);
    check(&one(&["Effects of brisk walking"]), RefusalReason::NotInPassages);
}

#[test]
fn a_reply_that_picks_nothing_is_asked_for_once_more() {
    let corpus = one(&[WALK, SLEEP]);
    let ask = |replies: &[&str]| {
        asked(&corpus, &[0.9, 0.8], Evidence::Sufficient, SelectSettings::default(), replies)
    };
    let (good, none) = (picks(&[1], true), picks(&[7], true));
    for (bad, problem) in [
        (none.as_str(), "`sentences` names none from 1 to 2"),
        (&picks(&[], true), "`sentences` names none from 1 to 2"),
        ("Sentence 1.", "it is not the JSON asked for"),
    ] {
        let (result, requests) = ask(&[bad, &good]);
        let generated = result.expect("an answer");
        assert_eq!(quotes(&generated.response), [WALK]);
        let spent = (generated.usage.requests, generated.usage.failed_requests);
        assert_eq!(spent, (2, 1));
        let again: &str = &requests[1].user;
        assert!(again.starts_with(&*requests[0].user) && again.contains(problem), "{again}");
    }
    let failed = ask(&["{}", &none]).0.expect_err("no answer");
    let text = failed.to_string();
    assert!(text.contains("names none from 1 to 2") && text.contains("script-1 gave 2 replies"), "{text}");
    let spent = Usage { requests: 2, failed_requests: 2, prompt_tokens: 20, completion_tokens: 10 };
    assert_eq!((failed.usage(), failed.kind()), (spent, FailureKind::Permanent));
}

#[test]
fn replies_that_cannot_be_used_leave_the_choice_to_the_offline_method() {
    let corpus = one(&[SLEEP, WALK, WEATHER]);
    let ranking = corpus.ranking(&[0.5, 0.79, 0.1]);
    let generated = |replies: Vec<Result<ChatReply, ChatFailure>>| {
        let model = Script::new(replies);
        let generator = SelectOnly::new(Arc::clone(&model) as _, SelectSettings::default(), settings());
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.build().expect("a runtime");
        corpus.asked_with(QUERY, &ranking, Evidence::Sufficient, |input| {
            runtime.block_on(generator.generate(input))
        })
    };
    let offline =
        corpus.asked_with(QUERY, &ranking, Evidence::Sufficient, |input| extractive(input, &settings()));
    let reply = |text: &str, truncated: bool| {
        Ok(ChatReply { text: text.into(), truncated, usage: COST, ..ChatReply::default() })
    };
    let silent =
        ChatError::NoAnswer { model: "script".to_owned(), reason: "its message is empty".to_owned() };
    for (replies, says, requests) in [
        (vec![reply("{\"sentences\": [", true)], "max_tokens", 1),
        (vec![reply("no", false), reply("{}", false)], "missing field", 2),
        (vec![Err(ChatFailure::from(silent))], "its message is empty", 0),
    ] {
        let mut got = generated(replies).expect("an answer");
        let caveat = got.response.caveats.pop().expect("a caveat");
        assert!(caveat.contains("chosen offline") && caveat.contains(says), "{caveat}");
        assert_eq!(got.response, offline);
        assert!(got.fell_back);
        assert_eq!(got.usage.requests, requests);
    }
    // A server that is down, or a key that is wrong, says nothing of the answer.
    let down = ChatError::Network { url: "u".to_owned(), attempts: 1, reason: "refused".to_owned() };
    let wrong = ChatError::Redirect { url: "u".to_owned(), status: 301 };
    for (error, kind) in [(down, FailureKind::Transient), (wrong, FailureKind::Fatal)] {
        let failed = generated(vec![Err(ChatFailure::from(error))]).expect_err("no answer");
        assert_eq!(failed.kind, kind);
    }
}

#[test]
fn a_sentence_that_points_back_brings_the_one_before_it() {
    let (who, they) = (
        "Forty adults of the town took part in the walking group.",
        "They walked for an hour on most days of the week.",
    );
    let corpus = one(&[who, they, WEATHER]);
    // Shown: 1 THEY, 2 WEATHER, 3 WHO.
    let check = |picked: &[i64], want: &[&str]| {
        let answer = answered(&corpus, &[0.1, 0.9, 0.5], &picks(picked, true));
        assert_eq!(quotes(&answer), want, "{picked:?}");
    };
    check(&[1], &[who, they]);
    check(&[2, 1], &[WEATHER, who, they]);
    // The model picked it itself.
    check(&[3, 1], &[who, they]);
    // In whatever order the model picked them.
    check(&[1, 3], &[who, they]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a model replies, the sentences are those of the papers.
    #[test]
    fn no_reply_changes_a_sentence(
        picked in prop::collection::vec(-2..9_i64, 1..9),
        probabilities in prop::collection::vec(0.0_f32..=1.0, 4),
    ) {
        let corpus = one(&[WALK, SLEEP, WEATHER, "They walked for an hour on most days of the week."]);
        if picked.iter().any(|n| (1..=4).contains(n)) {
            let answer = answered(&corpus, &probabilities, &picks(&picked, true));
            for quote in quotes(&answer) {
                let marked = format!("{quote} (orvella_2021, ");
                prop_assert!(answer.answer.contains(&marked), "{:?}", answer);
            }
        }
    }
}
