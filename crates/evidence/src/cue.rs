//! Whether a sentence reports something or only announces it, told by its wording.
//!
//! Sentences on the aim of a study, and on what nobody has studied yet, share most words with a question and
//! answer none of them. They rank lower unless the question asks for an aim or a gap.

/// Wording of aims, in folded text.
const AIMS: [&str; 20] = [
    "aim of",
    "aims of",
    "aimed to",
    "aimed at",
    "aim was",
    "purpose of",
    "objective",
    "goal of",
    "hypothesi",
    "conducted to",
    "designed to",
    "study was to",
    "study investigat",
    "study examin",
    "we investigated",
    "we examined",
    "to determine whether",
    "to investigate",
    "examining whether",
    "in this paper we",
];

/// Wording of gaps, in folded text.
const GAPS: [&str; 16] = [
    "no study",
    "no studies",
    "no previous stud",
    "few studies",
    "further stud",
    "further research",
    "future stud",
    "future research",
    "more research",
    "more studies",
    "remains unclear",
    "remain unclear",
    "remains unknown",
    "remains to be",
    "little is known",
    "not well understood",
];

/// What follows "To" in the objective of a structured abstract: "To find out whether …".
const OBJECTIVES: [&str; 16] = [
    "find",
    "assess",
    "evaluate",
    "determine",
    "examine",
    "investigate",
    "compare",
    "test",
    "explore",
    "study",
    "describe",
    "identify",
    "estimate",
    "measure",
    "establish",
    "see",
];

/// Whether a sentence announces an aim or a gap instead of reporting something.
pub fn announces(sentence: &str) -> bool {
    let folded = text::fold::fold(sentence);
    announces_folded(folded.text()) || is_objective(folded.text())
}

/// Whether the sentence consists of an infinitive of purpose.
fn is_objective(folded: &str) -> bool {
    let mut words = folded.split_whitespace();
    // "To test this, we …" goes on with a statement.
    words.next() == Some("to")
        && words.next().is_some_and(|verb| OBJECTIVES.contains(&verb))
        && !folded.contains(", we ")
}

/// Whether folded text has one of these wordings; a feature of the fitted models.
pub(crate) fn announces_folded(folded: &str) -> bool {
    AIMS.iter().chain(&GAPS).any(|phrase| folded.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::announces;

    #[test]
    fn announcements_are_told_from_reports() {
        for sentence in [
            "the aim of this trial was to test brisk walking.",
            "we hypothesised that walking helps.",
            "further studies are needed in older adults.",
            "there was no study on the first dose.",
            "To find out whether walking helps.",
        ] {
            assert!(announces(sentence), "{sentence}");
        }
        for sentence in [
            "walking lowered blood pressure by 6 mmhg.",
            "no difference between the groups was found.",
            "To test this, we measured the pulse.",
            "",
        ] {
            assert!(!announces(sentence), "{sentence}");
        }
    }
}
