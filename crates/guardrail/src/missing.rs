//! Sentences that say that something is not there.

use text::WordList;

/// What can lack something.
static SUBJECTS: WordList = WordList::new(
    "corpus source sources excerpt excerpts context passage passages paper papers document documents text texts
    literature material materials evidence information data study studies collection chunk chunks i we article
    articles result results mention",
);
/// What is denied of it.
static VERBS: WordList = WordList::new(
    "report mention contain include describe discuss address provide find found present cover name cite refer
    state specify identify identified available appear answer give say hold treat evidence information data show
    offer examine study locate",
);
/// Words that negate beyond those of every text.
static NEGATIONS: WordList =
    WordList::new("none nothing cannot absent missing unavailable unable lack lacks");

/// Whether a sentence says that what it names is not there: "the corpus does not report …", "I could not find
/// …". Such a sentence may name what only the question named.
pub(crate) fn says_missing(sentence: &str) -> bool {
    let words: Vec<String> = sentence
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let negates = |w: &str| NEGATIONS.contains(w) || text::is_negation(w);
    let says = |w: &str| {
        let stem = |end: &str| w.strip_suffix(end).is_some_and(|s| VERBS.contains(s));
        VERBS.contains(w) || stem("s") || stem("es") || stem("ed") || stem("d") || stem("ing")
    };
    let has = |test: &dyn Fn(&str) -> bool| words.iter().any(|w| test(w));
    has(&negates) && has(&says) && has(&|w| SUBJECTS.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_is_said_in_many_ways() {
        let check = |sentence: &str, want: bool| assert_eq!(says_missing(sentence), want, "{sentence:?}");
        check("The corpus does not report Zhang et al. 2021.", true);
        check("I could not find Zhang et al. in the excerpts.", true);
        check("None of the sources mentions metformin.", true);
        check("No evidence on metformin was found.", true);
        check("The papers didn't examine rapamycin.", true);
        check("Zhang et al. report that mice do not gain weight.", false);
        check("The corpus reports a rise of 12 %.", false);
        check("Exercise does not change BMI.", false);
        check("", false);
    }
}
