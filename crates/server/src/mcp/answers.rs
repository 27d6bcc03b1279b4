//! Answers and passages: `ask`, `search`, and the tools of ADR-013 over the same.

use super::{
    Session,
    results::{DATA, Detail, Reply, flag, items, named, put},
    sampling,
};
use crate::{
    asked::{Filters, within},
    failed::Failed,
    limits::{HITS_MOST, PASSAGES_MOST},
};
use engine::{
    Answer, Pipeline,
    show::{Preview, cited_texts, notes, notes_of, preview},
};
use rmcp::{RoleServer, service::RequestContext};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{sync::Arc, time::Instant};
use types::{Filter, SectionKind};

/// `ask`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    /// The question
    query: String,
    filters: Option<Filters>,
    /// detailed adds the passages that were read
    #[serde(default)]
    detail: Detail,
}

/// `search` and `semantic_search`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Question or words
    query: String,
    filters: Option<Filters>,
    /// Hits, 1 to 100; 10 unless given
    limit: Option<usize>,
    /// detailed returns whole passages
    #[serde(default)]
    detail: Detail,
    /// next_cursor of the result before
    cursor: Option<String>,
}

/// `nc_semantic_search_answer`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct NcAnswer {
    query: String,
    /// Passages to answer from; 5 unless given
    limit: Option<usize>,
}

pub(super) async fn ask(session: &Session, args: Ask) -> Result<Reply, Failed> {
    let pipeline = session.pipeline().await?;
    let filter = args.filters.unwrap_or_default().into();
    let answer = answer(session, "ask", &pipeline, &args.query, &filter).await?;
    document(session, &answer, args.detail).map(Reply::of)
}

/// Asks, and keeps the question as other requests do.
async fn answer(
    session: &Session,
    tool: &str,
    pipeline: &Pipeline,
    query: &str,
    filter: &Filter,
) -> Result<Answer, Failed> {
    let since = Instant::now();
    let answer = pipeline.ask(query, session.app.settings.retrieve.mode, filter).await?;
    session.remember(tool, query, !answer.response().no_evidence, since).await;
    Ok(answer)
}

/// An answer whose marks are numbers, and its quotes in the order of the numbers.
fn numbered(session: &Session, answer: &Answer) -> (String, Vec<Value>) {
    let response = answer.response();
    let mut order: Vec<usize> = Vec::new();
    let mut text = String::new();
    for part in cited_texts(&response.answer, &response.citations) {
        if part.citations.is_empty() {
            text.push_str(&part.text);
            continue;
        }
        text.push_str(part.text.trim_end());
        for at in part.citations {
            let known = order.iter().position(|own| *own == at);
            let number = known.unwrap_or_else(|| {
                order.push(at);
                order.len() - 1
            });
            text.extend([" [", &(number + 1).to_string(), "]"]);
        }
    }
    let rest: Vec<usize> = (0..response.citations.len()).filter(|at| !order.contains(at)).collect();
    let quotes = order.into_iter().chain(rest).enumerate().map(|(number, at)| {
        let citation = &response.citations[at];
        let meta = answer.references.get(&citation.source_id).meta;
        let page = citation.page_start.unwrap_or(1);
        let mut quote = session.cited(&citation.source_id, &named(&meta), page, &citation.relevant_quote);
        quote["n"] = (number + 1).into();
        quote["chunk_id"] = citation.chunk_id.as_str().into();
        put(&mut quote, "section", citation.section.map(SectionKind::as_str));
        put(&mut quote, "fictional", meta.fictional.then_some(true));
        quote
    });
    let quotes = quotes.collect();
    (text.trim().to_owned(), quotes)
}

/// What is returned of an answer.
fn document(session: &Session, answer: &Answer, detail: Detail) -> Result<Value, Failed> {
    let response = answer.response();
    let (text, quotes) = numbered(session, answer);
    let mut structured = json!({
        "answer": text, "no_evidence": response.no_evidence, "confidence": response.confidence,
        "evidence_quality": response.evidence_quality, "note": DATA, "quotes": quotes,
    });
    let taken = notes_of(&answer.record).into_iter().map(|note| note.says);
    let notes: Vec<String> = response.caveats.iter().cloned().chain(taken).collect();
    put(&mut structured, "notes", (!notes.is_empty()).then_some(notes));
    let closest = answer.closest.iter().map(|closest| {
        let meta = answer.references.get(&closest.chunk.source_id).meta;
        session.cited(&meta.source_id, &named(&meta), closest.preview.page, &text_of(&closest.preview))
    });
    let closest: Vec<Value> = closest.collect();
    put(&mut structured, "closest_but_no_answer", (!closest.is_empty()).then_some(closest));
    if detail == Detail::Detailed {
        put(&mut structured, "probability", response.probability.map(f64::from));
        structured["model"] = answer.record.model.as_str().into();
        put(&mut structured, "claims", serde_json::to_value(&answer.record.claims).ok());
        let passages = answer.record.context.iter().flatten().map(|own| {
            let title = named(&answer.references.get(&own.source_id).meta);
            let url = session.link(&own.source_id, own.page_start, None);
            let mut passage = json!({
                "id": own.chunk_id, "title": title, "section": own.section, "page": own.page_start, "text": own.text, "url": url,
            });
            flag(&mut passage, &[&title, &own.text]);
            passage
        });
        let (passages, more) = items(passages, None, detail.tokens())?;
        let left = more.map(|_| "further passages were read; search with detail detailed has a cursor");
        put(&mut structured, "passages_note", left);
        structured["passages"] = passages.into();
    }
    Ok(structured)
}

