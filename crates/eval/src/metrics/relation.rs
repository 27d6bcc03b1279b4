//! Whether an answer states the relation that the question asks for.

use super::asked::{Asked, Relation};
use std::collections::BTreeSet;
use text::entities::{EntityKind, entities};

/// What an answer states of the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// The relation.
    Asked,
    /// Nothing of the kind.
    Nothing,
    /// The reverse: causes instead of effects, or effects instead of causes.
    Reverse,
}

/// Verbs that lead from a cause to its effect, unless "by" follows.
const FORWARD: [&str; 34] = [
    "causes",
    "caused",
    "lead",
    "leads",
    "led",
    "produces",
    "produced",
    "increases",
    "increased",
    "increase",
    "raises",
    "raised",
    "reduces",
    "reduced",
    "reduce",
    "lowers",
    "lowered",
    "decreases",
    "decreased",
    "decrease",
    "improves",
    "improved",
    "improve",
    "enhances",
    "enhanced",
    "prevents",
    "prevented",
    "promotes",
    "impairs",
    "impaired",
    "contributes",
    "affects",
    "affected",
    "drives",
];
/// Participles before "by" that lead from an effect back to its cause.
const BY: [&str; 12] = [
    "caused",
    "driven",
    "explained",
    "produced",
    "reduced",
    "increased",
    "induced",
    "triggered",
    "determined",
    "influenced",
    "affected",
    "shaped",
];
/// Changes that name no cause.
const CHANGES: [&str; 8] =
    ["fell", "rose", "declined", "grew", "higher", "lower", "improvement", "reduction"];
const EFFECT_NOUNS: [&str; 8] =
    ["effect", "effects", "impact", "impacts", "consequence", "consequences", "benefit", "benefits"];
const CAUSE_NOUNS: [&str; 8] =
    ["cause", "causes", "driver", "drivers", "reason", "reasons", "factor", "factors"];
/// Within so many words before a noun, "not" or "rather than" denies that the answer is about it.
const DENIED_WITHIN: usize = 4;

/// What the answer states.
pub(super) fn stated(asked: &Asked, relation: Relation, answer: &str) -> Stated {
    match relation {
        Relation::Cause => direction(asked, answer, true),
        Relation::Effect => direction(asked, answer, false),
        other => {
            if has_form(other, answer) {
                Stated::Asked
            } else {
                Stated::Nothing
            }
        }
    }
}

fn has_form(relation: Relation, answer: &str) -> bool {
    let words = lower(answer);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match relation {
        Relation::Number => !text::numbers::quantities(answer).is_empty(),
        Relation::Comparison => has(&[
            "than",
            "compared",
            "versus",
            "vs",
            "whereas",
            "while",
            "both",
            "neither",
            "similar",
            "same",
            "difference",
            "differed",
            "differ",
            "unlike",
            "equal",
            "equally",
        ]),
        Relation::Method => has(&[
            "using",
            "used",
            "use",
            "method",
            "methods",
            "technique",
            "techniques",
            "by",
            "measured",
            "assay",
            "analysis",
            "analysed",
            "analyzed",
            "protocol",
            "performed",
            "randomised",
            "randomized",
            "calculated",
        ]),
        Relation::Definition => {
            has(&["is", "are", "means", "refers", "defined", "called", "denotes", "describes"])
        }
        Relation::Time => {
            let quantities = text::numbers::quantities(answer);
            let year = |value: f64| (1000.0..2200.0).contains(&value) && value.fract() == 0.0;
            let time = |unit: &str| ["s", "min", "h", "day", "week", "month", "year"].contains(&unit);
            quantities.iter().any(|q| year(q.value) || q.unit.as_deref().is_some_and(time))
                || has(&["after", "before", "during", "since", "until"])
        }
        Relation::Name => entities(answer).iter().any(|entity| entity.kind != EntityKind::Number),
        Relation::Cause | Relation::Effect => false,
    }
}

fn lower(text: &str) -> Vec<String> {
    text::words(text).into_iter().map(|span| text[span].to_lowercase()).collect()
}

/// Counts what the sentences state: the cause of the topic, its effect, or either.
#[derive(Default)]
struct Counts {
    cause: usize,
    effect: usize,
    either: usize,
}

