//! Does the context carry the question? Decided before anything is generated.

mod features;
mod named;

pub use features::{Features, features};
pub use named::{NamedSource, named_sources};

use crate::{TopicSettings, ledger::Ledger};
use serde::{Deserialize, Serialize};
use types::{ChunkStore, Confidence, Context, GuardrailAction, GuardrailKind, RagResponse, StoreError};

/// What the context carries; the later, the less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// An answer.
    Answer,
    /// A hedged answer of low confidence.
    Partial,
    /// Nothing: do not generate.
    Refuse,
}

/// The decision on one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    /// What the context carries.
    pub verdict: Verdict,
    /// What it was decided from.
    pub features: Features,
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// `refused` or `hedged`; none when the question passes.
    pub actions: Vec<GuardrailAction>,
}

impl Topic {
    /// Whether something should be generated.
    pub fn has_sufficient_evidence(&self) -> bool {
        self.verdict != Verdict::Refuse
    }

    /// The refusal to give when [`Self::has_sufficient_evidence`] is false.
    pub fn refusal(&self) -> RagResponse {
        let features = &self.features;
        let answer = if features.other_language {
            // That the corpus is silent was not found out.
            "Nothing in the corpus could be matched with the question, which does not seem to be in English. Ask \
             it in the language of the papers."
                .to_owned()
        } else if !features.unknown_sources.is_empty() {
            format!(
                "The corpus does not say: it holds no source by {}.",
                features.unknown_sources.join(" or ")
            )
        } else if !features.absent_entities.is_empty() {
            format!(
                "The corpus does not say: it never mentions {}.",
                quoted(&features.absent_entities)
            )
        } else if !features.missing.is_empty() && features.candidates > 0 {
            format!(
                "The corpus does not say: what was found does not treat {}.",
                quoted(&features.missing)
            )
        } else {
            "The corpus does not say: nothing in it comes close to the question.".to_owned()
        };
        let mut response = RagResponse::refusal(answer, format!("No answer was generated: {}.", self.reason));
        response
            .caveats
            .push(format!("The topic check stopped this question: {}.", self.reason));
        response
    }
}

/// Decides whether the context carries the question. `query_vector` is the unit vector of the question,
/// empty where there is none; `context` is what the generator would see.
///
/// # Errors
/// When the index cannot be read.
pub fn check_topic(
    query: &str,
    query_vector: &[f32],
    context: &Context,
    store: &dyn ChunkStore,
    settings: &TopicSettings,
) -> Result<Topic, StoreError> {
    let features = features(query, query_vector, context, store)?;
    let (verdict, reason) = judge(&features, settings);
    let verb = match verdict {
        Verdict::Answer => None,
        Verdict::Partial => Some("hedged"),
        Verdict::Refuse => Some("refused"),
    };
    let action = |verb: &str| GuardrailAction {
        guardrail: GuardrailKind::Topic,
        action: verb.to_owned(),
        subject: "question".to_owned(),
        reason: reason.clone(),
    };
    Ok(Topic {
        verdict,
        actions: verb.map(action).into_iter().collect(),
        features,
        reason,
    })
}

/// The decision, from the features alone, and its reason. The rules, the first that holds:
///
/// 1. Nothing retrieved: refuse.
/// 2. The question names sources and none of them is in the corpus: refuse, unless the context holds a
///    paper of unknown authors that may be the one meant (then at best partial).
/// 3. Coverage and similarity each speak against the question, leave it open, or speak for it (see
///    [`TopicSettings`]). Both against: refuse. One for and the other not against: answer. Otherwise partial.
///    Where one of them could not be measured the other decides alone; where neither could, partial.
/// 4. An answer to a question of which one named source is unknown, or which names a symbol or name that
///    stands nowhere in the corpus, is at best partial ([`TopicSettings::refuse_absent_entities`]: refused).
pub fn judge(features: &Features, settings: &TopicSettings) -> (Verdict, String) {
    if features.candidates == 0 {
        return (
            Verdict::Refuse,
            "no passage came close enough to the question".to_owned(),
        );
    }
    let unknown = features.unknown_sources.join(", ");
    let all_unknown = !unknown.is_empty() && features.unknown_sources.len() == features.named_sources;
    if settings.refuse_unknown_sources && all_unknown && !features.anonymous_candidate {
        return (
            Verdict::Refuse,
            format!("the corpus holds no source by {unknown}"),
        );
    }
    let coverage = features
        .coverage
        .map(|c| level(c, settings.coverage_refuse, settings.coverage_answer));
    let similarity = features
        .similarity
        .map(|s| level(s, settings.similarity_refuse, settings.similarity_answer));
    let verdict = match (coverage, similarity) {
        (Some(one), None) | (None, Some(one)) => match one {
            Level::Against => Verdict::Refuse,
            Level::Open => Verdict::Partial,
            Level::For => Verdict::Answer,
        },
        (Some(Level::Against), Some(Level::Against)) => Verdict::Refuse,
        (Some(Level::For), Some(Level::For | Level::Open)) | (Some(Level::Open), Some(Level::For)) => {
            Verdict::Answer
        }
        // Open, at odds, or not measured at all.
        _ => Verdict::Partial,
    };
    let mut reason = measured(features);
    if verdict != Verdict::Answer && !features.missing.is_empty() {
        reason = format!("{reason}; not found: {}", quoted(&features.missing));
    }
    if !unknown.is_empty() {
        return (
            verdict.max(Verdict::Partial),
            format!("the corpus holds no source by {unknown}; {reason}"),
        );
    }
    if !features.absent_entities.is_empty() {
        let least = if settings.refuse_absent_entities {
            Verdict::Refuse
        } else {
            Verdict::Partial
        };
        let absent = quoted(&features.absent_entities);
        return (
            verdict.max(least),
            format!("the corpus never mentions {absent}; {reason}"),
        );
    }
    (verdict, reason)
}

/// Low confidence and a caveat for the answer to a partial question.
pub(crate) fn hedge(response: &mut RagResponse, topic: &Topic, ledger: &mut Ledger) {
    if response.confidence > Confidence::Low {
        response.confidence = Confidence::Low;
    }
    let caveat = format!("The corpus carries this question only in part: {}.", topic.reason);
    ledger.note(
        GuardrailKind::Topic,
        "hedged",
        "answer",
        topic.reason.clone(),
        caveat,
    );
}

/// What a feature says of the question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Against,
    Open,
    For,
}

fn level(value: f32, refuse: f32, answer: f32) -> Level {
    if value < refuse {
        Level::Against
    } else if value < answer {
        Level::Open
    } else {
        Level::For
    }
}

fn measured(features: &Features) -> String {
    let coverage = features
        .coverage
        .map(|c| format!("{:.0} % of the question's weighted terms were found", 100.0 * c));
    let similarity = features
        .similarity
        .map(|s| format!("the closest sentence has a similarity of {s:.2}"));
    match (coverage, similarity) {
        (Some(c), Some(s)) => format!("{c}, {s}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "neither terms nor similarity could be measured".to_owned(),
    }
}

/// `“a”, “b”`: at most five, so that a long question does not come back whole.
fn quoted(words: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut out: Vec<String> = words
        .iter()
        .take(SHOWN)
        .map(|w| format!("“{}”", crate::ledger::short(w)))
        .collect();
    if words.len() > SHOWN {
        out.push(format!("and {} more", words.len() - SHOWN));
    }
    out.join(", ")
}
