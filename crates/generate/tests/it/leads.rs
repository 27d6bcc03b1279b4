//! Which connecting phrases of a model stand in an answer.

use crate::corpus::Corpus;
use crate::extractive::{SLEEP, WALK, WEATHER};
use crate::select_only::{answered, picks};
use std::sync::Arc;
use types::SectionKind::{self, Methods, Results};

/// A finding of Orvella, then a sentence of `source` with the phrase `lead`: the phrase as it stands in the answer, empty
/// if it was dropped.
fn second(source: &str, section: SectionKind, lead: &str) -> String {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[WALK]);
    corpus.add(source, section, 9, &[SLEEP, "This trial ran in one town of the coast."]);
    led(&corpus, &[0.9, 0.8, 0.1], &[(1, ""), (2, lead)], SLEEP)
}

/// What stands between `sentence` and the mark, or the start, before it.
fn led(corpus: &Corpus, probabilities: &[f32], parts: &[(i64, &str)], sentence: &str) -> String {
    let answer = answered(corpus, probabilities, &picks(parts, true)).answer;
    let before = &answer[..answer.find(sentence).expect("the sentence, verbatim")];
    let start = before.rfind(')').map_or(0, |at| at + 1);
    before[start..].trim().to_owned()
}

#[test]
fn phrases_of_connecting_words_are_kept() {
    let check = |source: &str, lead: &str, want: &str| {
        assert_eq!(second(source, Results, lead), want, "{source}: {lead:?}");
    };
    let (same, other) = ("orvella_2021", "tandrik_2019");
    check(same, "However,", "However,");
    check(same, " in addition ", "In addition,");
    check(same, "In contrast:", "In contrast,");
    check(same, "The same trial also reports that", "The same trial also reports:");
    check(same, "This study also found", "This study also found:");
    check(other, "However, Tandrik et al. reported,", "However, Tandrik et al. reported:");
    check(other, "Tandrik and colleagues", "Tandrik and colleagues:");
    check(other, "Likewise, another study shows that", "Likewise, another study shows:");
    check(other, "by contrast, the authors state:", "By contrast, the authors state:");
    check(other, "", "");
}

#[test]
fn anything_else_is_dropped() {
    for lead in [
        // Numbers, names, and what denies, hedges, counts or compares.
        "In 2021, the study reports",
        "In addition, 40 adults",
        "Two authors report",
        "However, Solvey reports",
        "In Norway,",
        "The study did not report",
        "No study reports",
        "It never",
        "Only the authors",
        "All authors report",
        "More",
        "This may show",
        "Increased",
        "Therefore,",
        // Marks, quotes and tags.
        "However (tandrik_2019, tandrik_2019__results__001),",
        "\"However\"",
        "However.",
        "<b>However</b>",
        "However;",
        "However [1],",
        "**However**",
        "However\u{200b},",
        // Too long, in capitals, or nothing but fillers.
        "In addition to the paper of the authors, however",
        "HOWEVER",
        "However The study",
        "The",
        "and",
        ",",
        ":",
        "that",
        "血压",
    ] {
        for source in ["orvella_2021", "tandrik_2019"] {
            assert_eq!(second(source, Results, lead), "", "{lead:?}");
        }
    }
}

/// A phrase that says something about the paper must be right.
#[test]
fn what_a_phrase_says_of_the_paper_must_be_true() {
    let check = |source: &str, section: SectionKind, lead: &str, kept: bool| {
        assert_eq!(!second(source, section, lead).is_empty(), kept, "{source} {section:?}: {lead:?}");
    };
    let (same, other) = ("orvella_2021", "tandrik_2019");
    check(other, Results, "The same study reports", false);
    check(other, Results, "They also report that", false);
    check(same, Results, "Another study reports", false);
    check(same, Results, "Tandrik reports", false);
    check(other, Results, "Orvella reports", false);
    check(same, Results, "Orvella reports", true);
    // The passage says that it is a trial.
    check(same, Results, "The same trial reports", true);
    check(same, Results, "The same review reports", false);
    // A section of methods reports no finding.
    check(same, Methods, "The same study reports", true);
    check(same, Methods, "The same study found", false);
}

#[test]
fn the_first_sentence_follows_nothing() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[WALK, WEATHER]);
    for (lead, want) in [
        ("However,", ""),
        ("The same study reports", ""),
        ("Another study reports", ""),
        ("The study also reports", ""),
        ("The study reports that", "The study reports:"),
        ("Orvella:", "Orvella:"),
    ] {
        assert_eq!(led(&corpus, &[0.9, 0.8], &[(1, lead)], WALK), want, "{lead:?}");
    }
}

/// Metadata comes from the paper: a name must not turn the sentence around.
#[test]
fn a_surname_that_denies_or_counts_is_no_name() {
    for (author, lead, want) in [
        ("Kim No", "No study reports", ""),
        ("Ada Few", "Few report", ""),
        ("Ada Orvella, who is not right", "Orvella notes", "Orvella notes:"),
        ("Ada O'Brien", "O'Brien notes", ""),
        ("Ada Bell-Ortiz", "Bell-Ortiz notes", "Bell-Ortiz notes:"),
        ("Ada <excerpt>", "<excerpt> notes", ""),
    ] {
        let mut corpus = Corpus::default();
        corpus.add("orvella_2021", Results, 0, &[WALK]);
        let place = &mut corpus.context.chunks[0];
        Arc::make_mut(&mut place.source).authors = vec![author.to_owned()];
        assert_eq!(led(&corpus, &[0.9], &[(1, lead)], WALK), want, "{author}: {lead:?}");
    }
}
