//! A model that takes no schema, such as that of another program: it is told of the schema in words.

use crate::{reply::structured, wire::SPELT};
use types::{BoxFuture, ChatFailure, ChatModel, ChatReply, ChatRequest, Prompt};

/// A model that is told of schemas in its instructions; the JSON of its replies is read out of what it says around it.
#[derive(Clone, Debug)]
pub struct Spelt<M>(pub M);

impl<M: ChatModel> ChatModel for Spelt<M> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&self.0)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        Box::pin(async move {
            let mut asked = request.clone();
            let Some(own) = asked.schema.take() else {
                return self.0.complete(request).await;
            };
            asked.system = asked.system.own(SPELT).then(&Prompt::json(own.schema.clone()));
            let mut reply = self.0.complete(&asked).await?;
            if let Some((text, _)) = structured(&reply.text, &own.schema) {
                reply.text = text;
            }
            Ok(reply)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::JsonSchema;

    /// Repeats its instructions behind an object in a fence.
    struct Echo;

    impl ChatModel for Echo {
        fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
            assert_eq!(request.schema, None);
            let model = request.system.to_string();
            let text = "Here it is:\n```json\n{\"a\": 1}\n```".to_owned();
            Box::pin(async move { Ok(ChatReply { text, model, ..ChatReply::default() }) })
        }
    }

    #[tokio::test]
    async fn the_schema_is_spelt_out_and_the_object_is_read() {
        let schema = JsonSchema::object("a", json!({"a": {"type": "integer"}}));
        let request = ChatRequest {
            system: "Answer.".into(),
            user: Prompt::new("Well?"),
            schema: Some(schema),
            max_tokens: None,
        };
        let reply = Spelt(Echo).complete(&request).await.expect("a reply");
        assert_eq!(reply.text, "{\"a\": 1}");
        assert!(reply.model.starts_with("Answer.\n\nReply with one JSON object"), "{}", reply.model);
        assert!(reply.model.ends_with("{\"a\":{\"type\":\"integer\"}}}"), "{}", reply.model);
    }
}
