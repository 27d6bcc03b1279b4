//! Which sentences make an answer, how many, and in which order.

use crate::corpus::Corpus;
use crate::extractive::{QUERY, SLEEP, WALK, WEATHER, one, quotes};
use crate::promise::{ask, ask_with, settings};
use generate::ExtractiveSettings;
use types::{RagResponse, SectionKind::Results};

const ACROSS: &str = "What is known across studies on walking and blood pressure?";

/// Five sentences that share few words.
const FIVE: [&str; 5] = [
    WALK,
    SLEEP,
    WEATHER,
    "Adherence was high among the older men of the coast.",
    "Three nurses counted steps with small wooden tools.",
];

fn sources(answer: &RagResponse) -> Vec<&str> {
    let mut all: Vec<&str> = answer.citations.iter().map(|c| c.source_id.as_str()).collect();
    all.dedup();
    all
}

/// The places among [`FIVE`] that are quoted, with these settings.
fn quoted(probabilities: &[f32], settings: &ExtractiveSettings) -> Vec<usize> {
    let answer = ask_with(&one(&FIVE), QUERY, probabilities, settings);
    let place = |quote: &&str| FIVE.iter().position(|sentence| sentence == quote);
    quotes(&answer).iter().filter_map(place).collect()
}

#[test]
fn the_length_follows_the_probabilities() {
    let check = |probabilities: &[f32], want: &[usize]| {
        let found = quoted(probabilities, &settings());
        assert_eq!(found, want, "{probabilities:?}");
    };
    // One is likely enough, and no other is likely by itself.
    check(&[0.8, 0.49, 0.4, 0.3, 0.2], &[0]);
    check(&[0.75, 0.1, 0.1, 0.1, 0.1], &[0]);
    // 1 - 0.6 * 0.6 = 0.64, 1 - 0.6 * 0.6 * 0.6 = 0.784.
    check(&[0.4, 0.4, 0.4, 0.4, 0.4], &[0, 1, 2]);
    check(&[0.7, 0.2, 0.1, 0.1, 0.1], &[0, 1]);
    // Others that are likely by themselves are added all the same.
    check(&[0.9, 0.6, 0.5, 0.49, 0.1], &[0, 1, 2]);
    check(&[0.9; 5], &[0, 1, 2, 3, 4]);
    // Nothing is likely: all that there is.
    check(&[0.1; 5], &[0, 1, 2, 3, 4]);
}

#[test]
fn a_sentence_that_announces_an_aim_gives_way_to_one_that_reports() {
    let aim = "The aim of this trial was to test whether brisk walking lowers systolic blood pressure.";
    let corpus = one(&[aim, WALK, SLEEP]);
    let check = |query: &str, probabilities: &[f32], want: &[&str]| {
        assert_eq!(quotes(&ask(&corpus, query, probabilities)), want, "{query} {probabilities:?}");
    };
    check(QUERY, &[0.9, 0.6, 0.1], &[WALK]);
    // Nothing else is nearly as likely.
    check(QUERY, &[0.9, 0.2, 0.1], &[aim]);
    check("What was the aim of the trial of brisk walking?", &[0.9, 0.6, 0.1], &[aim, WALK]);
}

#[test]
fn the_settings_decide_the_length() {
    let check = |probabilities: [f32; 5], settings: ExtractiveSettings, want: usize| {
        let found = quoted(&probabilities, &settings);
        assert_eq!(found.len(), want, "{probabilities:?} {settings:?}");
    };
    let default = settings;
    let falling = [0.6, 0.5, 0.4, 0.3, 0.2];
    let enough = |enough: f32| ExtractiveSettings { enough, ..default() };
    check(falling, enough(0.6), 2);
    check(falling, enough(0.85), 3);
    check(falling, enough(1.0), 5);
    let likely = |likely: f32| ExtractiveSettings { likely, ..default() };
    check([0.9, 0.6, 0.5, 0.4, 0.3], likely(0.61), 1);
    check([0.9, 0.6, 0.5, 0.4, 0.3], likely(0.3), 5);
    let most = |max_sentences: usize| ExtractiveSettings {
        max_sentences,
        max_sentences_across: max_sentences,
        ..default()
    };
    check([0.1; 5], most(2), 2);
    check([0.9; 5], most(1), 1);
    check([0.9; 5], most(50), 5);
}

#[test]
fn the_best_sentence_is_first_and_the_others_follow_in_reading_order() {
    let found = quoted(&[0.5, 0.6, 0.1, 0.9, 0.55], &settings());
    assert_eq!(found, [3, 0, 1, 4]);
}

#[test]
fn the_sentences_of_a_paper_stand_together() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &FIVE[..2]).add("tandrik_2019", Results, 0, &FIVE[2..4]).add(
        "orvella_2021",
        Results,
        9,
        &FIVE[4..],
    );
    let answer = ask(&corpus, QUERY, &[0.6, 0.1, 0.9, 0.1, 0.7]);
    assert_eq!(quotes(&answer), [FIVE[2], FIVE[0], FIVE[4]]);
    assert_eq!(sources(&answer), ["tandrik_2019", "orvella_2021"]);
    assert_eq!(answer.answer.matches("\n\n").count(), 1, "a blank line between papers: {}", answer.answer);
}

#[test]
fn a_sentence_in_two_chunks_is_quoted_once() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 1, &[WALK, WEATHER]).add("orvella_2021", Results, 0, &[SLEEP, WALK]);
    let answer = ask(&corpus, QUERY, &[0.9, 0.1, 0.1, 0.9]);
    assert_eq!(quotes(&answer), [WALK]);
    assert_eq!(
        answer.citations[0].chunk_id.as_str(),
        "orvella_2021__results__000",
        "the chunk that is ranked first"
    );
}

