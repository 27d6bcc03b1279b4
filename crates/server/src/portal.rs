//! Web pages for people: a question and its answer, a page of a paper with the quote marked, earlier questions.
//!
//! A page shows what the routes of `/v1` return and works without scripts; with them, an answer appears while it is made and a page
//! of a paper opens beside it. All text of papers and questions is escaped by `maud`, no script or style stands in a page, and
//! nothing is loaded from elsewhere.

mod answer;
mod ask;
mod assets;
pub(crate) mod cache;
mod docx;
mod evaluation;
mod evidence;
mod examples;
mod export;
mod form;
mod gaps;
mod history;
mod library;
mod login;
mod metadata;
mod paper;
mod saved;
mod table;
mod upload;
pub(crate) mod view;

pub(crate) use saved::page_address;

use crate::operation::Routes;

/// The pages, which are no part of the API.
pub(crate) fn routes() -> Routes {
    let all = [
        ask::routes(),
        answer::routes(),
        evaluation::routes(),
        evidence::routes(),
        export::routes(),
        paper::routes(),
        table::routes(),
        gaps::routes(),
        history::routes(),
        library::routes(),
        metadata::routes(),
        upload::routes(),
        login::routes(),
        assets::routes(),
    ];
    all.into_iter().flatten().collect()
}
