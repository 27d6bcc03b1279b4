//! What the library lacks: questions without an answer, by the reason, and papers that no answer cites.

use super::{View, answer, answer::Document, encoded, paper};
use crate::{
    app::{App, Caller},
    failed::Failed,
    operation::{Operation, Routes},
    state::answers::{self, Saved},
};
use axum::{extract::State, response::Response, routing::get};
use engine::EngineError;
use maud::html;
use std::collections::{BTreeMap, BTreeSet};
use types::{RefusalReason, SourceId};

/// Answers that are looked through, the newest.
const READ: usize = 1000;

pub(super) fn routes() -> Routes {
    vec![Operation::get("/gaps", "What the library lacks").on_page().by(get(page))]
}

/// What a reason means to who wants an answer.
fn meaning(reason: Option<RefusalReason>) -> &'static str {
    match reason {
        Some(RefusalReason::NoCandidates) => "No paper has anything on these",
        Some(RefusalReason::FilterExcludedAll) => "No paper meets the conditions of these",
        _ => "Papers touch on these without answering them",
    }
}

async fn page(State(app): State<App>, caller: Caller) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/gaps", "Gaps");
    let (tenant, settings) = (caller.tenant(), app.indexes.settings_of(&caller.place()));
    let all = app.state.read(move |c| answers::list(c, &tenant, "", READ)).await?;
    let turn = app.turn(&caller)?;
    let sources =
        app.pool().run(move || engine::indexer(&settings).sources()).await.map_err(EngineError::from)?;
    drop(turn);
    let (mut cited, mut groups) = (BTreeSet::<SourceId>::new(), BTreeMap::<&str, Vec<&Saved>>::new());
    for saved in &all {
        let Ok(document) = serde_json::from_str::<Document>(&saved.document) else { continue };
        if document.ask.no_evidence {
            let same = groups.entry(meaning(document.ask.refusal.map(|refusal| refusal.reason))).or_default();
            if !same.iter().any(|other| other.question.eq_ignore_ascii_case(&saved.question)) {
                same.push(saved);
            }
        }
        cited.extend(document.ask.citations.into_iter().map(|quoted| quoted.citation.source_id));
    }
    let never: Vec<_> = sources.iter().filter(|source| !cited.contains(&source.meta.source_id)).collect();
    Ok(view.page(&html! {
        h1 { "What is missing" }
        @if groups.is_empty() { p { "Every question that was asked here has an answer." } }
        @for (meaning, questions) in &groups {
            section {
                h2 { (meaning) }
                ul { @for saved in questions { li { a href={ "/answer/" (encoded(&saved.id)) } dir="auto" { (saved.question) } } } }
            }
        }
        section {
            h2 { "Papers that no answer cites" }
            @if all.is_empty() { p { "Nothing was asked yet." } }
            @else if never.is_empty() { p { "Every paper is cited." } }
            @else {
                p.note { (never.len()) " of " (sources.len()) " papers." }
                ul {
                    @for source in never {
                        @let meta = &source.meta;
                        li {
                            a href=(paper::address(&meta.source_id, 1, None, None)) dir="auto" { (meta.title.as_deref().unwrap_or(meta.source_id.as_str())) }
                            " " span.note dir="auto" { (answer::by(&meta.authors, meta.year)) }
                        }
                    }
                }
            }
        }
    }))
}