#[test]
fn the_same_words_in_two_papers_are_quoted_once() {
    let mut corpus = Corpus::default();
    corpus.add("brin_2020", Results, 0, &[WALK]).add("orvella_2021", Results, 0, &[WALK]);
    let check = |query: &str, probabilities: &[f32], want: &str| {
        assert_eq!(sources(&ask(&corpus, query, probabilities)), [want], "{query}");
    };
    check(QUERY, &[0.9, 0.9], "brin_2020");
    check(QUERY, &[0.8, 0.9], "orvella_2021");
    check(ACROSS, &[0.9, 0.9], "brin_2020");
}

#[test]
fn a_question_across_studies_hears_several() {
    let mut corpus = one(&FIVE);
    corpus.add("tandrik_2019", Results, 0, &["In this cohort, walking was tied to lower blood pressure."]);
    let check = |query: &str, other: f32, max_sentences: usize, want: (&[&str], usize)| {
        let settings =
            ExtractiveSettings { max_sentences, max_sentences_across: max_sentences, ..settings() };
        let answer = ask_with(&corpus, query, &[0.9, 0.8, 0.7, 0.6, 0.5, other], &settings);
        assert_eq!(
            (sources(&answer).as_slice(), answer.citations.len()),
            want,
            "{query} {other} {max_sentences}: {answer:?}"
        );
    };
    let (first, both) = (&["orvella_2021"][..], &["orvella_2021", "tandrik_2019"][..]);
    check(QUERY, 0.28, 5, (first, 5));
    check(ACROSS, 0.28, 5, (both, 5));
    check(ACROSS, 0.28, 2, (both, 2));
    check(ACROSS, 0.28, 1, (first, 1));
    // Less than 0.3 of the best: the other paper has nothing to say.
    check(ACROSS, 0.26, 5, (first, 5));
}

#[test]
fn across_studies_nobody_is_heard_twice_before_all_are_heard() {
    let mut corpus = Corpus::default();
    for (source, group) in [("orvella_2021", "older"), ("tandrik_2019", "younger"), ("brin_2020", "trained")]
    {
        let first = format!("Across sites, walking lowered blood pressure in {group} adults of the north.");
        let second = format!("In most {group} women from the coast, the pulse fell as well.");
        corpus.add(source, Results, 0, &[&first, &second]);
    }
    corpus.add("solvey_2018", Results, 0, &[WEATHER]);
    let settings = ExtractiveSettings { enough: 1.0, ..settings() };
    let answer = ask_with(&corpus, ACROSS, &[0.5, 0.49, 0.48, 0.47, 0.46, 0.45, 0.2], &settings);
    assert_eq!((sources(&answer).len(), answer.citations.len()), (4, 5), "{answer:?}");
    assert_eq!(answer.answer.matches("\n\n").count(), 3, "{}", answer.answer);
}

#[test]
fn every_named_paper_is_heard() {
    let mut corpus = one(&[WALK]);
    corpus.add("tandrik_2019", Results, 0, &[SLEEP]).add("brin_2020", Results, 0, &[WEATHER]);
    let named = "Compare how far Orvella and Tandrik saw blood pressure fall by walking.";
    assert_eq!(
        sources(&ask(&corpus, named, &[0.9, 0.01, 0.4])),
        ["orvella_2021", "tandrik_2019"],
        "of the papers that are not named, none is asked"
    );
    assert_eq!(sources(&ask(&corpus, QUERY, &[0.9, 0.01, 0.4])), ["orvella_2021"]);
}

#[test]
fn what_cannot_be_quoted_is_passed_over() {
    let corpus = one(&[
        "Effects of brisk walking on blood pressure",
        "Does brisk walking lower systolic blood pressure in adults?",
        "Figure 2. Mean change of systolic blood pressure in both groups.",
        WALK,
    ]);
    let answer = ask(&corpus, QUERY, &[0.9, 0.9, 0.9, 0.2]);
    assert_eq!(quotes(&answer), [WALK]);
}

const WHO: &str = "Forty adults of the town took part in the walking group.";
const THEY: &str = "They walked for an hour on most days of the week.";

#[test]
fn a_sentence_that_points_back_brings_the_one_before_it() {
    let check = |sentences: &[&str], probabilities: &[f32], most: usize, want: &[&str]| {
        let settings = ExtractiveSettings { max_sentences: most, ..settings() };
        let answer = ask_with(&one(sentences), "How long did the adults walk?", probabilities, &settings);
        assert_eq!(quotes(&answer), want, "{sentences:?} {probabilities:?}");
    };
    check(&[WHO, THEY], &[0.1, 0.9], 5, &[WHO, THEY]);
    // There is no room for it.
    check(&[WHO, THEY], &[0.1, 0.9], 1, &[THEY]);
    // It is there already, and comes first whichever is more likely.
    check(&[WHO, THEY], &[0.6, 0.9], 5, &[WHO, THEY]);
    check(&[WHO, THEY], &[0.9, 0.6], 5, &[WHO, THEY]);
    check(&[WHO, THEY, WEATHER], &[0.6, 0.9, 0.7], 5, &[WHO, THEY, WEATHER]);
    // Nothing is before it, or nothing that can be quoted.
    check(&[THEY, WHO], &[0.9, 0.1], 5, &[THEY]);
    check(&["The walking group", THEY], &[0.1, 0.9], 5, &[THEY]);
    // It points nowhere.
    check(&[WHO, WEATHER], &[0.1, 0.9], 5, &[WEATHER]);
}