fn direction(asked: &Asked, answer: &str, cause: bool) -> Stated {
    let mut counts = Counts::default();
    for sentence in text::sentences(answer) {
        count(&lower(&answer[sentence]), &asked.topic, &mut counts);
    }
    let (wanted, reverse) = if cause { (counts.cause, counts.effect) } else { (counts.effect, counts.cause) };
    match () {
        () if reverse > wanted => Stated::Reverse,
        () if wanted > 0 || counts.either > 0 => Stated::Asked,
        () => Stated::Nothing,
    }
}

fn count(words: &[String], topic: &BTreeSet<String>, counts: &mut Counts) {
    let in_topic: Vec<bool> = words.iter().map(|word| topic.contains(&text::stem(word))).collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.as_str();
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        let is = |list: &[&str]| list.contains(&word);
        let before = in_topic[..at].contains(&true);
        let after = in_topic.get(at + 1..).is_some_and(|rest| rest.contains(&true));
        let backward = (is(&BY) && next == "by")
            || (is(&["due", "owing", "attributed", "attributable"]) && next == "to")
            || (is(&["results", "resulted", "result", "stems", "stemmed", "arises"]) && next == "from")
            || is(&["because"]);
        let forward =
            (is(&FORWARD) && next != "by") || (is(&["results", "resulted", "result"]) && next == "in");
        let denied = words[at.saturating_sub(DENIED_WITHIN)..at]
            .iter()
            .any(|w| text::is_negation(w) || w == "rather" || w == "instead");
        match () {
            () if is(&EFFECT_NOUNS) && !denied => counts.effect += 1,
            () if is(&CAUSE_NOUNS) && ["of", "for", "behind", "that"].contains(&next) && !denied => {
                counts.cause += 1;
            }
            () if (forward && before) || (backward && after && !before) => counts.effect += 1,
            () if (forward && after) || (backward && before) => counts.cause += 1,
            () if forward || backward || is(&CHANGES) => counts.either += 1,
            () => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, answer: &str, want: Stated) {
        let asked = Asked::new(question);
        let relation = asked.relation.expect("a relation");
        assert_eq!(stated(&asked, relation, answer), want, "{question} {answer}");
    }

    #[test]
    fn causes_are_no_effects_and_effects_no_causes() {
        let effect = "What is the impact of deforestation on forests?";
        check(effect, "Deforestation reduces rainfall and impairs soil.", Stated::Asked);
        check(effect, "Soil loss was caused by deforestation.", Stated::Asked);
        check(effect, "Deforestation is driven by logging.", Stated::Reverse);
        check(effect, "Logging and mining led to deforestation.", Stated::Reverse);
        check(
            effect,
            "The causes of deforestation are logging and mining, rather than its impacts.",
            Stated::Reverse,
        );
        check(effect, "Forests are green.", Stated::Nothing);
        let cause = "What causes deforestation?";
        check(cause, "Deforestation is driven by logging.", Stated::Asked);
        check(cause, "Logging led to deforestation.", Stated::Asked);
        check(cause, "Deforestation led to floods.", Stated::Reverse);
        check(cause, "Rainfall fell.", Stated::Asked);
    }

    #[test]
    fn other_relations_have_a_form() {
        check("How many mice ran?", "In all, 12 mice ran.", Stated::Asked);
        check("How many mice ran?", "Many mice ran.", Stated::Nothing);
        check("When did it begin?", "It began in April 2023.", Stated::Asked);
        check("When did it begin?", "It began slowly.", Stated::Nothing);
        check("Is walking better than rest?", "Walking lowered it more than rest.", Stated::Asked);
        check("Is walking better than rest?", "Walking lowered it.", Stated::Nothing);
        check("How was it measured?", "It was measured with a cuff.", Stated::Asked);
        check("How was it measured?", "It rose.", Stated::Nothing);
        check("What is autophagy?", "Autophagy is the breakdown of a cell's own parts.", Stated::Asked);
        check("Who led the trial?", "Orvel and Tandrik led the trial.", Stated::Asked);
        check("Who led the trial?", "Somebody led the trial.", Stated::Nothing);
    }
}
