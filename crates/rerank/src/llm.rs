//! Relevance by a language model's grade: all candidates in one call, or as many as fit.

mod reply;
mod windows;

use crate::{Candidates, Relevance, RerankError, Scores};
use futures::future::join_all;
use reply::Grades;
use std::{num::NonZeroUsize, sync::Arc};
use types::{BoxFuture, ChatModel, ChatRequest, FailureKind, Prompt, Usage};
use windows::Window;

/// Version of the prompts; must change whenever their text does.
pub const PROMPT_VERSION: &str = "rerank-relevance-2";

const SYSTEM: &str = include_str!("prompts/relevance.md");
/// Added to the second call, with what was wrong with the first reply.
const REPAIR: &str = include_str!("prompts/repair.md");
/// Calls for one window.
const CALLS: u32 = 2;

/// Settings of [`LlmReranker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LlmRerankSettings {
    /// Characters of each chunk that the model reads; the whole chunk when `None`. A cut is reported as a warning.
    /// The earlier system showed 400.
    pub max_chars: Option<NonZeroUsize>,
    /// Whether the chunk's metadata prefix is shown before its text, and counts towards `max_chars`, as in the
    /// earlier system.
    pub show_prefix: bool,
    /// Tokens that the model reads in one call, by the estimate of [`text::tokens`]: candidates that do not fit go into
    /// further calls. A chunk that does not fit alone is cut, and a warning says so.
    pub window_tokens: usize,
    /// Upper bound of the reply in the model's tokens; the provider's own limit when `None`. A call has no more
    /// candidates than can be graded in it.
    pub max_tokens: Option<u32>,
}

impl Default for LlmRerankSettings {
    /// The values of the settings; a test compares them.
    fn default() -> Self {
        Self { max_chars: None, show_prefix: false, window_tokens: 16_000, max_tokens: Some(2_000) }
    }
}

/// Asks a language model for a grade from 0 to 10 for each candidate.
///
/// Grades are absolute: the prompt says what each one means, and the model does not compare candidates. So grades of
/// different calls can be compared.
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

    /// Grades the windows at the same time. If one fails, the others are still awaited, so that what they spend is known; of
    /// several errors, the first that every question would meet is returned, else the first.
    async fn score_now(&self, candidates: Candidates<'_>) -> Result<Scores, RerankError> {
        let plan = windows::plan(candidates, SYSTEM, &self.settings);
        let count = candidates.hits.len();
        let graded = join_all(plan.windows.iter().map(|window| self.grade(window))).await;
        let mut usage = Usage::default();
        let mut grades = Grades::default();
        let mut failed: Option<RerankError> = None;
        for window in graded {
            match window {
                Ok((found, spent)) => {
                    usage.add(spent);
                    grades.extend(found);
                }
                Err(error) => {
                    usage.add(error.usage().unwrap_or_default());
                    let is_worse = |held: &RerankError| {
                        held.kind() != FailureKind::Fatal && error.kind() == FailureKind::Fatal
                    };
                    if failed.as_ref().is_none_or(is_worse) {
                        failed = Some(error);
                    }
                }
            }
        }
        if let Some(error) = failed {
            return Err(error.with_usage(usage));
        }
        let (max_chars, window) = (self.settings.max_chars, self.settings.window_tokens);
        let cut = |n: usize, at: String, advice: &str| {
            let name = self.name();
            let part = format!("{name} read only a part of {n} of {count} candidates");
            (n > 0).then(|| format!("{part}, {at}{advice}"))
        };
        let at_chars = format!("the first {} characters", max_chars.map_or(0, NonZeroUsize::get));
        let at_window = format!("as much as fits a prompt of {window} tokens");
        let mut warnings: Vec<String> = [
            cut(plan.over_max_chars, at_chars, ""),
            cut(plan.over_window, at_window, "; raise rerank.window_tokens"),
        ]
        .into_iter()
        .flatten()
        .collect();
        warnings.extend(grades.warnings(self.model.id()));
        Ok(Scores { values: grades.values(), warnings, usage: Some(usage) })
    }

    /// The grades of one window, and what they cost.
    async fn grade(&self, window: &Window) -> Result<(Grades, Usage), RerankError> {
        let request = ChatRequest {
            system: SYSTEM.into(),
            user: window.user.clone(),
            schema: Some(reply::schema()),
            max_tokens: self.settings.max_tokens,
        };
        let repair = |violation: &str| Prompt::filled(REPAIR.trim(), "error", violation);
        let read = |reply: &types::ChatReply| reply::read(reply, window.excerpts);
        Ok(types::ask(&*self.model, request, CALLS, repair, read).await?)
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
