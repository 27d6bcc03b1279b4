//! `pipeline search`.

mod explain;
mod markdown;
mod overview;
mod text;

use super::{App, references::Here};
use crate::{args::Search, printer::Outcome};
use anyhow::Result;
use engine::{
    Found, Pipeline, documents,
    show::{Preview, Reference, References, preview},
};
use types::{Explanation, Hit, Mode, Question};

/// Retrieves and prints the hits.
pub(super) async fn run(app: &App, args: &Search) -> Result<Outcome> {
    let pipeline = Pipeline::open(&app.settings).await?;
    let mode = app.settings.retrieve.mode;
    let filter = args.filters.to_filter();
    let searching = async {
        let found = pipeline
            .search(&args.query, mode, &filter, args.count, args.explain)
            .await?;
        let hits = found.retrieved.retrieval.hits.iter();
        let sources = hits.map(|hit| hit.chunk().source_id.clone()).collect();
        let references = pipeline.references(sources).await?;
        Ok::<_, engine::EngineError>((found, references))
    };
    let (found, references) = searching.await?;
    let view = View::of(args, &pipeline, &found, &references);
    let document = documents::search(&found, &references, pipeline.search_settings());
    app.printer
        .page(&document, || text::page(&view), || markdown::page(&view))?;
    Ok(if view.hits.is_empty() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

/// What people are shown of a search.
struct View<'a> {
    question: &'a Question,
    pipeline: &'a Pipeline,
    found: &'a Found,
    hits: Vec<Shown<'a>>,
    /// Why nothing was found; empty when there are hits.
    nothing: String,
    /// What was taken from the words of the question, and how the search differed from what the settings ask for.
    notes: Vec<String>,
    here: Here,
}

/// A hit with what is shown of it.
struct Shown<'a> {
    hit: &'a Hit,
    source: Reference,
    preview: Preview,
    explanation: Option<&'a Explanation>,
}

impl<'a> View<'a> {
    fn of(args: &Search, pipeline: &'a Pipeline, found: &'a Found, references: &References) -> Self {
        let Found {
            question, retrieved, ..
        } = found;
        let hits = &retrieved.retrieval.hits;
        let shown = |(at, hit): (usize, &'a Hit)| Shown {
            hit,
            source: references.get(&hit.chunk().source_id),
            preview: preview(question, &hit.passage),
            explanation: retrieved.explanations.get(at).filter(|_| args.explain),
        };
        Self {
            question,
            pipeline,
            found,
            hits: hits.iter().enumerate().map(shown).collect(),
            nothing: if hits.is_empty() {
                pipeline.nothing_found(found)
            } else {
                String::new()
            },
            notes: found.notes(),
            here: Here::find(),
        }
    }

    fn mode(&self) -> Mode {
        self.question.mode
    }
}
