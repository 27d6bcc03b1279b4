//! Relevance of the best sentence, worked by hand.

use crate::common::{hit, question, statistics};
use rerank::{Candidates, Relevance, RerankError, SentenceReranker};
use types::{Hit, OtherForm, Question, QuestionTerm};

fn score(weight: f32, query: &str, vector: &[f32], hits: &[Hit]) -> (Vec<f32>, usize) {
    score_question(weight, &question(query, vector), hits)
}

fn score_question(weight: f32, question: &Question, hits: &[Hit]) -> (Vec<f32>, usize) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers starts");
    let candidates = Candidates { question, hits, statistics: &statistics(question) };
    let method = SentenceReranker::new(weight).expect("the test gives a weight in range");
    let scores = runtime.block_on(method.score(candidates)).expect("nothing can fail");
    (scores.values, scores.warnings.len())
}

#[test]
fn the_best_sentence_counts() {
    let check = |weight: f32, query: &str, vector: &[f32], sentences: &[&str], want: f32| {
        let (got, warnings) = score(weight, query, vector, &[hit(0, sentences, 0.3)]);
        assert!((got[0] - want).abs() < 1e-4, "{query:?} on {sentences:?} at {weight}: {got:?}, not {want}");
        assert_eq!(warnings, 0);
    };
    // Vectors alone: the highest cosine, never below 0, never above 1, no number is 0.
    check(0.0, "walking", &[1.0], &["A sim=0.2.", "B sim=0.7.", "C sim=0.5."], 7.0);
    check(0.0, "walking", &[1.0], &["A sim=-0.2."], 0.0);
    check(0.0, "walking", &[1.0], &["A sim=1.5."], 10.0);
    check(0.0, "walking", &[1.0], &["A sim=nan.", "B sim=0.1."], 1.0);
    // Words alone: the part of "rare" in the weight of both words; one sentence must hold them, once is enough.
    let weights = statistics(&question("rare walking", &[]));
    let [rare, walking] = ["rare", "walking"].map(|word| weights.idf(&text::stem(word)));
    let rare = rare / (rare + walking);
    assert!(rare > 0.7, "the rarer word weighs more: {rare}");
    check(1.0, "rare walking", &[1.0], &["Rare walks, rare walks."], 10.0);
    check(1.0, "rare walking", &[1.0], &["Rare birds.", "They walked."], 10.0 * rare);
    check(1.0, "rare walking", &[1.0], &["They walked sim=0.9."], 10.0 * (1.0 - rare));
    // The blend is taken sentence by sentence.
    check(0.3, "rare walking", &[1.0], &["Rare walks sim=0.5.", "B sim=0.6."], 10.0 * (0.7 * 0.5 + 0.3));
    check(0.3, "rare walking", &[1.0], &["Rare walks sim=0.1.", "B sim=0.9."], 10.0 * (0.7 * 0.9));
    // Without a vector, words count alone; without a term that weighs anything, vectors do.
    check(0.3, "rare walking", &[], &["They walked."], 10.0 * (1.0 - rare));
    check(0.3, "", &[1.0], &["A sim=0.4."], 4.0);
    // Without stored sentences the best window and the whole text stand in.
    check(0.3, "rare walking", &[1.0], &[], 10.0 * 0.7 * 0.5);
}

#[test]
fn the_other_form_of_an_abbreviation_counts_like_it() {
    let mut question = question("rare GMV", &[1.0]);
    let span = question.terms[1].span;
    let term =
        |word: &str| QuestionTerm { stem: text::stem(word), word: word.to_owned(), span, after_how: false };
    question.other_forms = vec![OtherForm {
        text: "grey volume".to_owned(),
        span,
        terms: vec![term("grey"), term("volume")],
        is_long: true,
    }];
    let of = |sentence: &str| score_question(1.0, &question, &[hit(0, &[sentence], 0.3)]).0[0];
    assert!((of("Rare GMV.") - 10.0).abs() < 1e-4);
    assert!((of("Rare grey volumes.") - 10.0).abs() < 1e-4);
    // A part of it is not the form.
    assert!((of("Rare volumes.") - of("Rare birds.")).abs() < 1e-4);
    assert!(of("Rare birds.") < 9.0);
}

#[test]
fn a_question_of_nothing_leaves_the_order_and_says_so() {
    assert_eq!(score(0.3, "", &[], &[hit(0, &["A."], 0.3), hit(1, &["B."], 0.6)]), (vec![0.0, 0.0], 1));
}

#[test]
fn weights_out_of_range_are_refused() {
    for weight in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
        assert!(matches!(SentenceReranker::new(weight), Err(RerankError::Weight(_))), "{weight}");
    }
}
