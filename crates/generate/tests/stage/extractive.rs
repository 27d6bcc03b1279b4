//! Answers from verbatim sentences.

use crate::corpus::{Corpus, vector};
use crate::promise::{ask, ask_by_terms, ask_with, holds};
use generate::{ExtractiveSettings, extractive};
use types::{
    Confidence, Evidence, RagResponse, RefusalReason,
    SectionKind::{Discussion, Methods, Results},
    Span,
};

fn quotes(answer: &RagResponse) -> Vec<&str> {
    answer
        .citations
        .iter()
        .map(|c| c.relevant_quote.as_str())
        .collect()
}

fn sources(answer: &RagResponse) -> Vec<&str> {
    let mut all: Vec<&str> = answer.citations.iter().map(|c| c.source_id.as_str()).collect();
    all.dedup();
    all
}

const WALK: &str = "Brisk walking lowered systolic blood pressure by 6 mmHg after twelve weeks.";
const SLEEP: &str = "Sleep duration did not change in any of the three groups.";

#[test]
fn the_relevant_sentence_is_quoted_with_its_mark() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Results,
        0,
        &[SLEEP, WALK, "The weather was mild during the whole year."],
    );
    let answer = ask(&corpus, "Does brisk walking lower systolic blood pressure?");
    assert_eq!(quotes(&answer), [WALK]);
    assert_eq!(
        answer.answer,
        format!("{WALK} (orvella_2021, orvella_2021__results__000)")
    );
    assert_eq!(answer.citations[0].page_start, Some(2));
    assert_eq!(answer.confidence, Confidence::Medium);
    assert!(
        answer
            .evidence_quality
            .starts_with("1 sentence quoted from 1 paper, chosen by similarity to the question (best 0.")
    );
    assert!(answer.caveats.is_empty());
}

#[test]
fn a_sentence_in_two_chunks_is_quoted_once_from_the_chunk_that_was_found() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[SLEEP]);
    corpus.add("orvella_2021", Results, 1, &[WALK]).expanded();
    corpus.add(
        "orvella_2021",
        Results,
        1,
        &[WALK, "The weather was mild during the whole year."],
    );
    let answer = ask(&corpus, "Does brisk walking lower systolic blood pressure?");
    assert_eq!(quotes(&answer), [WALK]);
    assert_eq!(
        answer.citations[0].chunk_id.as_str(),
        "orvella_2021__results__002"
    );
}

#[test]
fn the_same_words_in_two_papers_are_quoted_once() {
    let mut corpus = Corpus::default();
    corpus
        .add("brin_2020", Results, 0, &[WALK])
        .add("orvella_2021", Results, 0, &[WALK]);
    let answer = ask(&corpus, "Does brisk walking lower systolic blood pressure?");
    assert_eq!(sources(&answer), ["brin_2020"], "ties go to the first id");
}

#[test]
fn a_question_across_studies_hears_several() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Results,
        0,
        &[
            "Walking lowered blood pressure in the older adults of the first trial.",
            "Walking lowered blood pressure in the younger adults as well.",
            "Walking on hills lowered blood pressure still a little more.",
            "Walking in company lowered blood pressure as much as alone.",
            "Walking at night lowered blood pressure until the next noon.",
        ],
    );
    corpus.add(
        "tandrik_2019",
        Results,
        0,
        &["In this cohort, walking was not tied to lower blood pressure."],
    );
    let broad = ask(
        &corpus,
        "What is known across studies on walking and blood pressure?",
    );
    assert_eq!(sources(&broad), ["orvella_2021", "tandrik_2019"]);
    assert_eq!(
        broad.citations.len(),
        4,
        "three of five are the first paper's share: {broad:?}"
    );
    assert_eq!(
        broad.confidence,
        Confidence::Medium,
        "similar sentences of two papers are no proof of an answer"
    );
    let few = ExtractiveSettings {
        max_sentences: 2,
        ..ExtractiveSettings::default()
    };
    let short = ask_with(
        &corpus,
        "What is known across studies on walking and blood pressure?",
        &few,
    );
    assert_eq!(sources(&short), ["orvella_2021", "tandrik_2019"]);
}

#[test]
fn what_was_said_already_makes_room_for_something_else() {
    let said = "Brisk walking lowered systolic blood pressure by 6 mmHg after twelve weeks in the trial.";
    let again = "In the trial, brisk walking lowered systolic blood pressure by 6 mmHg in twelve weeks of spring and summer.";
    let other = "Walking lowered diastolic pressure by 2 mmHg.";
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[said, again, other]);
    let query = "How did brisk walking change systolic and diastolic blood pressure in the trial?";
    let two = |mmr_lambda: f32| {
        let settings = ExtractiveSettings {
            max_sentences: 2,
            relative_relevance: 0.2,
            mmr_lambda,
            ..ExtractiveSettings::default()
        };
        let answer = ask_with(&corpus, query, &settings);
        quotes(&answer).contains(&other)
    };
    assert!(two(0.3), "diversity lets the other finding in");
    assert!(!two(1.0), "relevance alone does not");
}