fn text_of(preview: &Preview) -> String {
    preview.parts.iter().map(|part| part.text.as_str()).collect()
}

pub(super) async fn search(session: &Session, args: Search) -> Result<Reply, Failed> {
    found(session, "search", args).await.map(Reply::json)
}

/// Hits as connectors expect them, with their places.
async fn found(session: &Session, tool: &str, args: Search) -> Result<Value, Failed> {
    let since = Instant::now();
    let count = within("limit", args.limit.unwrap_or(10), HITS_MOST)?;
    let filter = args.filters.unwrap_or_default().into();
    let pipeline = session.pipeline().await?;
    let mode = session.app.settings.retrieve.mode;
    let found = pipeline.search(&args.query, mode, &filter, count, false).await?;
    let hits = &found.retrieved.retrieval.hits;
    session.remember(tool, &args.query, !hits.is_empty(), since).await;
    let sources = hits.iter().map(|hit| hit.chunk().source_id.clone()).collect();
    let references = pipeline.references(sources).await?;
    let results = hits.iter().map(|hit| {
        let chunk = hit.chunk();
        let preview = preview(&found.question, &hit.passage);
        let title = named(&references.get(&chunk.source_id).meta);
        let mut shown = session.cited(&chunk.source_id, &title, preview.page, &text_of(&preview));
        shown["id"] = chunk.chunk_id.as_str().into();
        shown["section"] = chunk.section.as_str().into();
        shown["score"] = ((f64::from(hit.combined_score) * 1e3).round() / 1e3).into();
        if args.detail == Detail::Detailed {
            shown["text"] = chunk.with_table_head().into();
            flag(&mut shown, &[&chunk.text]);
        }
        shown
    });
    let (results, next) = items(results, args.cursor.as_deref(), args.detail.tokens())?;
    let mut structured =
        json!({ "query": args.query, "search_method": mode.as_str(), "note": DATA, "results": results });
    put(&mut structured, "next_cursor", next);
    let taken =
        notes(&found.question.filter, &found.question.understood, true).into_iter().map(|note| note.says);
    let nothing = hits.is_empty().then(|| pipeline.nothing_found(&found));
    let notes: Vec<String> = nothing.into_iter().chain(taken).collect();
    put(&mut structured, "notes", (!notes.is_empty()).then_some(notes));
    Ok(structured)
}

pub(super) async fn nc_search(session: &Session, args: Search) -> Result<Reply, Failed> {
    let mut own = found(session, "semantic_search", args).await?;
    let results = own["results"].as_array_mut().map(std::mem::take).unwrap_or_default();
    own["total_found"] = results.len().into();
    own["results"] = results.into_iter().map(renamed).collect();
    Ok(Reply::json(own))
}

/// A place with the keys of ADR-013.
fn renamed(mut place: Value) -> Value {
    for (from, to) in [("source_id", "document_id"), ("text", "excerpt"), ("chunk_id", "id")] {
        let value = place.as_object_mut().and_then(|keys| keys.remove(from));
        put(&mut place, to, value);
    }
    place
}

/// Answers with the model of the client where it offers one, else with that of the settings, else with sentences of the papers. The
/// guardrails verify the answer in any case.
pub(super) async fn nc_answer(
    session: &Session,
    context: &RequestContext<RoleServer>,
    args: NcAnswer,
) -> Result<Reply, Failed> {
    let passages = within("limit", args.limit.unwrap_or(5), PASSAGES_MOST)?;
    let pipeline = session.pipeline().await?.reading(passages)?;
    let (tool, filter) = ("nc_semantic_search_answer", Filter::default());
    let model = sampling::model(context, &pipeline).filter(|_| session.is_local);
    let (mut written, mut failed) = (None, None);
    if let Some(model) = model {
        let own = pipeline.clone().written_by(Arc::new(model));
        match answer(session, tool, &own, &args.query, &filter).await {
            Ok(answer) => written = Some(answer),
            Err(error) => failed = Some(format!("the model of the client wrote no answer: {error}")),
        }
    }
    let answer = match written {
        Some(answer) => answer,
        None => answer(session, tool, &pipeline, &args.query, &filter).await?,
    };
    let mut own = document(session, &answer, Detail::Concise)?;
    let sources = own["quotes"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let mut notes = own["notes"].as_array_mut().map(std::mem::take).unwrap_or_default();
    notes.extend(failed.map(Value::from));
    Ok(Reply::of(json!({
        "query": args.query, "generated_answer": own["answer"], "no_evidence": own["no_evidence"],
        "confidence": own["confidence"], "total_found": answer.record.context.as_ref().map_or(0, Vec::len),
        "search_method": answer.record.mode.map(types::Mode::as_str), "model_used": answer.record.model, "notes": notes,
        "note": DATA, "sources": sources.into_iter().map(renamed).collect::<Vec<_>>(),
    })))
}
