//! What kind of answer a question asks for.

use crate::{Asked, SentenceFeatures, features::flag};
use types::Question;

/// What the question asks for, as flags for every sentence.
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of its own")]
pub(crate) struct Wanted {
    share: bool,
    cause: bool,
    time: bool,
    name: bool,
    definition: bool,
    yes_no: bool,
    effect: bool,
}

impl Wanted {
    pub(crate) fn new(question: &Question, asked: &Asked) -> Self {
        let words: Vec<&str> = question.words.iter().map(|word| word.folded.as_str()).collect();
        let first = words.first().copied().unwrap_or_default();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        Self {
            share: has(&[
                "percent",
                "percentage",
                "proportion",
                "rate",
                "rates",
                "share",
                "fraction",
                "prevalence",
                "incidence",
            ]),
            cause: has(&["why", "cause", "causes", "caused", "reason", "reasons"]),
            time: has(&["when", "year", "date"]),
            name: has(&["who", "whom", "where", "country", "countries"]),
            definition: first == "what"
                && matches!(words.get(1), Some(&("is" | "are")))
                && asked.terms.len() <= 3,
            yes_no: matches!(
                first,
                "is" | "are"
                    | "was"
                    | "were"
                    | "do"
                    | "does"
                    | "did"
                    | "can"
                    | "could"
                    | "has"
                    | "have"
                    | "had"
            ),
            effect: has(&[
                "effect",
                "effects",
                "affect",
                "affects",
                "affected",
                "compared",
                "different",
                "difference",
                "change",
                "changed",
                "increase",
                "decrease",
                "reduce",
                "improve",
                "higher",
                "lower",
                "impact",
                "influence",
                "versus",
            ]),
        }
    }

    pub(crate) fn set(&self, asked: &Asked, out: &mut SentenceFeatures) {
        out.asks_number = flag(asked.number);
        out.asks_share = flag(self.share);
        out.asks_aim = flag(asked.aim);
        out.asks_cause = flag(self.cause);
        out.asks_time = flag(self.time);
        out.asks_name = flag(self.name);
        out.asks_definition = flag(self.definition);
        out.asks_yes_no = flag(self.yes_no);
        out.asks_effect = flag(self.effect);
    }
}