#[test]
fn across_studies_nobody_is_heard_twice_before_all_are_heard() {
    let mut corpus = Corpus::default();
    for (source, group) in [
        ("orvella_2021", "older"),
        ("tandrik_2019", "younger"),
        ("brin_2020", "trained"),
    ] {
        let first = format!("Across sites, walking lowered blood pressure in {group} adults of the north.");
        let second = format!("Across sites, walking lowered blood pressure in {group} women from the coast.");
        corpus.add(source, Results, 0, &[&first, &second]);
    }
    corpus.add(
        "solvey_2018",
        Results,
        0,
        &["After a long winter, some walking kept blood pressure as it was."],
    );
    let settings = ExtractiveSettings {
        mmr_lambda: 1.0,
        relative_relevance: 0.4,
        ..ExtractiveSettings::default()
    };
    let answer = ask_with(
        &corpus,
        "Across studies, does walking lower blood pressure?",
        &settings,
    );
    assert_eq!(
        (sources(&answer).len(), answer.citations.len()),
        (4, 5),
        "{answer:?}"
    );
    assert_eq!(
        answer.answer.matches("\n\n").count(),
        3,
        "a blank line between sources: {}",
        answer.answer
    );
}

#[test]
fn a_named_paper_speaks_first() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Results,
        0,
        &["Walking lowered blood pressure by 6 mmHg in the trial."],
    );
    corpus.add(
        "tandrik_2019",
        Results,
        0,
        &["Blood pressure fell by 2 mmHg after a year of walking."],
    );
    let check = |query: &str, want: &str| {
        assert_eq!(
            ask(&corpus, query).citations[0].source_id.as_str(),
            want,
            "{query}"
        );
    };
    check(
        "How far did walking lower blood pressure in Orvella et al. (2021)?",
        "orvella_2021",
    );
    check(
        "How far did walking lower blood pressure in Tandrik et al. (2019)?",
        "tandrik_2019",
    );
    let both = ask(
        &corpus,
        "Compare how far Orvella and Tandrik saw blood pressure fall by walking.",
    );
    assert_eq!(sources(&both).len(), 2);
}

#[test]
fn a_question_for_a_number_gets_one() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Results,
        0,
        &[
            "Many adults took part in the walking trial in the town.",
            "In all, 148 adults took part in the walking trial there.",
        ],
    );
    let answer = ask(&corpus, "How many adults took part in the walking trial?");
    assert!(quotes(&answer)[0].contains("148"), "{answer:?}");
}

#[test]
fn a_named_section_is_preferred() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Discussion,
        0,
        &["Blood pressure was measured while walking, as others did."],
    );
    corpus.add(
        "orvella_2021",
        Methods,
        9,
        &["Blood pressure was measured before and after each walking bout."],
    );
    let first = |query: &str| ask(&corpus, query).citations[0].section;
    assert_eq!(
        first("What do the authors say in the methods on blood pressure and walking?"),
        Some(Methods)
    );
    assert_eq!(
        first("What does the discussion section say on blood pressure and walking?"),
        Some(Discussion)
    );
}

#[test]
fn findings_go_before_aims_unless_an_aim_is_asked_for() {
    let aim = "The aim of this trial was to see whether brisk walking lowers systolic blood pressure.";
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[aim, WALK]);
    let check = |query: &str, want: &str| assert_eq!(quotes(&ask(&corpus, query))[0], want, "{query}");
    check(
        "In this trial, did brisk walking lower systolic blood pressure?",
        WALK,
    );
    check(
        "What was the aim of this trial on brisk walking and systolic blood pressure?",
        aim,
    );
}

#[test]
fn a_sentence_need_not_repeat_who_wrote_it_nor_how_much_was_asked() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[SLEEP]);
    let check = |query: &str| {
        let answer = ask_by_terms(&corpus, query);
        assert!(
            answer.evidence_quality.contains("(best share 1.00)"),
            "{query}: {answer:?}"
        );
    };
    check("What did Orvella et al. (2021) find on sleep?");
    check("How long was the sleep?");
    assert!(ask_by_terms(&corpus, "What did Tandrik et al. (2021) find on sleep?").no_evidence);
}

#[test]
fn a_title_alone_makes_no_sentence_relevant() {
    let mut corpus = Corpus::default();
    corpus.add(
        "orvella_2021",
        Results,
        0,
        &["The weather was mild during the whole year."],
    );
    corpus.titled("Brisk walking and systolic blood pressure");
    let answer = ask_by_terms(&corpus, "Does brisk walking lower systolic blood pressure?");
    assert!(answer.no_evidence, "{answer:?}");
}

#[test]
fn partial_evidence_is_hedged() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[WALK]);
    let query = "Does brisk walking lower systolic blood pressure?";
    let settings = ExtractiveSettings::default();
    let answer = corpus.asked(query, &vector(query), Evidence::Partial, |input| {
        extractive(input, &settings)
    });
    holds(&answer, &corpus, &settings);
    assert_eq!((answer.confidence, answer.caveats.len()), (Confidence::Low, 0));
    assert!(
        answer.answer.starts_with("Partial evidence:\n\nBrisk"),
        "{}",
        answer.answer
    );
}

