//! What the answer makes up: names, numbers, facts that no passage has.

use super::{Direction, Metric, Need, Spec, View, documents, share, wording};
use crate::Score;
use crate::judge::{ClaimVerdict, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use text::entities::{Entity, EntityKind, Ground, entities};

const BOTH: Spec =
    Spec { direction: Direction::Lower, needs: &[Need::Answer, Need::Context], ..Spec::COPIED_SHARE };

/// Names and symbols that the answer makes up.
pub(super) static HALLUCINATED_ENTITIES: Metric =
    Metric::new(Spec { key: "hallucinated_entities", title: "Hallucinated entities", ..BOTH }, |sample| {
        absent(sample, |kind| kind != EntityKind::Number, "name or symbol")
    });

/// Numbers that the answer makes up.
pub(super) static HALLUCINATED_NUMBERS: Metric =
    Metric::new(Spec { key: "hallucinated_numbers", title: "Hallucinated numbers", ..BOTH }, |sample| {
        absent(sample, |kind| kind == EntityKind::Number, "number")
    });

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

/// Does the answer bring facts that no passage has?
pub(super) static HALLUCINATION: Metric = Metric::new(
    Spec {
        key: "hallucination",
        title: "Hallucination",
        direction: Direction::Lower,
        needs: &[Need::Answer, Need::Context],
        ..Spec::PASS
    },
    |sample| Ok(f64::from(!facts(sample)?.is_empty())),
);

/// The facts of the answer that no passage has, as printed.
pub(super) fn facts(sample: &View<'_>) -> Result<Vec<String>, Score> {
    let reading = sample.given()?;
    let passages = sample.passages()?;
    if reading.text.trim().is_empty() {
        return Err(Score::n_a("the answer is empty"));
    }
    let ground = ground(sample, passages);
    let absent = entities(&reading.text).into_iter().filter(|entity| !ground.holds(entity));
    let mut out: Vec<String> = absent.map(|entity| entity.text).collect();
    let held =
        times(passages.iter().map(|passage| passage.text.as_str()).chain(sample.sample.question.as_deref()));
    let counted = times([reading.text.as_str()].into_iter());
    out.extend(counted.difference(&held).map(|count| format!("{count} times")));
    // A method that cannot compare languages still leaves the numbers and names.
    if let Ok(judged) = sample.judged() {
        let opposite = |claim: &&ClaimVerdict| !claim.grounded && claim.verdict == Verdict::Contradicted;
        let contradicted = judged.claims.iter().filter(opposite);
        out.extend(contradicted.map(|claim| claim.claim.clone()));
    }
    Ok(out)
}

/// How often texts say that something happened, in words or figures: `twice`, `three times`, `3-fold`.
fn times<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<u64> {
    let mut out = BTreeSet::new();
    for text in texts {
        let lower = text.to_lowercase();
        let words = text::words(&lower).into_iter().map(|span| &lower[span]);
        out.extend(words.filter_map(|word| match word {
            "once" => Some(1),
            "twice" | "twofold" => Some(2),
            "thrice" | "threefold" => Some(3),
            _ => None,
        }));
        for quantity in text::numbers::quantities(&lower) {
            let after = lower[quantity.number.end..].trim_start_matches([' ', '-', '\u{a0}']);
            let counts = ["times", "fold", "occasions"].iter().any(|word| after.starts_with(word));
            if counts && quantity.value.fract() == 0.0 && (0.0..1e6).contains(&quantity.value) {
                out.insert(quantity.value as u64);
            }
        }
    }
    out
}

/// Do the answer's keywords, numbers and names stand in the context?
pub(super) static FACTUAL_ACCURACY: Metric = Metric::new(
    Spec {
        key: "factual_accuracy",
        title: "Factual accuracy",
        needs: &[Need::Answer, Need::Context],
        ..Spec::SHARE
    },
    |sample| {
        let reading = sample.given()?;
        let mut ground = Ground::default();
        let mut stems = BTreeSet::new();
        for passage in sample.passages()? {
            ground.add(&passage.text);
            stems.extend(wording::stems(&passage.text));
        }
        let named = entities(&reading.text);
        // Words inside a number or a name count once, as that.
        let inside = |span: &std::ops::Range<usize>| {
            named.iter().any(|entity| entity.span.start <= span.start && span.end <= entity.span.end)
        };
        let terms = text::terms(&reading.text).into_iter();
        let keywords: BTreeMap<String, bool> = terms
            .filter(|term| !inside(&term.span))
            .map(|term| (term.stem.clone(), stems.contains(&term.stem)))
            .collect();
        let facts: BTreeMap<&str, bool> =
            named.iter().map(|entity| (entity.text.as_str(), ground.holds(entity))).collect();
        if keywords.is_empty() && facts.is_empty() {
            return Err(Score::n_a("the answer has no keyword, number or name"));
        }
        Ok(share(keywords.values().chain(facts.values()).copied()))
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn a_number_a_name_or_a_denial_that_no_passage_has() {
        let passages = [("a", "In both arms, walking lowered blood pressure by 6 mmHg in Orvella.")];
        let hallucinated =
            |answer: &str, want: f64| check(&HALLUCINATION, &row("q", answer, &passages), want);
        hallucinated("Walking lowered blood pressure by 6 mmHg.", 0.0);
        hallucinated("Walking lowered blood pressure by 67.03 mmHg.", 1.0);
        hallucinated("The trial of Tandrik found that walking lowered blood pressure.", 1.0);
        hallucinated("Walking raised blood pressure.", 1.0);
        check_n_a(&HALLUCINATION, &row("q", "", &passages), "empty");
    }

    #[test]
    fn keywords_and_numbers_by_hand() {
        let passages = [("a", "Walking lowered blood pressure by 6 mmHg.")];
        let accuracy = |answer: &str, want: f64| check(&FACTUAL_ACCURACY, &row("q", answer, &passages), want);
        // Walking, blood, pressure, lowered; "12 mmHg" is one number, and it is not there.
        accuracy("Walking lowered blood pressure by 12 mmHg.", 4.0 / 5.0);
        accuracy("Walking lowered blood pressure by 6 mmHg.", 1.0);
        accuracy("Mice slept.", 0.0);
        check_n_a(&FACTUAL_ACCURACY, &row("q", "", &passages), "no keyword");
        check(&FACTUAL_ACCURACY, &row("q", "Mice ran.", &[]), 0.0);
    }
}
