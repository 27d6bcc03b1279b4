//! Checks the ranges of all settings, and that those of different sections are compatible.

use crate::{AnswerMethod, JudgeChoice, RerankMethod, Settings, SettingsError, VerifyChoice};
use types::{OutOfRange, SettingGroup as _};

pub(super) fn check(s: &Settings) -> Result<(), SettingsError> {
    s.check_ranges()?;
    for (name, model) in &s.llm.named {
        model.check_ranges().map_err(|error| error.within(&format!("llm.{name}")))?;
    }
    if s.rerank.method == RerankMethod::CrossEncoder && s.rerank.cross_encoder.as_os_str().is_empty() {
        let limit =
            "a model for this rerank.method: a folder, or a name that `pipeline setup --list-models` prints";
        return Err(OutOfRange::new("rerank.cross_encoder", "\"\"", limit).into());
    }
    language_models(s)
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
