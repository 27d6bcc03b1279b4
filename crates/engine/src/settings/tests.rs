//! Layers, messages, defaults and the hash.

use crate::settings::*;
use std::collections::BTreeSet;

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
    let error = load(&["retrieve.min_similarty=0.3"]).expect_err("unknown").to_string();
    assert!(error.contains("retrieve.min_similarty") && error.contains("retrieve.min_similarity"), "{error}");
}

#[test]
fn a_value_of_the_wrong_type_or_range_is_refused() {
    let check = |set: &str, part: &str| {
        let error = load(&[set]).expect_err(set).to_string();
        assert!(error.contains(part), "{set}: {error}");
    };
    check("retrieve.top_k=many", "retrieve.top_k");
    check("retrieve.min_similarity=1.5", "retrieve.min_similarity");
    check("retrieve.min_similarity=nan", "retrieve.min_similarity");
    check("chunk.overlap_tokens=768", "chunk.overlap_tokens");
    check("rerank.method=\"bert\"", "rerank.method");
    check("rerank.window_tokens=1999", "rerank.window_tokens");
    check("retrieve", "section.key=value");
}

#[test]
fn later_layers_win_and_say_so() {
    let env = [("PIPELINE__RETRIEVE__CANDIDATES".to_owned(), "12".to_owned())];
    let loaded =
        Loaded::load(Some("phase2"), env.clone(), &["expand.max_chunks=9".to_owned()]).expect("valid");
    assert_eq!(loaded.settings.retrieve.search.top_k, 12);
    assert_eq!(loaded.settings.expand.max_chunks, 9);
    let origin = |key: &str| loaded.layers.get(key).expect("known").1.clone();
    assert_eq!(origin("retrieve.top_k"), Origin::Environment("PIPELINE__RETRIEVE__CANDIDATES".to_owned()));
    assert_eq!(origin("expand.max_chunks"), Origin::Flag);
    assert_eq!(origin("expand.reach"), Origin::Default);
    let flagged = Loaded::load(None, env, &["retrieve.top_k=7".to_owned()]).expect("valid");
    assert_eq!(flagged.settings.retrieve.search.top_k, 7);
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
    for same in
        ["eval.workers=2", "ingest.workers=1", "log.file=other.jsonl", "index.dir=i", "llm.timeout_seconds=9"]
    {
        assert_eq!(load(&[same]).expect("valid").settings.config_hash(), base, "{same}");
    }
    let named = ["llm.small.model=m", "llm.small.provider=ollama"];
    let with =
        |more: &str| load(&[named.as_slice(), &[more]].concat()).expect("valid").settings.config_hash();
    let small = load(&named).expect("valid").settings.config_hash();
    for same in ["llm.small.requests_per_minute=20", "llm.small.price_input=1", "llm.timeout_seconds=9"] {
        assert_eq!(with(same), small, "{same}");
    }
    assert_ne!(with("llm.small.temperature=0.5"), small);
    for other in [
        "retrieve.min_similarity=0.3",
        "chunk.max_tokens=512",
        "guardrail.entities=false",
        "guardrail.refuse_below=0.35",
        "guardrail.partial_below=0.4",
        "generate.high_confidence=0.9",
        "question.filters=false",
        "question.abbreviations=false",
        "question.today=2026-07-31",
        "eval.seed=7",
        "phase2.rules=true",
    ] {
        assert_ne!(load(&[other]).expect("valid").settings.config_hash(), base, "{other}");
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
            let mut given: Vec<String> =
                ["llm.model=m", "rerank.cross_encoder=m"].map(str::to_owned).to_vec();
            given.push(format!("{key}={name}"));
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
    check("retrieve.mode", &["hybrid", "vector", "bm25"]);
    check("retrieve.fusion", &["minmax", "rrf", "phase2"]);
    check("retrieve.vector_index", &["exact", "hnsw"]);
    check("rerank.method", &["sentence", "cross_encoder", "llm", "auto", "none"]);
    check("rerank.on_failure", &["error", "sentence", "fused"]);
    check("generate.method", &["auto", "extractive", "llm", "select"]);
    let providers = [
        "none",
        "openai",
        "anthropic",
        "gemini",
        "mistral",
        "groq",
        "openrouter",
        "ollama",
        "lmstudio",
        "llamacpp",
        "vllm",
    ];
    check("llm.provider", &providers);
    check("llm.cache", &["on", "off", "replay"]);
    check("llm.schema_mode", &["auto", "json_schema", "tools", "json_object", "prompt"]);
    check("guardrail.verify", &["auto", "llm", "off"]);
    check("eval.judge", &["lexical", "llm", "auto"]);
}

#[test]
fn the_wrong_value_is_named_though_another_key_holds_the_same_word() {
    let error = load(&["rerank.method=auto", "rerank.on_failure=auto"]).expect_err("wrong");
    assert_eq!(
        error.to_string(),
        r#"rerank.on_failure must be one of "error", "sentence", "fused", got "auto""#
    );
    let error = load(&["ingest.max_pages=5000000000"]).expect_err("too large").to_string();
    assert!(error.contains("5000000000") && error.contains("ingest.max_pages"), "{error}");
}

#[test]
fn a_value_outside_its_range_is_refused_with_the_range() {
    let check = |set: &str, want: &str| {
        let error = load(&[set]).expect_err(want).to_string();
        assert_eq!(error, want);
    };
    for (set, limit) in [
        ("retrieve.min_similarity=1.5", "from 0 to 1"),
        ("retrieve.min_similarity=nan", "from 0 to 1"),
        ("retrieve.vector_weight=-0.1", "from 0 to 1"),
        ("retrieve.bm25_k=0", "at least 1"),
        ("retrieve.vector_k=2000", "at most 1000"),
        ("ingest.worker_memory_mib=64", "at least 128"),
        ("chunk.max_tokens=10", "from 64 to 8192"),
        ("chunk.overlap_tokens=768", "at most half of chunk.max_tokens"),
        ("embedding.max_tokens=9", "0 or at least 32"),
        ("rerank.window_tokens=1999", "from 2000 to 10000000"),
        ("expand.max_chunks=0", "at least 1"),
        ("generate.max_sentences=0", "at least 1"),
        ("llm.timeout_seconds=0", "from 1 to 86400"),
        ("llm.temperature=3.0", "from 0 to 2"),
        ("llm.price_input=inf", "from 0 to 1000000"),
        ("eval.support_threshold=-1.0", "from 0 to 1"),
        ("evaluate.yellow_from=0.9", "at most green_from (0.85)"),
    ] {
        let (key, value) = set.split_once('=').expect("a pair");
        check(set, &format!("{key} must be {limit}, got {value}"));
    }
    check(
        "rerank.method=cross_encoder",
        "rerank.cross_encoder must be a model for this rerank.method: a folder, or a name that `pipeline setup \
         --list-models` prints, got \"\"",
    );
    check(
        "ingest.ocr_languages=eng+",
        "ingest.ocr_languages must be names such as \"eng\", joined by +, got \"eng+\"",
    );
    check(
        "generate.method=llm",
        "llm.provider must be \"openai\", \"anthropic\" or \"ollama\" for this generate.method, got \"none\"",
    );
    check(
        "question.today=2026-13-01",
        "question.today must be a date such as \"2026-07-31\", or empty, got \"2026-13-01\"",
    );
}

#[test]
fn some_values_follow_from_others() {
    let settings =
        load(&["retrieve.vector_weight=0.7", "generate.max_sentences=4", "eval.support_threshold=0.6"])
            .expect("valid")
            .settings;
    let weight = settings.retrieve.search.bm25_weight;
    assert_eq!(weight.to_bits(), 0.3_f32.to_bits(), "{weight}");
    assert_eq!(settings.generate.extractive.max_sentences_across, 6);
    assert!((settings.evaluate.limits.support - 0.6).abs() < 1e-12);
    let former = load(&["eval.tau=0.6"]).expect("the former name").settings;
    assert!((former.eval.support_threshold - 0.6).abs() < 1e-6);
    assert_eq!(load(&[]).expect("valid").settings.retrieve.search, retrieve::SearchSettings::default());
}

/// All that nobody should turn is no setting.
#[test]
fn settings_are_few_and_described() {
    let all = described().expect("the defaults are valid");
    assert!(all.len() <= 103, "{} settings", all.len());
    assert_eq!(all.iter().filter(|setting| setting.main).count(), 26);
    for setting in &all {
        assert!(setting.text.len() > 10, "{setting:?}");
    }
    let of = |key: &str| all.iter().find(|setting| setting.key == key).expect("a setting");
    assert_eq!(of("rerank.top_n").default.to_string(), "6");
    assert_eq!(of("retrieve.min_similarity").default.to_string(), "0.05");
    assert_eq!(of("rerank.top_n").allowed.as_deref(), Some("at least 1"));
    assert_eq!(of("llm.cache").allowed.as_deref(), Some("one of \"on\", \"off\", \"replay\""));
}

/// `WRITE_DEFAULTS=1 cargo test -p engine` writes it.
#[test]
fn the_file_of_defaults_is_made_from_the_fields() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/default.toml");
    let made = default_toml().expect("the defaults are valid");
    if std::env::var_os("WRITE_DEFAULTS").is_some() {
        std::fs::write(path, &made).expect("written");
    }
    let file = std::fs::read_to_string(path).expect("configs/default.toml");
    assert_eq!(file, made, "run WRITE_DEFAULTS=1 cargo test -p engine");
    let loaded = Loaded::load(Some(path), [], &[]).expect("valid");
    assert_eq!(loaded.settings, Loaded::defaults().expect("valid").settings);
}

