//! What speaks against support, in words for people.

use crate::features::{Features, Findings};

/// The reasons, strongest first; empty for a claim that stands in the passage word for word.
pub(crate) fn reasons(features: &Features, findings: &Findings) -> Vec<String> {
    let mut out = Vec::new();
    if features.named_gap > 0.0 {
        out.push("the passage that it names holds less of it than another one".to_owned());
    }
    if features.verbatim > 0.0 {
        return out;
    }
    let mut list = |what: &str, items: &[String]| {
        if !items.is_empty() {
            out.push(format!("{what}: {}", items.join(", ")));
        }
    };
    list("numbers not in the passage", &findings.numbers_absent);
    list("names not in the passage", &findings.names_absent);
    list("symbols not in the passage", &findings.symbols_absent);
    list(
        "numbers not near the matching sentence",
        &findings.numbers_elsewhere,
    );
    list("the passage has the opposite of", &findings.exchanged);
    list("words not in the passage", &findings.terms_absent);
    let mut say = |on: f32, what: &str| {
        if on > 0.0 {
            out.push(what.to_owned());
        }
    };
    say(
        features.negation_differs,
        "one of claim and passage denies what the other says",
    );
    say(
        features.direction_differs,
        "claim and passage point in opposite directions",
    );
    say(
        features.turned,
        "a word was replaced by its opposite, or a denial added or removed",
    );
    say(features.swapped, "the sides of a comparison are exchanged");
    say(features.surer, "the passage is less sure");
    say(features.more_causal, "the passage names a relation, not a cause");
    say(
        features.wider,
        "the claim speaks of all or only, the passage does not",
    );
    if out.is_empty() {
        out.push("too little in common".to_owned());
    }
    out
}
