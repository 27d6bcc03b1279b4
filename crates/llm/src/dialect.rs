//! What a server takes, learnt from what it rejects.

use crate::{LlmSettings, SchemaMode};

/// What is sent to a server at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// How a schema is asked for; never [`SchemaMode::Auto`].
    pub(crate) schema: SchemaMode,
    /// Whether the temperature is sent.
    pub(crate) temperature: bool,
    /// Whether the bound of the reply is called `max_completion_tokens`.
    pub(crate) completion_tokens: bool,
}

/// What a request held, as far as a server may dislike it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The dialect it was written in.
    pub(crate) dialect: Dialect,
    /// Whether it asked for a schema.
    pub(crate) schema: bool,
    /// Whether it named a bound of the reply.
    pub(crate) max_tokens: bool,
}

impl Dialect {
    /// The dialect to begin with.
    pub(crate) fn new(settings: &LlmSettings) -> Self {
        let schema = match settings.schema_mode {
            SchemaMode::Auto => SchemaMode::JsonSchema,
            fixed => fixed,
        };
        Self {
            schema,
            temperature: settings.temperature.is_some(),
            completion_tokens: false,
        }
    }

    /// What to write instead after the server answered 400 or 422 with `complaint`, and a sentence on it;
    /// `None` when nothing that can be changed is to blame. Only steps down, so that it ends.
    pub(crate) fn after(sent: Sent, complaint: &str, auto: bool) -> Option<(Self, String)> {
        let complaint = complaint.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|w| complaint.contains(w));
        let was = sent.dialect;
        if sent.max_tokens && !was.completion_tokens && has(&["max_completion_tokens"]) {
            let what = "takes max_completion_tokens instead of max_tokens".to_owned();
            return Some((
                Self {
                    completion_tokens: true,
                    ..was
                },
                what,
            ));
        }
        if was.temperature && has(&["temperature"]) && has(&UNSUPPORTED) {
            let what =
                "does not accept a temperature, so none is sent; answers may differ between runs".to_owned();
            return Some((
                Self {
                    temperature: false,
                    ..was
                },
                what,
            ));
        }
        if auto && sent.schema && has(&SCHEMA_WORDS) {
            let schema = match was.schema {
                SchemaMode::JsonSchema => SchemaMode::JsonObject,
                SchemaMode::JsonObject => SchemaMode::Prompt,
                SchemaMode::Auto | SchemaMode::Prompt => return None,
            };
            let what = format!(
                "does not accept response_format {}; {} is used instead, and replies may not follow the schema",
                was.schema.as_str(),
                schema.as_str()
            );
            return Some((Self { schema, ..was }, what));
        }
        None
    }
}

/// Words by which servers name structured output.
const SCHEMA_WORDS: [&str; 7] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "structured output",
    "grammar",
];

/// Words by which servers say that they do not know a parameter at all (a value out of range is another
/// matter: dropping it would hide a mistake in the settings).
const UNSUPPORTED: [&str; 9] = [
    "support",
    "only the default",
    "not allowed",
    "not permitted",
    "deprecated",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra inputs",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(schema: SchemaMode, temperature: bool) -> Sent {
        let dialect = Dialect {
            schema,
            temperature,
            completion_tokens: false,
        };
        Sent {
            dialect,
            schema: true,
            max_tokens: true,
        }
    }

    #[test]
    fn complaints_step_down_one_thing_at_a_time() {
        let check = |sent: Sent, complaint: &str, want: Option<Dialect>| {
            assert_eq!(
                Dialect::after(sent, complaint, true).map(|(d, _)| d),
                want,
                "{complaint}"
            );
        };
        let full = sent(SchemaMode::JsonSchema, true);
        let object = Dialect {
            schema: SchemaMode::JsonObject,
            ..full.dialect
        };
        check(
            full,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
            Some(object),
        );
        check(full, "failed to parse grammar", Some(object));
        let prompt = Dialect {
            schema: SchemaMode::Prompt,
            ..full.dialect
        };
        check(
            sent(SchemaMode::JsonObject, true),
            "response_format: json_object not available",
            Some(prompt),
        );
        check(sent(SchemaMode::Prompt, true), "response_format", None);
        let cold = Dialect {
            temperature: false,
            ..full.dialect
        };
        check(
            full,
            "Unsupported value: 'temperature' does not support 0.0 with this model",
            Some(cold),
        );
        check(full, "temperature must be at most 1", None);
        check(
            sent(SchemaMode::Prompt, false),
            "temperature is not supported",
            None,
        );
        let renamed = Dialect {
            completion_tokens: true,
            ..full.dialect
        };
        check(
            full,
            "'max_tokens' is not supported; use 'max_completion_tokens' instead",
            Some(renamed),
        );
        check(full, "max_tokens is too large: 9", None);
        check(
            Sent {
                schema: false,
                ..full
            },
            "response_format is odd",
            None,
        );
        check(full, "context length exceeded", None);
    }

    #[test]
    fn a_fixed_mode_is_never_left() {
        let full = sent(SchemaMode::JsonSchema, true);
        assert_eq!(
            Dialect::after(full, "response_format is not supported", false),
            None
        );
    }
}
