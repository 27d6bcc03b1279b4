//! The topic check on an invented corpus.

use crate::common;
use crate::common::{
    Corpus, answer, check_estimated, check_topic, context, estimated, features, features_with_form,
};
use guardrail::{Features, Topic, TopicRule, TopicSettings, Verdict, hedge};
use types::{Confidence, Context, Filter, Mode, Question, RefusalReason, TermStatistics};

const QUERY: &str = "Does walking change body weight?";
const SPANISH: &str = "¿Cuál es el efecto de caminar sobre el peso de los adultos mayores?";

/// Cut-offs at which no rounding is in the way.
fn settings() -> TopicSettings {
    TopicSettings { refuse_below: 0.25, partial_below: 0.5, ..TopicSettings::default() }
}

fn corpus() -> Corpus {
    Corpus::new(&[("walking", 20), ("weight", 30), ("muscle", 10)], 0.1)
}

fn wide_corpus(similarity: f32) -> Corpus {
    Corpus::new(
        &[("walking", 20), ("weight", 30), ("smoking", 3), ("muscle", 10), ("sleep", 15), ("lifespan", 8)],
        similarity,
    )
}

fn ask_in(query: &str, context: &Context, probabilities: (f32, f32), settings: &TopicSettings) -> Topic {
    let (answerable, probability) = probabilities;
    let ranking = estimated(answerable, probability);
    check_estimated(query, &[1.0], context, &corpus(), &ranking, settings)
}

fn ask(query: &str, answerable: f32, probability: f32) -> Topic {
    ask_in(query, &context(), (answerable, probability), &settings())
}

fn measure(query: &str, vector: &[f32], context: &Context, similarity: f32) -> Features {
    features(query, vector, context, &wide_corpus(similarity))
}

#[test]
fn both_cut_offs_decide() {
    let check = |answerable: f32, probability: f32, want: Verdict| {
        let topic = ask(QUERY, answerable, probability);
        assert_eq!(topic.verdict, want, "{answerable} {probability}: {topic:?}");
        assert_eq!(topic.has_sufficient_evidence(), want != Verdict::Refuse);
        let verbs: Vec<&str> = topic.actions.iter().map(|a| a.action.as_str()).collect();
        let wanted: &[&str] = match want {
            Verdict::Answer => &[],
            Verdict::Partial => &["hedged"],
            Verdict::Refuse => &["refused"],
        };
        assert_eq!(verbs, wanted);
    };
    check(0.25, 0.5, Verdict::Answer);
    check(1.0, 1.0, Verdict::Answer);
    check(0.25, 0.49, Verdict::Partial);
    check(1.0, 0.0, Verdict::Partial);
    check(0.24, 0.49, Verdict::Refuse);
    check(0.24, 1.0, Verdict::Refuse);
    check(0.0, 0.0, Verdict::Refuse);
}

#[test]
fn an_everyday_word_that_no_paper_contains_is_no_reason() {
    let query = "Does the quinoa of the Nigerian study change body weight?";
    let topic = ask(query, 0.31, 1.0);
    assert_eq!(topic.verdict, Verdict::Answer, "{topic:?}");
    let refusal = ask(query, 0.1, 1.0).refusal();
    assert!(!refusal.answer.contains("quinoa") && !refusal.answer.contains("Nigerian"), "{refusal:?}");
}

#[test]
fn reasons_give_the_probabilities() {
    let topic = ask(QUERY, 0.75, 0.125);
    let said = "estimated probability of an answer: 0.75 in the papers, 0.12 in the best sentences";
    assert_eq!(topic.reason, said);
    assert_eq!((topic.features.answerable, topic.features.probability), (0.75, 0.125));
    let refusal = ask(QUERY, 0.125, 0.75).refusal();
    assert_eq!(refusal.answer, "No answer found in your papers: nothing found is likely to answer it.");
    assert!(
        refusal.evidence_quality.contains("0.12 in the papers, 0.75 in the best sentences"),
        "{refusal:?}"
    );
    let reason = |refusal: &types::RagResponse| refusal.refusal.as_ref().map(|r| r.reason);
    assert_eq!(reason(&refusal), Some(RefusalReason::LowCoverage));
}

