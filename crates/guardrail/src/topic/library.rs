//! Questions about the library, not about what its papers say: "Which papers were published in 2020?"

use regex::RegexSet;
use std::sync::LazyLock;

const PAPERS: &str = "(papers?|articles?|documents?|publications?|sources)";

static ABOUT_LIBRARY: LazyLock<RegexSet> = LazyLock::new(|| {
    let holds =
        r"(in|have|are there|do (i|you|we) have|does (the|my|this) (library|index|corpus|collection))";
    RegexSet::new([
        format!(r"(?i)^\W*who (wrote|authored|published|are the authors? of|is the (first )?author of) (the|this|that) (\w+ )?({PAPERS}|study|trial|review)\b"),
        format!(r"(?i)^\W*(when|(in )?(what|which) (year|journal)) (was|were) (the|this|that) (\w+ )?({PAPERS}|study|trial|review)\b.*\b(published|printed|written)\W*$"),
        format!(r"(?i)^\W*(which|what|list( all)?|show( me)?( all)?)( of)?( the| my| our)? {PAPERS} (are|were|was|did) (published|written|authored|indexed|appear)\b"),
        format!(r"(?i)^\W*(which|what|list|show)( all| me| my)* {PAPERS} {holds}\b( the| my| this)?( (library|index|corpus|collection))?\W*$"),
        format!(r"(?i)^\W*how many {PAPERS} (are (there|about|on|by|from)|{holds}|were published (in|by) (\d|my))"),
    ])
    .expect("the patterns are valid")
});

pub(super) fn is_about_library(question: &str) -> bool {
    ABOUT_LIBRARY.is_match(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_told_from_what_papers_say() {
        for question in [
            "Who wrote the paper on shelter belts and lambs?",
            "When was the paper on garlic capsules published?",
            "Which papers were published in 2020?",
            "How many papers are about garlic?",
            "What papers do I have?",
            "In which journal was this article published?",
        ] {
            assert!(is_about_library(question), "{question}");
        }
        for question in [
            "Which papers report a lower blood pressure?",
            "How many studies were included in the review?",
            "How many articles did the search find?",
            "Which studies published after 2015 found a benefit?",
            "When was the trial of garlic stopped?",
            "Who wrote the questionnaire that the study used?",
        ] {
            assert!(!is_about_library(question), "{question}");
        }
    }
}
