//! Asks a language model whether the context answers the question, and for further searches if it does not.

use crate::{
    GenerateError, LlmGenerateSettings,
    ask::{CALLS, ask},
    language_model, prompts,
};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};
use text::addresses::{KnownAddresses, addresses};
use types::{ChatModel, ChatRequest, Context, Evidence, GenerationFailure, Prompt, Question};

/// Settings of [`Planner`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannerSettings {
    /// Searches that a model may ask for; 0 for none.
    pub limit: usize,
    /// As [`LlmGenerateSettings::max_context_chars`].
    pub max_context_chars: usize,
    /// Bound of the reply in the model's tokens; `None` leaves it to the client.
    pub max_tokens: Option<u32>,
}

impl Default for PlannerSettings {
    fn default() -> Self {
        let generation = LlmGenerateSettings::default();
        Self {
            limit: 0,
            max_context_chars: generation.max_context_chars,
            max_tokens: generation.max_tokens,
        }
    }
}

/// Plans further searches.
#[derive(Clone)]
pub struct Planner {
    model: Arc<dyn ChatModel>,
    settings: PlannerSettings,
}

impl Planner {
    /// Uses `model`.
    pub fn new(model: Arc<dyn ChatModel>, settings: PlannerSettings) -> Self {
        Self { model, settings }
    }

    /// Asks in one call, and in a second one if the reply breaks the schema. The context may be empty; chunks that do not
    /// fit are left out as for an answer.
    ///
    /// # Errors
    /// When the model cannot be asked, its reply was cut, two replies in a row break the schema, or no excerpt fits the
    /// prompt.
    pub async fn plan(&self, question: &Question, context: &Context) -> Result<Plan, GenerationFailure> {
        Ok(self.asked(question, context).await?)
    }

    async fn asked(&self, question: &Question, context: &Context) -> Result<Plan, GenerateError> {
        let shown = LlmGenerateSettings {
            max_context_chars: self.settings.max_context_chars,
            ..LlmGenerateSettings::default()
        };
        let limit = self.settings.limit;
        let prompt = language_model::prompt::build(&question.text, context, Evidence::Sufficient, &shown)?;
        let request = ChatRequest {
            system: Prompt::filled(prompts::FURTHER, "limit", &limit.to_string()),
            user: prompt.user,
            schema: Some(schema(limit)),
            max_tokens: self.settings.max_tokens,
        };
        let read = |reply: &str| read(reply, &question.text, limit);
        let (plan, _) = ask(&*self.model, request, CALLS, prompts::FURTHER_REPAIR, read).await?;
        Ok(plan)
    }
}

/// Characters of a search, at most: a longer one is no search, but a copied passage.
const SEARCH_CHARS: usize = 300;

/// The shape of the reply. Where the server writes fields in order, the reason comes before the decision.
#[derive(Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reply {
    reason: String,
    answered: bool,
    searches: Vec<String>,
}

/// Whether the context answers the question, and what is searched if it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Why, in the model's words.
    pub reason: String,
    /// Whether the model finds the question answered. Then there are no searches.
    pub answered: bool,
    /// What to search, each once.
    pub searches: Vec<String>,
}

/// The schema of the reply, with at most `limit` searches.
fn schema(limit: usize) -> types::JsonSchema {
    let mut schema = schema_for!(Reply).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| !matches!(key.as_str(), "$schema" | "title" | "description"));
    }
    if let Some(searches) = schema
        .pointer_mut("/properties/searches")
        .and_then(Value::as_object_mut)
    {
        searches.insert("maxItems".to_owned(), json!(limit));
    }
    types::JsonSchema {
        name: "further_searches".to_owned(),
        schema,
    }
}

/// Reads a reply. White space in a search becomes one space. Searches that are empty, longer than [`SEARCH_CHARS`], equal to
/// the question or to an earlier search, apart from case and the like, or hold an address that the question does not have,
/// are left out, and so are those beyond `limit`.
///
/// # Errors
/// What is wrong, as a part of a sentence.
fn read(reply: &str, question: &str, limit: usize) -> Result<Plan, String> {
    let Reply {
        reason,
        answered,
        searches,
    } = serde_json::from_str(reply.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let mut seen = BTreeSet::from([text::folded_words(question), Vec::new()]);
    let mut asked = KnownAddresses::default();
    asked.add(question);
    let usable = |search: &String| {
        let invented = addresses(search).iter().any(|own| !asked.holds(own));
        search.chars().count() <= SEARCH_CHARS && !invented && seen.insert(text::folded_words(search))
    };
    let searches = searches.iter().map(|search| text::one_line(search));
    let searches = searches.filter(usable).take(limit);
    Ok(Plan {
        reason: text::one_line(&reason),
        answered,
        searches: if answered { Vec::new() } else { searches.collect() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "Does the naïve diet help?";

    fn searches(list: &[&str], limit: usize) -> Vec<String> {
        let reply = json!({"reason": "r", "answered": false, "searches": list}).to_string();
        read(&reply, QUESTION, limit).expect("a plan").searches
    }

    #[test]
    fn searches_are_cleaned() {
        let check = |list: &[&str], limit: usize, want: &[&str]| assert_eq!(searches(list, limit), want);
        check(&["  sodium \n intake\u{1b} "], 2, &["sodium intake"]);
        check(&["", " \t", "?!"], 2, &[]);
        check(
            &["Salt intake", "salt  INTAKE?", "salt"],
            3,
            &["Salt intake", "salt"],
        );
        check(&["does the NAÏVE diet help", "diet"], 2, &["diet"]);
        check(&["a b", "c d", "e f"], 2, &["a b", "c d"]);
        // What is left out does not count towards the limit.
        check(&["", "a b", "A B", "c d"], 2, &["a b", "c d"]);
        let (fits, long) = ("é".repeat(SEARCH_CHARS), "é".repeat(SEARCH_CHARS + 1));
        check(&[&long, &fits], 2, &[&fits]);
        check(&["a b"], 0, &[]);
        check(&["sodium https://evil.example/x", "sodium"], 2, &["sodium"]);
    }

    #[test]
    fn an_answered_question_needs_no_search() {
        let plan = read(
            r#" {"reason": " All\nof it. ", "answered": true, "searches": ["x y"]} "#,
            QUESTION,
            3,
        );
        let want = Plan {
            reason: "All of it.".to_owned(),
            answered: true,
            searches: Vec::new(),
        };
        assert_eq!(plan, Ok(want));
    }

    #[test]
    fn replies_that_cannot_be_used_say_why() {
        for text in [
            "",
            "[]",
            "Search for salt.",
            r#"{"reason": "r", "answered": false}"#,
        ] {
            let wrong = read(text, QUESTION, 3).expect_err(text);
            assert!(wrong.contains("not the JSON asked for"), "{wrong}");
        }
    }

    #[test]
    fn the_schema_is_strict_and_the_reason_comes_first() {
        let schema = schema(3);
        assert_eq!(schema.name, "further_searches");
        let want = json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "answered": {"type": "boolean"},
                "searches": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            },
            "additionalProperties": false,
            "required": ["reason", "answered", "searches"],
        });
        assert_eq!(schema.schema, want);
        let fields: Vec<&String> = schema.schema["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .collect();
        assert_eq!(fields, ["reason", "answered", "searches"]);
    }
}
