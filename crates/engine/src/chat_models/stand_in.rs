//! A stand-in for a language model: it sends nothing, and replies as a model would that follows its prompt.

use serde_json::{Value, json};
use types::{BoxFuture, ChatFailure, ChatModel, ChatReply, ChatRequest, Usage};

/// Tokens of a message beside its text, as chat models count them.
const TOKENS_OF_A_MESSAGE: usize = 4;
/// Sentences of an answer.
const SENTENCES: usize = 3;
/// Words of a reason that a judge gives.
const REASON: &str = "The excerpt says so in its results: the same group, the same measure, the same direction and the same numbers.";

/// Counts the tokens of requests and of replies of usual length.
pub(crate) struct StandIn {
    model: String,
}

impl StandIn {
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.to_owned() }
    }
}

impl ChatModel for StandIn {
    fn id(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        let schema = request.schema.as_ref();
        let reply = match schema.map(|schema| schema.name.as_str()) {
            Some("relevance") => grades(&request.user),
            Some("verdicts") => verdicts(&request.user),
            Some("selected_sentences") => selection(),
            Some("checked_claims") => checked(&request.user),
            Some("drafted_question") => drafted(&request.user),
            Some("near_miss") => near_miss(&request.user),
            Some("reference_answer") => reference(&request.user),
            Some("same_facts") => json!({"reasoning": REASON, "differences": [], "same_facts": true}),
            _ => schema
                .and_then(|schema| grade(&schema.schema, &request.user))
                .unwrap_or_else(|| answer(&request.user)),
        };
        let text = reply.to_string();
        let schema_text = schema.map(|schema| schema.schema.to_string()).unwrap_or_default();
        let read = [&*request.system, &*request.user, &*schema_text]
            .map(|part| ingest::tokens::count(part) + TOKENS_OF_A_MESSAGE);
        let usage = Usage {
            requests: 1,
            prompt_tokens: read.iter().sum::<usize>() as u64,
            completion_tokens: ingest::tokens::count(&text) as u64,
            ..Usage::default()
        };
        Box::pin(std::future::ready(Ok(ChatReply {
            text,
            model: self.model.clone(),
            usage,
            ..ChatReply::default()
        })))
    }
}

/// The excerpts of a prompt: header and text.
fn excerpts(user: &str) -> impl Iterator<Item = (&str, &str)> {
    let blocks = user.split("<excerpt ").skip(1);
    blocks.filter_map(|block| {
        let (header, rest) = block.split_once(">\n")?;
        let (text, _) = rest.split_once("\n</excerpt>")?;
        Some((header, text))
    })
}

fn attribute<'a>(header: &'a str, name: &str) -> &'a str {
    let start = header.split_once(&format!("{name}=\""));
    let value = start.and_then(|(_, rest)| rest.split_once('"'));
    value.map_or("", |(value, _)| value)
}

/// An answer of three sentences, each copied from an excerpt and cited.
fn answer(user: &str) -> Value {
    let cited = excerpts(user).filter_map(|(header, text)| {
        let whole = text::sentences(text).into_iter().map(|span| text[span.start..span.end].trim());
        let quote = whole.into_iter().find(|s| (8..=40).contains(&s.split_whitespace().count()))?;
        Some((attribute(header, "source_id"), attribute(header, "chunk_id"), quote))
    });
    let cited: Vec<_> = cited.take(SENTENCES).collect();
    let claim = |(source, chunk, quote): &(&str, &str, &str)| {
        let evidence = json!({"source_id": source, "chunk_id": chunk, "relevant_quote": quote});
        json!({"evidence": [evidence], "sentence": quote})
    };
    json!({
        "claims": cited.iter().map(claim).collect::<Vec<_>>(),
        "no_evidence": cited.is_empty(),
        "confidence": if cited.is_empty() { "low" } else { "medium" },
        "evidence_quality": "Two trials and one review say so outright, in groups of different age.",
        "caveats": ["The studies are small, and none followed its participants for more than a year."],
    })
}

/// A question of usual length that passes every check.
const DRAFTED: &str =
    "How did the outcome of the treatment differ between those who received it and those who did not?";
