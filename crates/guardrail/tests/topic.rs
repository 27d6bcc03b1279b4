//! The topic check on an invented corpus.
#![allow(missing_docs)]

mod common;

use common::{Corpus, answer, check_topic, context, features, features_with_form};
use guardrail::{Features, Topic, TopicRule, TopicSettings, Verdict, hedge, judge};
use types::{Confidence, Context, RefusalReason};

fn corpus(similarity: f32) -> Corpus {
    Corpus::new(
        &[
            ("walking", 20),
            ("weight", 30),
            ("smoking", 3),
            ("muscle", 10),
            ("sleep", 15),
            ("lifespan", 8),
        ],
        similarity,
    )
}

/// The rule of terms and similarity, with cut-offs that lie further apart than those of the pipeline, to meet every verdict on a corpus this small.
fn wide() -> TopicSettings {
    TopicSettings {
        rule: TopicRule::Evidence,
        coverage_refuse: 0.5,
        coverage_answer: 0.75,
        similarity_refuse: 0.4,
        similarity_answer: 0.55,
        refuse_absent_entities: false,
        ..TopicSettings::default()
    }
}

fn ask(query: &str, similarity: f32) -> Topic {
    check_topic(query, &[1.0], &context(), &corpus(similarity), &wide())
}

fn measure(query: &str, vector: &[f32], context: &Context, similarity: f32) -> Features {
    features(query, vector, context, &corpus(similarity))
}

#[test]
fn refusals_give_their_reason_once() {
    let check = |query: &str, similarity: f32, want: RefusalReason, said: &str| {
        let settings = TopicSettings {
            refuse_absent_entities: true,
            ..wide()
        };
        let topic = check_topic(query, &[1.0], &context(), &corpus(similarity), &settings);
        let refusal = topic.refusal();
        assert_eq!(
            refusal.refusal.as_ref().map(|r| r.reason),
            Some(want),
            "{topic:?}"
        );
        assert_eq!(refusal.answer, said);
        assert!(
            refusal.caveats.is_empty() && !refusal.evidence_quality.contains("-0"),
            "{refusal:?}"
        );
    };
    check(
        "What is the effect of telomere?",
        0.1,
        RefusalReason::LowCoverage,
        "No answer found in your papers: nothing retrieved mentions \"telomere\".",
    );
    check(
        "Does walking change weight in Zhang et al. 2021?",
        0.7,
        RefusalReason::UnknownSource,
        "No answer found in your papers: no paper by Zhang et al. 2021 is in the index.",
    );
    check(
        "Does walking change weight through FOXO3?",
        0.7,
        RefusalReason::AbsentTerm,
        "No answer found in your papers: they never mention \"FOXO3\".",
    );
    check(
        "?!",
        0.1,
        RefusalReason::LowCoverage,
        "No answer found in your papers: no passage found in them is likely to answer it.",
    );
}

#[test]
fn a_term_is_found_by_its_other_form_in_one_text() {
    let check = |form: &str, coverage: f32, missing: &[&str]| {
        let found = features_with_form("BW and lifespan", form, &context(), &corpus(0.5));
        let near = |value: Option<f32>, want: f32| value.is_some_and(|value| (value - want).abs() < 1e-4);
        assert!(near(found.coverage, coverage), "{form}: {found:?}");
        assert_eq!(found.missing, missing, "{form}");
    };
    let without = features("BW and lifespan", &[1.0], &context(), &corpus(0.5));
    let part = without.coverage.expect("terms");
    assert!(part < 0.5, "{without:?}");
    // A form of two words weighs as much as its abbreviation.
    check("body weight", 1.0, &[]);
    check("body mass", part, &["BW"]);
    // Both words are in the context, but in different chunks.
    check("body lifespan", part, &["BW"]);
}

