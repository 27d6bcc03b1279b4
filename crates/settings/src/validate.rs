//! Checks the ranges of all sections, and that sections are compatible with each other.

use crate::{AnswerMethod, JudgeChoice, Provider, RerankMethod, Settings, SettingsError};
use types::{OutOfRange, Ranges};

pub(super) fn check(s: &Settings) -> Result<(), SettingsError> {
    let sections: [(&str, &dyn Ranges); 12] = [
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
    ];
    for (section, ranges) in sections {
        ranges
            .check_ranges()
            .map_err(|error| SettingsError::out_of_range(section, error))?;
    }
    language_model(s).map_err(|error| SettingsError::out_of_range("llm", error))
}

/// Checks that a language model is configured if a setting requires one.
fn language_model(s: &Settings) -> Result<(), OutOfRange> {
    let wanted = s.generate.method == AnswerMethod::Llm
        || s.rerank.method == RerankMethod::Llm
        || s.eval.judge == JudgeChoice::Llm;
    if s.llm.provider == Provider::None && wanted {
        return Err(OutOfRange::new(
            "provider",
            "\"none\"",
            "\"openai\" when generate.method, rerank.method or eval.judge is \"llm\"",
        ));
    }
    if s.llm.provider != Provider::None && s.llm.model.is_empty() {
        return Err(OutOfRange::new(
            "model",
            "\"\"",
            "the name of a model when llm.provider is set",
        ));
    }
    Ok(())
}
