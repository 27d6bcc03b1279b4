//! Features of sentences, worked by hand.

use crate::corpus::{check, chunk, measure, neighbour, question, source, statistics, value};
use evidence::AnswerFeatures;
use std::sync::Arc;
use types::{Chunk, Context, ContextChunk, SectionKind, TermStatistics};

const QUERY: &str = "Does walking lower blood pressure?";

/// Every term of the question is as rare as the others: each weighs a quarter.
fn even() -> TermStatistics {
    statistics(&[("walking", 10), ("lower", 10), ("blood", 10), ("pressure", 10)])
}

fn paper() -> types::SourceMeta {
    source("orvella_2021", "Walking", &["Ada Orvella"], 2021)
}

/// The first sentence has all four terms, the second none, the third one.
fn context() -> Context {
    let sentences = [
        ("Walking lowered blood pressure.", 0.6),
        ("Adults slept well.", 0.9),
        ("Pressure of tyres rose in winter.", 0.3),
    ];
    Context { chunks: vec![chunk(&paper(), 0, &sentences)] }
}

fn with_heading(place: &mut ContextChunk, heading: &str, section: SectionKind) {
    let chunk = Chunk { heading: heading.to_owned(), section, ..place.chunk.as_ref().clone() };
    place.chunk = Arc::new(chunk);
}

#[test]
fn terms_and_similarities() {
    let all = measure(&question(QUERY), &context(), &even());
    check(&all, "question_terms", &[4.0, 4.0, 4.0]);
    check(&all, "words", &[4.0, 3.0, 6.0]);
    check(&all, "matched", &[4.0, 0.0, 1.0]);
    check(&all, "coverage", &[1.0, 0.0, 0.25]);
    check(&all, "coverage_behind", &[0.0, 1.0, 0.75]);
    check(&all, "new_words", &[0.0, 1.0, 0.75]);
    check(&all, "cosine", &[0.6, 0.9, 0.3]);
    check(&all, "cosine_behind", &[0.3, 0.0, 0.6]);
    check(&all, "mix", &[0.8, 0.45, 0.275]);
    check(&all, "mix_behind", &[0.0, 0.35, 0.525]);
    // Two of three sentences lack a term that one has: ln(1 + 2.5 / 1.5). One lacks "pressure": ln(1 + 1.5 / 2.5).
    let (rare, common) = ((1.0_f32 + 2.5 / 1.5).ln(), (1.0_f32 + 1.5 / 2.5).ln());
    let third = common / (3.0 * rare + common);
    check(&all, "local_coverage", &[1.0, 0.0, third]);
    check(&all, "local_behind", &[0.0, 1.0, 1.0 - third]);
}

#[test]
fn neighbours_and_places() {
    let all = measure(&question(QUERY), &context(), &even());
    check(&all, "cosine_before", &[0.0, 0.6, 0.9]);
    check(&all, "cosine_after", &[0.9, 0.3, 0.0]);
    check(&all, "around", &[1.0, 1.0, 0.25]);
    check(&all, "position", &[0.0, 0.5, 1.0]);
    check(&all, "cosine_rank", &[1.0, 0.0, 2.0]);
    check(&all, "mix_rank", &[0.0, 1.0, 2.0]);
}

#[test]
fn places_end_at_fifty() {
    let sentences: Vec<(String, f32)> =
        (0..60_u8).map(|n| (format!("Adults of group {n} slept well."), 0.9 - 0.01 * f32::from(n))).collect();
    let sentences: Vec<(&str, f32)> =
        sentences.iter().map(|(text, cosine)| (text.as_str(), *cosine)).collect();
    let context = Context { chunks: vec![chunk(&paper(), 0, &sentences)] };
    let all = measure(&question(QUERY), &context, &even());
    let ranks: Vec<f32> = all.iter().map(|each| value(each, "cosine_rank")).collect();
    assert_eq!((ranks[0], ranks[49], ranks[50], ranks[59]), (0.0, 49.0, 50.0, 50.0));
}

#[test]
fn runs_and_pairs_follow_the_order_of_the_question() {
    let of = |sentence: &str| {
        let context = Context { chunks: vec![chunk(&paper(), 0, &[(sentence, 0.5)])] };
        let all = measure(&question(QUERY), &context, &even());
        (value(&all[0], "run"), value(&all[0], "pairs"))
    };
    let check = |sentence: &str, run: f32, pairs: f32| {
        let found = of(sentence);
        assert!(
            (found.0 - run).abs() < 1e-5 && (found.1 - pairs).abs() < 1e-5,
            "{sentence}: {found:?} instead of {:?}",
            (run, pairs)
        );
    };
    check("Walking lowered blood pressure.", 1.0, 1.0);
    // Stop words do not count, other words do.
    check("Walking lowered the blood and the pressure.", 1.0, 1.0);
    check("Walking lowered mean resting arterial blood pressure.", 0.5, 2.0 / 3.0);
    // Pairs need not be in order, runs do.
    check("Pressure and blood.", 0.25, 1.0 / 3.0);
    check("Blood pressure fell.", 0.5, 1.0 / 3.0);
    check("Nothing of that kind.", 0.0, 0.0);
}

#[test]
fn a_question_of_one_term_has_no_pairs() {
    let all = measure(&question("walking"), &context(), &even());
    check(&all, "pairs", &[0.0, 0.0, 0.0]);
    check(&all, "run", &[1.0, 0.0, 0.0]);
}

