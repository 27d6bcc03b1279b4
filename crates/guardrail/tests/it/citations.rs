//! Citations, their quotes and their inline marks.

use crate::common;
use crate::common::{answer, cite, context, verify};
use evidence::support::LexicalSupport;
use guardrail::{Guarded, GuardrailSettings, Uncited, Verification};
use types::{Citation, Confidence, RagResponse, RefusalReason, SectionKind};

const WALK: &str = "tandrik_2021__results__000";
const TIME: &str = "tandrik_2021__results__001";
const FAST: &str = "moro_2019__results__000";

/// What is said of citations alone: sentences are not compared with them, and an answer without any is shown.
fn citations_alone() -> GuardrailSettings {
    GuardrailSettings { uncited: Uncited::Flag, support_check: false, ..GuardrailSettings::default() }
}

fn guard(response: RagResponse) -> Guarded {
    verify("Does walking help?", response, &context(), &citations_alone(), &LexicalSupport::new())
}

/// Chunk and quote of each citation.
fn cited(g: &Guarded) -> Vec<(&str, &str)> {
    g.response.citations.iter().map(|c| (c.chunk_id.as_str(), c.relevant_quote.as_str())).collect()
}

fn actions(g: &Guarded) -> Vec<&str> {
    g.actions.iter().map(|a| a.action.as_str()).collect()
}

#[test]
fn each_citation_is_kept_repaired_or_dropped() {
    let check = |citation: Citation, want: Option<(&str, &str)>, want_actions: &[&str]| {
        let good = cite("moro_2019", FAST, "Fasting lowered insulin in mice.");
        let text = format!(
            "Walking helps ({}, {}). Fasting lowered insulin (moro_2019, {FAST}).",
            citation.source_id, citation.chunk_id
        );
        let guarded = guard(answer(&text, vec![citation.clone(), good]));
        let got = cited(&guarded);
        let (last, first) = got.split_last().expect("the good citation stays");
        assert_eq!(last.0, FAST);
        assert_eq!(first, want.as_slice(), "{citation:?}");
        let verbs: Vec<&str> = actions(&guarded).into_iter().filter(|a| *a != "hedged").collect();
        assert_eq!(verbs, want_actions, "{citation:?}: {:?}", guarded.actions);
        assert_eq!(verbs.is_empty(), !guarded.response.caveats.iter().any(|c| !c.starts_with("Confidence")));
        match want {
            Some((id, _)) => {
                let source = id.split("__").next().unwrap_or_default();
                assert!(
                    guarded.response.answer.starts_with(&format!("Walking helps ({source}, {id}).")),
                    "{guarded:?}"
                );
            }
            None => assert!(guarded.response.answer.starts_with("Walking helps. Fasting"), "{guarded:?}"),
        }
    };
    let quote = "Brisk walking raised VO2max by 12 % after 24 weeks.";
    check(cite("tandrik_2021", WALK, quote), Some((WALK, quote)), &[]);
    // The quote is put back into the words of the chunk.
    check(cite("tandrik_2021", WALK, "brisk  WALKING raised"), Some((WALK, "Brisk walking raised")), &[]);
    // The wrong source, the wrong chunk, an invented chunk, half an id, a mangled source: the quote decides.
    check(cite("moro_2019", WALK, quote), Some((WALK, quote)), &["repaired"]);
    check(cite("tandrik_2021", TIME, quote), Some((WALK, quote)), &["repaired"]);
    check(cite("tandrik_2021", "tandrik_2021__methods__009", quote), Some((WALK, quote)), &["repaired"]);
    check(cite("tandrik_2021", "nonsense__x__1", quote), Some((WALK, quote)), &["repaired"]);
    check(cite("tandrik", "tandrik__results__001", quote), Some((WALK, quote)), &["repaired"]);
    // Parts around an ellipsis stand in order in one chunk, or nowhere.
    check(
        cite("tandrik_2021", WALK, "Brisk walking ... Body weight"),
        Some((WALK, "Brisk walking … Body weight")),
        &[],
    );
    check(cite("tandrik_2021", WALK, "Body weight ... Brisk walking"), None, &["dropped", "flagged"]);
    check(cite("tandrik_2021", WALK, "Brisk walking ... in mice"), None, &["dropped", "flagged"]);
    // Invented or missing quotes.
    check(cite("tandrik_2021", WALK, "Walking raised VO2max by 20 %."), None, &["dropped", "flagged"]);
    check(cite("tandrik_2021", WALK, ""), None, &["dropped", "flagged"]);
    check(cite("ghost_2020", "ghost_2020__results__000", "Ghosts walk."), None, &["dropped", "flagged"]);
}

