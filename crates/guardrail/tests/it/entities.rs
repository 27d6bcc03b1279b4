//! Sentences that name what the context does not hold: cases as the earlier system met them.

use crate::common::{answer, chunk, cite, context, source, verify};
use evidence::support::LexicalSupport;
use guardrail::{Guarded, GuardrailSettings, Uncited};
use types::{Confidence, Context, RagResponse, RefusalReason};

/// What is said of entities alone: sentences are not compared with their citations, and an answer without any is shown.
fn entities_alone() -> GuardrailSettings {
    GuardrailSettings { uncited: Uncited::Flag, support_check: false, ..GuardrailSettings::default() }
}

fn guard(query: &str, text: &str) -> Guarded {
    let citations = vec![
        cite("tandrik_2021", "tandrik_2021__results__000", "Body weight did not change."),
        cite("moro_2019", "moro_2019__results__000", "Fasting lowered insulin in mice."),
    ];
    verify(query, answer(text, citations), &context(), &entities_alone(), &LexicalSupport::new())
}

/// Answers are padded with this, so that what is stripped is always the smaller part.
const REST: &str = "Body weight did not change in the group that walked, and fasting lowered insulin in mice, while the \
    effect on lifespan differed between strains and was small in females.";

#[test]
fn ungrounded_sentences_go_whole_with_what_depends_on_them() {
    let check = |query: &str, text: &str, want: &str| {
        let guarded = guard(query, &format!("{text} {REST}"));
        let want = format!("{want} {REST}");
        assert_eq!(guarded.response.answer, want.trim(), "{text}: {:?}", guarded.actions);
    };
    let keep = |query: &str, text: &str| check(query, text, text);
    // Grounded in text, in title, authors, year of a source.
    keep("", "Brisk walking raised VO2max by 12 %.");
    keep("", "Tandrik et al. (2021) report a gain of 12 %.");
    keep("", "Tandrik and Solvik report that mTOR signalling fell.");
    // An author who stands in the question alone, or nowhere.
    check("What do Moqri et al. say of walking?", "Moqri et al. report that walking helps.", "");
    check("", "Tandrik et al. agree. The NHANES cohort shows the same.", "Tandrik et al. agree.");
    // Numbers are held to value and unit.
    check("", "Walking raised VO2max by 20 %.", "");
    keep("", "Adherence was between 57.5 and 72.5 min/day.");
    check("", "Adherence was between 57.5 and 82.5 min/day.", "");
    // Compounds by part.
    keep("", "Signals of AMPK/mTOR moved in opposite directions.");
    check("", "Signals of AMPK/FMD moved in opposite directions.", "");
    // Never a fragment: no cut behind "et al.", and what refers back goes too.
    check("", "Brandhorst et al. (2024) found less fat. They further state that liver fat fell.", "");
    check("", "Three pathways involve FOXO3. Each mechanism is known. Walking helps.", "Walking helps.");
    // What is missing may be named, if the question named it.
    keep("What did Zhang et al. find?", "The corpus does not report Zhang et al.");
    check(
        "What did Zhang et al. find?",
        "The corpus does not report Zhang et al., but Friedman et al. did.",
        "",
    );
    check("What did Zhang et al. find?", "Zhang et al. found a gain.", "");
    // The answer may count its own sources.
    keep("", "Across 12 studies the gains were alike.");
}

#[test]
fn where_too_little_would_survive_it_is_flagged() {
    let text =
        "The NHANES cohort shows that walkers live longer by far than people who do not. Walking helps.";
    let guarded = guard("", text);
    assert_eq!(guarded.response.answer, text);
    assert_eq!(guarded.response.confidence, Confidence::Low);
    assert!(guarded.response.caveats.iter().any(|c| c.contains("NHANES")), "{guarded:?}");
    let settings = GuardrailSettings { min_survival: 0.05, ..entities_alone() };
    let guarded = verify("", answer(text, Vec::new()), &context(), &settings, &LexicalSupport::new());
    assert_eq!(guarded.response.answer, "Walking helps.");
    let settings = GuardrailSettings { entity_check: false, ..entities_alone() };
    let guarded = verify("", answer(text, Vec::new()), &context(), &settings, &LexicalSupport::new());
    assert_eq!(guarded.response.answer, text);
}

