//! Answers and evidence as files: to read, to paste, or for a reference manager.

use super::{
    docx::{Paragraph, docx},
    saved::{self, Answered, Document},
};
use crate::{
    app::{App, Caller},
    extract::Path,
    failed::Failed,
    operation::{Operation, Routes},
};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use engine::bibliography::{Style, bibliography};
use engine::show::cited_texts;
use lab::report::page::{Line, Page, Terminal};
use std::{collections::BTreeSet, sync::Arc};
use types::{SourceId, SourceMeta};

/// The formats of an answer: the ending of the address, its name, and its content type.
pub(super) const ANSWER: [(&str, &str, &str); 6] = [
    ("md", "Markdown", "text/markdown; charset=utf-8"),
    ("txt", "text", "text/plain; charset=utf-8"),
    ("bibtex", "BibTeX", "application/x-bibtex; charset=utf-8"),
    ("ris", "RIS", "application/x-research-info-systems; charset=utf-8"),
    ("csl", "CSL-JSON", "application/vnd.citationstyles.csl+json"),
    ("docx", "DOCX", DOCX),
];
pub(super) const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

pub(super) fn routes() -> Routes {
    vec![Operation::get("/answer/{id}/export/{format}", "An answer as a file").on_page().by(get(export))]
}

async fn export(
    State(app): State<App>,
    caller: Caller,
    Path((id, format)): Path<(String, String)>,
) -> Result<Response, Failed> {
    let known = ANSWER.iter().find(|(name, ..)| *name == format);
    let (_, _, content) = known.ok_or_else(|| Failed::not_found("format", &format))?;
    let (saved, document) = saved::load(&app, &caller, &id).await?;
    let Document { ask, .. } = &document;
    if format == "docx" {
        return Ok(file(docx(&written(&saved.question, ask))?, content, "answer.docx"));
    }
    let (text, ending) = if let Some(style) = Style::of(&format) {
        let ids = ask.citations.iter().map(|quoted| quoted.citation.source_id.clone()).collect();
        (papers(&app, &caller, ids, style).await?, style.extension())
    } else {
        let page = page(&saved.question, ask);
        let text = if format == "md" { page.markdown() } else { page.text(Terminal::default()) };
        (text, &*format)
    };
    Ok(file(text, content, &format!("answer.{ending}")))
}

/// A file to be kept.
pub(super) fn file(text: impl IntoResponse, content: &str, name: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, text).into_response()
}

/// The entries of these papers, as far as the index holds them.
///
/// # Errors
/// When the index cannot be read.
pub(super) async fn papers(
    app: &App,
    caller: &Caller,
    ids: BTreeSet<SourceId>,
    style: Style,
) -> Result<String, Failed> {
    let pipeline = app.pipeline(&caller.place()).await?;
    let references = pipeline.references(ids.clone()).await?;
    let metas: Vec<Arc<SourceMeta>> = ids.iter().map(|id| references.get(id).meta).collect();
    Ok(bibliography(metas.iter().map(|meta| &**meta), style))
}

/// An answer with footnotes: its quotes with their places, as far as they were found in their papers.
fn written(question: &str, ask: &Answered) -> Vec<Paragraph> {
    let mut all = vec![Paragraph::plain("Title", question), Paragraph::default()];
    let citations: Vec<_> = ask.citations.iter().map(|quoted| quoted.citation.clone()).collect();
    for part in cited_texts(&ask.answer, &citations) {
        let mut lines = part.text.split('\n');
        let first = lines.next().unwrap_or_default();
        let mut pieces = vec![(first.to_owned(), Vec::new())];
        for line in lines {
            let own = std::mem::replace(&mut pieces, vec![(line.to_owned(), Vec::new())]);
            all.last_mut().expect("there is one").pieces.extend(own);
            all.push(Paragraph::default());
        }
        for at in part.citations {
            let quoted = &ask.citations[at];
            if quoted.is_verified() {
                pieces[0].1.push(format!(
                    "{}. {}. “{}”",
                    quoted.named(),
                    quoted.place(),
                    quoted.citation.shown_quote()
                ));
            } else {
                let text = format!("{} [unverified: {}]", pieces[0].0, quoted.named());
                pieces[0].0 = text;
            }
        }
        all.last_mut().expect("there is one").pieces.extend(pieces);
    }
    all.push(Paragraph::plain("", format!("Confidence: {}. {}", ask.confidence, ask.evidence_quality)));
    all
}

/// An answer as people keep it: only a quote that was found in its paper has a page.
fn page(question: &str, ask: &Answered) -> Page {
    let mut page = Page::new();
    page.title(question);
    let citations: Vec<_> = ask.citations.iter().map(|quoted| quoted.citation.clone()).collect();
    let mut line = Line::new();
    for part in cited_texts(&ask.answer, &citations) {
        let mut lines = part.text.split('\n');
        line = line.text(lines.next().unwrap_or_default());
        for next in lines {
            page.line(std::mem::take(&mut line));
            line = line.text(next);
        }
        line = part.citations.iter().fold(line, |line, at| line.mark(at + 1));
    }
    page.line(line);
    page.gap();
    let trust = format!("{}. {}", ask.confidence, ask.evidence_quality);
    page.line(Line::new().strong("Confidence: ").text(trust));
    for (at, quoted) in ask.citations.iter().enumerate() {
        page.source(at + 1, quoted.named());
        page.quote_line(Line::new().quoted(quoted.citation.shown_quote()));
        page.below(if quoted.is_verified() {
            quoted.place()
        } else {
            "unverified: its page is not known".to_owned()
        });
    }
    page
}
