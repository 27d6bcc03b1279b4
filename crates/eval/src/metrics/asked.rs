//! What a question asks for: its terms, and the relation that an answer must state.

use std::collections::BTreeSet;

/// What an answer must state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// What brings the topic about.
    Cause,
    /// What the topic brings about.
    Effect,
    /// A number.
    Number,
    /// A comparison.
    Comparison,
    /// How something is done or was measured.
    Method,
    /// What something is.
    Definition,
    /// A time.
    Time,
    /// A person, a place or an organisation.
    Name,
}

/// A question taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The stems of its content terms, without those that only name the relation; of all if no other is left.
    pub(super) terms: BTreeSet<String>,
    /// What it asks for; `None` if its wording asks for nothing in particular, or is not English.
    pub(super) relation: Option<Relation>,
    /// For a cause or an effect: the stems of what it is the cause or the effect of.
    pub(super) topic: BTreeSet<String>,
}

const EFFECTS: [&str; 18] = [
    "effect",
    "effects",
    "impact",
    "impacts",
    "consequence",
    "consequences",
    "benefit",
    "benefits",
    "outcome",
    "outcomes",
    "advantages",
    "harms",
    "affect",
    "affects",
    "influence",
    "influences",
    "affected",
    "help",
];
const CAUSES: [&str; 11] = [
    "cause", "causes", "caused", "reason", "reasons", "driver", "drivers", "factors", "why", "explains",
    "drives",
];
const COMPARISONS: [&str; 12] = [
    "versus",
    "vs",
    "compare",
    "compared",
    "comparison",
    "difference",
    "differences",
    "differ",
    "differs",
    "better",
    "worse",
    "than",
];
const METHODS: [&str; 9] = [
    "method",
    "methods",
    "technique",
    "techniques",
    "procedure",
    "procedures",
    "protocol",
    "approach",
    "approaches",
];
const DONE: [&str; 12] = [
    "measured",
    "assessed",
    "determined",
    "estimated",
    "analysed",
    "analyzed",
    "calculated",
    "collected",
    "recruited",
    "randomised",
    "randomized",
    "diagnosed",
];
const SIZES: [&str; 14] = [
    "many", "much", "long", "often", "old", "large", "big", "high", "low", "far", "fast", "great", "strong",
    "deep",
];
const AMOUNTS: [&str; 9] =
    ["percentage", "percent", "proportion", "number", "fraction", "share", "dose", "prevalence", "rate"];
const AUXILIARIES: [&str; 10] = ["do", "does", "did", "can", "could", "will", "would", "is", "are", "was"];
/// Words after which no topic goes on.
const ENDS: [&str; 9] = ["on", "in", "for", "among", "during", "within", "compared", "versus", "at"];

impl Asked {
    pub(super) fn new(question: &str) -> Self {
        let spans = text::words(question);
        let words: Vec<String> = spans.iter().map(|span| question[span.clone()].to_lowercase()).collect();
        let english = text::looks_english(question);
        let relation = english.then(|| relation(&words)).flatten();
        let all = super::wording::stems(question);
        let named: BTreeSet<String> = match relation {
            Some(relation) => naming(relation).map(text::stem).collect(),
            None => BTreeSet::new(),
        };
        let terms: BTreeSet<String> = all.difference(&named).cloned().collect();
        let topic = match relation {
            Some(relation @ (Relation::Cause | Relation::Effect)) => topic(relation, &words),
            _ => BTreeSet::new(),
        };
        Self { terms: if terms.is_empty() { all } else { terms }, relation, topic }
    }
}

/// The words by which questions name a relation.
fn naming(relation: Relation) -> impl Iterator<Item = &'static str> {
    let words: &[&'static str] = match relation {
        Relation::Cause => &CAUSES,
        Relation::Effect => &EFFECTS,
        Relation::Number => &SIZES,
        Relation::Comparison => &COMPARISONS,
        Relation::Method => &METHODS,
        Relation::Time => &["year", "date", "time"],
        Relation::Definition | Relation::Name => &[],
    };
    let more: &[&'static str] = if relation == Relation::Number { &AMOUNTS } else { &[] };
    words.iter().chain(more).copied()
}

