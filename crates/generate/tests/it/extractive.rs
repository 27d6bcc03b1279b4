//! What an answer of verbatim sentences says.

use crate::corpus::{Corpus, vector};
use crate::promise::{ask, ask_fitted, ask_ranked, ask_with, settings};
use generate::{ExtractiveSettings, extractive};
use types::{
    ComparedPaper, Confidence, Evidence, GenerationInput, Question, RagResponse, RankedSentence, Ranking,
    RefusalReason, SectionKind::Results, Span,
};

pub(crate) fn quotes(answer: &RagResponse) -> Vec<&str> {
    answer.citations.iter().map(|c| c.relevant_quote.as_str()).collect()
}

pub(crate) const QUERY: &str = "Does brisk walking lower systolic blood pressure?";
pub(crate) const WALK: &str = "Brisk walking lowered systolic blood pressure by 6 mmHg after twelve weeks.";
pub(crate) const SLEEP: &str = "Sleep duration did not change in any of the three groups.";
pub(crate) const WEATHER: &str = "The weather was mild during the whole year.";

/// One chunk of the paper orvella_2021.
pub(crate) fn one(sentences: &[&str]) -> Corpus {
    let mut corpus = Corpus::default();
    corpus.add("orvella_2021", Results, 0, sentences);
    corpus
}

#[test]
fn the_likely_sentence_is_quoted_with_its_mark() {
    let answer = ask(&one(&[SLEEP, WALK, WEATHER]), QUERY, &[0.1, 0.79, 0.05]);
    assert_eq!(quotes(&answer), [WALK]);
    assert_eq!(answer.answer, format!("{WALK} (orvella_2021, orvella_2021__results__000)"));
    assert_eq!(answer.citations[0].page_start, Some(2));
    assert_eq!(answer.confidence, Confidence::Medium);
    assert_eq!(answer.probability, Some(0.79));
    assert_eq!(answer.evidence_quality, "1 sentence quoted from 1 paper");
    assert!(answer.caveats.is_empty() && answer.refusal.is_none(), "{answer:?}");
}

#[test]
fn the_quality_counts_sentences_and_papers() {
    let mut corpus = one(&[WALK, SLEEP]);
    corpus.add("tandrik_2019", Results, 0, &[WEATHER]);
    let answer = ask(&corpus, QUERY, &[0.9, 0.6, 0.7]);
    assert_eq!(answer.evidence_quality, "3 sentences quoted from 2 papers");
}

#[test]
fn confidence_follows_the_probability_of_the_whole() {
    let corpus = one(&[WALK]);
    let check = |probability: f32, high_confidence: f32, want: Confidence| {
        let settings = ExtractiveSettings { high_confidence, ..settings() };
        let ranking = Ranking { probability, ..corpus.ranking(&[0.4]) };
        let answer = ask_ranked(&corpus, QUERY, &ranking, &settings);
        assert_eq!(answer.confidence, want, "{probability} of {high_confidence}");
        assert_eq!(answer.probability, Some(probability));
    };
    check(0.8, 0.8, Confidence::High);
    check(0.79, 0.8, Confidence::Medium);
    check(0.01, 0.8, Confidence::Medium);
    check(0.89, 0.9, Confidence::Medium);
    check(0.3, 0.2, Confidence::High);
}

