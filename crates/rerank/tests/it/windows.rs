//! Candidates that do not fit one call of a language model, replies that are corrected, and windows that fail.

use crate::common::{Chat, hit, question, statistics};
use rerank::{FusedOrder, LlmRerankSettings, LlmReranker, RerankError, Reranked, Reranker};
use serde_json::json;
use std::sync::Arc;
use text::tokens::estimate;
use types::{ChatError, ChatRequest, FailureKind, Hit};

/// Grades each excerpt by the number behind `worth` in it.
fn honest(request: &ChatRequest) -> String {
    let excerpts = request.user.split("<excerpt ").skip(1);
    let scores: Vec<_> = excerpts
        .enumerate()
        .map(|(at, text)| {
            let worth = text.split_once("worth ").map_or("0", |(_, rest)| rest);
            let digits: String = worth.chars().take_while(char::is_ascii_digit).collect();
            json!({"excerpt": at + 1, "relevance": digits.parse::<f64>().unwrap_or(0.0)})
        })
        .collect();
    json!({ "scores": scores }).to_string()
}

/// Candidates of about a hundred words, the last of `count` worth most.
fn candidates(count: usize) -> Vec<Hit> {
    (0..count)
        .map(|at| {
            let text = format!("This is worth {} points. {}end.", at % 11, "word ".repeat(100));
            hit(at, &[&text], 1.0 - at as f32 / 100.0)
        })
        .collect()
}

fn run(reranker: &Reranker, hits: Vec<Hit>) -> Result<Reranked, RerankError> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.build().expect("a runtime");
    let question = question("what?", &[1.0]);
    runtime.block_on(reranker.rerank(&question, hits, &statistics(&question)))
}

fn reranker(model: &Arc<Chat>, settings: LlmRerankSettings) -> Reranker {
    Reranker::new(LlmReranker::new(Arc::clone(model) as _, settings), 6)
}

fn windows_of(tokens: usize) -> LlmRerankSettings {
    LlmRerankSettings { window_tokens: tokens, ..LlmRerankSettings::default() }
}

fn order(out: &Reranked) -> Vec<u32> {
    out.ranked.iter().map(|x| x.hit.chunk().ordinal).collect()
}

#[test]
fn candidates_that_do_not_fit_one_call_go_into_several() {
    let graded = |settings: LlmRerankSettings| {
        let model = Chat::answering(|_, request| Ok(honest(request)));
        let out = run(&reranker(&model, settings), candidates(30)).expect("grades");
        assert!(out.warnings.is_empty() && !out.fell_back, "{:?}", out.warnings);
        let asked = model.asked();
        assert_eq!(out.usage.map(|usage| usage.requests), Some(asked.len() as u32));
        (order(&out), asked)
    };
    let (one, asked) = graded(windows_of(100_000));
    assert_eq!((one.as_slice(), asked.len()), ([10, 21, 9, 20, 8, 19].as_slice(), 1));
    let (several, asked) = graded(windows_of(3_000));
    assert_eq!(several, one, "grades of several calls are compared as they are");
    assert!(asked.len() > 2, "{}", asked.len());
    let mut seen = 0;
    for request in &asked {
        let schema = request.schema.as_ref().expect("a schema").schema.to_string();
        let prompt = estimate(&request.system) + estimate(&request.user) + estimate(&schema);
        assert!(prompt <= 3_000, "{prompt}");
        let excerpts = request.user.matches("<excerpt number=").count();
        let numbered = (1..=excerpts).all(|n| request.user.contains(&format!("<excerpt number=\"{n}\">")));
        assert!(numbered && request.user.ends_with("<question>\nwhat?\n</question>\n"));
        // Whole, in the order of retrieval, each once.
        for at in seen..seen + excerpts {
            assert!(request.user.contains(&format!("worth {} points", at % 11)));
        }
        assert_eq!(request.user.matches("word end.").count(), excerpts);
        seen += excerpts;
    }
    assert_eq!(seen, 30);
    // A reply has room for so many grades only.
    let short = LlmRerankSettings { max_tokens: Some(320), ..windows_of(100_000) };
    let (same, asked) = graded(short);
    assert_eq!((same, asked.len()), (one, 3));
}

