//! What the library lacks: questions without an answer, by the reason, and papers that no answer cites.

use super::{
    library, saved,
    view::{View, count, encoded},
};
use crate::{
    app::{App, Caller},
    failed::Failed,
    operation::{Operation, Routes},
    state::answers::{self, Listed},
};
use axum::{extract::State, response::Response, routing::get};
use maud::html;
use std::collections::{BTreeMap, BTreeSet};
use types::RefusalReason;

/// Answers that are looked through, the newest.
const READ: usize = 2000;

pub(super) fn routes() -> Routes {
    vec![Operation::get("/gaps", "What the library lacks").on_page().by(get(page))]
}

/// What a reason means to who wants an answer.
fn meaning(reason: &str) -> &'static str {
    match serde_json::from_value(reason.into()) {
        Ok(RefusalReason::NoCandidates) => "Nothing in the library about these",
        Ok(RefusalReason::FilterExcludedAll) => "No paper meets the conditions",
        _ => "Related papers, but no answer",
    }
}

async fn page(State(app): State<App>, caller: Caller) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/gaps", "Gaps");
    let (tenant, settings) = (caller.tenant(), app.indexes.settings_of(&caller.place()));
    let all = app.state.read(move |c| answers::list(c, &tenant, "", READ)).await?;
    let turn = app.turn(&caller)?;
    let (sources, _) = library::papers(&app, settings).await?;
    drop(turn);
    let (mut cited, mut groups) = (BTreeSet::<&str>::new(), BTreeMap::<&str, Vec<&Listed>>::new());
    for saved in &all {
        if let Some(reason) = &saved.refusal {
            let same = groups.entry(meaning(reason)).or_default();
            if !same.iter().any(|other| other.question.eq_ignore_ascii_case(&saved.question)) {
                same.push(saved);
            }
        }
        cited.extend(saved.cited.lines());
    }
    let never: Vec<_> =
        sources.iter().filter(|source| !cited.contains(source.meta.source_id.as_str())).collect();
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
                p.note { (never.len()) " of " (count(sources.len(), "paper")) "." }
                ul {
                    @for source in never {
                        @let meta = &source.meta;
                        li {
                            a href=(saved::page_address(&meta.source_id, 1, None, None)) dir="auto" { (meta.title.as_deref().unwrap_or(meta.source_id.as_str())) }
                            " " span.note dir="auto" { (saved::by(&meta.authors, meta.year)) }
                        }
                    }
                }
            }
        }
    }))
}
