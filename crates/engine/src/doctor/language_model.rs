//! Whether the configured language model answers, and follows a JSON schema.

use super::{Finding, Wrong, exposed_key, holds_key};
use crate::{
    chat_models,
    settings::{LlmModel, LlmSection, Provider},
};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};
use types::{ChatReply, ChatRequest, JsonSchema};

const NAME: &str = "language model";
/// Time limit of the request.
const SECONDS: u64 = 20;
/// Bound of the reply, in tokens: enough for a model that thinks first.
const MAX_TOKENS: u32 = 256;

/// Sends one small request to the model of `[llm]` and to each named one, unless `offline`.
pub(super) async fn language_models(llm: &LlmSection, offline: bool) -> Vec<Finding> {
    let own = (!llm.own_is_unused()).then_some((NAME.to_owned(), &llm.own));
    let named = llm.named.iter().map(|(name, model)| (format!("{NAME} {name}"), model));
    let mut findings = Vec::new();
    for (name, model) in own.into_iter().chain(named) {
        let has_key = !model.api_key_file.as_os_str().is_empty() || holds_key(model.key_env());
        let exposed = exposed_key(model.address(), has_key && model.provider != Provider::None);
        findings.extend(exposed);
        findings.push(finding(name, llm, model, offline).await);
    }
    findings
}

async fn finding(name: String, llm: &LlmSection, model: &LlmModel, offline: bool) -> Finding {
    if model.provider == Provider::None {
        let hint = "for generated answers set llm.provider, llm.base_url and llm.model";
        return Finding::note(name, "none; answers are quoted from the papers", hint);
    }
    let configured = format!("{} at {}, {}", model.model, model.address(), key(model));
    if offline {
        return match chat_models::provider(llm, model) {
            Ok(_) => Finding::ok(name, format!("{configured}; not contacted (--offline)")),
            Err(error) => Finding::problem(name, &error),
        };
    }
    match ask(llm, model).await {
        Err(wrong) => Finding::problem(name, wrong),
        Ok(asked) => asked.finding(name, &configured),
    }
}

fn key(model: &LlmModel) -> String {
    if !model.api_key_file.as_os_str().is_empty() {
        return format!("key from {}", model.api_key_file.display());
    }
    let variable = model.key_env();
    if holds_key(variable) {
        format!("key from {variable}")
    } else {
        format!("no key ({variable} is not set)")
    }
}

struct Asked {
    reply: ChatReply,
    time: Duration,
}

impl Asked {
    fn finding(&self, name: String, configured: &str) -> Finding {
        let seconds = self.time.as_secs_f64();
        let detail = format!("{configured}; {} answered in {seconds:.1} s", self.reply.model);
        let followed = serde_json::from_str::<Ready>(self.reply.text.trim());
        if self.reply.truncated {
            let hint = "long replies are slow; prefer a model or a setting without long reasoning";
            return Finding::note(name, format!("{detail}, but needs more than {MAX_TOKENS} tokens"), hint);
        }
        match (followed, self.reply.notes.is_empty()) {
            (Err(error), _) => Finding::note(
                name,
                format!("{detail}, but its reply does not follow a JSON schema ({error})"),
                "use a stronger model, or a server that enforces JSON schemas",
            ),
            (Ok(_), false) => Finding::note(
                name,
                format!("{detail} and follows JSON schemas; {}", self.reply.notes.join("; ")),
                "nothing to do, unless replies break the schema",
            ),
            (Ok(_), true) => Finding::ok(name, format!("{detail} and follows JSON schemas")),
        }
    }
}

#[derive(Deserialize)]
struct Ready {
    #[expect(dead_code, reason = "only its presence and type count")]
    ready: bool,
}

async fn ask(llm: &LlmSection, model: &LlmModel) -> Result<Asked, Wrong> {
    let own =
        LlmModel { timeout_seconds: model.timeout_seconds.min(SECONDS), max_retries: 0, ..model.clone() };
    let chat = chat_models::provider(llm, &own).map_err(|error| Wrong::from(&error))?;
    let request = ChatRequest {
        system: "Reply with a JSON object.".into(),
        user: "Set \"ready\" to true.".into(),
        schema: Some(JsonSchema {
            name: "readiness".to_owned(),
            schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["ready"],
                "properties": {"ready": {"type": "boolean"}},
            }),
        }),
        max_tokens: Some(MAX_TOKENS.min(model.max_tokens)),
    };
    let started = Instant::now();
    let reply = chat.complete(&request).await;
    let reply = reply.map_err(|failure| Wrong::from(&failure.error))?;
    Ok(Asked { reply, time: started.elapsed() })
}
