//! The cross-encoder on a model whose scores are known: the largest token id of the pair.

use crate::common;
use models::{ModelSettings, ModelSpec, OnnxCrossEncoder, Runtime};
use testkit::onnx;
use types::PairScorer;

/// A word-level tokenizer over `w0` to `w99`, whose ids are 10 to 109.
fn tokenizer() -> String {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let words = (0..100).map(|i| (format!("w{i}"), 10 + i));
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

/// A model folder that takes 16 tokens.
fn folder() -> (tempfile::TempDir, ModelSpec) {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::write(folder.path().join("model.onnx"), onnx::largest_id()).expect("writes");
    std::fs::write(folder.path().join("tokenizer.json"), tokenizer()).expect("writes");
    std::fs::write(folder.path().join("model.json"), r#"{"name": "largest", "max_tokens": 16}"#)
        .expect("writes");
    let spec = ModelSpec::from_dir(folder.path(), &ModelSettings::default()).expect("a model folder");
    (folder, spec)
}

fn load(runtime: &Runtime) -> OnnxCrossEncoder {
    let (_folder, spec) = folder();
    OnnxCrossEncoder::load(&spec, runtime, 1).expect("the model loads")
}

#[test]
fn scores_keep_their_order_and_the_best_window_counts() {
    let Some((runtime, _)) = common::runtime("cross_encoder") else {
        return;
    };
    let model = load(&runtime);
    assert!(model.id().starts_with("largest-"));
    let check = |pairs: &[(&str, &str)], want: &[f32]| {
        let pairs: Vec<(String, String)> = pairs.iter().map(|&(q, p)| (q.to_owned(), p.to_owned())).collect();
        assert_eq!(model.score(&pairs).expect("scores"), want, "{pairs:?}");
    };
    check(&[], &[]);
    check(
        &[("w1", "w7"), ("w2", "w5 w3"), ("w1", "w90"), ("w1", ""), ("w1", "w7")],
        &[17.0, 15.0, 100.0, 11.0, 17.0],
    );
    // The best word stands where a cut at 16 tokens would have lost it.
    let far = format!("{} w99 {}", "w1 ".repeat(300), "w2 ".repeat(300));
    check(&[("w5", &far), ("w5", "w6")], &[109.0, 16.0]);
    // A question of two parts, 8 tokens each at most: the mean of (w50, w1…) and (w3, w1…).
    let question = "w50 w1 w1 w1 w1 w1 w3 w1";
    check(&[(question, &"w1 ".repeat(30))], &[f32::midpoint(60.0, 13.0)]);
    check(&[(&"w4 ".repeat(40), " ")], &[14.0]);
}