#[test]
fn three_verdicts() {
    let check = |query: &str, similarity: f32, want: Verdict| {
        let topic = ask(query, similarity);
        assert_eq!(topic.verdict, want, "{query:?} at {similarity}: {topic:?}");
        assert_eq!(topic.has_sufficient_evidence(), want != Verdict::Refuse);
        assert_eq!(topic.actions.is_empty(), want == Verdict::Answer);
    };
    check("Does walking change body weight?", 0.7, Verdict::Answer);
    check("Does walking change body weight?", 0.45, Verdict::Answer);
    check("What is the colour of the sky?", 0.1, Verdict::Refuse);
    // Words without similarity, similarity without words: neither alone is enough to refuse.
    check("Does walking change body weight?", 0.1, Verdict::Partial);
    check("What of quantum chromodynamics?", 0.7, Verdict::Partial);
    // Touched in passing.
    check("Does smoking cessation prolong lifespan?", 0.5, Verdict::Partial);
    // Sources that do not exist, though the subject does.
    check(
        "What does Zhang et al. 2021 say of walking and weight?",
        0.7,
        Verdict::Refuse,
    );
    check(
        "Does walking change weight in Tandrik et al. 2021?",
        0.7,
        Verdict::Answer,
    );
    check(
        "Does walking change weight in Tandrik et al. (2012)?",
        0.7,
        Verdict::Refuse,
    );
    check(
        "Compare walking and weight in Tandrik et al. 2021 and Zhang et al. 2020",
        0.7,
        Verdict::Partial,
    );
    // Things that the corpus never mentions.
    check(
        "Does walking change body weight through FOXO3?",
        0.7,
        Verdict::Partial,
    );
    check(
        "Does walking change body weight through AMPK?",
        0.7,
        Verdict::Answer,
    );
    // Another language than the corpus's is judged by similarity alone.
    check(
        "¿Cuál es el efecto de caminar sobre el peso de los adultos mayores?",
        0.7,
        Verdict::Answer,
    );
    check(
        "¿Cuál es el efecto de caminar sobre el peso de los adultos mayores?",
        0.1,
        Verdict::Refuse,
    );
    // Nothing to judge by.
    check("", 0.7, Verdict::Answer);
    check("?!", 0.1, Verdict::Refuse);
}

#[test]
fn nothing_retrieved_is_refused_and_says_so() {
    let topic = check_topic(
        "walking",
        &[1.0],
        &Context::default(),
        &corpus(0.9),
        &TopicSettings::default(),
    );
    assert_eq!(topic.verdict, Verdict::Refuse);
    let refusal = topic.refusal();
    assert!(refusal.no_evidence && refusal.validate().is_ok() && refusal.refusal.is_some());
    assert!(
        ask("What does Zhang et al. 2021 say?", 0.7)
            .refusal()
            .answer
            .contains("Zhang et al. 2021")
    );
    assert!(
        ask("What is the colour of the sky?", 0.1)
            .refusal()
            .answer
            .contains("nothing retrieved mentions \"colour\", \"sky\"")
    );
    // A question that could not be matched is no proof that the corpus is silent.
    let foreign = ask(
        "¿Cuál es el efecto de caminar sobre el peso de los adultos mayores?",
        0.1,
    )
    .refusal();
    assert!(
        foreign.answer.contains("language of the papers") && !foreign.answer.contains("do not answer"),
        "{foreign:?}"
    );
}

#[test]
fn a_thing_that_the_corpus_never_mentions_can_be_refused() {
    let settings = TopicSettings {
        refuse_absent_entities: true,
        ..wide()
    };
    let topic = check_topic(
        "Does walking change weight through FOXO3?",
        &[1.0],
        &context(),
        &corpus(0.7),
        &settings,
    );
    assert_eq!(
        (topic.verdict, topic.features.absent_entities.as_slice()),
        (Verdict::Refuse, &["FOXO3".to_owned()][..])
    );
    assert!(topic.refusal().answer.contains("FOXO3"), "{topic:?}");
}