#[test]
fn a_question_beside_the_corpus_is_refused_with_what_is_nearest() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[WALK, SLEEP]);
    let answer = ask(&corpus, "Which volcano erupted on Iceland last summer?");
    assert!(answer.no_evidence);
    assert!(
        answer
            .answer
            .starts_with("Your papers do not answer this: no sentence")
    );
    let reason = answer.refusal.as_ref().map(|r| r.reason);
    assert_eq!(reason, Some(RefusalReason::NotInPassages));
    assert!(
        answer.evidence_quality.contains("orvella_2021, results")
            && answer.evidence_quality.contains("0.30 is needed"),
        "{}",
        answer.evidence_quality
    );
    assert!(!answer.answer.contains("__"), "a refusal carries no mark");

    let empty = ask(
        &Corpus::default(),
        "Does brisk walking lower systolic blood pressure?",
    );
    assert_eq!(
        (empty.no_evidence, empty.evidence_quality.as_str()),
        (true, "no passage was found")
    );
}

#[test]
fn terms_alone_serve_without_vectors() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[SLEEP, WALK]);
    let query = "Does brisk walking lower systolic blood pressure?";
    let answer = ask_by_terms(&corpus, query);
    assert_eq!(quotes(&answer), [WALK]);
    assert!(
        answer.evidence_quality.contains("by the question's words"),
        "{}",
        answer.evidence_quality
    );
}

#[test]
fn a_long_sentence_stands_whole_and_its_quote_is_cut() {
    let long = format!(
        "After {} the adults of the walking group had a lower blood pressure than the others {}.",
        "a winter and ".repeat(10),
        "in the town ".repeat(10).trim()
    );
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[&long]);
    let answer = ask(&corpus, "Does walking lower blood pressure?");
    assert!(
        answer
            .answer
            .starts_with(long.split_whitespace().collect::<Vec<_>>().join(" ").as_str())
    );
    assert!(quotes(&answer)[0].contains("lower blood pressure"), "{answer:?}");
    assert!(quotes(&answer)[0].len() < long.len());
    let citation = &answer.citations[0];
    assert!(citation.cut_start && citation.cut_end, "{citation:?}");
    assert!(citation.shown_quote().starts_with("… ") && citation.shown_quote().ends_with(" …"));
}

#[test]
fn a_quote_shows_the_number_that_was_asked_for() {
    let long = format!(
        "Walkers were enrolled in the walking trial of the town after {} so that in all 148 walkers took part in it, {}.",
        "a winter and ".repeat(9),
        "none of them from the hills ".repeat(4).trim()
    );
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[&long]);
    let answer = ask(&corpus, "How many walkers were enrolled in the walking trial?");
    assert!(quotes(&answer)[0].contains("148"), "{answer:?}");
}

#[test]
fn one_weak_sentence_or_many_are_of_low_confidence() {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[WALK]);
    let strict = ExtractiveSettings {
        explicit_relevance: 1.0,
        ..ExtractiveSettings::default()
    };
    let query = "Does brisk walking lower systolic blood pressure?";
    assert_eq!(ask_with(&corpus, query, &strict).confidence, Confidence::Low);
    corpus.add(
        "tandrik_2019",
        Results,
        0,
        &["Brisk walking kept the systolic blood pressure of others as it was."],
    );
    assert_eq!(ask_with(&corpus, query, &strict).confidence, Confidence::Low);
}

#[test]
fn line_breaks_of_the_page_stay_in_the_quote_only() {
    let text = "Brisk walking lowered\nsystolic blood pressure\u{1b} in adults.".to_owned();
    let span = Span::new(0, text.len());
    let mut corpus = Corpus::default();
    corpus.add_text("orvella_2021", Results, 0, text.clone(), &[span]);
    let answer = ask(&corpus, "Does brisk walking lower systolic blood pressure?");
    assert_eq!(quotes(&answer), [text.as_str()]);
    assert!(
        answer
            .answer
            .starts_with("Brisk walking lowered systolic blood pressure in adults. (")
    );
}

#[test]
fn a_store_that_errs_does_no_harm() {
    let query = "Does brisk walking lower systolic blood pressure?";
    for lies in [
        vec![],
        vec![f32::NAN; 2],
        vec![f32::INFINITY; 2],
        vec![-3.0, 7.0],
        vec![0.5; 9],
    ] {
        let mut corpus = Corpus::default();
        corpus.lies = Some(lies);
        corpus.add("orvella_2021", Results, 0, &[SLEEP, WALK]);
        ask(&corpus, query);
    }
    let odd = ExtractiveSettings {
        max_sentences: 1,
        min_relevance: f32::NAN,
        relative_relevance: f32::NAN,
        lexical_weight: 9.0,
        chunk_weight: -1.0,
        mmr_lambda: f32::NAN,
        source_penalty: f32::INFINITY,
        ..ExtractiveSettings::default()
    };
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, &[SLEEP, WALK]);
    ask_with(&corpus, query, &odd);
}
