//! Guardrails around the generator, and the shape of the response.
//!
//! Place in the flow: [`check_topic`] looks at the context before anything is generated and says whether it
//! answers the question (answer, partial answer, refusal); [`verify`] takes what was generated and returns
//! it with every citation verified, every sentence with an ungrounded number or name removed or flagged, every sentence
//! that its citations do not support flagged, and the outcome decided; [`hedge`] lowers the confidence of a
//! partial answer; [`injection_caveats`] names the passages of a context that speak to the language model.
//!
//! | guardrail | question it answers | what it may do |
//! |---|---|---|
//! | [`check_topic`] | do the question's terms, and the sources that it names, occur in what was retrieved? | refuse, hedge |
//! | citations | is the quote, word for word, in the chunk that is cited? | repair the chunk id, cut the quote, drop citation and inline mark |
//! | entities | does every number with a unit, symbol and name of the answer occur in the context or in the metadata of its sources, and every address in those that are cited? is nothing copied from the instructions? | strip whole sentences with those that depend on them, flag, cut out an address, drop notes of the model |
//! | support | do the passages that a sentence cites support it, by the offline scorer and by a language model? | strip whole sentences that they hardly can, flag, lower the confidence |
//! | protocol | is a cited paper a study protocol, where results are asked for? | flag; refuse if nothing else is cited |
//! | injection | does a passage speak to the language model that reads it? | add a caveat |
//! | schema | is this one of the three outcomes: cited answer, hedged answer, refusal? | hedge, refuse |
//!
//! Rules for all of them:
//!
//! * Every action is a [`types::GuardrailAction`] and a sentence in the caveats, or in the refusal itself.
//! * A word that occurs only in the question does not support an answer, except in a sentence that says that it is
//!   missing from the papers.
//! * Only whole sentences are removed, except for addresses and instructions in a sentence that stays; no fragment is left.
//! * Verifying twice changes nothing more, and afterwards [`text::quote::find_quote`] finds every quote in
//!   the chunk that it cites.
//!
//! This crate does not generate and does not retrieve. Whether a passage supports a claim is judged by the scorer that
//! [`verify`] is given, with the threshold of the evaluation; a [`Verifier`] asks a language model too, whose verdicts it takes. [`verify`] cannot fail: what it cannot verify, it drops or flags.
//!
//! Units: coverage and similarity lie in `0..=1`; quotes are counted in white-space separated words.

mod action_log;
mod citation;
mod confidence;
mod entity;
mod foreign;
mod injection;
mod inline;
mod missing;
mod notes;
mod protocol;
mod removal;
mod schema;
mod sentences;
mod settings;
mod support_check;
mod topic;
mod verifier;

pub use confidence::claims_probability;
pub use injection::{Injection, InjectionKind, addressed_to_model, injection_caveats};
pub use settings::{
    GuardrailSettings, RefusalCitations, SuffixMatch, TopicRule, TopicSettings, Uncited, Verification,
};
pub use topic::{Features, Topic, Verdict, check_topic, features, judge};
pub use verifier::{ClaimFault, ModelVerdict, Verdicts, Verifier, VerifyError};

use action_log::ActionLog;
use foreign::Foreign;
use types::{CheckedClaim, Context, GuardrailAction, RagResponse, SupportScorer};

/// A response after guardrails.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarded {
    /// The response; its caveats report every action.
    pub response: RagResponse,
    /// What was done, in order.
    pub actions: Vec<GuardrailAction>,
    /// The claims of the answer, as far as they were checked for support.
    pub claims: Vec<CheckedClaim>,
    /// Probability, 0 to 1, that the cited passages support every claim; `None` if no claim was compared with them.
    pub claims_probability: Option<f32>,
}

/// Verifies a generated response against the context that it was generated from. `instructions` are those of the model that
/// wrote it, which are no part of an answer. `scorer` judges whether passages support the claims that cite them; `verdicts` are
/// what a language model says about the same claims: see [`Verifier`]. Without [`GuardrailSettings::trust_verdicts`], a verdict can
/// only add doubts.
///
/// Citations first, so that the entity check sees only what is still cited; the outcome last, when it is
/// known what is left. The result satisfies [`RagResponse::validate`], except that [`RefusalCitations::Keep`] leaves
/// the citations of a refusal.
pub fn verify(
    query: &str,
    response: RagResponse,
    context: &Context,
    instructions: &[&str],
    settings: &GuardrailSettings,
    scorer: &dyn SupportScorer,
    verdicts: &[(String, ModelVerdict)],
) -> Guarded {
    let mut response = response;
    let mut log = ActionLog::default();
    let given = response.citations.len();
    schema::before(&mut response, &mut log);
    citation::verify(query, &mut response, context, settings, &mut log);
    if settings.refusal_citations == RefusalCitations::Hedge {
        schema::no_refusal_with_evidence(&mut response, &mut log);
    }
    let foreign = settings.entity_check.then(|| Foreign::new(query, &response, context, instructions));
    if let Some(foreign) = &foreign {
        let scorer = settings.support_check.then_some(scorer);
        notes::check(&mut response, context, foreign, scorer, &mut log);
        entity::check(query, &mut response, context, foreign, settings, &mut log);
    }
    schema::after(&mut response, given, settings, &mut log);
    // Before claims are checked, and perhaps sent to a language model.
    protocol::check(query, &mut response, context, settings, &mut log);
    let mut claims = Vec::new();
    if settings.support_check {
        claims = support_check::check(&mut response, context, settings, scorer, verdicts, &mut log);
    }
    confidence::lower_for_instructions(&mut response, &mut log);
    let claims_probability = confidence::lower(&mut response, &claims, settings, &mut log);
    if let Some(foreign) = &foreign {
        // Ids and reasons that a model wrote.
        log.rewrite_caveats(|caveat| foreign.cut(caveat));
        for reason in claims.iter_mut().filter_map(|claim| claim.reason.as_mut()) {
            *reason = foreign.cut(reason);
        }
    }
    Guarded { claims, claims_probability, ..log.close(response) }
}

/// Holds the answer to a [`Verdict::Partial`] question to low confidence, with a caveat that says what the
/// context lacks. Other verdicts and refusals pass unchanged.
pub fn hedge(response: RagResponse, topic: &Topic) -> Guarded {
    let mut response = response;
    let mut log = ActionLog::default();
    if topic.verdict == Verdict::Partial && !response.no_evidence {
        topic::hedge(&mut response, topic, &mut log);
    }
    log.close(response)
}
