//! Asks a language model for questions and reference answers.

mod schemas;

use crate::draft::{
    Dropped, Excerpt,
    checks::{self, Fault, Quote},
};
use eval::GoldEvidence;
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};
use types::{ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, JsonSchema, Prompt, Unanswered};

const QUESTION: &str = include_str!("prompts/question.md");
const NEAR_MISS: &str = include_str!("prompts/near_miss.md");
const REFERENCE: &str = include_str!("prompts/reference.md");
/// Added to the second call, with what was wrong with the first reply.
const REPAIR: &str = include_str!("prompts/repair.md");
/// Calls for one draft.
const CALLS: u32 = 2;

/// The kind of an answerable question.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One fact.
    Direct,
    /// Facts of at least two passages.
    Synthesis,
}

impl Kind {
    /// The type of the query set.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A question with its answer. Every quote stands in its passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// The question, on one line.
    pub question: String,
    /// The answer, on one line.
    pub reference_answer: String,
    /// The evidence; not empty.
    pub gold: Vec<GoldEvidence>,
}

/// A question that the passage does not answer. Whether another one does must be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The question, on one line.
    pub question: String,
    /// What a passage would have to state to answer it.
    pub statement: String,
    /// What stands nearest to it.
    pub nearest: GoldEvidence,
}

/// The answer to a question that was given. Every quote stands in its passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The answer, on one line.
    pub reference_answer: String,
    /// What it was written from; not empty.
    pub gold: Vec<GoldEvidence>,
}

/// What came of a draft.
type Written<T> = Result<T, Dropped>;

/// Writes drafts with a language model.
#[derive(Clone)]
pub struct Writer {
    model: Arc<dyn ChatModel>,
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct QuestionReply {
    usable: bool,
    #[serde(default)]
    quotes: Vec<Quote>,
    #[serde(default)]
    question: String,
    #[serde(default)]
    reference_answer: String,
}

#[derive(Deserialize)]
struct NearMissReply {
    usable: bool,
    #[serde(default)]
    nearest: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    statement: String,
}

#[derive(Deserialize)]
struct ReferenceReply {
    answered: bool,
    #[serde(default)]
    quotes: Vec<Quote>,
    #[serde(default)]
    reference_answer: String,
}

impl Writer {
    /// A writer that asks `model`; a reply may have `max_tokens` of the model's tokens.
    pub fn new(model: Arc<dyn ChatModel>, max_tokens: Option<u32>) -> Self {
        Self { model, max_tokens }
    }

    /// A question that these passages answer.
    ///
    /// # Errors
    /// When the model cannot be asked.
    pub async fn question(&self, kind: Kind, excerpts: &[Excerpt]) -> Result<Written<Drafted>, ChatFailure> {
        let user = blocks(excerpts).own("\nKind of question: ").own(kind.as_str());
        let read = |reply: &str| {
            let reply: QuestionReply = parsed(reply)?;
            if !reply.usable {
                return Ok(None);
            }
            let quotes = checks::quotes(excerpts, &reply.quotes)?;
            let question = checks::question(&reply.question, excerpts)?;
            let reference_answer = checks::answer(&reply.reference_answer, &question, excerpts)?;
            let passages: BTreeSet<usize> = quotes.iter().map(|(at, _)| *at).collect();
            if kind == Kind::Synthesis && passages.len() < 2 {
                let what = "the quotes of a synthesis question must be from at least two excerpts";
                return Err(Fault::new(Dropped::OnePassage, what));
            }
            Ok(Some(Drafted {
                question,
                reference_answer,
                gold: quotes.into_iter().map(|(_, gold)| gold).collect(),
            }))
        };
        self.ask(QUESTION, user, schemas::question(), read).await
    }

