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

/// What a format can do without.
#[derive(Debug)]
pub(crate) struct Leeway {
    /// Its ways to ask for a schema, the best one first. The last one is never complained about.
    pub(crate) schema: &'static [Way],
    /// Whether the bound of the reply may also be called `max_completion_tokens`.
    pub(crate) completion_tokens: bool,
}

/// One way to ask for a schema.
#[derive(Debug)]
pub(crate) struct Way {
    /// Its name; never [`SchemaMode::Auto`].
    pub(crate) mode: SchemaMode,
    /// Words, in lower case, by which servers complain about it.
    pub(crate) words: &'static [&'static [&'static str]],
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
    /// The dialect to begin with. A way to ask for a schema that the format does not have is replaced by its best one.
    pub(crate) fn new(settings: &LlmSettings, leeway: &Leeway) -> Self {
        let own = leeway
            .schema
            .iter()
            .find(|way| way.mode == settings.schema_mode)
            .or(leeway.schema.first());
        Self {
            schema: own.map_or(SchemaMode::Prompt, |way| way.mode),
            temperature: settings.temperature.is_some(),
            completion_tokens: false,
        }
    }

    /// What to write instead after the server answered 400 or 422 with `complaint`, and a sentence on it;
    /// `None` when nothing that can be changed is to blame. Only steps down, so that it ends.
    pub(crate) fn after(sent: Sent, complaint: &str, auto: bool, leeway: &Leeway) -> Option<(Self, String)> {
        let complaint = complaint.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|w| complaint.contains(w));
        let was = sent.dialect;
        if leeway.completion_tokens
            && sent.max_tokens
            && !was.completion_tokens
            && has(&["max_completion_tokens"])
        {
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
        if auto && sent.schema {
            let mut ways = leeway.schema.iter().skip_while(|way| way.mode != was.schema);
            let (own, next) = (ways.next()?, ways.next()?);
            if own.words.iter().any(|words| has(words)) {
                let what = format!(
                    "does not accept a schema as {}; {} is used instead, and replies may not follow the schema",
                    own.mode.as_str(),
                    next.mode.as_str()
                );
                return Some((
                    Self {
                        schema: next.mode,
                        ..was
                    },
                    what,
                ));
            }
        }
        None
    }
}

/// Words by which servers name structured output.
pub(crate) const SCHEMA_WORDS: &[&str] = &[
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "structured output",
    "grammar",
];

/// Words by which servers name calls of tools.
pub(crate) const TOOL_WORDS: &[&str] = &[
    "tools",
    "tool_choice",
    "tool choice",
    "tool_use",
    "tool use",
    "tool call",
    "function call",
    "function_call",
];

/// Words by which servers say that they do not know a parameter at all (a value out of range is another
/// matter: dropping it would hide a mistake in the settings).
const UNSUPPORTED: [&str; 10] = [
    "support",
    "only the default",
    "may only be",
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

    const LEEWAY: Leeway = Leeway {
        schema: &[
            Way {
                mode: SchemaMode::JsonSchema,
                words: &[SCHEMA_WORDS],
            },
            Way {
                mode: SchemaMode::Tools,
                words: &[TOOL_WORDS, SCHEMA_WORDS],
            },
            Way {
                mode: SchemaMode::Prompt,
                words: &[SCHEMA_WORDS],
            },
        ],
        completion_tokens: true,
    };

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
                Dialect::after(sent, complaint, true, &LEEWAY).map(|(d, _)| d),
                want,
                "{complaint}"
            );
        };
        let full = sent(SchemaMode::JsonSchema, true);
        let tools = Dialect {
            schema: SchemaMode::Tools,
            ..full.dialect
        };
        check(
            full,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
            Some(tools),
        );
        check(full, "failed to parse grammar", Some(tools));
        check(full, "tools are not supported", None);
        let prompt = Dialect {
            schema: SchemaMode::Prompt,
            ..full.dialect
        };
        for complaint in ["m does not support tools", "bad tool_choice", "grammar"] {
            check(sent(SchemaMode::Tools, true), complaint, Some(prompt));
        }
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
        check(full, "`temperature` is deprecated for this model.", Some(cold));
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
            Dialect::after(full, "response_format is not supported", false, &LEEWAY),
            None
        );
    }

    #[test]
    fn a_mode_that_the_format_lacks_is_replaced_by_its_best_one() {
        let check = |mode: SchemaMode, want: SchemaMode| {
            let settings = LlmSettings {
                schema_mode: mode,
                ..LlmSettings::default()
            };
            assert_eq!(Dialect::new(&settings, &LEEWAY).schema, want);
        };
        check(SchemaMode::Auto, SchemaMode::JsonSchema);
        check(SchemaMode::Prompt, SchemaMode::Prompt);
        check(SchemaMode::JsonObject, SchemaMode::JsonSchema);
    }
}