#[test]
fn from_partial_evidence_passages_are_shown_as_printed() {
    let ask = |corpus: &Corpus, probabilities: &[f32]| {
        let settings = settings();
        let ranking = corpus.ranking(probabilities);
        let answer =
            corpus.asked_with(QUERY, &ranking, Evidence::Partial, |input| extractive(input, &settings));
        assert_eq!(answer.validate(), Ok(()));
        assert_eq!((answer.confidence, answer.caveats.len()), (Confidence::Low, 0));
        answer
    };
    let answer = ask(&one(&[WALK]), &[0.99]);
    assert!(answer.answer.starts_with("This passage may answer the question:\n\nBrisk"), "{}", answer.answer);
    let five = [
        SLEEP,
        "Adherence was high among the older men of the coast.",
        WALK,
        "Three nurses counted steps with small wooden tools.",
        "Rain fell on most days of the second spring there.",
    ];
    let mut corpus = one(&five);
    let title = "Effects of walking";
    corpus.add("tandrik_2019", Results, 0, &[title, WEATHER, title]);
    let answer = ask(&corpus, &[0.1, 0.2, 0.6, 0.1, 0.3, 0.0, 0.4, 0.0]);
    // The likeliest of both first; around it whole sentences in the order of the page, and no headings.
    assert_eq!(quotes(&answer), [WALK, WEATHER, SLEEP, five[1], five[3], five[4]]);
    let texts: Vec<&str> = answer.answer.split("\n\n").collect();
    assert_eq!(texts.len(), 3, "{}", answer.answer);
    assert_eq!(texts[0], "These passages may answer the question:");
    let places: Vec<_> = five.iter().map(|sentence| texts[1].find(sentence)).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{}", texts[1]);
    assert!(texts[2].starts_with(WEATHER), "{}", texts[2]);
}

#[test]
fn papers_that_are_compared_have_a_block_each() {
    let mut corpus = one(&[SLEEP, WALK]);
    corpus.add("tandrik_2019", Results, 0, &[WEATHER]).add(
        "brin_2020",
        Results,
        0,
        &["Three nurses counted steps with small wooden tools."],
    );
    let compared = |source_id: &str, answers: bool| ComparedPaper { source_id: source_id.into(), answers };
    let ranking = corpus.ranking(&[0.1, 0.9, 0.2, 0.8]);
    let answer = corpus.asked_with(QUERY, &ranking, Evidence::Sufficient, |input| {
        let question = Question {
            papers: vec![
                compared("tandrik_2019", true),
                compared("orvella_2021", true),
                compared("brin_2020", false),
            ],
            ..input.question.clone()
        };
        let input = GenerationInput { question: &question, ..input };
        extractive(input, &settings())
    });
    assert_eq!(quotes(&answer), [WEATHER, WALK], "a sentence much less likely is left out");
    let heads: Vec<&str> = answer.answer.split("\n\n").step_by(2).collect();
    assert_eq!(heads, ["Tandrik (2019):", "Orvella (2021):"]);
    assert_eq!(answer.caveats, ["No answer found in Brin (2020)."]);
}

#[test]
fn nothing_to_quote_is_a_refusal() {
    let empty = ask(&Corpus::default(), QUERY, &[]);
    assert_eq!((empty.no_evidence, empty.evidence_quality.as_str()), (true, "no passage was found"));
    let reason = |answer: &RagResponse| answer.refusal.as_ref().map(|refusal| refusal.reason);
    assert_eq!(reason(&empty), Some(RefusalReason::NoCandidates));

    let said = "the passages found contain no sentence that can be quoted";
    let unfit = one(&["Effects of brisk walking", "Does walking lower blood pressure in adults?"]);
    for answer in [ask(&unfit, QUERY, &[0.9, 0.8]), ask(&one(&[WALK]), QUERY, &[])] {
        assert!(answer.no_evidence, "{answer:?}");
        assert_eq!(answer.answer, format!("No answer found in your papers: {said}."));
        assert_eq!(reason(&answer), Some(RefusalReason::NotInPassages));
        assert_eq!((answer.probability, answer.confidence), (None, Confidence::Low));
    }
}

#[test]
fn a_long_sentence_stands_whole_and_its_quote_is_cut() {
    let long = format!(
        "After {} the adults of the walking group had a lower blood pressure than the others {}.",
        "a winter and ".repeat(10),
        "in the town ".repeat(10).trim()
    );
    let answer = ask(&one(&[&long]), "Does walking lower blood pressure?", &[0.9]);
    assert!(answer.answer.starts_with(long.split_whitespace().collect::<Vec<_>>().join(" ").as_str()));
    assert!(quotes(&answer)[0].contains("lower blood pressure"), "{answer:?}");
    assert!(quotes(&answer)[0].len() < long.len());
    let citation = &answer.citations[0];
    assert!(citation.cut_start && citation.cut_end, "{citation:?}");
    assert!(citation.shown_quote().starts_with("… ") && citation.shown_quote().ends_with(" …"));
}

