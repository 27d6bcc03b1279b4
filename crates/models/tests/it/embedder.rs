//! The embedding model of the default set-up, as it is loaded and used.

use crate::common;
use models::{ModelSettings, ModelSpec, ModelsError, OnnxEmbedder, Runtime};
use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};
use types::{Embedder, Span, TextParts};

const MODEL: &str = "all-MiniLM-L6-v2-w8a8";

fn load(folder: &Path, runtime: &Runtime, settings: &ModelSettings) -> OnnxEmbedder {
    let spec = ModelSpec::from_dir(&folder.join(MODEL), settings).expect("a model folder");
    OnnxEmbedder::load(&spec, runtime, 2).expect("the model loads")
}

/// The model with its own settings, loaded once.
fn embedder(test: &str) -> Option<&'static OnnxEmbedder> {
    static LOADED: OnceLock<Option<OnnxEmbedder>> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| {
        let (runtime, folder) = common::runtime(test)?;
        let found = folder.join(MODEL).is_dir();
        found.then(|| load(&folder, &runtime, &ModelSettings::default()))
    });
    if loaded.is_none() {
        eprintln!("skipped {test}: {MODEL} is not there; run scripts/setup.sh or set PIPELINE_NATIVES");
    }
    loaded.as_ref()
}

fn embed(embedder: &OnnxEmbedder, texts: &[&str]) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|&t| t.to_owned()).collect();
    embedder.embed(&texts, &|_| ()).expect("embeds")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[test]
fn meaning_orders_texts() {
    let Some(model) = embedder("meaning_orders_texts") else {
        return;
    };
    assert_eq!(model.dimension(), 384);
    let question = model.embed_query("How was heart rate variability measured?").expect("embeds");
    let vectors = embed(
        model,
        &[
            "Heart rate variability was recorded with an electrocardiogram.",
            "The cake was baked in a hot oven.",
        ],
    );
    let (near, far) = (dot(&question, &vectors[0]), dot(&question, &vectors[1]));
    assert!(near > 0.5 && far < 0.2, "{near} {far}");
}

#[test]
fn a_batch_equals_single_texts_in_the_order_of_the_input() {
    let Some(model) = embedder("a_batch_equals_single_texts") else {
        return;
    };
    let long = "heart rate ".repeat(100);
    let texts = ["short", long.as_str(), "", "ünïcode ☃ 日本語", "short", "[PAD] [SEP] [MASK]"];
    let done = AtomicUsize::new(0);
    let owned: Vec<String> = texts.iter().map(|&t| t.to_owned()).collect();
    let together = model
        .embed(&owned, &|n| {
            done.fetch_add(n, Ordering::Relaxed);
        })
        .expect("embeds");
    assert_eq!(done.into_inner(), texts.len());
    for (text, vector) in texts.iter().zip(&together) {
        let alone = &embed(model, &[text])[0];
        assert_eq!(alone, vector, "the same bits, whatever goes with it: {text}");
        assert!((dot(vector, vector).sqrt() - 1.0).abs() < 1e-4, "{text}");
    }
    assert_eq!(together, model.embed(&owned, &|_| ()).expect("embeds"), "the same call, the same bits");
    assert!(model.embed(&[], &|_| ()).expect("embeds").is_empty());
}

#[test]
fn parts_add_up_to_the_tokens_of_the_text() {
    let Some(model) = embedder("parts_add_up") else {
        return;
    };
    let text = "[Source: ☃] Heart rate was recorded. The cake was baked.";
    let at = |part: &str| {
        let start = text.find(part).expect("a part");
        Span::new(start, start + part.len())
    };
    let spans = ["Heart rate was recorded.", "The cake was baked.", "☃"].map(at);
    let item = |parts: &[Span]| TextParts { text: text.to_owned(), parts: parts.to_vec() };
    let embed_parts = |parts: &[Span]| {
        let mut made = model.embed_parts(&[item(parts)], &|_| ()).expect("embeds");
        made.remove(0)
    };
    let made = embed_parts(&spans);
    assert_eq!(made.text, embed(model, &[text])[0]);
    // Halves of a part add up to it.
    let first = spans[0];
    let halves =
        embed_parts(&[Span::new(first.start, first.start + 10), Span::new(first.start + 10, first.end)]);
    for ((whole, a), b) in made.parts[0].iter().zip(&halves.parts[0]).zip(&halves.parts[1]) {
        assert!((whole - a - b).abs() < 1e-4, "{whole} {a} {b}");
    }
    let cosine = |a: &[f32], b: &[f32]| dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
    let heart = model.embed_query("heart rate").expect("embeds");
    let [near, far] = [0, 1].map(|i| cosine(&made.parts[i], &heart));
    assert!(near > far + 0.1, "{near} {far}");
    assert!(embed_parts(&[]).parts.is_empty());
}

