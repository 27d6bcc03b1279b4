//! Checks the ranges of all sections, and that sections are compatible with each other.

use crate::{AnswerMethod, JudgeChoice, RerankMethod, Settings, SettingsError, VerifyChoice};
use types::{OutOfRange, Ranges};

pub(super) fn check(s: &Settings) -> Result<(), SettingsError> {
    let sections: [(&str, &dyn Ranges); 13] = [
        ("retrieve", &s.retrieve.search),
        ("ingest", &s.ingest),
        ("chunk", &s.chunk),
        ("embedding", &s.embedding),
        ("question", &s.question),
        ("rerank", &s.rerank),
        ("expand", &s.expand),
        ("generate", &s.generate),
        ("llm", &s.llm),
        ("guardrail", &s.guardrail.topic_check),
        ("guardrail", &s.guardrail.verification),
        ("eval", &s.eval),
        ("evaluate", &s.evaluate),
    ];
    for (section, ranges) in sections {
        ranges
            .check_ranges()
            .map_err(|error| SettingsError::out_of_range(section, error))?;
    }
    for (name, model) in &s.llm.named {
        model
            .check_ranges()
            .map_err(|error| SettingsError::out_of_range(&format!("llm.{name}"), error))?;
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
        (
            "generate",
            "model",
            &s.generate.model,
            "generate.method",
            generates,
        ),
        ("rerank", "model", &s.rerank.model, "rerank.method", reranks),
        (
            "guardrail",
            "model",
            &s.guardrail.model,
            "guardrail.verify",
            verifies,
        ),
        ("eval", "judge_model", &s.eval.judge_model, "eval.judge", judges),
    ];
    for (section, key, name, method, needed) in stages {
        if !name.is_empty() && !s.llm.named.contains_key(name) {
            let known: Vec<&str> = s.llm.named.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "none is defined".to_owned()
            } else {
                known.join(", ")
            };
            let limit = format!("empty or the name of a model [llm.NAME] ({known})");
            return Err(SettingsError::out_of_range(
                section,
                OutOfRange::new(key, format!("{name:?}"), &limit),
            ));
        }
        if needed && s.llm.model(name).is_none() {
            let (section, of) = if name.is_empty() {
                ("llm".to_owned(), String::new())
            } else {
                (format!("llm.{name}"), format!(" with {section}.{key} = {name:?}"))
            };
            let limit = format!("\"openai\", \"anthropic\" or \"ollama\" for this {method}{of}");
            return Err(SettingsError::out_of_range(
                &section,
                OutOfRange::new("provider", "\"none\"", &limit),
            ));
        }
    }
    Ok(())
}