#[test]
fn what_is_known_of_the_quote_is_filled_in() {
    let quote = "Body weight did not change.";
    let guarded = guard(answer(
        &format!("It did not (tandrik_2021, {WALK})."),
        vec![cite("tandrik_2021", WALK, quote)],
    ));
    let [c] = guarded.response.citations.as_slice() else { panic!("one citation: {guarded:?}") };
    assert_eq!((c.section, c.page_start, c.page_end), (Some(SectionKind::Results), Some(3), Some(3)));
    let both = cite("tandrik_2021", WALK, "12 % after 24 weeks … Body weight did not change.");
    let guarded = guard(answer(&format!("It did not (tandrik_2021, {WALK})."), vec![both]));
    assert_eq!(
        guarded.response.citations[0].page_start.zip(guarded.response.citations[0].page_end),
        Some((1, 3))
    );
}

#[test]
fn the_same_quote_in_two_chunks_goes_to_the_source_that_was_cited() {
    let trial = common::source("a", "A", &[], None);
    let other = common::source("b", "B", &[], None);
    let said = "The gain was large.";
    let context = types::Context {
        chunks: vec![
            common::chunk(&trial, 0, &[said]),
            common::chunk(&other, 0, &["Nothing."]),
            common::chunk(&other, 1, &[said]),
        ],
    };
    let check = |source: &str, id: &str, want: &str| {
        let response = answer("It was large.", vec![cite(source, id, said)]);
        let guarded = verify("", response, &context, &citations_alone(), &LexicalSupport::new());
        assert_eq!(cited(&guarded), [(want, said)], "{source} {id}");
    };
    check("b", "b__results__000", "b__results__001");
    check("b", "b__results__999", "b__results__001");
    check("c", "c__results__999", "a__results__000");
    check("c", "results__001", "b__results__001");
}

#[test]
fn long_quotes_are_cut_to_what_bears_on_the_answer() {
    let long: Vec<String> =
        (0..60).map(|i| if i == 50 { "insulin".into() } else { format!("word{i}") }).collect();
    let long = long.join(" ") + ".";
    let meta = common::source("a", "A", &[], None);
    let context = types::Context { chunks: vec![common::chunk(&meta, 0, &[&long])] };
    let response = answer("Insulin fell (a, a__results__000).", vec![cite("a", "a__results__000", &long)]);
    let guarded = verify("insulin?", response, &context, &citations_alone(), &LexicalSupport::new());
    let quote = &guarded.response.citations[0].relevant_quote;
    assert!(
        text::word_count(quote) <= 40 && quote.contains("insulin") && long.contains(quote.as_str()),
        "{quote}"
    );
    assert!(actions(&guarded).contains(&"cut"), "{guarded:?}");
    let settings = GuardrailSettings { verification: Verification::IdOnly, ..citations_alone() };
    let response = answer("Insulin fell (a, a__results__000).", vec![cite("a", "a__results__000", &long)]);
    let guarded = verify("insulin?", response, &context, &settings, &LexicalSupport::new());
    assert_eq!(guarded.response.citations[0].relevant_quote, long, "the baseline cuts nothing");
}

#[test]
fn the_baseline_looks_at_ids_alone() {
    let check = |id: &str, want: Option<&str>| {
        let settings = GuardrailSettings { verification: Verification::IdOnly, ..citations_alone() };
        let response = answer("It helps.", vec![cite("x", id, "invented")]);
        let guarded = verify("", response, &context(), &settings, &LexicalSupport::new());
        assert_eq!(cited(&guarded).first().map(|c| c.0), want, "{id}");
    };
    check(WALK, Some(WALK));
    check("results__001", Some(TIME));
    check("wrong_2021__results__001", Some(TIME));
    // Two chunks end alike.
    check("results__000", None);
    check("0", None);
    check("", None);
}

#[test]
fn marks_without_a_citation_stay_only_where_the_chunk_exists() {
    let good = || cite("tandrik_2021", WALK, "Body weight did not change.");
    let check = |text: &str, want: &str| {
        let guarded = guard(answer(text, vec![good()]));
        assert_eq!(guarded.response.answer, want);
    };
    let base = format!("Weight stayed (tandrik_2021, {WALK}).");
    check(&base, &base);
    check(
        &format!("{base} It was timed (tandrik_2021, {TIME})."),
        &format!("{base} It was timed (tandrik_2021, {TIME})."),
    );
    check(&format!("{base} It was timed (ghost, ghost__results__003)."), &format!("{base} It was timed."));
    check(&format!("{base} It was timed. (ghost, ghost__results__003)"), &format!("{base} It was timed."));
    check(&format!("Weight stayed (tandrik_2021, {WALK}) (ghost, ghost__results__003)."), &base);
    check("Weight stayed (ghost, tandrik_2021__results__000).", &base);
}

#[test]
fn a_mark_follows_the_citation_that_its_sentence_is_about() {
    let text = format!(
        "Fasting lowered insulin (tandrik_2021, {WALK}). Weight did not change (tandrik_2021, {WALK})."
    );
    let citations = vec![
        cite("tandrik_2021", WALK, "Body weight did not change."),
        cite("tandrik_2021", WALK, "Fasting lowered insulin"),
    ];
    let guarded = guard(answer(&text, citations));
    let want =
        format!("Fasting lowered insulin (moro_2019, {FAST}). Weight did not change (tandrik_2021, {WALK}).");
    assert_eq!(guarded.response.answer, want);
}

