//! An answer from a language model that only picks sentences: made for small models, which misquote.
//!
//! The model reads the most likely sentences of the context, each with a number, and replies with numbers ([`exchange`]). The
//! sentences are copied from the context.

mod exchange;

use crate::{
    ExtractiveSettings, GenerateError, REFUSAL, SELECT_VERSION, SelectSettings,
    ask::{CALLS, ask},
    extractive,
    extractive::{
        compose::{self, Part},
        select::{self, Picked},
    },
    prompts,
};
use evidence::AskedTerms;
use std::sync::Arc;
use types::{
    BoxFuture, ChatError, ChatModel, ChatRequest, Generated, GenerationFailure, GenerationInput, Generator,
    RagResponse, RefusalReason,
};

/// Asks a language model which sentences of the context answer.
#[derive(Clone)]
pub struct SelectOnly {
    model: Arc<dyn ChatModel>,
    settings: SelectSettings,
    offline: ExtractiveSettings,
}

impl SelectOnly {
    /// Uses `model`. When its replies cannot be used, the sentences are chosen offline with the settings `offline`.
    pub fn new(model: Arc<dyn ChatModel>, settings: SelectSettings, offline: ExtractiveSettings) -> Self {
        Self { model, settings, offline }
    }

    /// Asks the model, without falling back. Returns the sentences that it picked, verbatim and in its order, and what it cost.
    ///
    /// Each sentence is followed by its mark `(source_id, chunk_id)` and backed by one citation. A sentence that points
    /// back brings the one before it, if there is room. Confidence and probability come from the ranking. It is a
    /// refusal when the model finds no answer, and without a call when the context has no sentence that can be quoted.
    ///
    /// # Errors
    /// [`GenerateError::Chat`] when the model cannot be asked or its reply was cut, [`GenerateError::Schema`] when two
    /// replies in a row contradict the schema or pick nothing that was shown.
    pub async fn answer(&self, input: GenerationInput<'_>) -> Result<Generated, GenerateError> {
        let shown = select::shown(input.ranking, input.context, self.settings.max_sentences_shown);
        if shown.is_empty() {
            return Ok(Generated { response: compose::refusal(input.context), ..Generated::default() });
        }
        let asked = AskedTerms::new(input.question, input.context, input.statistics);
        let request = ChatRequest {
            system: prompts::SELECT.into(),
            user: exchange::message(&input.question.text, &shown, &asked),
            schema: Some(exchange::schema()),
            max_tokens: self.settings.max_tokens,
        };
        let count = shown.len();
        let read = |text: &str| exchange::choices(text, count);
        let (choices, usage) = ask(&*self.model, request, CALLS, prompts::SELECT_REPAIR, read).await?;
        let parts = parts(&choices, &shown);
        let response = if parts.is_empty() {
            refusal(count)
        } else {
            compose::answer(
                &parts,
                &asked,
                input.ranking.probability,
                self.settings.high_confidence,
                input.evidence,
            )
        };
        Ok(Generated { response, usage, fell_back: false })
    }

    /// The answer of which the sentences are chosen offline, because of `error`.
    fn offline(&self, input: GenerationInput<'_>, error: &GenerateError) -> Generated {
        let mut response = extractive(input, &self.offline);
        response.caveats.push(format!(
            "The sentences of this answer were chosen offline, because the language model's choice cannot be used: {error}"
        ));
        Generated { response, usage: error.usage(), fell_back: true }
    }
}

/// Whether the model replied, but the reply cannot be used: it was cut, is empty, or violates the schema. Other failures stay
/// errors: trying again may help if the server cannot be reached, and a wrong key must be corrected.
fn is_unusable(error: &GenerateError) -> bool {
    match error {
        GenerateError::Schema { .. } => true,
        GenerateError::Chat { source, .. } => {
            matches!(**source, ChatError::Truncated { .. } | ChatError::NoAnswer { .. })
        }
        GenerateError::NoRoom { .. } => false,
    }
}

impl Generator for SelectOnly {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn version(&self) -> &'static str {
        SELECT_VERSION
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>> {
        Box::pin(async move {
            match self.answer(input).await {
                Err(error) if is_unusable(&error) => Ok(self.offline(input, &error)),
                other => Ok(other?),
            }
        })
    }
}

/// The sentences in the order of the model; one that points back follows the sentence before it.
fn parts<'a>(choices: &[usize], shown: &[Picked<'a>]) -> Vec<Part<'a>> {
    let chosen: Vec<Picked<'a>> = choices.iter().filter_map(|index| shown.get(*index).copied()).collect();
    let mut room = exchange::PARTS.saturating_sub(chosen.len());
    let mut out: Vec<Part<'a>> = Vec::new();
    for picked in &chosen {
        // It went before a sentence that points back to it.
        if out.iter().any(|part| part.picked.same_as(picked)) {
            continue;
        }
        let last = |other: &Picked<'_>| out.last().is_some_and(|part| part.picked.same_as(other));
        if let Some(context) = select::before(picked).filter(|context| !last(context)) {
            let shown = out.iter().any(|part| part.picked.same_as(&context));
            let chosen = chosen.iter().any(|one| one.same_as(&context));
            // Without the sentence that it points to, right before it, it would point to another one.
            if shown || !(chosen || room > 0) {
                continue;
            }
            room -= usize::from(!chosen);
            out.push(Part { head: None, picked: context });
        }
        out.push(Part { head: None, picked: *picked });
    }
    out
}

/// The refusal of a model that read `count` sentences.
fn refusal(count: usize) -> RagResponse {
    let sentences = if count == 1 { "sentence" } else { "sentences" };
    let detail = format!("the language model found no answer in the {count} most likely {sentences}");
    RagResponse::refusal(REFUSAL, &*detail).because(RefusalReason::NotInPassages, &*detail)
}
