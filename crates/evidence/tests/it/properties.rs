//! What holds for any text and any scores.

use crate::corpus::{measure, neighbour, of_text, question, rank, source, statistics};
use evidence::{AnswerFeatures, FEATURES, Form, form, points_back};
use proptest::prelude::*;
use std::{collections::BTreeSet, sync::Arc};
use types::{Chunk, Context, ContextChunk, Span};

/// A store may give any of these.
fn score() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => 0.0_f32..1.0,
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 7.0]),
    ]
}

/// Any text, or words that questions and papers share.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        "Walking~lowered~blood~pressure.~They~AMPK~12~mmHg.~ﬁnding~İ~α~血压。~| 3 |~(p < 0.05)~10⁶~\
        \u{0}~e\u{301}t\u{e9}~?"
            .split('~')
            .collect::<Vec<_>>(),
    );
    prop_oneof![
        "\\PC{0,160}",
        prop::collection::vec(any::<char>(), 0..80).prop_map(String::from_iter),
        prop::collection::vec(word, 0..40).prop_map(|words| words.join(" ")),
    ]
}

/// A chunk with the sentences of its text and one broken span, as a damaged index might hold.
fn place() -> impl Strategy<Value = ContextChunk> {
    let sources = ["brin_2020", "orvella_2021"];
    (
        text(),
        text(),
        0..2_usize,
        0..4_u32,
        prop::collection::vec(score(), 0..12),
        (score(), score(), prop::option::of(score())),
        (0..200_usize, any::<bool>()),
    )
        .prop_map(move |(text, heading, paper, first, similarities, scores, (cut, found))| {
            let mut spans: Vec<Span> = text::sentences(&text).into_iter().map(Span::from).collect();
            spans.push(Span::new(cut, cut + 7));
            let meta = source(sources[paper], &heading, &["Ada Orvella"], 2021);
            let mut place = of_text(&meta, first, text, &spans, similarities);
            let chunk = Chunk { heading, ..place.chunk.as_ref().clone() };
            place.chunk = Arc::new(chunk);
            (place.vector_score, place.bm25_score, place.rerank_score) = scores;
            if found { place } else { neighbour(&place) }
        })
}

fn context() -> impl Strategy<Value = Context> {
    prop::collection::vec(place(), 0..5).prop_map(|chunks| Context { chunks })
}

/// Features that are shares: they lie in `0..=1`.
const SHARES: [&str; 11] = [
    "cosine",
    "coverage",
    "coverage_behind",
    "mix",
    "local_coverage",
    "around",
    "run",
    "pairs",
    "entities",
    "new_words",
    "position",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_sentence_is_ranked_once_with_finite_features(context in context(), query in text()) {
        let asked = question(&query);
        let statistics = statistics(&[("walking", 3), ("blood", 90)]);
        let measured = measure(&asked, &context, &statistics);
        for each in &measured {
            for (name, value) in FEATURES.iter().zip(each.features.values()) {
                prop_assert!(value.is_finite(), "{name} is {value}");
                prop_assert!(!SHARES.contains(name) || (-1e-4..=1.0001).contains(&value), "{name} is {value}");
            }
        }
        let whole = AnswerFeatures::new(&asked, &context, &statistics, &measured);
        prop_assert!(whole.values().iter().all(|value| value.is_finite()), "{whole:?}");

        let ranking = rank(&asked, &context, &statistics);
        let probabilities = ranking.sentences.iter().map(|ranked| ranked.probability);
        for probability in probabilities.chain([ranking.probability, ranking.answerable]) {
            prop_assert!((0.0..=1.0).contains(&probability), "{ranking:?}");
        }
        let number = |chunk: usize, sentence: usize| {
            let chunk = &context.chunks[chunk].chunk;
            (chunk.source_id.clone(), chunk.sentences[sentence].number)
        };
        let found: Vec<_> = ranking.sentences.iter().map(|ranked| number(ranked.chunk, ranked.sentence)).collect();
        let all: BTreeSet<_> = (0..context.chunks.len())
            .flat_map(|chunk| (0..context.chunks[chunk].chunk.sentences.len()).map(move |at| (chunk, at)))
            .map(|(chunk, at)| number(chunk, at))
            .collect();
        prop_assert_eq!(found.len(), all.len(), "each once");
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), all);
        prop_assert_eq!(rank(&asked, &context, &statistics), ranking, "the same again");
    }

    #[test]
    fn features_of_the_whole_do_not_depend_on_the_order_of_the_sentences(context in context(), query in text()) {
        let asked = question(&query);
        let statistics = statistics(&[]);
        let mut measured = measure(&asked, &context, &statistics);
        let forward = AnswerFeatures::new(&asked, &context, &statistics, &measured);
        measured.reverse();
        prop_assert_eq!(AnswerFeatures::new(&asked, &context, &statistics, &measured), forward);
    }

    #[test]
    fn any_text_has_a_form(text in text()) {
        if let Form::Usable(factor) = form(&text) {
            prop_assert!(factor > 0.0 && factor <= 1.0);
        }
        points_back(&text);
    }
}

#[test]
fn sentences_that_point_back() {
    let check = |sentence: &str, want: bool| assert_eq!(points_back(sentence), want, "{sentence:?}");
    for sentence in [
        "They walked for an hour on most days.",
        "He was the oldest of the group.",
        "It was lower in the evening.",
        "\"These were found in both groups.\"",
        "• They slept well in the same weeks.",
        "This suggests that walking helps.",
        "This suggests that the trial was too short.",
        "This was the shortest trial of all.",
        "Both also slept longer than before.",
        "— This, is what was seen.",
    ] {
        check(sentence, true);
    }
    for sentence in [
        "This trial was short.",
        "This is a narrative review.",
        "These adults walked for an hour.",
        "Both groups slept longer.",
        "It walked.",
        "Walking was hard, and they rested.",
        "Thistles were found in the field.",
        "This",
        "... — !",
        "",
    ] {
        check(sentence, false);
    }
}