#[test]
fn a_language_model_is_asked_before_a_refusal() {
    let topic = ask("Does walking prolong telomeres?", 0.1, 0.1);
    assert_eq!(topic.verdict, Verdict::Refuse);
    let asking = topic.asking_first();
    assert_eq!((asking.verdict, asking.actions.len()), (Verdict::Answer, 0));
    let absent = ask("Does walking lower PDE4B?", 0.1, 0.1);
    let asking = absent.asking_first();
    assert_eq!((asking.verdict, asking.actions[0].action.as_str()), (Verdict::Partial, "hedged"));
    let keywords = TopicSettings { rule: TopicRule::Keywords, ..settings() };
    let topic = ask_in("What is the colour of the sky?", &context(), (1.0, 1.0), &keywords);
    assert_eq!(topic.asking_first().verdict, Verdict::Refuse, "the earlier system refuses");
    let unknown = ask("What did Zhang et al. 1999 find on walking?", 0.9, 0.9);
    assert_eq!(unknown.verdict, Verdict::Refuse);
    assert_eq!(unknown.asking_first().verdict, Verdict::Refuse, "no such paper");
}

#[test]
fn the_rule_of_the_earlier_system_gives_what_it_decides_from() {
    let settings = TopicSettings { rule: TopicRule::Keywords, ..settings() };
    let topic = ask_in("What is the colour of the sky?", &context(), (1.0, 1.0), &settings);
    assert_eq!(topic.verdict, Verdict::Refuse);
    assert!(!topic.reason.contains("probability"), "{topic:?}");
    let refusal = topic.refusal();
    assert!(refusal.answer.contains("nothing retrieved mentions \"colour\" or \"sky\""), "{refusal:?}");
    let quality = refusal.evidence_quality;
    assert!(!quality.contains("probability") && quality.contains("similarity"), "{quality}");
}

#[test]
fn what_the_papers_do_not_have_is_refused_however_likely() {
    let check = |query: &str, want: Verdict, reason: Option<RefusalReason>| {
        let topic = ask(query, 1.0, 1.0);
        assert_eq!(topic.verdict, want, "{query}: {topic:?}");
        if let Some(reason) = reason {
            let refusal = topic.refusal().refusal.map(|r| r.reason);
            assert_eq!(refusal, Some(reason), "{query}");
        }
    };
    check(
        "Does walking change weight in Zhang et al. 2021?",
        Verdict::Refuse,
        Some(RefusalReason::UnknownSource),
    );
    check("Does walking change body weight through FOXO3?", Verdict::Refuse, Some(RefusalReason::AbsentTerm));
    check("Does walking change weight in Tandrik et al. 2021?", Verdict::Answer, None);
    check("Does walking change body weight through AMPK?", Verdict::Answer, None);
    check("Compare walking and weight in Tandrik et al. 2021 and Zhang et al. 2020", Verdict::Partial, None);
    let lenient =
        TopicSettings { refuse_absent_entities: false, refuse_unknown_sources: false, ..settings() };
    for query in
        ["Does walking change weight in Zhang et al. 2021?", "Does walking change body weight through FOXO3?"]
    {
        let topic = ask_in(query, &context(), (1.0, 1.0), &lenient);
        assert_eq!(topic.verdict, Verdict::Partial, "{query}: {topic:?}");
    }
    let nothing = ask_in(QUERY, &Context::default(), (1.0, 1.0), &settings());
    assert_eq!(nothing.verdict, Verdict::Refuse);
    assert_eq!(nothing.reason, "no passage was found");
}

