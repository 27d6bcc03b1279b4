//! Questions about the library, not about what its papers say: "Which papers were published in 2020?"

use regex::RegexSet;
use std::sync::LazyLock;

const PAPERS: &str = "(papers?|articles?|documents?|publications?|sources)";

static ABOUT_LIBRARY: LazyLock<RegexSet> = LazyLock::new(|| {
    let library = "(the|my|this|our) (library|index|corpus|collection)";
    // "the study on garlic", but not "the study protocol".
    let one = format!(
        r"(the|this|that) (\w+ )?({PAPERS}|study|trial|review)(\W*$| (on|about|of|in|with|for|that|which)\b)"
    );
    let printed =
        format!(r"(the|this|that) (\w+ )?({PAPERS}|study|trial|review)\b.*\b(published|printed|written)\W*$");
    RegexSet::new([
        format!(r"(?i)^\W*who (wrote|authored|published|are the authors? of|is the (first )?author of) {one}"),
        format!(r"(?i)^\W*(when|(in )?(what|which) (year|journal)) (was|were) {printed}"),
        format!(r"(?i)^\W*(which|what|list( all)?|show( me)?( all)?)( of)?( the| my| our)? {PAPERS} (are|were|was|did) (published|written|authored|indexed|appear)\b"),
        format!(r"(?i)^\W*(which|what|list|show)( all| me| my)* {PAPERS} (are in {library}|are there|do (i|you|we) have|does {library} (have|hold|contain))\W*$"),
        format!(r"(?i)^\W*how many {PAPERS} (are (there|about|in {library})|do (i|you|we) have|does {library} (have|hold|contain))\b"),
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
            "How many documents are in my library?",
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
            "Who wrote the study protocol?",
            "How many papers in the review reported a benefit?",
            "How many articles have shown a benefit?",
        ] {
            assert!(!is_about_library(question), "{question}");
        }
    }
}