#[test]
fn a_candidate_that_is_longer_than_a_window_is_cut_and_that_is_said() {
    let long = "word ".repeat(5_000) + "</excerpt> end.";
    let hits = vec![hit(0, &["Short, worth 3."], 0.9), hit(1, &[&long], 0.5)];
    let model = Chat::answering(|_, request| Ok(honest(request)));
    let out = run(&reranker(&model, windows_of(2_000)), hits).expect("grades");
    assert_eq!(order(&out), [0, 1]);
    let [warning] = out.warnings.as_slice() else { panic!("one warning: {:?}", out.warnings) };
    assert!(
        warning.contains("a part of 1 of 2 candidates") && warning.contains("rerank.window_tokens"),
        "{warning}"
    );
    for request in model.asked() {
        assert!(estimate(&request.user) < 2_000);
        assert_eq!(request.user.matches("<excerpt ").count(), request.user.matches("</excerpt>").count());
    }
}

#[test]
fn a_reply_that_breaks_the_schema_is_asked_for_once_more_with_the_error() {
    let model = Chat::answering(|number, request| {
        Ok(match number {
            0 => r#"{"scores": "</question> high"}"#.to_owned(),
            _ => honest(request),
        })
    });
    let out = run(&reranker(&model, LlmRerankSettings::default()), candidates(4)).expect("grades");
    assert_eq!(order(&out), [3, 2, 1, 0]);
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].user.starts_with(&*asked[0].user));
    let added = &asked[1].user[asked[0].user.len()..];
    assert!(added.contains("could not be used: it is not the JSON asked for (invalid type"), "{added}");
    assert!(!added.contains("</question>"), "what a reply says is escaped");
    assert_eq!(out.usage.map(|usage| (usage.requests, usage.failed_requests)), Some((2, 1)));
}

#[test]
fn a_window_that_fails_fails_all_and_the_fallback_scores_every_candidate() {
    // The window with candidate 7, and no other, is never graded.
    let model = || {
        Chat::answering(|_, request| {
            if request.user.contains("worth 7 points") { Ok("no".to_owned()) } else { Ok(honest(request)) }
        })
    };
    let alone = model();
    let failed = run(&reranker(&alone, windows_of(3_000)), candidates(10)).expect_err("no grades");
    let spent = failed.usage().expect("what was spent");
    assert!(matches!(failed, RerankError::Malformed { calls: 2, .. }), "{failed}");
    let calls = alone.asked().len() as u32;
    assert!(calls >= 3, "{calls}");
    assert_eq!((spent.requests, spent.failed_requests), (calls, 2));

    let backed = reranker(&model(), windows_of(3_000)).with_fallback(FusedOrder);
    let out = run(&backed, candidates(10)).expect("the fallback steps in");
    assert_eq!(order(&out), [0, 1, 2, 3, 4, 5], "no grade of another window counts");
    assert_eq!((out.method.as_str(), out.fell_back), ("none", true));
    assert!(out.warnings[0].contains("llm:chat failed"), "{:?}", out.warnings);
}

#[test]
fn a_failure_that_every_question_meets_is_no_reason_to_fall_back() {
    let refused = || ChatError::Auth {
        url: "u".to_owned(),
        status: 401,
        key_env: "KEY".to_owned(),
        sent: true,
        body: String::new(),
    };
    // Another window fails first, of something that a fallback may hide.
    let mixed = Chat::answering(move |_, request| {
        if request.user.contains("worth 0 points") { Ok("no".to_owned()) } else { Err(refused()) }
    });
    let backed = reranker(&mixed, windows_of(3_000)).with_fallback(FusedOrder);
    let failed = run(&backed, candidates(10)).expect_err("a wrong key");
    assert_eq!(failed.kind(), FailureKind::Fatal, "{failed}");
    assert!(mixed.asked().len() > 2, "the window that fails first is asked twice");

    let model = Chat::answering(move |_, _| Err(refused()));
    let backed = reranker(&model, LlmRerankSettings::default()).with_fallback(FusedOrder);
    let failed = run(&backed, candidates(3)).expect_err("a wrong key");
    assert_eq!((failed.kind(), model.asked().len()), (FailureKind::Fatal, 1));
}
