//! The order of the sentences.

use crate::corpus::{chunk, neighbour, question, source, statistics};
use evidence::{measure, rank};
use types::{Context, Ranking};

const QUERY: &str = "Does walking lower blood pressure?";
const WALK: &str = "Brisk walking lowered blood pressure by 6 mmHg after twelve weeks.";
const SLEEP: &str = "Sleep duration did not change in any of the three groups.";
const WEATHER: &str = "The weather was mild during the whole year.";

fn paper() -> types::SourceMeta {
    source("orvella_2021", "A trial", &["Ada Orvella"], 2021)
}

fn places(ranking: &Ranking) -> Vec<(usize, usize)> {
    ranking
        .sentences
        .iter()
        .map(|ranked| (ranked.chunk, ranked.sentence))
        .collect()
}

fn ranked(chunks: Vec<types::ContextChunk>) -> Ranking {
    let holding = [("walking", 10), ("lower", 10), ("blood", 10), ("pressure", 10)];
    rank(&question(QUERY), &Context { chunks }, &statistics(&holding))
}

#[test]
fn the_sentence_that_is_close_and_has_the_words_comes_first() {
    let sentences = [(WEATHER, 0.1), (SLEEP, 0.3), (WALK, 0.8)];
    let ranking = ranked(vec![chunk(&paper(), 0, &sentences)]);
    assert_eq!(places(&ranking)[0], (0, 2), "{ranking:?}");
    let probabilities: Vec<f32> = ranking
        .sentences
        .iter()
        .map(|ranked| ranked.probability)
        .collect();
    assert!(
        probabilities.windows(2).all(|pair| pair[0] >= pair[1]),
        "{probabilities:?}"
    );
    let without = ranked(vec![chunk(&paper(), 0, &sentences[..2])]);
    assert!(
        ranking.probability > without.probability && ranking.answerable > without.answerable,
        "{ranking:?} {without:?}"
    );
}

#[test]
fn a_sentence_in_two_chunks_is_ranked_once_in_the_one_that_was_found() {
    let found = chunk(&paper(), 1, &[(SLEEP, 0.3), (WALK, 0.8)]);
    let beside = neighbour(&chunk(&paper(), 2, &[(WALK, 0.8), (WEATHER, 0.1)]));
    let mut places = places(&ranked(vec![beside.clone(), found.clone()]));
    places.sort_unstable();
    assert_eq!(places, [(0, 1), (1, 0), (1, 1)]);
    let mut places = self::places(&ranked(vec![found, beside]));
    places.sort_unstable();
    assert_eq!(places, [(0, 0), (0, 1), (1, 1)]);
}

#[test]
fn sentences_of_two_papers_are_not_taken_for_one() {
    let other = source("tandrik_2019", "A cohort", &["Bram Tandrik"], 2019);
    let ranking = ranked(vec![
        chunk(&paper(), 0, &[(WALK, 0.8)]),
        chunk(&other, 0, &[(WALK, 0.8)]),
    ]);
    assert_eq!(ranking.sentences.len(), 2, "{ranking:?}");
}

#[test]
fn equal_sentences_keep_the_order_of_the_context() {
    let sentences = [(WEATHER, 0.0); 12];
    let ranking = ranked(vec![chunk(&paper(), 0, &sentences)]);
    for pair in ranking.sentences.windows(2) {
        let equal = pair[0].probability.to_bits() == pair[1].probability.to_bits();
        assert!(!equal || pair[0].sentence < pair[1].sentence, "{ranking:?}");
    }
}

#[test]
fn nothing_is_known_of_an_empty_context() {
    for chunks in [vec![], vec![chunk(&paper(), 0, &[])]] {
        let ranking = ranked(chunks);
        assert_eq!(ranking, Ranking::default());
    }
}

#[test]
fn the_chunk_beside_does_not_change_what_is_measured_of_the_text() {
    let alone = Context {
        chunks: vec![chunk(&paper(), 0, &[(WALK, 0.8)])],
    };
    let mut both = alone.clone();
    both.chunks.push(chunk(&paper(), 9, &[(SLEEP, 0.3)]));
    let statistics = statistics(&[]);
    let of = |context: &Context| measure(&question(QUERY), context, &statistics)[0].features;
    let (one, two) = (of(&alone), of(&both));
    assert!((one.coverage - two.coverage).abs() < 1e-6 && (one.words - two.words).abs() < 1e-6);
    assert!(
        (one.around - two.around).abs() < 1e-6,
        "chunks are not neighbours"
    );
}
