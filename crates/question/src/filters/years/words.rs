//! Classes of words beside a year.

/// Whether a word says whose something is.
pub(super) fn is_pronoun(word: &str) -> bool {
    matches!(word, "his" | "her" | "their" | "its" | "our" | "my" | "your")
}

/// Whether a word is something that itself has a date: "samples from 2010".
pub(super) fn happens(word: &str) -> bool {
    word.ends_with("ed")
        || matches!(
            word,
            "data"
                | "sample"
                | "samples"
                | "people"
                | "patients"
                | "participants"
                | "children"
                | "adults"
                | "women"
                | "men"
                | "cases"
                | "cohort"
                | "cohorts"
                | "deaths"
                | "isolates"
                | "strains"
                | "records"
                | "outbreak"
                | "outbreaks"
                | "epidemic"
                | "pandemic"
                | "survey"
                | "surveys"
                | "census"
                | "season"
                | "events"
        )
}

/// Whether a word is a verb that says what publications state: a year before it ends its phrase ("studies from 2020
/// conclude").
pub(super) fn is_statement(word: &str) -> bool {
    matches!(
        word,
        "conclude"
            | "concludes"
            | "agree"
            | "agrees"
            | "disagree"
            | "deal"
            | "deals"
            | "compare"
            | "compares"
            | "examine"
            | "examines"
            | "investigate"
            | "investigates"
            | "address"
            | "addresses"
            | "focus"
            | "indicate"
            | "indicates"
            | "claim"
            | "claims"
            | "recommend"
            | "recommends"
            | "support"
            | "supports"
            | "link"
            | "links"
            | "test"
            | "tests"
            | "cover"
            | "covers"
    )
}
