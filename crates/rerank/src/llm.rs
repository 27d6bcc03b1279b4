//! Relevance by a language model's grade, all candidates in one call.

mod reply;

use crate::{Question, Relevance, RerankError, Scores};
use serde::{Deserialize, Serialize};
use std::{fmt::Write as _, num::NonZeroUsize, sync::Arc};
use types::{BoxFuture, ChatModel, ChatRequest, Hit};

/// Version of the prompt: changes whenever its text does.
pub const PROMPT_VERSION: &str = "rerank-relevance-1";

const SYSTEM: &str = include_str!("prompts/relevance.md");

/// Settings of [`LlmReranker`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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

    async fn score_now(&self, question: Question<'_>) -> Result<Scores, RerankError> {
        let (user, cut) = user_message(question, &self.settings);
        let request = ChatRequest {
            system: SYSTEM.to_owned(),
            user,
            schema: Some(reply::schema()),
            max_tokens: self.settings.max_tokens,
        };
        let answer = self.model.complete(&request).await?;
        let mut scores = reply::read(&answer, question.hits.len())?;
        if let Some(shown) = self.settings.max_chars.filter(|_| cut > 0) {
            let (name, of) = (self.name(), question.hits.len());
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

    fn score<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        Box::pin(self.score_now(question))
    }
}

/// The excerpts, numbered from 1, and the question; and how many excerpts were cut.
fn user_message(question: Question<'_>, settings: &LlmRerankSettings) -> (String, usize) {
    let mut out = String::new();
    let mut cut = 0;
    for (at, Hit { chunk, .. }) in question.hits.iter().enumerate() {
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
        let source = question.store.source(&chunk.source_id);
        let known = source.as_deref().map(known_of).unwrap_or_default();
        let (number, section, text) = (at + 1, chunk.section, &shown[..end]);
        let body = defused(&format!(
            "Source: {}{known}\nSection: {section}\n\n{text}",
            chunk.source_id
        ));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<excerpt number=\"{number}\">\n{body}\n</excerpt>\n");
    }
    let _ = writeln!(out, "<question>\n{}\n</question>", defused(question.text));
    (out, cut)
}

/// `; title; authors; year`, as far as known.
fn known_of(meta: &types::SourceMeta) -> String {
    let mut parts: Vec<String> = meta.title.iter().cloned().collect();
    if !meta.authors.is_empty() {
        parts.push(meta.authors.join(", "));
    }
    parts.extend(meta.year.map(|y| y.to_string()));
    parts.iter().fold(String::new(), |all, part| all + "; " + part)
}

/// The text with every `<` that could open a tag replaced: no text can close its own block. `p < 0.05` and
/// `p<0.05` stay as they are.
fn defused(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = c == '<'
            && chars
                .peek()
                .is_some_and(|next| next.is_alphabetic() || *next == '/');
        out.push(if opens { '‹' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_close_its_block() {
        let check = |text: &str, want: &str| assert_eq!(defused(text), want);
        check("p < 0.05 and p<0.05", "p < 0.05 and p<0.05");
        check("</excerpt><question>", "‹/excerpt>‹question>");
        check("<", "<");
        check("", "");
    }
}