#[test]
fn a_citation_goes_with_its_only_sentence() {
    let text = format!(
        "The NHANES cohort agrees (moro_2019, moro_2019__results__000). {REST} (tandrik_2021, tandrik_2021__results__000)"
    );
    let guarded = guard("", &text);
    let ids: Vec<&str> = guarded.response.citations.iter().map(|c| c.chunk_id.as_str()).collect();
    assert_eq!(ids, ["tandrik_2021__results__000"], "{guarded:?}");
}

#[test]
fn refusals_pass() {
    let refusal = RagResponse::refusal("The corpus holds nothing by Zhang et al. 2021 on NHANES.", "");
    let guarded =
        verify("", refusal.clone(), &context(), &GuardrailSettings::default(), &LexicalSupport::new());
    let want = refusal.because(RefusalReason::NotInPassages, "the generator found no answer in the passages");
    assert_eq!((guarded.response, guarded.actions.len()), (want, 0));
}

#[test]
fn addresses_stand_in_what_is_cited_and_instructions_nowhere() {
    const TOLD: &str = "Collect the evidence of a claim. Copy both ids. Write the sentence that these quotes support, from \
        these quotes alone, and do not write ids in it.";
    let meta = types::SourceMeta {
        doi: Some("10.1000/182-a".to_owned()),
        ..source("orvella_2021", "Walking", &["Ada Orvella"], Some(2021))
    };
    let chunks = ["Data stand at https://osf.io/ab-\n12c.", "Code stands at www.uncited.org/code."];
    let context =
        Context { chunks: chunks.iter().enumerate().map(|(at, text)| chunk(&meta, at, &[text])).collect() };
    let check = |text: &str, kept: bool| {
        let cited = cite("orvella_2021", "orvella_2021__results__000", "Data stand at https://osf.io");
        let mut given = answer(&format!("{text} {REST}"), vec![cited]);
        given.caveats = vec![text.to_owned()];
        let settings = entities_alone();
        let query = "Does https://asked.org/x answer?";
        let scorer = LexicalSupport::new();
        let first = guardrail::verify(query, given, &context, &[TOLD], &settings, &scorer, &[]).response;
        assert_eq!(first.answer.contains(text), kept, "{text}: {}", first.answer);
        assert_eq!(first.caveats.first().is_some_and(|caveat| caveat == text), kept, "{:?}", first.caveats);
        let again =
            guardrail::verify(query, first.clone(), &context, &[TOLD], &settings, &scorer, &[]).response;
        assert_eq!(
            (again.answer, again.caveats),
            (first.answer, first.caveats),
            "a second time changes nothing"
        );
    };
    check("It is at osf.io/ab12c (orvella_2021, orvella_2021__results__000).", true);
    check("It is at https://doi.org/10.1000/182-A.", true);
    check("It is at www.uncited.org/code.", false);
    check("It is at osf.io/ab12d.", false);
    check("Ask a.b [at] osf [dot] io.", false);
    check("It is [here](javascript:alert(1)).", false);
    check("The papers do not mention https://asked.org/x.", true);
    check("Call +1 555 010 9999 for advice.", false);
    check("Enter your password to read the rest.", false);
    check("Run this command in a terminal: rm -rf data.", false);
    check("Leg curls and the type of visual prompt did not matter.", true);
    check("A larger share of teachers had credentials.", true);
    check("It is at https://asked.org/x.", false);
    check("Copy both ids; write the sentence that these quotes SUPPORT from these quotes alone.", false);
    check("Write the sentence that these quotes support.", true);
}
