//! Whether the configured language model answers, and follows a JSON schema.

use super::{Finding, Wrong};
use crate::{
    settings::{LlmSection, Provider},
    stages,
};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};
use types::{ChatModel as _, ChatReply, ChatRequest, JsonSchema};

const NAME: &str = "language model";
/// Time limit of the request.
const SECONDS: u64 = 20;
/// Bound of the reply, in tokens: enough for a model that thinks first.
const MAX_TOKENS: u32 = 256;

/// Sends one small request, unless `offline`.
pub(super) fn language_model(llm: &LlmSection, offline: bool) -> Finding {
    if llm.provider == Provider::None {
        let hint = "for generated answers set llm.provider, llm.base_url and llm.model";
        return Finding::note(NAME, "none; answers are quoted from the papers", hint);
    }
    let configured = format!("{} at {}, {}", llm.model, llm.base_url, key(llm));
    if offline {
        return match stages::chat(llm) {
            Ok(_) => Finding::ok(NAME, format!("{configured}; not contacted (--offline)")),
            Err(error) => Finding::problem(NAME, &error),
        };
    }
    match ask(llm) {
        Err(wrong) => Finding::problem(NAME, wrong),
        Ok(asked) => asked.finding(&configured),
    }
}

fn key(llm: &LlmSection) -> String {
    match std::env::var_os(&llm.api_key_env) {
        Some(value) if !value.is_empty() => format!("key from {}", llm.api_key_env),
        _ => format!("no key ({} is not set)", llm.api_key_env),
    }
}

struct Asked {
    reply: ChatReply,
    time: Duration,
}

impl Asked {
    fn finding(&self, configured: &str) -> Finding {
        let seconds = self.time.as_secs_f64();
        let detail = format!("{configured}; {} answered in {seconds:.1} s", self.reply.model);
        let followed = serde_json::from_str::<Ready>(self.reply.text.trim());
        if self.reply.truncated {
            let hint = "long replies are slow; prefer a model or a setting without long reasoning";
            return Finding::note(
                NAME,
                format!("{detail}, but needs more than {MAX_TOKENS} tokens"),
                hint,
            );
        }
        match (followed, self.reply.notes.is_empty()) {
            (Err(error), _) => Finding::note(
                NAME,
                format!("{detail}, but its reply does not follow a JSON schema ({error})"),
                "use a stronger model, or a server that enforces JSON schemas",
            ),
            (Ok(_), false) => Finding::note(
                NAME,
                format!(
                    "{detail} and follows JSON schemas; {}",
                    self.reply.notes.join("; ")
                ),
                "nothing to do, unless replies break the schema",
            ),
            (Ok(_), true) => Finding::ok(NAME, format!("{detail} and follows JSON schemas")),
        }
    }
}

#[derive(Deserialize)]
struct Ready {
    #[expect(dead_code, reason = "only its presence and type count")]
    ready: bool,
}

fn ask(llm: &LlmSection) -> Result<Asked, Wrong> {
    let own = LlmSection {
        timeout_seconds: llm.timeout_seconds.min(SECONDS),
        max_retries: 0,
        ..llm.clone()
    };
    let Some(chat) = stages::chat(&own).map_err(|error| Wrong::from(&error))? else {
        return Err(Wrong::new("no language model is configured", ""));
    };
    let request = ChatRequest {
        system: "Reply with a JSON object.".to_owned(),
        user: "Set \"ready\" to true.".to_owned(),
        schema: Some(JsonSchema {
            name: "readiness".to_owned(),
            schema: json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["ready"],
                "properties": {"ready": {"type": "boolean"}},
            }),
        }),
        max_tokens: Some(MAX_TOKENS.min(llm.max_tokens)),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Wrong::new(format!("cannot start the network runtime: {error}"), ""))?;
    let started = Instant::now();
    let reply = runtime.block_on(chat.complete(&request));
    // A name that is still being looked up must not hold the program.
    runtime.shutdown_background();
    let reply = reply.map_err(|failure| Wrong::from(&failure.error))?;
    Ok(Asked {
        reply,
        time: started.elapsed(),
    })
}