#[test]
fn the_rarest_term_and_entities() {
    let rare = statistics(&[("walking", 50), ("lower", 50), ("blood", 50), ("pressure", 2)]);
    let all = measure(&question(QUERY), &context(), &rare);
    check(&all, "rarest", &[1.0, 0.0, 1.0]);
    check(&all, "entities", &[1.0, 1.0, 1.0]);
    let sentences = [("AMPK activity rose.", 0.5), ("mTOR fell.", 0.5), ("AMPK and mTOR.", 0.5)];
    let context = Context { chunks: vec![chunk(&paper(), 0, &sentences)] };
    let all = measure(&question("Does walking raise AMPK or lower mTOR?"), &context, &even());
    check(&all, "entities", &[0.5, 0.5, 1.0]);
}

#[test]
fn what_stands_above_a_sentence() {
    let mut context = context();
    with_heading(&mut context.chunks[0], "Blood pressure", SectionKind::Methods);
    let all = measure(&question(QUERY), &context, &even());
    check(&all, "heading", &[0.5, 0.5, 0.5]);
    // The title adds "walking"; what the sentence has itself is not above it.
    check(&all, "above", &[0.0, 0.75, 0.5]);
    check(&all, "in_methods", &[1.0, 1.0, 1.0]);
    check(&all, "in_results", &[0.0, 0.0, 0.0]);
    check(&all, "named_section", &[0.5, 0.5, 0.5]);
    let named = measure(&question("What is in the methods on blood pressure?"), &context, &even());
    check(&named, "named_section", &[1.0, 1.0, 1.0]);
}

#[test]
fn what_stands_above_a_row_counts_half() {
    let sentences = [
        ("Table 1. Blood pressure.", 0.5),
        ("Group | Before | After", 0.5),
        ("Walking | 140 | 134", 0.5),
        ("Rest | 139 | 138", 0.5),
    ];
    let context = Context { chunks: vec![chunk(&paper(), 0, &sentences)] };
    let all = measure(&question(QUERY), &context, &even());
    check(&all, "table_row", &[0.0, 1.0, 1.0, 1.0]);
    // Two of four terms; none; one by itself and three with the caption; two with the caption.
    check(&all, "coverage", &[0.5, 0.0, 0.5, 0.25]);
    check(&all, "matched", &[2.0, 0.0, 3.0, 2.0]);
    // A header is never quoted.
    check(&all, "well_formed", &[0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn papers_are_told_apart() {
    let (first, second) = (paper(), source("tandrik_2019", "Sleep", &["Bram Tandrik"], 2019));
    let mut context = Context {
        chunks: vec![
            chunk(&first, 0, &[("Walking helped.", 0.5)]),
            chunk(&second, 0, &[("Sleep helped.", 0.9)]),
            neighbour(&chunk(&first, 4, &[("Rest helped.", 0.7)])),
        ],
    };
    context.chunks[0].bm25_score = 8.0;
    context.chunks[1].bm25_score = 2.0;
    context.chunks[1].rerank_score = Some(9.0);
    let query = question("What did Tandrik et al. 2019 find on sleep?");
    let all = measure(&query, &context, &even());
    check(&all, "paper_rank", &[0.0, 1.0, 0.0]);
    check(&all, "paper_share", &[2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
    check(&all, "paper_behind", &[0.2, 0.0, 0.2]);
    check(&all, "named_paper", &[0.0, 1.0, 0.0]);
    check(&all, "chunk_rank", &[0.0, 1.0, 2.0]);
    check(&all, "rerank", &[0.5, 0.9, 0.0]);
    check(&all, "expanded", &[0.0, 0.0, 1.0]);
    let whole = AnswerFeatures::new(&query, &context, &even(), &all);
    assert!((whole.other_paper - 0.2).abs() < 1e-5, "{whole:?}");
}

#[test]
fn a_sentence_says_what_it_is() {
    let check = |sentence: &str, flags: &[&str]| {
        let context = Context { chunks: vec![chunk(&paper(), 0, &[(sentence, 0.5)])] };
        let all = measure(&question(QUERY), &context, &even());
        for flag in ["announces", "tested", "compares", "causes", "defines", "percent", "dated", "table_row"]
        {
            let want = flags.contains(&flag);
            assert_eq!(value(&all[0], flag) > 0.5, want, "{flag}: {sentence}");
        }
    };
    check("The aim of the trial was to test walking.", &["announces"]);
    check("Walking lowered it by 6 mmHg (p = 0.03).", &["compares", "tested"]);
    check("Walking was better than rest.", &["compares"]);
    check("The pulse fell because of the rest.", &["causes"]);
    check("Hypertension is a disease of many adults.", &["defines"]);
    check("In all, 40 % of the adults walked.", &["percent"]);
    check("The adults walked in January of that year.", &["dated"]);
    check("The adults walked until 2019 in that town.", &["dated"]);
    check("VO2max | 32.1 | 35.4 | 0.02 | yes", &["table_row"]);
    check("The adults walked to the town.", &[]);
}

#[test]
fn a_question_says_what_it_asks_for() {
    let check = |query: &str, flags: &[&str]| {
        let all = measure(&question(query), &context(), &even());
        for flag in "asks_number|asks_share|asks_aim|asks_cause|asks_time|asks_name|asks_definition|\
            asks_yes_no|asks_effect"
            .split('|')
        {
            assert_eq!(value(&all[0], flag) > 0.5, flags.contains(&flag), "{flag}: {query}");
        }
    };
    check("How many adults walked?", &["asks_number"]);
    check("Why did the pulse fall?", &["asks_cause"]);
    check("Where did the adults walk?", &["asks_name"]);
    check("What is hypertension?", &["asks_definition"]);
    check("Did walking affect sleep?", &["asks_yes_no", "asks_effect"]);
    check("What was the aim of the trial?", &["asks_aim"]);
}
