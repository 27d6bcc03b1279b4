//! A language model checks each claim against the passages that it cites.

mod prompt;
mod reply;

pub use reply::{ClaimFault, ModelVerdict};

use futures::future::join_all;
use std::sync::Arc;
use types::{
    ChatError, ChatModel, ChatRequest, CheckedClaim, Context, Explain, FailureKind, Prompt, Unanswered,
};

const SYSTEM: &str = include_str!("prompts/verify.md");
/// Added to the second call, with what was wrong with the first reply.
const REPAIR: &str = include_str!("prompts/verify_repair.md");
/// Calls for one prompt.
const CALLS: u32 = 2;

/// Verdicts on claims.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    /// By claim, as far as the model judged them.
    pub on: Vec<(String, ModelVerdict)>,
    /// What the model left out, for the reader: whole sentences.
    pub notes: Vec<String>,
}

/// Asks a language model about the claims of an answer.
#[derive(Clone)]
pub struct Verifier {
    model: Arc<dyn ChatModel>,
    max_chars: usize,
    max_tokens: Option<u32>,
}

impl Verifier {
    /// Uses `model`. Passages of at most `max_chars` characters are shown in one call, unless one alone is longer;
    /// `max_tokens` limits a reply.
    pub fn new(model: Arc<dyn ChatModel>, max_chars: usize, max_tokens: Option<u32>) -> Self {
        Self { model, max_chars, max_tokens }
    }

    /// The name of the model.
    pub fn id(&self) -> &str {
        self.model.id()
    }

    /// Whether its verdicts outweigh the offline check, which goes by words. Small models find nearly everything supported.
    pub fn is_trusted(&self) -> bool {
        billions(self.id()).is_none_or(|size| size >= TRUSTED)
    }

    /// The verdict on each claim that cites a passage of the context. Claims whose passages do not fit together are judged in
    /// several calls, at the same time.
    ///
    /// # Errors
    /// When a call fails; of several errors, the first that every question would meet, else the first.
    pub async fn verify(&self, claims: &[CheckedClaim], context: &Context) -> Result<Verdicts, VerifyError> {
        let prompts = prompt::build(claims, context, self.max_chars);
        let replies = join_all(prompts.iter().map(|prompt| self.ask(prompt))).await;
        let (mut out, mut failed): (Verdicts, Option<VerifyError>) = (Verdicts::default(), None);
        let mut missing = 0;
        for (prompt, reply) in prompts.iter().zip(replies) {
            match reply {
                Ok(found) => {
                    for (claim, verdict) in prompt.claims.iter().zip(found) {
                        match verdict {
                            Some(verdict) => out.on.push(((*claim).to_owned(), verdict)),
                            None => missing += 1,
                        }
                    }
                }
                Err(error) => {
                    let is_fatal = |error: &VerifyError| error.kind() == FailureKind::Fatal;
                    if failed.as_ref().is_none_or(|held| !is_fatal(held) && is_fatal(&error)) {
                        failed = Some(error);
                    }
                }
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if missing > 0 {
            let of = out.on.len() + missing;
            out.notes.push(format!("{} did not check {missing} of {of} claims.", self.id()));
        }
        Ok(out)
    }

    async fn ask(&self, prompt: &prompt::Message<'_>) -> Result<Vec<Option<ModelVerdict>>, VerifyError> {
        let request = ChatRequest {
            system: SYSTEM.into(),
            user: prompt.user.clone(),
            schema: Some(reply::schema()),
            max_tokens: self.max_tokens,
        };
        let repair = |violation: &str| Prompt::filled(REPAIR.trim(), "error", violation);
        let read = |reply: &types::ChatReply| reply::read(reply, prompt.claims.len());
        let (verdicts, _) = types::ask(&*self.model, request, CALLS, repair, read).await?;
        Ok(verdicts)
    }
}

/// Billions of parameters from which verdicts are trusted; so is a model whose name states no size.
const TRUSTED: f32 = 20.0;

/// The size that the name of a model states, as in `qwen2.5-7b-instruct`, in billions of parameters.
fn billions(name: &str) -> Option<f32> {
    let name = name.to_lowercase();
    let in_number = |c: char| c.is_ascii_digit() || c == '.';
    name.match_indices(['b', 'm']).find_map(|(at, unit)| {
        let (before, after) = (&name[..at], &name[at + 1..]);
        let number = &before[before.trim_end_matches(in_number).len()..];
        let ends = !after.starts_with(char::is_alphanumeric);
        let size: f32 = number.trim_matches('.').parse().ok().filter(|_| ends)?;
        Some(if unit == "m" { size / 1000.0 } else { size })
    })
}

/// Why a language model did not check the claims.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "verify", values(model))]
pub enum VerifyError {
    /// It gave no reply.
    #[explain(from = inner)]
    #[error("no reply from the language model that verifies answers: {0}")]
    Chat(ChatError),
    /// Its reply cannot be used.
    #[error(
        "{model} gave {calls} replies that do not judge the claims: {violation} (the last began \
         {preview:?}); use another model (guardrail.model), or set guardrail.verify = \"off\""
    )]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong with the last reply.
        violation: String,
        /// Calls made.
        calls: u32,
        /// The start of the last reply.
        preview: String,
    },
}

impl VerifyError {
    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(error) => error.kind(),
            Self::Malformed { .. } => FailureKind::Permanent,
        }
    }
}

impl From<Unanswered> for VerifyError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Chat(failure) => Self::Chat(failure.error),
            Unanswered::Unusable { model, violation, calls, preview, .. } => {
                Self::Malformed { model, violation, calls, preview }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models_state_their_size() {
        for (name, size) in [
            ("qwen2.5-0.5b-instruct", Some(0.5)),
            ("Llama-3.1-8B", Some(8.0)),
            ("org/mixtral-8x7b", Some(7.0)),
            ("gpt-oss:120b", Some(120.0)),
            ("llama-2-7b.Q4_K_M.gguf", Some(7.0)),
            ("smollm2-135m", Some(0.135)),
            ("gemma-3n-e4b", Some(4.0)),
            ("qwen3-30b-a3b", Some(30.0)),
            ("m", None),
            ("web-b", None),
        ] {
            assert_eq!(billions(name), size, "{name}");
        }
    }
}
