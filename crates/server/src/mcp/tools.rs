//! The tools: what assistants are told of each, and which function answers it.

use super::{Session, answers, checks, papers, results::Reply};
use crate::failed::Failed;
use rmcp::{
    RoleServer,
    model::{JsonObject, Tool, ToolAnnotations},
    service::RequestContext,
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

/// The tools of every client, and those of ADR-013 behind them.
static TOOLS: LazyLock<(Vec<Tool>, Vec<Tool>)> = LazyLock::new(|| {
    let own = vec![
        tool::<answers::Ask>(
            "ask",
            "Answers a question from the papers with verbatim quotes, or says that they do not answer it. Use it first for any \
             question of fact.",
        ),
        tool::<answers::Search>(
            "search",
            "Finds passages by meaning and words. Use it to see what there is, or to read yourself; for an answer use ask. Ranks, \
             not scores, are the signal.",
        )
        .with_raw_output_schema(output(&json!({"results": {"type": "array", "items": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}},
            "required": ["id", "title", "url"],
        }}}))),
        tool::<papers::Fetch>(
            "fetch",
            "Reads a passage (id of a search result) or a whole paper (its source_id), long ones in parts.",
        )
        .with_raw_output_schema(output(&json!({
            "id": {"type": "string"}, "title": {"type": "string"}, "text": {"type": "string"},
            "url": {"type": "string"}, "metadata": {"type": "object"},
        }))),
        tool::<papers::ReadSection>(
            "read_section",
            "Reads a section or a page of a paper; with neither, lists its sections. Use it to see a quote in its context.",
        ),
        tool::<checks::VerifyAnswer>(
            "verify_answer",
            "Checks a text, whoever wrote it, against the papers: whether each sentence is supported or contradicted, and each quote \
             printed there. Use it before you state what the papers say, and mend what fails.",
        ),
        tool::<papers::ListSources>(
            "list_sources",
            "Lists and counts the papers. Use it for source_ids, or for questions about the library itself.",
        ),
        tool::<checks::Evaluate>(
            "evaluate",
            "Scores answers of any RAG system in five dimensions (faithfulness, relevance, citations, completeness, correctness). \
             Use it for up to 20 rows; for files there is the command pipeline score.",
        ),
    ];
    let nc = vec![
        tool::<answers::Search>(
            "semantic_search",
            "Finds documents by meaning, the best passage of each hit.",
        ),
        tool::<answers::NcAnswer>(
            "nc_semantic_search_answer",
            "Answers a question from the documents: generated_answer, with its sources.",
        ),
    ];
    (own, nc)
});

/// The tools; with those of ADR-013 if `nc`.
pub(super) fn list(nc: bool) -> Vec<Tool> {
    let (own, more) = &*TOOLS;
    own.iter().chain(more.iter().filter(|_| nc)).cloned().collect()
}

/// Calls a tool of the list.
///
/// # Errors
/// When an argument is wrong, or what is asked for cannot be done.
pub(super) async fn call(
    session: &Session,
    context: &RequestContext<RoleServer>,
    name: &str,
    arguments: JsonObject,
) -> Result<Reply, Failed> {
    match name {
        "ask" => answers::ask(session, read(arguments)?).await,
        "search" => answers::search(session, read(arguments)?).await,
        "fetch" => papers::fetch(session, read(arguments)?).await,
        "read_section" => papers::read_section(session, read(arguments)?).await,
        "verify_answer" => checks::verify_answer(session, read(arguments)?).await,
        "list_sources" => papers::list_sources(session, read(arguments)?).await,
        "evaluate" => checks::evaluate(session, read(arguments)?).await,
        "semantic_search" => answers::nc_search(session, read(arguments)?).await,
        "nc_semantic_search_answer" => answers::nc_answer(session, context, read(arguments)?).await,
        _ => Err(Failed::not_found("tool", name)),
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Failed> {
    // Many clients send null for what is not set.
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given))
        .map_err(|error| Failed::invalid("arguments", format!("the arguments are wrong: {error}")))
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    shorten(&mut schema);
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    // The tool has one.
    schema.remove("description");
    // Papers do not change by what is asked of them, and no tool reaches beyond them.
    let annotations = ToolAnnotations::default().read_only(true).open_world(false);
    Tool::new(name, description, schema).with_annotations(annotations)
}

fn output(properties: &Value) -> Arc<JsonObject> {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|all| all.keys()).collect();
    let schema = json!({"type": "object", "required": required, "properties": properties});
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Takes away what costs tokens and tells a model nothing: titles, formats, defaults, bounds of number types, null where a key may be
/// left out, and what the items of a list and the words of a choice are, which their list says.
fn shorten(schema: &mut Value) {
    let Value::Object(keys) = schema else {
        return;
    };
    for key in ["title", "format", "default", "minimum", "maximum"] {
        keys.remove(key);
    }
    if let Some(Value::Array(types)) = keys.get("type") {
        let one = types.iter().find(|own| **own != "null").cloned().unwrap_or_default();
        keys.insert("type".to_owned(), one);
    }
    for (key, value) in keys.iter_mut() {
        let parts: Vec<&mut Value> = match value {
            Value::Object(all) if key == "properties" => all.values_mut().collect(),
            Value::Array(all) => all.iter_mut().collect(),
            value => vec![value],
        };
        for part in parts {
            shorten(part);
            if let Value::Object(own) = part
                && key != "properties"
            {
                own.remove("description");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_short_and_say_what_is_needed() {
        let ask = list(true).into_iter().find(|tool| tool.name == "ask").expect("ask");
        let schema = Value::Object((*ask.input_schema).clone());
        assert_eq!(schema["required"], json!(["query"]));
        let own = &schema["properties"];
        assert_eq!(own["detail"]["enum"], json!(["concise", "detailed"]));
        assert_eq!(own["filters"]["properties"]["tags"]["items"], json!({"type": "string"}));
        assert!(own["filters"]["properties"]["tags"]["description"].is_string(), "{own}");
        let text = schema.to_string();
        for word in ["null", "$ref", "$defs", "$schema", "uint", "title\":"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        let wrong = json!({"query": "How far?", "limt": 3}).as_object().cloned().expect("an object");
        let error = read::<answers::Search>(wrong).err().expect("refused").parts.message;
        assert!(error.contains("limt") && error.contains("limit"), "{error}");
    }
}
