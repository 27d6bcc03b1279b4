//! Does the context answer the question? Decided before anything is generated.

mod features;
mod keywords;
mod known;
mod library;

pub use features::{Features, features};

use crate::{TopicRule, TopicSettings, action_log::ActionLog};
use keywords::Keywords;
use serde::{Deserialize, Serialize};
use types::{
    Confidence, Context, GuardrailAction, GuardrailKind, Question, QuestionTerm, RagResponse, Ranking,
    RefusalReason, StoredSource, TermStatistics,
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
    rule: TopicRule,
    /// Whether the embedding model knows languages other than English, by its name.
    multilingual: bool,
    /// What was measured, in words.
    measured: String,
}

impl Topic {
    /// Whether something should be generated.
    pub fn has_sufficient_evidence(&self) -> bool {
        self.verdict != Verdict::Refuse
    }

    /// The check for a generator that itself decides whether the passages answer: a question is refused before it is asked
    /// only where nothing was found, or where no paper that the question names is in the index, and an answer is hedged only where
    /// no paper has a symbol of the question. The rule of the earlier system stays as it was.
    #[must_use]
    pub fn asking_first(mut self) -> Self {
        let keeps = self.rule == TopicRule::Keywords
            || self.features.candidates == 0
            || self.features.about_library
            || !self.features.unknown_sources.is_empty();
        if keeps {
            return self;
        }
        if self.features.absent_entities.is_empty() {
            self.verdict = Verdict::Answer;
            self.actions.clear();
        } else if self.verdict == Verdict::Refuse {
            self.verdict = Verdict::Partial;
            for action in &mut self.actions {
                "hedged".clone_into(&mut action.action);
            }
        }
        self
    }

    /// The refusal to give when [`Self::has_sufficient_evidence`] is false. The answer gives the reason, the evidence
    /// quality what was measured.
    pub fn refusal(&self) -> RagResponse {
        let features = &self.features;
        let mut own = "";
        let (reason, detail) = if features.other_language && !self.multilingual {
            // That the papers are silent was not found out.
            own = "No answer found. The question does not seem to be in English: other languages need a multilingual \
                          embedding model, such as embedding.model = \"multilingual-e5-small\" (set it, then run `pipeline \
                          setup` and `pipeline ingest`).";
            let detail = "the question does not seem to be in the language of the papers";
            (RefusalReason::OtherLanguage, detail.to_owned())
        } else if features.about_library {
            own = "No answer found. The question is about the library, and answers come from the text of its papers: \
                          `pipeline papers` lists their titles, authors and years.";
            let detail = "the question is about the library, not about what its papers say";
            (RefusalReason::AboutLibrary, detail.to_owned())
        } else if !features.unknown_sources.is_empty() {
            let unknown = features.unknown_sources.join(" or ");
            let detail = format!("no paper by {unknown} is in the index");
            (RefusalReason::UnknownSource, detail)
        } else if !features.absent_entities.is_empty() {
            let detail = format!("none of the papers mentions {}", quoted(&features.absent_entities));
            (RefusalReason::AbsentTerm, detail)
        } else if let Some(lacking) = lacking(features, self.rule).filter(|_| features.candidates > 0) {
            (RefusalReason::LowCoverage, lacking)
        } else {
            let detail = "nothing found is likely to answer it".to_owned();
            (RefusalReason::LowCoverage, detail)
        };
        let mut answer = own.to_owned();
        if answer.is_empty() {
            answer = format!("No answer found in your papers: {detail}.");
            if features.anonymous_candidate {
                answer += " A paper that was found has no authors in the index: it may be the one that the question names.";
            }
        }
        RagResponse::refusal(answer, &self.measured).because(reason, detail)
    }
}

/// Decides whether the context answers the question. `context` is what the generator would see, `statistics` say how
/// often the question's stems occur in the store, and `mentioned` are the sources of the store that the question may
/// name. `ranking` are the sentences of the context by how likely they answer the question.
pub fn check_topic(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    mentioned: &[StoredSource],
    ranking: &Ranking,
    settings: &TopicSettings,
) -> Topic {
    let mut features = features(question, context, statistics, mentioned);
    let is_named = |names: &[&str]| names.iter().any(|name| question.embedder.contains(name));
    let is_found = |term: &QuestionTerm| statistics.frequency(&term.stem) > 0;
    // An English model cannot read a question in another script; its vector is no nearer to one passage than to another.
    let unread = question.language.is_none() && is_named(&["all-MiniLM", "-en-"]);
    if !unread || question.terms.iter().any(is_found) {
        features.probability = ranking.probability;
        features.answerable = ranking.answerable;
    }
    let (verdict, reason) = match settings.rule {
        TopicRule::Probability => judge(&features, settings),
        TopicRule::Keywords => by_keywords(&question.text, context),
    };
    let verb = match verdict {
        Verdict::Answer => None,
        Verdict::Partial => Some("hedged"),
        Verdict::Refuse => Some("refused"),
    };
    let action = |verb: &str| GuardrailAction::new(GuardrailKind::Topic, verb, "question", reason.clone());
    Topic {
        verdict,
        actions: verb.map(action).into_iter().collect(),
        rule: settings.rule,
        multilingual: is_named(&["multilingual", "bge-m3", "embeddinggemma"]),
        measured: measured(&features, settings.rule),
        features,
        reason,
    }
}