#[test]
fn repairs_do_not_chain() {
    // The first citation moves to the chunk that the second one was written with, and moves away from.
    let text = format!("Adherence was good (tandrik_2021, {WALK}). Insulin fell (tandrik_2021, {TIME}).");
    let citations = vec![
        cite("tandrik_2021", WALK, "Adherence was"),
        cite("tandrik_2021", TIME, "Fasting lowered insulin"),
    ];
    let guarded = guard(answer(&text, citations));
    let want = format!("Adherence was good (tandrik_2021, {TIME}). Insulin fell (moro_2019, {FAST}).");
    assert_eq!(guarded.response.answer, want);
}

#[test]
fn an_answer_without_citations_is_flagged_or_withheld() {
    let response = || answer("Walking helps.", vec![cite("x", "x__y__1", "no such words")]);
    let flagged = guard(response());
    assert_eq!((flagged.response.no_evidence, flagged.response.confidence), (false, Confidence::Low));
    assert!(flagged.response.caveats.iter().any(|c| c.contains("No citation supports")), "{flagged:?}");
    let settings = GuardrailSettings { uncited: Uncited::Refuse, ..citations_alone() };
    let refused = verify("", response(), &context(), &settings, &LexicalSupport::new());
    assert!(refused.response.no_evidence && refused.response.validate().is_ok());
    assert!(!refused.response.answer.contains("helps"), "{refused:?}");
    // That the papers are silent was not found out.
    assert_eq!(
        refused.response.answer,
        "An answer was generated but is withheld: its one citation could not be verified in the passages found."
    );
    let reason = refused.response.refusal.as_ref().map(|r| r.reason);
    assert_eq!(reason, Some(RefusalReason::Withheld));
    let bare =
        verify("", answer("Walking helps.", Vec::new()), &context(), &settings, &LexicalSupport::new());
    assert!(bare.response.answer.ends_with("it cites nothing."), "{bare:?}");
}

#[test]
fn confidence_is_lowered_to_what_is_cited() {
    let check = |quotes: &[(&str, &str)], given: Confidence, want: Confidence| {
        let citations = quotes.iter().map(|(id, q)| cite("", id, q)).collect();
        let mut response = answer("It helps.", citations);
        response.confidence = given;
        assert_eq!(guard(response).response.confidence, want, "{quotes:?} {given:?}");
    };
    let (one, two) = ((WALK, "Body weight did not change."), (FAST, "Fasting lowered insulin"));
    check(&[one, two], Confidence::High, Confidence::High);
    check(&[one], Confidence::High, Confidence::Medium);
    check(&[one, (WALK, "Brisk walking")], Confidence::High, Confidence::Medium);
    check(&[one], Confidence::Low, Confidence::Low);
    check(&[], Confidence::High, Confidence::Low);
}

#[test]
fn one_of_three_outcomes_comes_out() {
    // No evidence, but evidence cited: a partial answer.
    let mut both =
        answer("The corpus hardly treats it.", vec![cite("", TIME, "Smoking was an exclusion criterion.")]);
    both.no_evidence = true;
    let guarded = guard(both.clone());
    assert_eq!((guarded.response.no_evidence, guarded.response.confidence), (false, Confidence::Low));
    assert_eq!(guarded.response.citations.len(), 1);
    // The evidence was invented: the refusal stands.
    both.citations[0].relevant_quote = "Smoking kills.".into();
    let guarded = guard(both);
    assert!(guarded.response.no_evidence && guarded.response.citations.is_empty());
    // No words.
    let guarded = guard(answer(" \n", vec![cite("", WALK, "Brisk walking")]));
    assert!(guarded.response.no_evidence && guarded.response.validate().is_ok());
    assert!(!guarded.response.answer.trim().is_empty());
    let reason = guarded.response.refusal.as_ref().map(|r| r.reason);
    assert_eq!(reason, Some(RefusalReason::EmptyAnswer));
    // A refusal of the generator's own, with and without words.
    for words in ["Nothing on that.", " "] {
        let mut own = answer(words, Vec::new());
        own.no_evidence = true;
        let guarded = guard(own);
        let reason = guarded.response.refusal.as_ref().map(|r| r.reason);
        assert_eq!(reason, Some(RefusalReason::NotInPassages));
        assert!(
            !guarded.response.answer.trim().is_empty()
                && guarded.response.caveats.iter().all(|c| c.starts_with("Conf"))
        );
    }
}

#[test]
fn quotes_say_where_their_sentence_goes_on() {
    let check = |quote: &str, want: (bool, bool)| {
        let guarded = guard(answer("It rose.", vec![cite("tandrik_2021", WALK, quote)]));
        let citation = &guarded.response.citations[0];
        assert_eq!((citation.cut_start, citation.cut_end), want, "{quote}");
    };
    check("Body weight did not change.", (false, false));
    check("Body weight did not change", (false, false));
    check("weight did not change.", (true, false));
    check("Brisk walking raised VO2max", (false, true));
    check("24 weeks. AMPK activity rose", (true, true));
    check("raised VO2max … Body weight did not change.", (true, false));
}
