//! What an answer names that neither its context nor its question has.

use super::{NO_CONTEXT, REFUSAL, Sample};
use crate::Score;
use crate::judge::Passage;
use text::entities::{Entity, EntityKind, Ground, entities};

/// Returns the share of the answer's entities of these kinds that are neither in the context (text, titles, authors and
/// years) nor in the question, each counted once.
pub(super) fn share(sample: &Sample<'_>, is_kind: impl Fn(EntityKind) -> bool, what: &str) -> Score {
    if sample.response.no_evidence {
        return Score::n_a(REFUSAL);
    }
    let Some(context) = sample.context() else {
        return Score::n_a(NO_CONTEXT);
    };
    let mut named: Vec<Entity> = entities(&support::strip_marks(&sample.response.answer));
    named.retain(|entity| is_kind(entity.kind));
    named.sort_by(|a, b| a.text.cmp(&b.text));
    named.dedup_by(|a, b| a.text == b.text);
    if named.is_empty() {
        return Score::n_a(format!("the answer has no {what}"));
    }
    let texts = context.iter().map(|chunk| Passage::from(chunk).whole());
    let held: Vec<String> = texts.chain([sample.record.query.clone()]).collect();
    let ground = Ground::new(&held.join("\n\n"));
    let absent = named.iter().filter(|entity| !ground.holds(entity)).count();
    Score::share(absent, named.len())
}
