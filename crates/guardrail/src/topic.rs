//! Does the context answer the question? Decided before anything is generated.

mod features;
mod keywords;
mod known;

pub use features::{Features, features};

use crate::{TopicRule, TopicSettings, action_log::ActionLog};
use keywords::Keywords;
use serde::{Deserialize, Serialize};
use types::{
    Confidence, Context, GuardrailAction, GuardrailKind, Question, RagResponse, RefusalReason, StoredSource,
    TermStatistics,
};

/// What the context allows, from an answer to nothing.
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
    /// What the context allows.
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

    /// The refusal to give when [`Self::has_sufficient_evidence`] is false. The answer gives the reason, the evidence
    /// quality what was measured.
    pub fn refusal(&self) -> RagResponse {
        let features = &self.features;
        let (reason, detail) = if features.other_language {
            // That the papers are silent was not found out.
            let answer = "Nothing in your papers could be matched with the question, which does not seem to be in \
                          English. Ask in the language of the papers.";
            let detail = "the question does not seem to be in the language of the papers";
            return RagResponse::refusal(answer, measured(features))
                .because(RefusalReason::OtherLanguage, detail);
        } else if !features.unknown_sources.is_empty() {
            let unknown = features.unknown_sources.join(" or ");
            let detail = format!("no paper by {unknown} is in the index");
            (RefusalReason::UnknownSource, detail)
        } else if !features.absent_entities.is_empty() {
            let detail = format!("they never mention {}", quoted(&features.absent_entities));
            (RefusalReason::AbsentTerm, detail)
        } else if !features.missing.is_empty() && features.candidates > 0 {
            let detail = format!("nothing retrieved mentions {}", quoted(&features.missing));
            (RefusalReason::LowCoverage, detail)
        } else {
            let detail = "nothing in them is close to the question".to_owned();
            (RefusalReason::LowCoverage, detail)
        };
        let answer = format!("Your papers do not answer this: {detail}.");
        RagResponse::refusal(answer, measured(features)).because(reason, detail)
    }
}

/// Decides whether the context answers the question. `context` is what the generator would see, `statistics` say how
/// often the question's stems occur in the store, and `mentioned` are the sources of the store that the question may
/// name.
pub fn check_topic(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    mentioned: &[StoredSource],
    settings: &TopicSettings,
) -> Topic {
    let features = features(question, context, statistics, mentioned);
    let (verdict, reason) = match settings.rule {
        TopicRule::Evidence => judge(&features, settings),
        TopicRule::Keywords => by_keywords(&question.text, context),
    };
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
    Topic {
        verdict,
        actions: verb.map(action).into_iter().collect(),
        features,
        reason,
    }
}

/// The decision of [`TopicRule::Keywords`] and its reason.
fn by_keywords(query: &str, context: &Context) -> (Verdict, String) {
    let counted = Keywords::count(query, context);
    let verdict = if counted.pass() && !context.chunks.is_empty() {
        Verdict::Answer
    } else {
        Verdict::Refuse
    };
    let Keywords { all, found, needed } = counted;
    (
        verdict,
        format!("{found} of the question's {all} keywords occur in the context, {needed} are needed"),
    )
}

/// The decision, from the features alone, and its reason. The rules, the first that holds:
///
/// 1. Nothing retrieved: refuse.
/// 2. The question names sources and none of them is in the index: refuse, unless the context holds a
///    paper of unknown authors that may be the one meant (then at best partial).
/// 3. Coverage and similarity each speak against the question, leave it open, or speak for it (see
///    [`TopicSettings`]). Both against: refuse. One for and the other not against: answer. Otherwise partial.
///    Where one of them could not be measured the other decides alone; where neither could, partial.
/// 4. An answer to a question of which one named source is unknown, or which names something that
///    no paper mentions, is at best partial ([`TopicSettings::refuse_absent_entities`]: refused).
pub fn judge(features: &Features, settings: &TopicSettings) -> (Verdict, String) {
    if features.candidates == 0 {
        return (Verdict::Refuse, "no passage was found".to_owned());
    }
    let unknown = features.unknown_sources.join(", ");
    let all_unknown = !unknown.is_empty() && features.unknown_sources.len() == features.named_sources;
    if settings.refuse_unknown_sources && all_unknown && !features.anonymous_candidate {
        return (Verdict::Refuse, format!("no paper by {unknown} is in the index"));
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
        reason = format!(
            "nothing retrieved mentions {}; {reason}",
            quoted(&features.missing)
        );
    }
    if !unknown.is_empty() {
        return (
            verdict.max(Verdict::Partial),
            format!("no paper by {unknown} is in the index; {reason}"),
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
            format!("your papers never mention {absent}; {reason}"),
        );
    }
    (verdict, reason)
}

/// Low confidence and a caveat for the answer to a partial question.
pub(crate) fn hedge(response: &mut RagResponse, topic: &Topic, log: &mut ActionLog) {
    if response.confidence > Confidence::Low {
        response.confidence = Confidence::Low;
    }
    let caveat = format!("The papers answer this only partly: {}.", topic.reason);
    log.note(
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
    let coverage = features.coverage.map(|c| {
        format!(
            "{:.0}% of the question's terms were found, weighted by rarity",
            (100.0 * c).abs()
        )
    });
    let similarity = features
        .similarity
        .map(|s| format!("the closest sentence has a similarity of {:.2}", s.abs()));
    match (coverage, similarity) {
        (Some(c), Some(s)) => format!("{c}, {s}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "neither terms nor similarity could be measured".to_owned(),
    }
}

/// `"a", "b"`: at most five, so that a long question does not come back whole.
fn quoted(words: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut out: Vec<String> = words
        .iter()
        .take(SHOWN)
        .map(|w| format!("\"{}\"", crate::action_log::short(w)))
        .collect();
    if words.len() > SHOWN {
        out.push(format!("and {} more", words.len() - SHOWN));
    }
    out.join(", ")
}
