//! Checks the ranges of all settings, and that those of different sections are compatible.

use crate::settings::{
    AnswerMethod, JudgeChoice, Layers, RerankMethod, Settings, SettingsError, VerifyChoice, layers::unnamed,
    schema,
};
use types::OutOfRange;

pub(super) fn check(s: &Settings, layers: &Layers) -> Result<(), SettingsError> {
    ranges(layers)?;
    let within = |section: &'static str| move |error: OutOfRange| error.within(section);
    s.store.check().map_err(within("store"))?;
    s.ingest.check().map_err(within("ingest"))?;
    s.chunk.check().map_err(within("chunk"))?;
    s.embedding.check().map_err(within("embedding"))?;
    s.question.check().map_err(within("question"))?;
    s.retrieve.search.check().map_err(within("retrieve"))?;
    s.evaluate.limits.check().map_err(within("evaluate"))?;
    s.evaluate.weights.check().map_err(within("evaluate"))?;
    s.llm.own.check().map_err(within("llm"))?;
    for (name, model) in &s.llm.named {
        model.check().map_err(|error| error.within(&format!("llm.{name}")))?;
    }
    if s.rerank.method == RerankMethod::CrossEncoder && s.rerank.cross_encoder.as_os_str().is_empty() {
        let limit =
            "a model for this rerank.method: a folder, or a name that `pipeline setup --list-models` prints";
        return Err(OutOfRange::new("rerank.cross_encoder", "\"\"", limit).into());
    }
    language_models(s)
}

/// Checks that each number is in its range.
fn ranges(layers: &Layers) -> Result<(), SettingsError> {
    for (key, value, _) in layers.entries() {
        let own = unnamed(key).unwrap_or_else(|| key.to_owned());
        let setting = schema::ALL.iter().find(|setting| setting.key == own);
        let Some((setting, limit)) = setting.and_then(|setting| Some((setting, setting.limit()?))) else {
            continue;
        };
        let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
        if !number.is_some_and(|number| setting.admits(number)) {
            return Err(OutOfRange::new(key, value, limit).into());
        }
    }
    Ok(())
}

/// Checks that each language model that a setting requires is configured.
fn language_models(s: &Settings) -> Result<(), SettingsError> {
    let generates = matches!(s.generate.method, AnswerMethod::Llm | AnswerMethod::Select);
    let reranks = s.rerank.method == RerankMethod::Llm;
    let verifies = s.guardrail.verify == VerifyChoice::Llm;
    let judges = s.eval.judge == JudgeChoice::Llm;
    let stages = [
        ("generate.model", &s.generate.model, "generate.method", generates),
        ("rerank.model", &s.rerank.model, "rerank.method", reranks),
        ("guardrail.model", &s.guardrail.model, "guardrail.verify", verifies),
        ("eval.judge_model", &s.eval.judge_model, "eval.judge", judges),
    ];
    for (key, name, method, needed) in stages {
        if !name.is_empty() && !s.llm.named.contains_key(name) {
            let known: Vec<&str> = s.llm.named.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none is defined".to_owned() } else { known.join(", ") };
            let limit = format!("empty or the name of a model [llm.NAME] ({known})");
            return Err(OutOfRange::new(key, format!("{name:?}"), limit).into());
        }
        if needed && s.llm.model(name).is_none() {
            let (provider, of) = if name.is_empty() {
                ("llm.provider".to_owned(), String::new())
            } else {
                (format!("llm.{name}.provider"), format!(" with {key} = {name:?}"))
            };
            let limit = format!("\"openai\", \"anthropic\" or \"ollama\" for this {method}{of}");
            return Err(OutOfRange::new(&provider, "\"none\"", limit).into());
        }
    }
    Ok(())
}
