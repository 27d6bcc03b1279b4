//! What the wording of a question asks for.

use text::fold::fold;
use types::{QuestionKind, SectionKind};

/// Phrases that ask for a number.
const NUMBER: [&str; 31] = [
    "how many",
    "how much",
    "how long",
    "how often",
    "how large",
    "how big",
    "how old",
    "how far",
    "how high",
    "how low",
    "how fast",
    "how great",
    "how strong",
    "what dose",
    "what doses",
    "which dose",
    "dosage",
    "what percentage",
    "what proportion",
    "what fraction",
    "what share",
    "percent",
    "number of",
    "sample size",
    "what age",
    "what rate",
    "what value",
    "effect size",
    "hazard ratio",
    "odds ratio",
    "prevalence",
];

/// Phrases that ask for more than one source.
const ACROSS: [&str; 18] = [
    "across",
    "studies",
    "papers",
    "trials",
    "sources",
    "articles",
    "literature",
    "compare",
    "comparison",
    "contrast",
    "agree",
    "disagree",
    "agreement",
    "disagreement",
    "consensus",
    "contradict",
    "conflicting",
    "consistent",
];

/// Words that name a section, each with the section's kind.
const SECTIONS: [(&str, SectionKind); 16] = [
    ("abstract", SectionKind::Abstract),
    ("introduction", SectionKind::Introduction),
    ("background", SectionKind::Background),
    ("related work", SectionKind::Background),
    ("method", SectionKind::Methods),
    ("methods", SectionKind::Methods),
    ("methodology", SectionKind::Methods),
    ("materials and methods", SectionKind::Methods),
    ("results", SectionKind::Results),
    ("result", SectionKind::Results),
    ("findings", SectionKind::Results),
    ("discussion", SectionKind::Discussion),
    ("limitations", SectionKind::Discussion),
    ("conclusion", SectionKind::Conclusion),
    ("conclusions", SectionKind::Conclusion),
    ("outlook", SectionKind::Conclusion),
];

/// The question as folded words between single spaces, with a space at both ends.
pub(crate) fn words(query: &str) -> String {
    let folded = fold(query);
    let mut out = String::from(" ");
    for word in folded
        .text()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        out.push_str(word);
        out.push(' ');
    }
    out
}

fn has(words: &str, phrase: &str) -> bool {
    words
        .match_indices(phrase)
        .any(|(at, _)| words[..at].ends_with(' ') && words[at + phrase.len()..].starts_with(' '))
}

/// The section that the wording names: "in the methods", "the methods section". The word alone is not enough:
/// "which methods lower blood pressure" is not about a section.
pub(crate) fn section(words: &str) -> Option<SectionKind> {
    let points_at = |name: &str| {
        let before = [
            "in the",
            "in its",
            "in their",
            "from the",
            "according to the",
            "under the",
        ];
        has(words, &format!("{name} section")) || before.iter().any(|b| has(words, &format!("{b} {name}")))
    };
    SECTIONS
        .iter()
        .find(|(name, _)| points_at(name))
        .map(|(_, kind)| *kind)
}

/// Words of a question that asks for the aim of a study or a gap in knowledge.
const ASKED: [&str; 16] = [
    "aim",
    "aims",
    "purpose",
    "objective",
    "objectives",
    "goal",
    "goals",
    "hypothesis",
    "hypotheses",
    "gap",
    "gaps",
    "future",
    "unclear",
    "unknown",
    "limitations",
    "investigated",
];

/// What a question asks for; `words` is the result of [`words`].
pub(crate) fn kind(words: &str) -> QuestionKind {
    QuestionKind {
        number: NUMBER.iter().any(|phrase| has(words, phrase)),
        aim: words.split_whitespace().any(|word| ASKED.contains(&word)),
        across: ACROSS.iter().any(|phrase| has(words, phrase)),
    }
}

/// Whether the word at byte `at` follows "how": "how long" asks for a number, and an answer need not contain "long".
pub(crate) fn follows_how(query: &str, at: usize) -> bool {
    let before = query.get(..at).unwrap_or_default().trim_end();
    let word = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    word.eq_ignore_ascii_case("how")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_is_followed_by_a_measure() {
        let check = |query: &str, word: &str, want: bool| {
            let at = query.find(word).expect("the word is there");
            assert_eq!(follows_how(query, at), want, "{query}");
        };
        check("How long do they live?", "long", true);
        check("And how  many?", "many", true);
        check("A long life", "long", false);
        check("Show long lists", "long", false);
        check("long", "long", false);
    }

    #[test]
    fn wording_gives_hints() {
        let check = |query: &str, number: bool, across: bool, section_hint: Option<SectionKind>| {
            let words = words(query);
            let asked = kind(&words);
            assert_eq!(asked.number, number, "number: {query}");
            assert_eq!(asked.across, across, "across: {query}");
            assert_eq!(section(&words), section_hint, "section: {query}");
        };
        check("How many adults took part?", true, false, None);
        check("What DOSE was given?", true, false, None);
        check("Show many things", false, false, None);
        check("What is reported across studies?", false, true, None);
        check("Do the papers agree on how much protein helps?", true, true, None);
        check(
            "What is said in the methods of Orvella?",
            false,
            false,
            Some(SectionKind::Methods),
        );
        check(
            "Summarise the discussion section.",
            false,
            false,
            Some(SectionKind::Discussion),
        );
        check("Which methods lower blood pressure?", false, false, None);
        check("Were acrossing words or paperss found?", false, false, None);
        check("", false, false, None);
    }

    #[test]
    fn a_question_may_ask_for_an_aim_or_a_gap() {
        let check = |query: &str, want: bool| assert_eq!(kind(&words(query)).aim, want, "{query}");
        check("What was the aim of the trial?", true);
        check("Which gaps do they name?", true);
        check("Does walking help?", false);
    }
}