fn relation(words: &[String]) -> Option<Relation> {
    let first = words.first().map(String::as_str)?;
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let after_how = words.windows(2).any(|pair| pair[0] == "how" && SIZES.contains(&pair[1].as_str()));
    let amount = words.windows(2).any(|pair| {
        ["what", "which", "the"].contains(&pair[0].as_str()) && AMOUNTS.contains(&pair[1].as_str())
    });
    let many = after_how || (amount && ["what", "which"].contains(&first)) || has(&["percentage"]);
    // "What does X cause?" asks for an effect.
    let causes_what = words.last().is_some_and(|word| word == "cause") && has(&AUXILIARIES);
    let of_factors = has(&["factors", "factor"])
        && has(&["affect", "affects", "influence", "determine", "drive", "affected"]);
    let cause = !causes_what && has(&CAUSES) && (first == "why" || of_factors || !has(&["factors"]));
    Some(match () {
        () if many => Relation::Number,
        () if first == "when" || has(&["year"]) && ["what", "which", "in"].contains(&first) => Relation::Time,
        () if ["who", "whom", "where"].contains(&first) || second == "country" => Relation::Name,
        () if has(&METHODS) && ["what", "which", "how", "by"].contains(&first) => Relation::Method,
        () if first == "how" && has(&DONE) => Relation::Method,
        () if cause => Relation::Cause,
        () if has(&COMPARISONS) => Relation::Comparison,
        () if causes_what || has(&EFFECTS) => Relation::Effect,
        () if ["what", "define"].contains(&first) && ["is", "are"].contains(&second) && words.len() <= 5 => {
            Relation::Definition
        }
        () => return None,
    })
}

/// The stems of what a cause or an effect is asked for.
fn topic(relation: Relation, words: &[String]) -> BTreeSet<String> {
    let named = match relation {
        Relation::Effect => &EFFECTS[..],
        _ => &CAUSES[..],
    };
    let Some(at) = words.iter().position(|word| named.contains(&word.as_str())) else {
        return BTreeSet::new();
    };
    let before = || {
        let auxiliary = words[..at].iter().rposition(|word| AUXILIARIES.contains(&word.as_str()));
        auxiliary.map_or(&[][..], |from| &words[from + 1..at])
    };
    let after = |from: usize| {
        let rest = words.get(from..).unwrap_or_default();
        let end = rest.iter().position(|word| ENDS.contains(&word.as_str()));
        &rest[..end.unwrap_or(rest.len())]
    };
    let of = words[at..].iter().take(3).position(|word| word == "of" || word == "for").map(|o| at + o + 1);
    let words = match (relation, of) {
        (_, Some(from)) => after(from),
        // "How does X affect Y?": the effect of X; "what causes Y", "why does Y": the cause of Y.
        (Relation::Effect, None) => before(),
        (_, None) => after(at + 1),
    };
    super::wording::stems(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wording_tells_the_relation() {
        let check = |question: &str, want: Option<Relation>| {
            assert_eq!(Asked::new(question).relation, want, "{question}");
        };
        check("What is the impact of deforestation on Philippine forests?", Some(Relation::Effect));
        check("How does agroforestry benefit soil health?", Some(Relation::Effect));
        check("What are the benefits of organic farming?", Some(Relation::Effect));
        check("How does nano zinc oxide affect yield?", Some(Relation::Effect));
        check("What does smoking cause?", Some(Relation::Effect));
        check("What causes deforestation?", Some(Relation::Cause));
        check("Why did forests shrink?", Some(Relation::Cause));
        check("What factors affect consumer acceptability of brown rice?", Some(Relation::Cause));
        check("How many participants completed the trial?", Some(Relation::Number));
        check("What percentage of mice survived?", Some(Relation::Number));
        check("Is brisk walking better than slow walking?", Some(Relation::Comparison));
        check("What are the methods used for rice breeding?", Some(Relation::Method));
        check("How was blood pressure measured?", Some(Relation::Method));
        check("When did the programme begin?", Some(Relation::Time));
        check("Who has Kubernetes experience?", Some(Relation::Name));
        check("What is photosynthesis?", Some(Relation::Definition));
        check("Does the candidate have Kubernetes experience?", None);
        check("Ano-ano ang mga epekto ng mga plant growth regulator sa sili?", None);
    }

    #[test]
    fn the_topic_is_what_the_cause_or_effect_is_of() {
        let check = |question: &str, want: &[&str]| {
            let want: BTreeSet<String> = want.iter().map(|word| text::stem(word)).collect();
            assert_eq!(Asked::new(question).topic, want, "{question}");
        };
        check("What is the impact of deforestation on forests?", &["deforestation"]);
        check("How does walking affect blood pressure?", &["walking"]);
        check("What causes soil erosion in hills?", &["soil", "erosion"]);
        check(
            "What factors affect acceptability of brown rice?",
            &["affect", "acceptability", "brown", "rice"],
        );
        check("How many mice ran?", &[]);
    }
}
