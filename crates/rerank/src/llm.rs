//! Relevance by a language model's grade, all candidates in one call.

mod reply;

use crate::{Candidates, Relevance, RerankError, Scores};
use std::{fmt::Write as _, num::NonZeroUsize, sync::Arc};
use text::prompt_data::escape;
use types::{BoxFuture, ChatModel, ChatRequest};

/// Version of the prompt; must change whenever its text does.
pub const PROMPT_VERSION: &str = "rerank-relevance-1";

const SYSTEM: &str = include_str!("prompts/relevance.md");

/// Settings of [`LlmReranker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlmRerankSettings {
    /// Characters of each chunk that the model reads; the whole chunk when `None`. A cut is reported as a warning.
    /// The earlier system showed 400.
    pub max_chars: Option<NonZeroUsize>,
    /// Whether the chunk's metadata prefix is shown before its text, and counts towards `max_chars`, as in the
    /// earlier system.
    pub show_prefix: bool,
    /// Upper bound of the reply in the model's tokens; the provider's own limit when `None`.
    pub max_tokens: Option<u32>,
}

impl Default for LlmRerankSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            max_chars: None,
            show_prefix: false,
            max_tokens: Some(2_000),
        }
    }
}

/// Asks a language model for a grade from 0 to 10 for each candidate.
#[derive(Clone)]
pub struct LlmReranker {
    model: Arc<dyn ChatModel>,
    settings: LlmRerankSettings,
}

impl LlmReranker {
    /// Uses `model`.
    pub fn new(model: Arc<dyn ChatModel>, settings: LlmRerankSettings) -> Self {
        Self { model, settings }
    }

    async fn score_now(&self, candidates: Candidates<'_>) -> Result<Scores, RerankError> {
        let (user, cut) = user_message(candidates, &self.settings);
        let request = ChatRequest {
            system: SYSTEM.to_owned(),
            user,
            schema: Some(reply::schema()),
            max_tokens: self.settings.max_tokens,
        };
        let answer = self.model.complete(&request).await?;
        let read = reply::read(&answer, candidates.hits.len());
        let mut scores = read.inspect_err(|_| {
            self.model.reject(&request, &answer);
            self.model.forget(&request);
        })?;
        if let Some(shown) = self.settings.max_chars.filter(|_| cut > 0) {
            let (name, of) = (self.name(), candidates.hits.len());
            scores.warnings.insert(
                0,
                format!("{name} read only the first {shown} characters of {cut} of {of} candidates; raise rerank.max_chars"),
            );
        }
        Ok(scores)
    }
}

impl Relevance for LlmReranker {
    fn name(&self) -> String {
        format!("llm:{}", self.model.id())
    }

    fn computes(&self) -> bool {
        false
    }

    fn score<'a>(&'a self, candidates: Candidates<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        Box::pin(self.score_now(candidates))
    }
}

/// The excerpts, numbered from 1, and the question; and how many excerpts were cut.
fn user_message(candidates: Candidates<'_>, settings: &LlmRerankSettings) -> (String, usize) {
    let mut out = String::new();
    let mut cut = 0;
    for (at, hit) in candidates.hits.iter().enumerate() {
        let chunk = hit.chunk();
        let shown = if settings.show_prefix {
            format!("{}\n{}", chunk.prefix, chunk.text)
        } else {
            chunk.text.clone()
        };
        let cut_at = settings
            .max_chars
            .and_then(|max| shown.char_indices().nth(max.get()));
        let end = cut_at.map_or(shown.len(), |(end, _)| end);
        cut += usize::from(end < shown.len());
        let known = known_of(&hit.passage.source);
        let (number, section, text) = (at + 1, chunk.section, &shown[..end]);
        let body = format!("Source: {}{known}\nSection: {section}\n\n{text}", chunk.source_id);
        let body = escape(&body);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<excerpt number=\"{number}\">\n{body}\n</excerpt>\n");
    }
    let _ = writeln!(
        out,
        "<question>\n{}\n</question>",
        escape(&candidates.question.text)
    );
    (out, cut)
}

/// `; title; authors; year`, without what is unknown.
fn known_of(meta: &types::SourceMeta) -> String {
    let mut parts: Vec<String> = meta.title.iter().cloned().collect();
    if !meta.authors.is_empty() {
        parts.push(meta.authors.join(", "));
    }
    parts.extend(meta.year.map(|y| y.to_string()));
    parts.iter().fold(String::new(), |all, part| all + "; " + part)
}