#[test]
fn windows_of_a_chunk_can_be_embedded() {
    let Some(model) = embedder("windows_of_a_chunk") else {
        return;
    };
    let prefix = "[Source: Heart rate (Barry et al., 2014) | Section: Methods | Pages: 3-4]";
    let sentence = "Participants (n = 23) were seated, and β-adrenergic activity was recorded for 10 min. ";
    let text = sentence.repeat(30);
    let sentences: Vec<Span> =
        (0..30).map(|i| Span::new(i * sentence.len(), (i + 1) * sentence.len() - 1)).collect();
    let windows = model.windows(prefix, &text, &sentences).expect("cuts");
    assert!((3..=6).contains(&windows.len()), "{windows:?}");
    assert_eq!(windows[0].start, 0);
    assert_eq!(windows.last().map(|w| w.end), Some(text.len() - 1));
    let texts: Vec<String> = windows.iter().map(|w| format!("{prefix}\n{}", &text[w.range()])).collect();
    assert_eq!(model.embed(&texts, &|_| ()).expect("every window fits").len(), windows.len());
}

#[test]
fn what_does_not_fit_is_an_error_for_passages_and_is_averaged_for_questions() {
    let Some(model) = embedder("what_does_not_fit") else {
        return;
    };
    let long = "heart rate variability ".repeat(200);
    let error = model.embed(&["a".to_owned(), long.clone()], &|_| ()).expect_err("too long");
    assert!(error.reason.contains("text 1 has 602 tokens"), "{error}");
    let question = model.embed_query(&long).expect("embeds");
    let windows = model.windows("", &long, &[]).expect("cuts");
    assert_eq!(windows.len(), 3, "{windows:?}");
    let parts: Vec<&str> = windows.iter().filter_map(|w| w.slice(&long)).collect();
    let mut mean = vec![0.0; model.dimension()];
    for vector in embed(model, &parts) {
        for (sum, value) in mean.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    assert!((dot(&question, &question).sqrt() - 1.0).abs() < 1e-4);
    assert!(dot(&question, &mean) / dot(&mean, &mean).sqrt() > 0.9999);
    model.embed_query("").expect("an empty question is embedded");
}

#[test]
fn ids_and_vectors_follow_the_settings() {
    let Some(model) = embedder("ids_follow_the_settings") else {
        return;
    };
    let (runtime, folder) = common::runtime("ids_follow_the_settings").expect("loaded before");
    let settings = ModelSettings {
        passage_prefix: Some("passage: ".to_owned()),
        query_prefix: Some("query: ".to_owned()),
        max_tokens: Some(16),
        ..ModelSettings::default()
    };
    let other = load(&folder, &runtime, &settings);
    assert!(model.id().starts_with("all-MiniLM-L6-v2-w8a8-"), "{}", model.id());
    assert_ne!(model.id(), other.id());
    let prefixed = &embed(model, &["passage: rate"])[0];
    assert!(dot(&embed(&other, &["rate"])[0], prefixed) > 0.9999);
    assert!(dot(&other.embed_query("rate").expect("embeds"), prefixed) < 0.999);
    // The passage's prefix counts: 16 tokens leave room for 10 words beside `passage:` and the special tokens.
    let eleven = "rate ".repeat(11);
    let windows = other.windows("", &eleven, &[]).expect("cuts");
    assert_eq!(windows.len(), 1, "{windows:?}");
    let windows = other.windows("", &"rate ".repeat(13), &[]).expect("cuts");
    assert_eq!(windows.len(), 2, "{windows:?}");
    let error = other.windows(&"prefix ".repeat(20), "rate", &[]).expect_err("no room");
    assert!(error.reason.contains("repeated"), "{error}");
}

#[test]
fn a_second_runtime_and_a_broken_model_are_refused() {
    let Some((runtime, folder)) = common::runtime("a_second_runtime") else {
        return;
    };
    let again = Runtime::load(runtime.library()).expect("the same library is shared");
    assert_eq!(again.library(), runtime.library());
    let other = Runtime::load(&std::env::current_exe().expect("this test")).expect_err("another file");
    assert!(matches!(other, ModelsError::RuntimeElsewhere { .. }), "{other}");

    let broken = tempfile::tempdir().expect("temporary folder");
    let tokenizer = folder.join(MODEL).join("tokenizer.json");
    if !tokenizer.is_file() {
        return;
    }
    std::fs::copy(tokenizer, broken.path().join("tokenizer.json")).expect("copies");
    std::fs::write(broken.path().join("model.onnx"), b"no model").expect("writes");
    let spec = ModelSpec::from_dir(broken.path(), &ModelSettings::default()).expect("a folder");
    let error = OnnxEmbedder::load(&spec, &runtime, 1).err().expect("refused");
    assert!(matches!(error, ModelsError::Model { .. }), "{error}");
}

#[test]
fn fastembed_gives_the_same_vectors() {
    let Some((runtime, folder)) = common::runtime("fastembed_gives_the_same_vectors") else {
        return;
    };
    // The default model takes no mask.
    if folder.join(MODEL).is_dir() {
        let spec =
            ModelSpec::from_dir(&folder.join(MODEL), &ModelSettings::default()).expect("a model folder");
        let error = OnnxEmbedder::load_fastembed(&spec, &runtime, 1).err().expect("it has another input");
        assert!(error.to_string().contains("set embedding.provider = \"onnx\""), "{error}");
    }
    let folder = folder.join("all-MiniLM-L6-v2-int8");
    if !folder.is_dir() {
        return eprintln!(
            "skipped fastembed_gives_the_same_vectors: the model is not there; run scripts/setup.sh"
        );
    }
    let settings = ModelSettings { query_prefix: Some("question: ".to_owned()), ..ModelSettings::default() };
    let spec = ModelSpec::from_dir(&folder, &settings).expect("a model folder");
    let ours = &OnnxEmbedder::load(&spec, &runtime, 2).expect("the model loads");
    let theirs = OnnxEmbedder::load_fastembed(&spec, &runtime, 2).expect("the model loads");
    assert_eq!(theirs.dimension(), ours.dimension());
    assert_eq!(theirs.id(), OnnxEmbedder::fastembed_id_of(&spec).expect("readable"));
    assert_ne!(theirs.id(), OnnxEmbedder::id_of(&spec).expect("readable"));
    let texts = ["Walking lowers blood pressure.", "The cake was baked in a hot oven for an hour."];
    let done = AtomicUsize::new(0);
    let owned = texts.map(str::to_owned);
    let count = |finished| _ = done.fetch_add(finished, Ordering::Relaxed);
    let theirs_of = theirs.embed(&owned, &count).expect("embeds");
    assert_eq!(done.load(Ordering::Relaxed), 2);
    for (text, (theirs, ours)) in texts.iter().zip(theirs_of.iter().zip(embed(ours, &texts))) {
        assert!(dot(theirs, &ours) > 0.999, "{text}: {}", dot(theirs, &ours));
    }
    // With its prefix, and cut into windows if it is too long.
    let question = theirs.embed_query("baked in an oven").expect("embeds");
    let same = embed(ours, &["question: baked in an oven"]);
    assert!(dot(&question, &same[0]) > 0.999);
    let long = "walking and sleeping ".repeat(400);
    assert_eq!(theirs.embed_query(&long).expect("embeds").len(), 384);
    let error = theirs.embed(&[long], &|_| ()).expect_err("too long").to_string();
    assert!(error.contains("tokens"), "{error}");
}