#[test]
fn the_layers_and_the_types_have_the_same_keys() {
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
    assert_eq!(hosted.address(), "https://api.anthropic.com/v1", "not the address of another provider");
    assert_eq!((hosted.key_env(), hosted.max_tokens), ("ANTHROPIC_API_KEY", 300));
    assert_eq!(llm.model("").expect("its own").model, "big");
    assert!(llm.model("other").is_none());

    let check = |set: &[&str], part: &str| {
        let error = load(set).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    };
    check(&["llm.small.modle=x"], "llm.small.modle");
    check(&["llm.small.cache=off"], "llm.small.cache");
    check(&["llm.small.temperature=3"], "llm.small.temperature must be from 0 to 2, got 3");
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
    let hash = |preset| Loaded::load(Some(preset), [], &[]).expect("valid").settings.config_hash();
    assert_eq!(hash("default"), "13234317ffcb5299");
    assert_eq!(hash("phase2"), "a781597b4cbd512b");
}

/// The `Default` of a stage that is configured by other types is what the settings give.
#[test]
fn defaults_of_stages() {
    let settings = Loaded::defaults().expect("valid").settings;
    assert_eq!(ingest::Limits::default(), settings.ingest.limits());
    assert_eq!(ingest::chunk::ChunkSettings::default(), settings.chunk.chunking());
    let tokens = settings.llm.own.max_tokens;
    assert_eq!(rerank::LlmRerankSettings::default(), settings.rerank.by_model(tokens));
    assert_eq!(llm::LlmSettings::default(), settings.llm.client(&settings.llm.own));
}

/// Its words apart, which tests of the arithmetic do without.
#[test]
fn the_arithmetic_of_the_earlier_system() {
    let preset = Loaded::load(Some("phase2"), [], &[]).expect("valid").settings;
    let arithmetic =
        retrieve::SearchSettings { tokenizer: types::Tokenizer::Stems, ..preset.retrieve.search };
    assert_eq!(retrieve::SearchSettings::phase2(), arithmetic);
}