#[test]
fn features_are_worked_by_hand() {
    let f = measure("walking, walking, without cessation", &[1.0], &context(), 0.25);
    // idf(walking) = ln(1 + 80.5 / 20.5), idf(cessation) = ln(1 + 100.5 / 0.5).
    let (walking, cessation) = ((1.0_f32 + 80.5 / 20.5).ln(), (1.0_f32 + 100.5 / 0.5).ln());
    let want = walking / (walking + cessation);
    let close = |got: Option<f32>, want: f32| got.is_some_and(|g| (g - want).abs() < 1e-5);
    assert!(
        close(f.coverage, want) && close(f.best_sentence_coverage, want) && close(f.similarity, 0.25),
        "{f:?}"
    );
    assert_eq!(
        (f.missing, f.absent, f.candidates),
        (vec!["cessation".to_owned()], vec!["cessation".to_owned()], 3)
    );
    // In one sentence less than in the context; found in title and authors; no vector, no similarity.
    let f = measure("insulin weight fitness Solvik", &[], &context(), 0.9);
    assert!(
        close(f.coverage, 1.0) && f.missing.is_empty() && f.similarity.is_none(),
        "{f:?}"
    );
    assert!(f.best_sentence_coverage.is_some_and(|b| b < 0.5), "{f:?}");
}

#[test]
fn a_paper_of_unknown_authors_may_be_the_one_that_is_named() {
    let meta = common::source("upload_17", "Walking", &[], Some(2021));
    let context = Context {
        chunks: vec![common::chunk(&meta, 0, &["Walking lowers weight."])],
    };
    let check = |query: &str, want: Verdict| {
        let topic = check_topic(query, &[1.0], &context, &corpus(0.7), &wide());
        assert_eq!(topic.verdict, want, "{query}: {topic:?}");
    };
    check(
        "Does walking lower weight in Zhang et al. 2021?",
        Verdict::Partial,
    );
    check("Does walking lower weight in Zhang et al. 2010?", Verdict::Refuse);
}

#[test]
fn a_source_that_a_paper_mentions_is_known() {
    let meta = common::source("a", "A", &["Ada Okafor"], Some(2020));
    let context = Context {
        chunks: vec![common::chunk(
            &meta,
            0,
            &["As Zhang et al. (2021) found, walking helps."],
        )],
    };
    let check = |query: &str, want: &[&str]| {
        assert_eq!(
            measure(query, &[], &context, 0.5).unknown_sources,
            want,
            "{query}"
        );
    };
    check("Zhang et al. 2021", &[]);
    check("Zhang et al.", &[]);
    check("Zhang et al. 2014", &["Zhang et al. 2014"]);
    check("Hang et al. 2021", &["Hang et al. 2021"]);
}

#[test]
fn more_evidence_never_makes_the_verdict_worse() {
    let rank = |v: Verdict| match v {
        Verdict::Refuse => 0,
        Verdict::Partial => 1,
        Verdict::Answer => 2,
    };
    let settings = TopicSettings {
        rule: TopicRule::Evidence,
        ..TopicSettings::default()
    };
    let steps: Vec<f32> = (0..=20_u8).map(|i| f32::from(i) / 20.0).collect();
    let verdict = |coverage: Option<f32>, similarity: Option<f32>| {
        rank(
            judge(
                &Features {
                    candidates: 1,
                    coverage,
                    similarity,
                    ..Features::default()
                },
                &settings,
            )
            .0,
        )
    };
    for fixed in steps.iter().map(|s| Some(*s)).chain([None]) {
        for pair in steps.windows(2) {
            assert!(
                verdict(Some(pair[0]), fixed) <= verdict(Some(pair[1]), fixed),
                "coverage {pair:?} at {fixed:?}"
            );
            assert!(
                verdict(fixed, Some(pair[0])) <= verdict(fixed, Some(pair[1])),
                "similarity {pair:?} at {fixed:?}"
            );
        }
    }
}

#[test]
fn a_partial_answer_is_held_to_low_confidence() {
    let partial = ask("Does smoking cessation prolong lifespan?", 0.5);
    let held = hedge(answer("It may.", Vec::new()), &partial);
    assert_eq!(
        (
            held.response.confidence,
            held.actions.len(),
            held.response.caveats.len()
        ),
        (Confidence::Low, 1, 1)
    );
    let full = ask("Does walking change body weight?", 0.7);
    let free = hedge(answer("It does not.", Vec::new()), &full);
    assert_eq!(
        (free.response.confidence, free.actions.len()),
        (Confidence::High, 0)
    );
}