#[test]
fn line_breaks_of_the_page_stay_in_the_quote_only() {
    let text = "Brisk walking lowered\nsystolic blood pressure\u{1b} in adults.".to_owned();
    let span = Span::new(0, text.len());
    let mut corpus = Corpus::default();
    corpus.add_text("orvella_2021", Results, 0, text.clone(), &[span]);
    let answer = ask(&corpus, QUERY, &[0.9]);
    assert_eq!(quotes(&answer), [text.as_str()]);
    assert!(answer.answer.starts_with("Brisk walking lowered systolic blood pressure in adults. ("));
}

#[test]
fn a_sentence_without_an_end_gets_a_full_stop_behind_its_mark() {
    let broken =
        "Brisk walking lowered the systolic blood pressure of most adults who lived near the old river";
    let answer = ask(&one(&[broken]), QUERY, &[0.9]);
    assert_eq!(answer.answer, format!("{broken} (orvella_2021, orvella_2021__results__000)."));
}

#[test]
fn superscripts_and_minus_signs_survive() {
    let sentence = "Counts fell from 10⁶ to 10⁻² per mL (−3.1 %, p < 0.05).";
    let answer = ask(&one(&[sentence]), "How far did counts fall?", &[0.9]);
    assert!(answer.answer.starts_with(sentence), "{answer:?}");
}

#[test]
fn the_fitted_ranking_finds_the_sentence_with_and_without_vectors() {
    let corpus = one(&[SLEEP, WALK, WEATHER]);
    for vector in [vector(QUERY), Vec::new()] {
        let answer = ask_fitted(&corpus, QUERY, &vector);
        assert_eq!(quotes(&answer)[0], WALK, "{answer:?}");
    }
}

#[test]
fn a_store_that_errs_does_no_harm() {
    for lies in [vec![], vec![f32::NAN; 2], vec![f32::INFINITY; 2], vec![-3.0, 7.0], vec![0.5; 9]] {
        let mut corpus = one(&[SLEEP, WALK]);
        corpus.lies = Some(lies);
        ask_fitted(&corpus, QUERY, &vector(QUERY));
    }
}

#[test]
fn a_ranking_that_errs_does_no_harm() {
    let corpus = one(&[SLEEP, WALK, WEATHER]);
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 7.0];
    for value in odd {
        ask(&corpus, QUERY, &[value; 3]);
        // A broken value further down leaves the best sentence in front.
        let at =
            |chunk: usize, sentence: usize, probability: f32| RankedSentence { chunk, sentence, probability };
        let ranking = Ranking {
            sentences: vec![at(0, 1, 0.6), at(0, 0, value), at(7, 0, 0.5), at(0, 99, 0.5), at(0, 2, 0.5)],
            probability: value,
            answerable: value,
        };
        let answer = ask_ranked(&corpus, QUERY, &ranking, &settings());
        assert_eq!(quotes(&answer)[0], WALK, "{value}: {answer:?}");
        let settings = ExtractiveSettings {
            max_sentences: 0,
            max_sentences_across: 0,
            enough: value,
            likely: value,
            high_confidence: value,
        };
        let answer =
            corpus.asked_with(QUERY, &corpus.ranking(&[0.1, 0.9, 0.2]), Evidence::Sufficient, |input| {
                extractive(input, &settings)
            });
        assert_eq!(quotes(&answer), [WALK], "{value}");
        ask_with(
            &corpus,
            QUERY,
            &[0.1, 0.9, 0.2],
            &ExtractiveSettings { max_sentences: 3, max_sentences_across: 3, ..settings },
        );
    }
}
