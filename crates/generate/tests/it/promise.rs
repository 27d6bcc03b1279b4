//! What every extractive answer promises, whatever it was made from; checked on every answer of these tests.

use crate::corpus::{Corpus, vector};
use generate::{ExtractiveSettings, QUOTE_WORDS, extractive};
use proptest::prelude::*;
use std::collections::BTreeSet;
use types::{
    Citation, ComparedPaper, Evidence, GenerationInput, Question, RagResponse, Ranking, SectionKind::Body,
    SourceId, Span,
};

/// Settings of these tests. The defaults may be fitted anew; what is tested here does not change with them.
pub(crate) fn settings() -> ExtractiveSettings {
    ExtractiveSettings {
        max_sentences: 5,
        max_sentences_across: 5,
        enough: 0.75,
        likely: 0.5,
        high_confidence: 0.8,
    }
}

/// Asks with these settings. Probabilities are given in the order of the sentences of the context.
pub(crate) fn ask(corpus: &Corpus, query: &str, probabilities: &[f32]) -> RagResponse {
    ask_with(corpus, query, probabilities, &settings())
}

/// Asks, and checks what every answer promises.
pub(crate) fn ask_with(
    corpus: &Corpus,
    query: &str,
    probabilities: &[f32],
    settings: &ExtractiveSettings,
) -> RagResponse {
    ask_ranked(corpus, query, &corpus.ranking(probabilities), settings)
}

/// The same with a whole ranking.
pub(crate) fn ask_ranked(
    corpus: &Corpus,
    query: &str,
    ranking: &Ranking,
    settings: &ExtractiveSettings,
) -> RagResponse {
    let answer = corpus.asked_with(query, ranking, Evidence::Sufficient, |input| extractive(input, settings));
    holds(&answer, corpus, settings);
    // From partial evidence: two passages of at most five sentences.
    let unsure = corpus.asked_with(query, ranking, Evidence::Partial, |input| extractive(input, settings));
    let most = settings.max_sentences.max(settings.max_sentences_across);
    promises(&unsure, corpus, most.max(10));
    // Compared: at most two sentences of each paper, and those that they point back to.
    let ids: BTreeSet<&SourceId> = corpus.context.chunks.iter().map(|place| &place.chunk.source_id).collect();
    let papers = ids.into_iter().map(|id| ComparedPaper { source_id: id.clone(), answers: true });
    let papers: Vec<ComparedPaper> = papers.collect();
    let compared = corpus.asked_with(query, ranking, Evidence::Sufficient, |input| {
        let question = Question { papers: papers.clone(), ..input.question.clone() };
        let input = GenerationInput { question: &question, ..input };
        extractive(input, settings)
    });
    promises(&compared, corpus, most.max(4 * papers.len()));
    answer
}

/// Asks with the ranking of the fitted model and the default settings. `vector` is that of the question, empty for none.
pub(crate) fn ask_fitted(corpus: &Corpus, query: &str, vector: &[f32]) -> RagResponse {
    let settings = ExtractiveSettings::default();
    let answer = corpus.asked(query, vector, |input| extractive(input, &settings));
    holds(&answer, corpus, &settings);
    answer
}

/// What every answer promises.
pub(crate) fn holds(answer: &RagResponse, corpus: &Corpus, settings: &ExtractiveSettings) {
    promises(answer, corpus, settings.max_sentences.max(settings.max_sentences_across));
}

/// The same of an answer with `most` sentences.
fn promises(answer: &RagResponse, corpus: &Corpus, most: usize) {
    assert_eq!(answer.validate(), Ok(()));
    assert!(answer.citations.len() <= most, "{answer:?}");
    assert_eq!(answer.no_evidence, answer.citations.is_empty(), "{answer:?}");
    let marks: BTreeSet<String> = answer.citations.iter().map(mark).collect();
    let marked: usize = marks.iter().map(|mark| answer.answer.matches(mark.as_str()).count()).sum();
    assert_eq!(marked, answer.citations.len(), "one citation a sentence: {answer:?}");
    let mut quoted: Vec<_> = answer.citations.iter().map(|c| (&c.source_id, &c.relevant_quote)).collect();
    quoted.sort();
    quoted.dedup();
    assert_eq!(quoted.len(), answer.citations.len(), "each once: {answer:?}");
    for citation in &answer.citations {
        let place = corpus.context.get(citation.chunk_id.as_str()).expect("a chunk of the context");
        assert_eq!(place.chunk.source_id, citation.source_id);
        assert!(place.chunk.text.contains(&citation.relevant_quote), "{citation:?}");
        assert!(!citation.relevant_quote.trim().is_empty(), "{citation:?}");
        assert!(citation.relevant_quote.split_whitespace().count() <= QUOTE_WORDS, "{citation:?}");
        assert_eq!(citation.section, Some(place.chunk.section));
        let pages = citation.page_start.expect("a page")..=citation.page_end.expect("a page");
        assert!(!pages.is_empty() && *pages.end() <= place.chunk.page_end, "{citation:?}");
    }
}

fn mark(citation: &Citation) -> String {
    format!("({}, {})", citation.source_id, citation.chunk_id)
}

/// Sentences of common words, so that they share some with the question and with each other.
fn prose() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        "walking~lowered~blood~pressure~adults~sleep~trial~12~mmHg~weeks~the~in~VO2max~rose~\
        α-tocopherol~(p < 0.05)~naïve~血压~|~(a, a__results__001)"
            .split('~')
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(word, 1..60).prop_map(|words| format!("The {}.", words.join(" ")))
}

/// Probabilities, some of them broken.
fn probability() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => 0.0_f32..=1.0,
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 7.0]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_answer_keeps_its_promises(
        chunks in prop::collection::vec((0..3_usize, 0..6_u32, prop::collection::vec(prose(), 0..6)), 0..6),
        query in "(walking|blood pressure|sleep|VO2max|compare|across studies|how much| |\\PC){0,8}",
        probabilities in prop::collection::vec(probability(), 0..40),
        (most, enough, likely) in (1..7_usize, probability(), probability()),
    ) {
        let mut corpus = Corpus::default();
        // Numbers do not overlap: a number stands for one sentence of a paper.
        for (at, (source, first, sentences)) in chunks.iter().enumerate() {
            let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
            let first = 20 * at as u32 + first;
            corpus.add(["brin_2020", "orvella_2021", "tandrik_2019"][*source], Body, first, &sentences);
        }
        let settings = ExtractiveSettings { max_sentences: most, max_sentences_across: most, enough, likely, ..settings() };
        let answer = ask_with(&corpus, &query, &probabilities, &settings);
        prop_assert_eq!(
            format!("{:?}", ask_with(&corpus, &query, &probabilities, &settings)),
            format!("{answer:?}"),
            "the same again"
        );
        ask_fitted(&corpus, &query, &vector(&query));
    }

    #[test]
    fn any_text_is_survived(
        text in "\\PC{0,200}",
        query in "\\PC{0,40}",
        cut in 0..200_usize,
        probabilities in prop::collection::vec(probability(), 0..40),
    ) {
        let mut corpus = Corpus::default();
        let mut spans: Vec<Span> = text::sentences(&text).into_iter().map(Span::from).collect();
        // A broken span, as a damaged index might hold.
        spans.push(Span::new(cut, cut + 7));
        corpus.add_text("orvella_2021", Body, 0, text, &spans);
        ask(&corpus, &query, &probabilities);
        ask_fitted(&corpus, &query, &vector(&query));
    }
}