#[test]
fn a_question_in_another_language_is_no_proof_that_the_papers_are_silent() {
    let refused = ask(SPANISH, 0.1, 0.1);
    assert_eq!(refused.verdict, Verdict::Refuse);
    let refusal = refused.refusal();
    let reason = refusal.refusal.as_ref().map(|r| r.reason);
    assert_eq!(reason, Some(RefusalReason::OtherLanguage));
    assert!(!refusal.answer.contains("do not answer"), "{refusal:?}");
    assert_eq!(ask(SPANISH, 0.9, 0.9).verdict, Verdict::Answer);
    let by = |embedder: &str, query: &str, estimate: f32| {
        let asked = Question {
            embedder: embedder.to_owned(),
            ..question::analyse(query, vec![1.0], Mode::Hybrid, Filter::default())
        };
        let (mut statistics, ranking) = (TermStatistics::default(), common::estimated(estimate, estimate));
        statistics.frequencies.insert("walk".to_owned(), 20);
        guardrail::check_topic(&asked, &context(), &statistics, &[], &ranking, &settings())
    };
    // An English model knows a question in another script only by a term that the papers contain.
    let english = "all-MiniLM-L6-v2-f2c37867";
    for query in ["歩くと体重は変わりますか", "步行会改变体重吗?", "Меняет ли ходьба вес?"]
    {
        let found = [english, "a server's"].map(|embedder| by(embedder, query, 0.9).verdict);
        assert_eq!(found, [Verdict::Refuse, Verdict::Answer], "{query}");
    }
    assert_eq!(by(english, "walking 会改变体重吗?", 0.9).verdict, Verdict::Answer);
    // A model that knows the language has looked.
    let refusal = by("multilingual-e5-small-75a6682d", SPANISH, 0.1).refusal().refusal;
    assert_eq!(refusal.map(|r| r.reason), Some(RefusalReason::LowCoverage));
}

#[test]
fn a_term_is_found_by_its_other_form_in_one_text() {
    let check = |form: &str, coverage: f32, missing: &[&str]| {
        let found = features_with_form("BW and lifespan", form, &context(), &wide_corpus(0.5));
        let near = |value: Option<f32>, want: f32| value.is_some_and(|value| (value - want).abs() < 1e-4);
        assert!(near(found.coverage, coverage), "{form}: {found:?}");
        assert_eq!(found.missing, missing, "{form}");
    };
    let without = features("BW and lifespan", &[1.0], &context(), &wide_corpus(0.5));
    let part = without.coverage.expect("terms");
    assert!(part < 0.5, "{without:?}");
    // A form of two words weighs as much as its abbreviation.
    check("body weight", 1.0, &[]);
    check("body mass", part, &["BW"]);
    // Both words are in the context, but in different chunks.
    check("body lifespan", part, &["BW"]);
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
    assert_eq!((f.missing, f.candidates), (vec!["cessation".to_owned()], 3));
    // In one sentence less than in the context; found in title and authors; no vector, no similarity.
    let f = measure("insulin weight fitness Solvik", &[], &context(), 0.9);
    assert!(close(f.coverage, 1.0) && f.missing.is_empty() && f.similarity.is_none(), "{f:?}");
    assert!(f.best_sentence_coverage.is_some_and(|b| b < 0.5), "{f:?}");
}

#[test]
fn a_paper_of_unknown_authors_may_be_the_one_that_is_named() {
    let meta = common::source("upload_17", "Walking", &[], Some(2021));
    let context = Context { chunks: vec![common::chunk(&meta, 0, &["Walking lowers weight."])] };
    let check = |query: &str, want: Verdict| {
        let topic = check_topic(query, &[1.0], &context, &wide_corpus(0.7), &settings());
        assert_eq!(topic.verdict, want, "{query}: {topic:?}");
    };
    check("Does walking lower weight in Zhang et al. 2021?", Verdict::Partial);
    check("Does walking lower weight in Zhang et al. 2010?", Verdict::Refuse);
}

#[test]
fn a_source_that_a_paper_mentions_is_known() {
    let meta = common::source("a", "A", &["Ada Okafor"], Some(2020));
    let context =
        Context { chunks: vec![common::chunk(&meta, 0, &["As Zhang et al. (2021) found, walking helps."])] };
    let check = |query: &str, want: &[&str]| {
        assert_eq!(measure(query, &[], &context, 0.5).unknown_sources, want, "{query}");
    };
    check("Zhang et al. 2021", &[]);
    check("Zhang et al.", &[]);
    check("Zhang et al. 2014", &["Zhang et al. 2014"]);
    check("Hang et al. 2021", &["Hang et al. 2021"]);
}

#[test]
fn a_partial_answer_is_held_to_low_confidence() {
    let partial = ask(QUERY, 0.5, 0.1);
    let held = hedge(answer("It may.", Vec::new()), &partial);
    assert_eq!(
        (held.response.confidence, held.actions.len(), held.response.caveats.len()),
        (Confidence::Low, 1, 1)
    );
    let full = ask(QUERY, 1.0, 1.0);
    let free = hedge(answer("It does not.", Vec::new()), &full);
    assert_eq!((free.response.confidence, free.actions.len()), (Confidence::High, 0));
}
