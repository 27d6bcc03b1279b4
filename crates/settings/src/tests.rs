//! Layers, messages, defaults and the hash.

use crate::*;
use std::collections::BTreeSet;

mod stages;

fn load(overrides: &[&str]) -> Result<Loaded, SettingsError> {
    let owned: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    Loaded::load(None, [], &owned)
}

#[test]
fn every_preset_loads_and_phase2_holds_only_differences() {
    let default = Loaded::defaults().expect("the defaults are valid");
    for (name, _) in PRESETS {
        Loaded::load(Some(name), [], &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let phase2 = Loaded::load(Some("phase2"), [], &[]).expect("valid");
    for (key, value, origin) in phase2.layers.entries() {
        if matches!(origin, Origin::Preset(_)) {
            let (before, _) = default.layers.get(key).expect("known key");
            assert_ne!(before, value, "{key} repeats the default");
        }
    }
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_name() {
    let error = load(&["retrieve.treshold=0.3"]).expect_err("unknown").to_string();
    assert!(
        error.contains("retrieve.treshold") && error.contains("retrieve.threshold"),
        "{error}"
    );
}

#[test]
fn a_value_of_the_wrong_type_or_range_is_refused() {
    let check = |set: &str, part: &str| {
        let error = load(&[set]).expect_err(set).to_string();
        assert!(error.contains(part), "{set}: {error}");
    };
    check("retrieve.candidates=many", "retrieve.candidates");
    check("retrieve.threshold=1.5", "retrieve.threshold");
    check("retrieve.threshold=nan", "retrieve.threshold");
    check("chunk.overlap_tokens=768", "chunk.overlap_tokens");
    check("rerank.method=\"bert\"", "rerank.method");
    check("rerank.min_score=10.5", "rerank.min_score");
    check("rerank.window_tokens=1999", "rerank.window_tokens");
    check("retrieve.adaptive_weight=1.5", "retrieve.adaptive_weight");
    check("retrieve", "section.key=value");
}

#[test]
fn later_layers_win_and_say_so() {
    let env = [("PIPELINE__RETRIEVE__CANDIDATES".to_owned(), "12".to_owned())];
    let loaded = Loaded::load(Some("phase2"), env.clone(), &["expand.cap=9".to_owned()]).expect("valid");
    assert_eq!(loaded.settings.retrieve.search.candidates, 12);
    assert_eq!(loaded.settings.expand.cap, 9);
    let origin = |key: &str| loaded.layers.get(key).expect("known").1.clone();
    assert_eq!(
        origin("retrieve.candidates"),
        Origin::Environment("PIPELINE__RETRIEVE__CANDIDATES".to_owned())
    );
    assert_eq!(origin("expand.cap"), Origin::Flag);
    assert_eq!(origin("expand.discount"), Origin::Default);
    let flagged = Loaded::load(None, env, &["retrieve.candidates=7".to_owned()]).expect("valid");
    assert_eq!(flagged.settings.retrieve.search.candidates, 7);
}

#[test]
fn text_values_need_no_quotes_outside_of_files() {
    let loaded = load(&["llm.model=qwen2.5:1.5b", "index.dir=elsewhere/index"]).expect("valid");
    assert_eq!(loaded.settings.llm.own.model, "qwen2.5:1.5b");
    assert_eq!(loaded.settings.index.dir, std::path::Path::new("elsewhere/index"));
}

#[test]
fn the_hash_follows_what_shapes_results_and_nothing_else() {
    let base = load(&[]).expect("valid").settings.config_hash();
    assert_eq!(base.len(), 16);
    for same in [
        "eval.workers=2",
        "ingest.workers=1",
        "log.file=other.jsonl",
        "index.dir=i",
        "llm.timeout_seconds=9",
    ] {
        assert_eq!(
            load(&[same]).expect("valid").settings.config_hash(),
            base,
            "{same}"
        );
    }
    let named = ["llm.small.model=m", "llm.small.provider=ollama"];
    let with = |more: &str| {
        load(&[named.as_slice(), &[more]].concat())
            .expect("valid")
            .settings
            .config_hash()
    };
    let small = load(&named).expect("valid").settings.config_hash();
    for same in [
        "llm.small.requests_per_minute=20",
        "llm.small.price_input=1",
        "llm.timeout_seconds=9",
    ] {
        assert_eq!(with(same), small, "{same}");
    }
    assert_ne!(with("llm.small.temperature=0.5"), small);
    for other in [
        "retrieve.threshold=0.3",
        "chunk.max_tokens=512",
        "guardrail.entities=false",
        "guardrail.refuse_below=0.4",
        "guardrail.partial_below=0.4",
        "generate.enough=0.7",
        "generate.likely=0.6",
        "generate.high_confidence=0.9",
        "question.filters=false",
        "question.abbreviations=false",
        "question.today=2026-07-31",
        "eval.seed=7",
    ] {
        assert_ne!(
            load(&[other]).expect("valid").settings.config_hash(),
            base,
            "{other}"
        );
    }
}

/// Every enum of the settings: the value, and the whole message.
#[test]
fn a_value_outside_a_closed_set_is_refused_with_the_set() {
    let check = |key: &str, allowed: &[&str]| {
        let names: Vec<String> = allowed.iter().map(|name| format!("{name:?}")).collect();
        let error = load(&[&format!("{key}=odd")]).expect_err(key).to_string();
        let want = format!("{key} must be one of {}, got \"odd\"", names.join(", "));
        assert_eq!(error, want);
        for name in allowed {
            let mut given = vec!["llm.model=m".to_owned(), format!("{key}={name}")];
            if key != "llm.provider" {
                given.push("llm.provider=openai".to_owned());
            }
            let loaded = Loaded::load(None, [], &given).unwrap_or_else(|e| panic!("{key}={name}: {e}"));
            let tree = serde_json::to_value(&loaded.settings).expect("serialises");
            let (section, field) = key.split_once('.').expect("a key");
            assert_eq!(tree[section][field], *name, "{key}");
        }
    };
    check("ingest.ocr", &["off", "auto"]);
    check("embedding.pooling", &["", "mean", "cls"]);
    check("embedding.sentences", &["separate", "pooled"]);
    check("retrieve.mode", &["hybrid", "vector", "bm25"]);
    check("retrieve.fusion", &["minmax", "tmm", "zscore", "rrf", "phase2"]);
    check("retrieve.tokenizer", &["stems", "whitespace"]);
    check("retrieve.vector_index", &["exact", "hnsw"]);
    check(
        "rerank.method",
        &["sentence", "cross_encoder", "llm", "auto", "none"],
    );
    check("rerank.on_failure", &["error", "sentence", "fused"]);
    check("expand.order", &["parent", "end"]);
    check("generate.method", &["auto", "extractive", "llm", "select"]);
    check("llm.provider", &["none", "openai", "anthropic", "ollama"]);
    check("llm.cache", &["on", "off", "replay"]);
    check(
        "llm.schema_mode",
        &["auto", "json_schema", "tools", "json_object", "prompt"],
    );
    check("guardrail.topic_rule", &["probability", "keywords"]);
    check("guardrail.citations", &["quote", "id"]);
    check("guardrail.suffix_match", &["unique", "first"]);
    check("guardrail.refusal_citations", &["hedge", "keep"]);
    check("guardrail.uncited", &["flag", "refuse"]);
    check("eval.judge", &["lexical", "nli", "llm", "auto"]);
    check("eval.refusals", &["n_a", "perfect"]);
    check("log.returned_chunks", &["candidates", "context"]);
}

#[test]
fn the_wrong_value_is_named_though_another_key_holds_the_same_word() {
    let error = load(&["rerank.method=auto", "rerank.on_failure=auto"]).expect_err("wrong");
    assert_eq!(
        error.to_string(),
        r#"rerank.on_failure must be one of "error", "sentence", "fused", got "auto""#
    );
    let error = load(&["ingest.max_pages=5000000000"])
        .expect_err("too large")
        .to_string();
    assert!(
        error.contains("5000000000") && error.contains("ingest.max_pages"),
        "{error}"
    );
}

#[test]
fn lists_are_set_as_toml_writes_them() {
    let loaded = load(&[r#"eval.nli_labels=["neutral", "entailment"]"#]).expect("a list");
    assert_eq!(loaded.settings.eval.nli_labels, ["neutral", "entailment"]);
    for wrong in [
        "eval.nli_labels=neutral",
        "eval.nli_labels=[1, 2]",
        r#"eval.nli_labels=["a"] [llm]"#,
    ] {
        let error = load(&[wrong]).expect_err(wrong).to_string();
        assert!(
            error.contains("eval.nli_labels") && error.contains("a list of texts"),
            "{error}"
        );
    }
}

#[test]
fn a_value_outside_its_range_is_refused_with_the_range() {
    let check = |set: &[&str], want: &str| {
        let error = load(set).expect_err(want).to_string();
        assert_eq!(error, want);
    };
    check(
        &["retrieve.threshold=1.5"],
        "retrieve.threshold must be finite and in [0, 1], got 1.5",
    );
    check(
        &["retrieve.hnsw_m=1"],
        "retrieve.hnsw_m must be in 2..=255, got 1",
    );
    check(
        &["retrieve.vector_weight=0.7"],
        "retrieve.vector_weight + retrieve.bm25_weight must be 1 (set both), got 0.7 + 0.4",
    );
    check(
        &["retrieve.bm25_title_weight=-0.5"],
        "retrieve.bm25_title_weight must be finite and at least 0, got -0.5",
    );
    check(
        &["retrieve.depth=5"],
        "retrieve.depth must be at least retrieve.vector_k and retrieve.bm25_k, got 5",
    );
    check(
        &["ingest.ocr_languages=eng+"],
        "ingest.ocr_languages must be names such as \"eng\", joined by +, got \"eng+\"",
    );
    check(
        &["ingest.ocr_dpi=10"],
        "ingest.ocr_dpi must be in 72..=600, got 10",
    );
    check(
        &["chunk.max_tokens=10"],
        "chunk.max_tokens must be in 64..=8192, got 10",
    );
    check(
        &["chunk.overlap_tokens=768"],
        "chunk.overlap_tokens must be at most half of chunk.max_tokens, got 768",
    );
    check(
        &["embedding.max_tokens=9"],
        "embedding.max_tokens must be 0 or at least 32, got 9",
    );
    check(&["expand.cap=0"], "expand.cap must be at least 1, got 0");
    check(
        &["generate.max_sentences=0"],
        "generate.max_sentences must be at least 1, got 0",
    );
    check(
        &["generate.max_sentences_across=0"],
        "generate.max_sentences_across must be at least 1, got 0",
    );
    for value in ["6", "100"] {
        check(
            &[&format!("generate.further_searches={value}")],
            &format!("generate.further_searches must be in 0..=5, got {value}"),
        );
    }
    for key in [
        "generate.enough",
        "generate.likely",
        "generate.high_confidence",
        "guardrail.refuse_below",
        "guardrail.partial_below",
    ] {
        for (value, said) in [("1.5", "1.5"), ("-0.1", "-0.1"), ("nan", "NaN")] {
            check(
                &[&format!("{key}={value}")],
                &format!("{key} must be finite and in [0, 1], got {said}"),
            );
        }
    }
    check(
        &["llm.timeout_seconds=0"],
        "llm.timeout_seconds must be in 1..=86400, got 0",
    );
    check(&["llm.temperature=3"], "llm.temperature must be in 0..=2, got 3");
    check(
        &["generate.method=llm"],
        "llm.provider must be \"openai\", \"anthropic\" or \"ollama\" for this generate.method, got \"none\"",
    );
    check(
        &["guardrail.partial_below=2"],
        "guardrail.partial_below must be finite and in [0, 1], got 2",
    );
    check(
        &["guardrail.max_quote_words=0"],
        "guardrail.max_quote_words must be at least 1, got 0",
    );
    check(
        &["question.today=2026-13-01"],
        "question.today must be a date such as \"2026-07-31\", or empty, got \"2026-13-01\"",
    );
    check(
        &["eval.tau=nan"],
        "eval.tau must be finite and in [0, 1], got NaN",
    );
    check(
        &["evaluate.target_faithfulness=1.5"],
        "evaluate.target_faithfulness must be finite and in [0, 1], got 1.5",
    );
    check(
        &["evaluate.yellow_from=0.9"],
        "evaluate.yellow_from must be at most green_from (0.85), got 0.9",
    );
    check(
        &["evaluate.min_grade=0"],
        "evaluate.min_grade must be at least 1, got 0",
    );
}

#[test]
fn the_file_and_the_types_have_the_same_keys() {
    let loaded = Loaded::defaults().expect("valid");
    let tree = serde_json::to_value(&loaded.settings).expect("serialises");
    let sections = tree.as_object().expect("sections");
    let fields: BTreeSet<String> = sections
        .iter()
        .flat_map(|(section, fields)| {
            let fields = fields.as_object().expect("a section");
            fields.keys().map(move |name| format!("{section}.{name}"))
        })
        .collect();
    let keys: BTreeSet<String> = loaded.layers.entries().map(|(key, ..)| key.to_owned()).collect();
    assert_eq!(keys, fields);
}

#[test]
fn a_named_model_takes_what_it_does_not_set_from_the_section() {
    let set = [
        "llm.provider=openai",
        "llm.base_url=http://127.0.0.1:1/v1",
        "llm.model=big",
        "llm.max_tokens=300",
        "llm.small.model=small",
        "llm.hosted.provider=anthropic",
        "llm.hosted.model=claude",
        "eval.judge_model=hosted",
    ];
    let llm = load(&set).expect("valid").settings.llm;
    let small = llm.model("small").expect("named");
    assert_eq!(
        (small.model.as_str(), small.address(), small.max_tokens),
        ("small", "http://127.0.0.1:1/v1", 300)
    );
    let hosted = llm.model("hosted").expect("named");
    assert_eq!(
        hosted.address(),
        "https://api.anthropic.com/v1",
        "not the address of another provider"
    );
    assert_eq!((hosted.key_env(), hosted.max_tokens), ("ANTHROPIC_API_KEY", 300));
    assert_eq!(llm.model("").expect("its own").model, "big");
    assert!(llm.model("other").is_none());

    let check = |set: &[&str], part: &str| {
        let error = load(set).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    };
    check(&["llm.small.modle=x"], "llm.small.modle");
    check(&["llm.small.cache=off"], "llm.small.cache");
    check(
        &["llm.small.temperature=3"],
        "llm.small.temperature must be in 0..=2, got 3",
    );
    check(&["llm.small.provider=odd"], "llm.small.provider must be one of");
    check(
        &["rerank.model=x", "llm.small.model=y"],
        "rerank.model must be empty or the name of a model [llm.NAME] (small)",
    );
    check(
        &["generate.model=small", "llm.small.model=y", "generate.method=llm"],
        "llm.small.provider must be \"openai\"",
    );
}

/// Rows, logs and baselines carry these. They change with a default, and with nothing else: not with the order of
/// fields, not with the form of a type.
#[test]
fn the_hashes_of_the_presets() {
    let hash = |preset| {
        Loaded::load(Some(preset), [], &[])
            .expect("valid")
            .settings
            .config_hash()
    };
    assert_eq!(hash("default"), "6af92b50c57fb474");
    assert_eq!(hash("phase2"), "53d63179d4be8c0a");
}
