//! Whether a sentence reports something or only announces it, told by its wording.
//!
//! Sentences on the aim of a study, and on what nobody has studied yet, share most words with a question and
//! answer none of them. They give way to others, unless it is an aim or a gap that is asked for.

/// Factor for a sentence that announces instead of reporting.
const ANNOUNCES: f32 = 0.75;

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

/// The factor of a sentence, given as folded text.
pub(super) fn factor(folded: &str) -> f32 {
    let announces = AIMS.iter().chain(&GAPS).any(|phrase| folded.contains(phrase));
    if announces { ANNOUNCES } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_told_from_reports() {
        let check = |sentence: &str, want: f32| assert!((factor(sentence) - want).abs() < 1e-6, "{sentence}");
        check("the aim of this trial was to test brisk walking.", ANNOUNCES);
        check("we hypothesised that walking helps.", ANNOUNCES);
        check("further studies are needed in older adults.", ANNOUNCES);
        check("there was no study on the first dose.", ANNOUNCES);
        check("walking lowered blood pressure by 6 mmhg.", 1.0);
        check("no difference between the groups was found.", 1.0);
        check("", 1.0);
    }
}
