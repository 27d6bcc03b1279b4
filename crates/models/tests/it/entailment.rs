//! The entailment judge on a model whose outputs are known: the largest token ids of passage and claim.

use crate::common;
use crate::onnx;

use models::{EntailmentLabels, ModelSettings, ModelSpec, OnnxEntailment, Runtime};
use types::SupportScorer;

/// A word-level tokenizer over `w0` to `w20`, whose ids are 10 to 30.
fn tokenizer() -> String {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let words = (0..=20).map(|i| (format!("w{i}"), 10 + i));
    let vocabulary: serde_json::Map<String, serde_json::Value> = special
        .iter()
        .zip(0..)
        .map(|(t, id)| ((*t).to_owned(), id))
        .chain(words)
        .map(|(token, id)| (token, id.into()))
        .collect();
    serde_json::json!({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    })
    .to_string()
}

/// A model that takes 12 tokens.
fn load(runtime: &Runtime, labels: &[&str]) -> Result<OnnxEntailment, models::ModelsError> {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::write(folder.path().join("model.onnx"), onnx::largest_ids_of_pair()).expect("writes");
    std::fs::write(folder.path().join("tokenizer.json"), tokenizer()).expect("writes");
    std::fs::write(
        folder.path().join("model.json"),
        r#"{"name": "pair", "max_tokens": 12}"#,
    )
    .expect("writes");
    let spec = ModelSpec::from_dir(folder.path(), &ModelSettings::default()).expect("a model folder");
    let labels = EntailmentLabels::new(labels).expect("labels");
    OnnxEntailment::load(&spec, labels, runtime, 1)
}

#[test]
fn passages_are_premises_and_the_best_window_counts() {
    let Some((runtime, _)) = common::runtime("entailment") else {
        return;
    };
    let judge = load(&runtime, &["entailment", "contradiction"]).expect("the model loads");
    assert!(judge.id().starts_with("nli-pair-"));
    let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
    let check = |claim: &str, passage: &str, want: f32, against: f32| {
        let got = judge.support(claim, passage).expect("judges");
        assert!((got.score - want).abs() < 1e-5, "{claim:?} {passage:?} {got:?}");
        assert!(
            (got.contradiction - against).abs() < 1e-5,
            "{claim:?} {passage:?} {got:?}"
        );
        assert_eq!(got.reasons.is_empty(), want >= 0.5, "{got:?}");
    };
    // The passage is the first text of the pair: its largest id speaks for the claim.
    check("w3", "w5 w4", logistic(2.0), logistic(-2.0));
    check("w5", "w3 w4", logistic(-1.0), logistic(1.0));
    check("w5", "w5", 0.5, 0.5);
    // A word that a cut at 12 tokens would have lost.
    let far = format!("{} w20 {}", "w1 ".repeat(40), "w2 ".repeat(40));
    check("w10", &far, logistic(10.0), logistic(9.0));
    // The other order of labels.
    let turned = load(&runtime, &["contradiction", "entailment"]).expect("the model loads");
    let got = turned.support("w3", "w5").expect("judges");
    assert!((got.score - logistic(-2.0)).abs() < 1e-5, "{got:?}");
}

#[test]
fn a_model_with_other_outputs_is_refused() {
    let Some((runtime, _)) = common::runtime("entailment") else {
        return;
    };
    let error =
        load(&runtime, &["contradiction", "entailment", "neutral"]).expect_err("two outputs, three labels");
    assert!(error.to_string().contains("3 labels"), "{error}");
}
