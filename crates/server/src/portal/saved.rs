//! Saved answers: what the pages read of a document of `/v1/ask`.

use super::{form::Form, view::encoded};
use crate::{
    app::{App, Caller},
    failed::Failed,
    state::answers::{self, Listed},
};
use engine::show::{Closest, References, cited_texts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{CheckedClaim, Citation, ContextRecord, Refusal, RetrievalRecord, SectionKind, SourceId};

/// What is read of a saved answer: a document of `/v1/ask`, and the passages that came close.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    pub(super) ask: Answered,
    /// The question as it was sent, and where it was to be searched.
    #[serde(default)]
    pub(super) form: Form,
    #[serde(default)]
    pub(super) closest: Vec<Close>,
    /// What was taken from the words of the question; those of the answer name options of the command line.
    #[serde(default)]
    pub(super) notes: Option<Vec<String>>,
}

/// What is read of a document of `/v1/ask`.
#[derive(Debug, Deserialize)]
pub(super) struct Answered {
    pub(super) answer: String,
    pub(super) citations: Vec<Quoted>,
    pub(super) confidence: String,
    pub(super) probability: Option<f32>,
    pub(super) evidence_quality: String,
    pub(super) no_evidence: bool,
    pub(super) caveats: Vec<String>,
    pub(super) refusal: Option<Refusal>,
    pub(super) notes: Vec<String>,
    pub(super) retrieval: RetrievalRecord,
    #[serde(default)]
    pub(super) claims: Vec<CheckedClaim>,
    pub(super) timings_ms: std::collections::BTreeMap<String, f64>,
    pub(super) model: String,
    #[serde(default)]
    pub(super) context: Vec<ContextRecord>,
}

/// A quote and its source.
#[derive(Debug, Deserialize)]
pub(super) struct Quoted {
    #[serde(flatten)]
    pub(super) citation: Citation,
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) authors: Vec<String>,
    pub(super) year: Option<u16>,
    pub(super) published_in: Option<String>,
    pub(super) page: Option<u32>,
    pub(super) printed_page: Option<String>,
    #[serde(default)]
    pub(super) fictional: bool,
}

/// A passage that came close to answering.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Close {
    pub(super) source_id: SourceId,
    pub(super) title: Option<String>,
    pub(super) section: SectionKind,
    pub(super) page: u32,
    /// Its text in parts, and whether each is a word of the question.
    pub(super) parts: Vec<(String, bool)>,
}

impl Close {
    pub(super) fn of(closest: &Closest, references: &References) -> Self {
        let Closest { chunk, preview } = closest;
        let parts = preview.parts.iter().map(|part| (part.text.clone(), part.matched));
        Self {
            source_id: chunk.source_id.clone(),
            title: references.get(&chunk.source_id).meta.title.clone(),
            section: chunk.section,
            page: preview.page,
            parts: parts.collect(),
        }
    }
}

impl Quoted {
    /// The title of the paper, or its id.
    pub(super) fn name(&self) -> &str {
        self.title.as_deref().unwrap_or(self.citation.source_id.as_str())
    }

    /// The paper as a line: authors, year, title.
    pub(super) fn named(&self) -> String {
        let by = by(&self.authors, self.year);
        if by.is_empty() { self.name().to_owned() } else { format!("{by}. {}", self.name()) }
    }

    /// The page to open.
    pub(super) fn page_number(&self) -> u32 {
        self.page.or(self.citation.page_start).unwrap_or(1)
    }

    /// Whether the quote was found in its paper.
    pub(super) fn is_verified(&self) -> bool {
        self.citation.page_start.is_some()
    }

    /// Its section and page.
    pub(super) fn place(&self) -> String {
        let section = self.citation.section.filter(|kind| *kind != SectionKind::Body);
        let section = section.map(|kind| capital(kind.as_str()));
        let printed = self
            .printed_page
            .as_ref()
            .filter(|page| Some(page.as_str()) != self.page.map(|page| page.to_string()).as_deref());
        let printed = printed.map_or_else(String::new, |page| format!(" (printed {page})"));
        let page = self.page.map(|page| format!("p. {page}{printed}"));
        [section, page].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The address of its page with the quote marked; opened from this answer.
    pub(super) fn address(&self, id: &str, at: usize) -> String {
        page_address(
            &self.citation.source_id,
            self.page_number(),
            Some(&self.citation.relevant_quote),
            Some((id, at)),
        )
    }
}

/// Who wrote a paper and when.
pub(super) fn by(authors: &[String], year: Option<u16>) -> String {
    let authors = match authors {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, ..] => format!("{one} et al."),
    };
    let year = year.map_or_else(String::new, |year| format!("({year})"));
    format!("{authors} {year}").trim().to_owned()
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A saved answer of the caller.
pub(super) async fn load(app: &App, caller: &Caller, id: &str) -> Result<(Listed, Document), Failed> {
    let (saved, text) = load_text(app, caller, id).await?;
    let read = move || serde_json::from_str(&text).map_err(Failed::inside);
    Ok((saved, app.pool().run(read).await?))
}

pub(super) async fn load_text(app: &App, caller: &Caller, id: &str) -> Result<(Listed, String), Failed> {
    let (tenant, own) = (caller.tenant(), id.to_owned());
    let found = app.state.read(move |c| answers::get(c, &tenant, &own)).await?;
    found.ok_or_else(|| Failed::not_found("answer", id))
}

/// Orders the quotes of a document as its answer cites them, so that their numbers count up in it.
///
/// # Errors
/// When it is no such document.
pub(super) fn order(document: &mut Value) -> Result<(), Failed> {
    let citations = document["ask"]["citations"].take();
    let quotes: Vec<Citation> = serde_json::from_value(citations.clone()).map_err(Failed::inside)?;
    let answer = document["ask"]["answer"].as_str().unwrap_or_default();
    let cited = cited_texts(answer, &quotes).into_iter().flat_map(|text| text.citations);
    let order: Vec<usize> = cited.chain(0..quotes.len()).collect();
    let mut own: Vec<Option<Value>> = citations.as_array().into_iter().flatten().cloned().map(Some).collect();
    let ordered: Vec<Value> = order.into_iter().filter_map(|at| own[at].take()).collect();
    document["ask"]["citations"] = ordered.into();
    Ok(())
}

/// The address of a page with a quote marked; the citation is that of an answer, from 1.
pub(crate) fn page_address(
    id: &SourceId,
    page: u32,
    quote: Option<&str>,
    cited: Option<(&str, usize)>,
) -> String {
    let quote = quote.map(|quote| format!("quote={}", encoded(quote)));
    let cited = cited.map(|(answer, cite)| format!("answer={}&cite={cite}", encoded(answer)));
    let query = [quote, cited].into_iter().flatten().collect::<Vec<_>>().join("&");
    let mark = if query.is_empty() { "" } else { "?" };
    format!("/paper/{}/page/{page}{mark}{query}", encoded(id.as_str()))
}
