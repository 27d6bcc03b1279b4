//! Names and numbers that the answer makes up.

use super::{Direction, Metric, Need, Spec, View, documents, share};
use crate::Score;
use text::entities::{Entity, EntityKind, Ground, entities};

/// Names and symbols.
pub(super) struct HallucinatedEntities;

/// Numbers.
pub(super) struct HallucinatedNumbers;

const BOTH: Spec = Spec {
    source: "Nan et al. 2021 (entity-level factual consistency), 1 - precision against the source",
    direction: Direction::Lower,
    needs: &[Need::Answer, Need::Context],
    in_runs: true,
    staged: true,
    by_construction: true,
    ..Spec::SHARE
};

const ENTITIES: Spec = Spec {
    key: "hallucinated_entities",
    title: "Hallucinated entities",
    definition: "Share of the names and symbols in the answer that appear in neither the context (text, titles, authors, \
         years) nor the question. Names and symbols are recognised by their spelling.",
    edge_cases: "N/a on a refusal, and for an answer without any.",
    ..BOTH
};

const NUMBERS: Spec = Spec {
    key: "hallucinated_numbers",
    title: "Hallucinated numbers",
    definition: "Share of the numbers in the answer that appear, with the same unit, in neither the context nor the question. \
         Whole numbers below ten without a unit are ignored.",
    edge_cases: "N/a on a refusal, and if no number remains.",
    ..BOTH
};

impl Metric for HallucinatedEntities {
    fn spec(&self) -> &'static Spec {
        &ENTITIES
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        absent(sample, |kind| kind != EntityKind::Number, "name or symbol")
    }
}

impl Metric for HallucinatedNumbers {
    fn spec(&self) -> &'static Spec {
        &NUMBERS
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        absent(sample, |kind| kind == EntityKind::Number, "number")
    }
}

/// The share of the answer's entities of these kinds that are neither in the context nor in the question, each counted once.
fn absent(sample: &View<'_>, is_kind: impl Fn(EntityKind) -> bool, what: &str) -> Result<f64, Score> {
    let mut named: Vec<Entity> = entities(&sample.given()?.text);
    named.retain(|entity| is_kind(entity.kind));
    named.sort_by(|a, b| a.text.cmp(&b.text));
    named.dedup_by(|a, b| a.text == b.text);
    let passages = sample.passages()?;
    if named.is_empty() {
        return Err(Score::n_a(format!("the answer has no {what}")));
    }
    let ground = ground(sample, passages);
    Ok(share(named.iter().map(|entity| !ground.holds(entity))))
}

/// The names and numbers of passages, of what is known of their documents, of the ids of the retrieved ones, and of the question.
pub(super) fn ground(sample: &View<'_>, passages: &[crate::Passage]) -> Ground {
    let mut held: Vec<String> = passages.iter().map(crate::Passage::whole).collect();
    held.extend(sample.sample.question.clone());
    for id in sample.retrieved().unwrap_or_default() {
        held.push(id.to_owned());
        held.extend(documents::short(id));
    }
    Ground::new(&held.join("\n\n"))
}
