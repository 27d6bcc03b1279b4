//! The language model of the client, which it offers to servers in revisions before 2026-07-28.

#![expect(deprecated, reason = "newer revisions have no sampling, clients of today do")]

use engine::Pipeline;
use rmcp::{
    Peer, RoleServer,
    model::{CreateMessageRequestParams, ProtocolVersion, SamplingMessage, SamplingMessageContentBlock},
    service::RequestContext,
};
use std::time::Duration;
use types::{BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Usage};

/// How results name it: its own name is known only once it has answered.
const NAME: &str = "client";
/// Tokens of an answer at most, where the settings name no limit.
const TOKENS: u32 = 4096;

/// A language model that the client asks for us.
pub(super) struct Sampled {
    peer: Peer<RoleServer>,
    patience: Duration,
}

/// The model of the client; `None` if it offers none.
pub(super) fn model(context: &RequestContext<RoleServer>, pipeline: &Pipeline) -> Option<Sampled> {
    let is_old = context.protocol_version().is_none_or(|own| own < ProtocolVersion::V_2026_07_28);
    let offers = context.client_capabilities().is_some_and(|own| own.sampling.is_some());
    let patience = Duration::from_secs(pipeline.settings().llm.question_seconds);
    (is_old && offers).then(|| Sampled { peer: context.peer.clone(), patience })
}

impl ChatModel for Sampled {
    fn id(&self) -> &str {
        NAME
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let failed =
                |reason: String| ChatFailure::from(ChatError::NoAnswer { model: NAME.to_owned(), reason });
            let messages = vec![SamplingMessage::user_text(request.user.to_string())];
            let params = CreateMessageRequestParams::new(messages, request.max_tokens.unwrap_or(TOKENS))
                .with_system_prompt(request.system.to_string());
            let asked = tokio::time::timeout(self.patience, self.peer.create_message(params)).await;
            let result = asked
                .map_err(|_| failed(format!("it took longer than {} s", self.patience.as_secs())))?
                .map_err(|error| failed(error.to_string()))?;
            let parts = result.message.content.iter().filter_map(|part| match part {
                SamplingMessageContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            let text: String = parts.collect();
            let reply = ChatReply {
                text,
                truncated: result.stop_reason.as_deref() == Some("maxTokens"),
                model: result.model,
                usage: Usage { requests: 1, ..Usage::default() },
                ..ChatReply::default()
            };
            reply.check_size().map_err(failed)?;
            Ok(reply)
        })
    }
}