/// The decision of [`TopicRule::Keywords`] and its reason.
fn by_keywords(query: &str, context: &Context) -> (Verdict, String) {
    let counted = Keywords::count(query, context);
    let verdict =
        if counted.pass() && !context.chunks.is_empty() { Verdict::Answer } else { Verdict::Refuse };
    let Keywords { all, found, needed } = counted;
    (verdict, format!("{found} of the question's {all} keywords occur in the context, {needed} are needed"))
}

/// The decision of [`TopicRule::Probability`], from the features alone, and its reason. The rules, the first that holds:
///
/// 1. Nothing retrieved, or a question about the library: refuse.
/// 2. The question names sources and none of them is in the index: refuse, unless the context holds a
///    paper of unknown authors that may be the one meant (then at best partial).
/// 3. Refuse if the probability that the papers answer is below [`TopicSettings::refuse_below`], unless one sentence
///    contains all terms of the question, or the passages of the paper that it names do (then at best partial);
///    partial if the probability that the best sentences answer is below [`TopicSettings::partial_below`].
/// 4. An answer to a question of which one named source is unknown, or which contains a symbol that
///    no paper mentions, is at best partial ([`TopicSettings::refuse_absent_entities`]: refused).
pub fn judge(features: &Features, settings: &TopicSettings) -> (Verdict, String) {
    if features.candidates == 0 {
        return (Verdict::Refuse, "no passage was found".to_owned());
    }
    if features.about_library {
        return (Verdict::Refuse, "the question is about the library".to_owned());
    }
    let unknown = features.unknown_sources.join(", ");
    let all_unknown = !unknown.is_empty() && features.unknown_sources.len() == features.named_sources;
    if settings.refuse_unknown_sources && all_unknown && !features.anonymous_candidate {
        return (Verdict::Refuse, format!("no paper by {unknown} is in the index"));
    }
    let verdict = by_probability(features, settings);
    let mut reason = measured(features, settings.rule);
    if let Some(lacking) = lacking(features, settings.rule).filter(|_| verdict != Verdict::Answer) {
        reason = format!("{lacking}; {reason}");
    }
    if !unknown.is_empty() {
        return (verdict.max(Verdict::Partial), format!("no paper by {unknown} is in the index; {reason}"));
    }
    if !features.absent_entities.is_empty() {
        let least = if settings.refuse_absent_entities { Verdict::Refuse } else { Verdict::Partial };
        let absent = quoted(&features.absent_entities);
        return (verdict.max(least), format!("none of the papers mentions {absent}; {reason}"));
    }
    (verdict, reason)
}

/// Share of the question's terms, by rarity, from which all of them count as found.
const ALL_TERMS: f32 = 0.95;

fn by_probability(features: &Features, settings: &TopicSettings) -> Verdict {
    if features.answerable >= settings.refuse_below {
        return if features.probability < settings.partial_below {
            Verdict::Partial
        } else {
            Verdict::Answer
        };
    }
    // The names of authors and sections stand above the sentences of a paper.
    let names_known = features.named_sources > features.unknown_sources.len();
    let covered = if names_known { features.coverage } else { features.best_sentence_coverage };
    if features.study_item {
        // Its terms stand in many sentences that state nothing: "The sample size was calculated ..."
        return Verdict::Refuse;
    }
    if covered.is_some_and(|share| share >= ALL_TERMS) { Verdict::Partial } else { Verdict::Refuse }
}

/// Low confidence and a caveat for the answer to a partial question.
pub(crate) fn hedge(response: &mut RagResponse, topic: &Topic, log: &mut ActionLog) {
    if response.confidence > Confidence::Low {
        response.confidence = Confidence::Low;
    }
    // What was measured follows what is missing; the confidence says it in other words.
    let missing = topic.reason.strip_suffix(&topic.measured).unwrap_or(&topic.reason);
    let caveat = match missing.trim_end_matches("; ") {
        "" => "This may not answer the question.".to_owned(),
        missing => format!("This may not answer the question: {missing}."),
    };
    log.note(GuardrailKind::Topic, "hedged", "answer", topic.reason.clone(), caveat);
}

/// The words of the question that count against it, in a sentence. A paper may say a word of a question in others, so this
/// is a reason for [`TopicRule::Keywords`] alone, which counts words.
fn lacking(features: &Features, rule: TopicRule) -> Option<String> {
    let words = Some(&features.missing).filter(|words| rule == TopicRule::Keywords && !words.is_empty());
    words.map(|words| format!("nothing retrieved mentions {}", quoted(words)))
}

/// What this rule decides from.
fn measured(features: &Features, rule: TopicRule) -> String {
    if rule == TopicRule::Probability {
        return format!(
            "estimated probability of an answer: {:.2} in the papers, {:.2} in the best sentences",
            features.answerable, features.probability
        );
    }
    let coverage = features
        .coverage
        .map(|c| format!("{:.0}% of the question's terms were found, weighted by rarity", (100.0 * c).abs()));
    let similarity =
        features.similarity.map(|s| format!("the closest sentence has a similarity of {:.2}", s.abs()));
    match (coverage, similarity) {
        (Some(c), Some(s)) => format!("{c}, {s}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "neither terms nor similarity could be measured".to_owned(),
    }
}

/// `"a", "b" or "c"`: at most five, so that a long question does not come back whole.
fn quoted(words: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut out: Vec<String> =
        words.iter().take(SHOWN).map(|w| format!("\"{}\"", crate::action_log::short(w))).collect();
    if words.len() > SHOWN {
        out.push(format!("{} more", words.len() - SHOWN));
    }
    let last = out.pop().unwrap_or_default();
    if out.is_empty() { last } else { format!("{} or {last}", out.join(", ")) }
}
