//! `pipeline search`.

mod explain;

use super::{
    App,
    references::{Here, passage, sentence},
};
use crate::{
    args,
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::Result;
use engine::{
    Pipeline, SearchResult,
    documents::Search,
    show::{Preview, Reference, References, preview},
};
use types::{Explanation, Hit};

/// Retrieves and prints the hits.
pub(super) async fn run(app: &App, args: &args::Search) -> Result<Outcome> {
    let (filter, mode) = (args.filters.to_filter()?, app.settings.retrieve.mode);
    let pipeline = Pipeline::open(&app.settings).await?;
    let found = pipeline.search(&args.query, mode, &filter, args.count, args.explain).await?;
    let hits = found.retrieved.retrieval.hits.iter();
    let sources = hits.map(|hit| hit.chunk().source_id.clone()).collect();
    let references = pipeline.references(sources).await?;
    let view = View::of(args, &pipeline, &found, &references);
    let document = Search::new(&found, &references, pipeline.search_settings());
    app.printer.page(&document, || view.page())?;
    Ok(Outcome::of(!view.hits.is_empty()))
}

/// What people are shown of a search.
struct View<'a> {
    pipeline: &'a Pipeline,
    found: &'a SearchResult,
    hits: Vec<Shown<'a>>,
}

/// A hit with what is shown of it.
struct Shown<'a> {
    hit: &'a Hit,
    source: Reference,
    preview: Preview,
    explanation: Option<&'a Explanation>,
}

impl<'a> View<'a> {
    fn of(
        args: &args::Search,
        pipeline: &'a Pipeline,
        found: &'a SearchResult,
        references: &References,
    ) -> Self {
        let retrieved = &found.retrieved;
        let shown = |(at, hit): (usize, &'a Hit)| Shown {
            hit,
            source: references.get(&hit.chunk().source_id),
            preview: preview(&found.question, &hit.passage),
            explanation: retrieved.explanations.get(at).filter(|_| args.explain),
        };
        let hits = retrieved.retrieval.hits.iter().enumerate().map(shown).collect();
        Self { pipeline, found, hits }
    }

    /// A list of passages, with `--explain` below how they were searched and all scores side by side.
    fn page(&self) -> Page {
        let mut page = Page::new();
        page.title(self.found.question.text.as_str());
        explain::overview(&mut page, self);
        let here = Here::find();
        let sources: Vec<&Reference> = self.hits.iter().map(|shown| &shown.source).collect();
        for (at, shown) in self.hits.iter().enumerate() {
            page.gap();
            let chunk = shown.hit.chunk();
            passage(&mut page, &here, &sources[..at], &shown.source, chunk.section, &shown.preview);
            match shown.explanation {
                Some(explanation) => explain::hit(&mut page, self, explanation),
                None => page.aside(format!(
                    "score {:.3} (similarity {:.3}, BM25 {:.2})",
                    shown.hit.combined_score, shown.hit.vector_score, shown.hit.bm25_score
                )),
            }
            page.aside(format!("chunk {}", chunk.chunk_id));
        }
        page.gap();
        if self.hits.is_empty() {
            page.line(self.pipeline.nothing_found(self.found));
            page.gap();
        }
        // What was taken from the words of the question, and how the search differed from what the settings ask for.
        for note in self.found.notes() {
            page.line(Line::new().strong("Note: ").text(sentence(&note)));
        }
        page
    }
}