/// An answer of usual length without a number or a name.
const DRAFTED_ANSWER: &str = "Those who received the treatment did better on the main outcome than those who did not, and the \
     difference was still there when the follow-up ended.";

/// The first words of each excerpt, of two at most, as a quote.
fn drafted_quotes(user: &str) -> Vec<Value> {
    const WORDS: usize = 15;
    let first = excerpts(user).map(|(_, text)| {
        let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
        words.join(" ")
    });
    let numbered = first.enumerate().take(2);
    numbered.map(|(at, quote)| json!({"excerpt": at + 1, "quote": quote})).collect()
}

fn drafted(user: &str) -> Value {
    json!({"usable": true, "quotes": drafted_quotes(user), "question": DRAFTED, "reference_answer": DRAFTED_ANSWER})
}

fn near_miss(user: &str) -> Value {
    let nearest = drafted_quotes(user).first().map(|quote| quote["quote"].clone());
    json!({"usable": true, "nearest": nearest, "question": DRAFTED,
        "statement": "The outcome of the treatment differed between the two groups."})
}

fn reference(user: &str) -> Value {
    json!({"answered": true, "quotes": drafted_quotes(user),
        "reference_answer": format!("{DRAFTED_ANSWER} {DRAFTED_ANSWER}")})
}

/// A grade for each excerpt.
fn grades(user: &str) -> Value {
    let count = user.matches("<excerpt ").count();
    let grade = |at: usize| json!({"excerpt": at + 1, "relevance": 10_usize.saturating_sub(at)});
    json!({"scores": (0..count).map(grade).collect::<Vec<_>>()})
}

/// A verdict on each claim of an answer.
fn checked(user: &str) -> Value {
    let count = user.matches("<claim ").count();
    let verdict =
        |at: usize| json!({"number": at + 1, "reason": REASON, "fault": "none", "verdict": "supported"});
    json!({"claims": (0..count).map(verdict).collect::<Vec<_>>()})
}

/// A verdict for each claim.
fn verdicts(user: &str) -> Value {
    let data: Value = serde_json::from_str(user).unwrap_or_default();
    let claims = data["claims"].as_array().cloned().unwrap_or_default();
    let shown = [&data["excerpts"], &data["passages"]].into_iter().filter_map(Value::as_array);
    let shown: Vec<&Value> = shown.flatten().map(|passage| &passage["id"]).collect();
    let verdict = |claim: &Value| {
        let cites = claim["cites"].as_array().into_iter().flatten();
        let cited = cites.chain(shown.iter().copied()).find(|id| shown.contains(id));
        json!({"number": claim["number"], "reason": REASON, "chunk_id": cited, "verdict": "supported"})
    };
    json!({"claims": claims.iter().map(verdict).collect::<Vec<_>>()})
}

/// A passage for each statement of a reference.
fn made(user: &str) -> Value {
    let data: Value = serde_json::from_str(user).unwrap_or_default();
    let claims = data["reference_claims"].as_array().into_iter().flatten();
    claims.map(|claim| json!({"number": claim["number"], "passage": 1})).collect()
}

/// A score with its reasoning, if that is what the schema asks for.
fn grade(schema: &Value, user: &str) -> Option<Value> {
    let keys = schema["properties"].as_object().filter(|keys| keys.contains_key("reasoning"))?;
    let value = |(key, of): (&String, &Value)| match (key.as_str(), of["type"].as_str()) {
        ("reasoning", _) => json!(format!("{REASON} {REASON}")),
        ("score", _) => json!(0.9),
        ("claims", _) => verdicts(user)["claims"].clone(),
        ("reference_claims", _) => made(user),
        (_, Some("boolean")) => json!(true),
        _ => json!([REASON]),
    };
    Some(keys.iter().map(|(key, of)| (key.clone(), value((key, of)))).collect())
}

/// Three of the numbered sentences.
fn selection() -> Value {
    let part = |number: usize| json!({"sentence": number, "lead": ""});
    json!({"parts": (1..=SENTENCES).map(part).collect::<Vec<_>>(), "answers": true})
}