    /// A question that is close to this passage but that it does not answer.
    ///
    /// # Errors
    /// When the model cannot be asked.
    pub async fn near_miss(&self, excerpt: &Excerpt) -> Result<Written<NearMiss>, ChatFailure> {
        let excerpts = std::slice::from_ref(excerpt);
        let read = |reply: &str| {
            let reply: NearMissReply = parsed(reply)?;
            if !reply.usable {
                return Ok(None);
            }
            let nearest = excerpt.gold(&reply.nearest).ok_or_else(|| {
                let what =
                    "nearest does not stand in the excerpt word for word, or does not have 4 to 40 words";
                Fault::new(Dropped::Quote, what)
            })?;
            let statement = checks::one_line(&reply.statement);
            if text::word_count(&statement) < 3 {
                return Err(Fault::new(Dropped::Unusable, "statement is not a sentence"));
            }
            Ok(Some(NearMiss { question: checks::question(&reply.question, excerpts)?, statement, nearest }))
        };
        self.ask(NEAR_MISS, blocks(excerpts), schemas::near_miss(), read).await
    }

    /// The answer of these passages to a question.
    ///
    /// # Errors
    /// When the model cannot be asked.
    pub async fn reference(
        &self,
        question: &str,
        excerpts: &[Excerpt],
    ) -> Result<Written<Reference>, ChatFailure> {
        let user = blocks(excerpts).own("<question>\n").data(question).own("\n</question>");
        let read = |reply: &str| {
            let reply: ReferenceReply = parsed(reply)?;
            if !reply.answered {
                return Ok(None);
            }
            let quotes = checks::quotes(excerpts, &reply.quotes)?;
            Ok(Some(Reference {
                reference_answer: checks::answer(&reply.reference_answer, question, excerpts)?,
                gold: quotes.into_iter().map(|(_, gold)| gold).collect(),
            }))
        };
        self.ask(REFERENCE, user, schemas::reference(), read).await
    }

    /// What `read` makes of the reply, `None` if the model declined; a reply with a fault is asked for once more.
    async fn ask<T>(
        &self,
        system: &'static str,
        user: Prompt,
        schema: JsonSchema,
        read: impl Fn(&str) -> Result<Option<T>, Fault>,
    ) -> Result<Written<T>, ChatFailure> {
        let request =
            ChatRequest { system: system.into(), user, schema: Some(schema), max_tokens: self.max_tokens };
        let last = Mutex::new(Dropped::Unusable);
        let repair = |fault: &str| Prompt::filled(REPAIR.trim(), "error", fault);
        let read = |reply: &ChatReply| {
            let found = if reply.truncated {
                Err(Fault::new(Dropped::Unusable, "it was cut at the token limit"))
            } else {
                read(&reply.text)
            };
            found.map_err(|fault| {
                *last.lock().unwrap_or_else(PoisonError::into_inner) = fault.dropped;
                fault.what
            })
        };
        match types::ask(&*self.model, request, CALLS, repair, read).await {
            Ok((found, _)) => Ok(found.ok_or(Dropped::Declined)),
            Err(Unanswered::Unusable { .. }) => Ok(Err(*last.lock().unwrap_or_else(PoisonError::into_inner))),
            Err(Unanswered::Chat(failure)) if matches!(failure.error, ChatError::Truncated { .. }) => {
                Ok(Err(Dropped::Unusable))
            }
            Err(Unanswered::Chat(failure)) => Err(failure),
        }
    }
}

fn blocks(excerpts: &[Excerpt]) -> Prompt {
    let each = excerpts.iter().enumerate();
    each.fold(Prompt::default(), |all, (at, excerpt)| all.then(&excerpt.block(at + 1)))
}

fn parsed<T: DeserializeOwned>(reply: &str) -> Result<T, Fault> {
    serde_json::from_str(reply.trim()).map_err(|error| {
        let what =
            format!("it is not the JSON object asked for (line {}, column {})", error.line(), error.column());
        Fault::new(Dropped::Unusable, what)
    })
}

#[cfg(test)]
mod tests;
