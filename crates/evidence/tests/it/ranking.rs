//! The order of the sentences.

use crate::corpus::{chunk, measure, neighbour, question, rank, source, statistics};

use evidence::Measured;
use std::sync::Mutex;
use types::{Context, ModelError, Question, Ranking, ReadPassage, Reader, Reading};

const QUERY: &str = "Does walking lower blood pressure?";
const WALK: &str = "Brisk walking lowered blood pressure by 6 mmHg after twelve weeks.";
const SLEEP: &str = "Sleep duration did not change in any of the three groups.";
const WEATHER: &str = "The weather was mild during the whole year.";

fn paper() -> types::SourceMeta {
    source("orvella_2021", "A trial", &["Ada Orvella"], 2021)
}

fn places(ranking: &Ranking) -> Vec<(usize, usize)> {
    ranking.sentences.iter().map(|ranked| (ranked.chunk, ranked.sentence)).collect()
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
    let probabilities: Vec<f32> = ranking.sentences.iter().map(|ranked| ranked.probability).collect();
    assert!(probabilities.windows(2).all(|pair| pair[0] >= pair[1]), "{probabilities:?}");
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
    let ranking = ranked(vec![chunk(&paper(), 0, &[(WALK, 0.8)]), chunk(&other, 0, &[(WALK, 0.8)])]);
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
    let alone = Context { chunks: vec![chunk(&paper(), 0, &[(WALK, 0.8)])] };
    let mut both = alone.clone();
    both.chunks.push(chunk(&paper(), 9, &[(SLEEP, 0.3)]));
    let statistics = statistics(&[]);
    let of = |context: &Context| measure(&question(QUERY), context, &statistics)[0].features;
    let (one, two) = (of(&alone), of(&both));
    assert!((one.coverage - two.coverage).abs() < 1e-6 && (one.words - two.words).abs() < 1e-6);
    assert!((one.around - two.around).abs() < 1e-6, "chunks are not neighbours");
}

/// A reader that finds one sentence, and what it was asked to read.
struct Finds {
    sentence: &'static str,
    asked: Mutex<Vec<ReadPassage>>,
}

impl Reader for Finds {
    fn id(&self) -> &'static str {
        "finds"
    }

    fn read(&self, _question: &str, passages: &[ReadPassage]) -> Result<Vec<Vec<Reading>>, ModelError> {
        let found =
            |own: &String| Reading { sentence: if own == self.sentence { 4.0 } else { -4.0 }, window: 2.0 };
        self.asked.lock().expect("not poisoned").extend_from_slice(passages);
        Ok(passages.iter().map(|passage| passage.sentences.iter().map(found).collect()).collect())
    }
}

/// The question, embedded by a model that has a reader.
fn with_reader() -> Question {
    Question { embedder: "multilingual-e5-small".to_owned(), ..question(QUERY) }
}

fn read_by(sentence: &'static str, context: &Context) -> (Vec<Measured>, Vec<ReadPassage>) {
    let reader = Finds { sentence, asked: Mutex::default() };
    let statistics = statistics(&[]);
    let measured = evidence::measure(&with_reader(), context, &statistics, Some(&reader)).expect("it reads");
    let asked = reader.asked.into_inner().expect("not poisoned");
    (measured, asked)
}

#[test]
fn what_the_reader_says_moves_a_sentence() {
    let sentences = [(WEATHER, 0.1), (SLEEP, 0.6), (WALK, 0.6)];
    let context = Context { chunks: vec![chunk(&paper(), 0, &sentences)] };
    let probability = |found: &'static str, at: usize| read_by(found, &context).0[at].probability;
    for at in [1, 2] {
        let (own, other) = (sentences[at].0, sentences[3 - at].0);
        assert!(probability(own, at) > probability(other, at), "{own}");
    }
    let (measured, asked) = read_by(SLEEP, &context);
    assert_eq!(asked[0].sentences, [WEATHER, SLEEP, WALK]);
    let behind: Vec<f32> = measured.iter().map(|m| m.features.reader_behind).collect();
    assert_eq!(behind, [8.0, 0.0, 8.0]);
}

#[test]
fn sentences_that_are_alike_are_read_in_the_order_of_the_context() {
    let many: Vec<(String, f32)> = (0..100_u8)
        .map(|i| {
            let text = format!("Walking lowered blood pressure in group {i}.");
            (text, f32::from(i) / 125.0)
        })
        .collect();
    let many: Vec<(&str, f32)> = many.iter().map(|(text, cosine)| (text.as_str(), *cosine)).collect();
    let context = Context { chunks: vec![chunk(&paper(), 0, &many), chunk(&paper(), 150, &[(SLEEP, 0.9)])] };
    let (measured, asked) = read_by(WALK, &context);
    let alike: Vec<&str> = many[37..].iter().map(|(text, _)| *text).collect();
    let read: Vec<Vec<&str>> =
        asked.iter().map(|passage| passage.sentences.iter().map(String::as_str).collect()).collect();
    assert!(read[0].ends_with(&alike), "{read:?}");
    assert_eq!(read[1..], [[SLEEP]]);
    let title = &context.chunks[0].source.title;
    assert!(asked.iter().all(|passage| Some(&passage.title) == title.as_ref()));
    // Those that are likely by their words are read, too.
    let mut unread = measure(&with_reader(), &context, &statistics(&[]));
    unread.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let read = read.concat();
    for likely in &unread[..12] {
        assert!(read.contains(&likely.text(&context).as_str()), "{likely:?}");
    }
    let unread = measured.iter().filter(|m| m.features.reader < -7.0);
    assert!(read.len() <= 76 && unread.count() == 101 - read.len(), "{read:?}");
}

#[test]
fn a_question_in_another_language_is_not_read() {
    let context = Context { chunks: vec![chunk(&paper(), 0, &[(WALK, 0.8)])] };
    let reader = Finds { sentence: WALK, asked: Mutex::default() };
    let asks = |language| Question { language, ..with_reader() };
    for (language, passages) in [(Some("es"), 0), (None, 0), (Some("en"), 1)] {
        evidence::rank(&asks(language), &context, &statistics(&[]), Some(&reader)).expect("it reads");
        let asked = reader.asked.lock().expect("not poisoned").len();
        assert_eq!(asked, passages, "{language:?}");
    }
}

#[test]
fn a_reader_that_fails_is_an_error() {
    struct Broken;
    impl Reader for Broken {
        fn id(&self) -> &'static str {
            "broken"
        }
        fn read(&self, _: &str, _: &[ReadPassage]) -> Result<Vec<Vec<Reading>>, ModelError> {
            Err(ModelError { model: "broken".to_owned(), reason: "no memory".to_owned() })
        }
    }
    let context = Context { chunks: vec![chunk(&paper(), 0, &[(WALK, 0.8)])] };
    let error =
        evidence::rank(&question(QUERY), &context, &statistics(&[]), Some(&Broken)).expect_err("it fails");
    assert_eq!(error.to_string(), "broken: no memory");
}
