//! What every extractive answer promises, whatever it was made from; checked on every answer of these tests.

use crate::corpus::{Corpus, vector};
use generate::{ExtractiveSettings, QUOTE_WORDS, extractive};
use proptest::prelude::*;
use types::{Evidence, RagResponse, SectionKind::Body, Span};

/// Asks with the defaults.
pub(crate) fn ask(corpus: &Corpus, query: &str) -> RagResponse {
    ask_with(corpus, query, &ExtractiveSettings::default())
}

/// Asks without a question vector.
pub(crate) fn ask_by_terms(corpus: &Corpus, query: &str) -> RagResponse {
    let settings = ExtractiveSettings::default();
    let answer = corpus.asked(query, &[], Evidence::Sufficient, |input| {
        extractive(input, &settings)
    });
    holds(&answer, corpus, &settings);
    answer
}

/// Asks, and checks what every answer promises.
pub(crate) fn ask_with(corpus: &Corpus, query: &str, settings: &ExtractiveSettings) -> RagResponse {
    let answer = corpus.asked(query, &vector(query), Evidence::Sufficient, |input| {
        extractive(input, settings)
    });
    holds(&answer, corpus, settings);
    answer
}

/// What every answer promises.
pub(crate) fn holds(answer: &RagResponse, corpus: &Corpus, settings: &ExtractiveSettings) {
    assert_eq!(answer.validate(), Ok(()));
    assert!(answer.citations.len() <= settings.max_sentences, "{answer:?}");
    assert_eq!(answer.no_evidence, answer.citations.is_empty(), "{answer:?}");
    for citation in &answer.citations {
        let place = corpus
            .context
            .get(citation.chunk_id.as_str())
            .expect("a chunk of the context");
        assert_eq!(place.chunk.source_id, citation.source_id);
        assert!(
            place.chunk.text.contains(&citation.relevant_quote),
            "{citation:?}"
        );
        assert!(!citation.relevant_quote.trim().is_empty(), "{citation:?}");
        assert!(
            citation.relevant_quote.split_whitespace().count() <= QUOTE_WORDS,
            "{citation:?}"
        );
        assert_eq!(citation.section, Some(place.chunk.section));
        let pages = citation.page_start.expect("a page")..=citation.page_end.expect("a page");
        assert!(
            !pages.is_empty() && *pages.end() <= place.chunk.page_end,
            "{citation:?}"
        );
        let mark = format!("({}, {})", citation.source_id, citation.chunk_id);
        assert!(answer.answer.contains(&mark), "{mark} in {}", answer.answer);
    }
}

/// Sentences of common words, so that they share some with the question and with each other.
fn prose() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "walking",
        "lowered",
        "blood",
        "pressure",
        "adults",
        "sleep",
        "trial",
        "12",
        "mmHg",
        "weeks",
        "the",
        "in",
        "VO2max",
        "rose",
        "α-tocopherol",
        "(p < 0.05)",
        "naïve",
        "血压",
    ]);
    prop::collection::vec(word, 1..60).prop_map(|words| format!("The {}.", words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_answer_keeps_its_promises(
        chunks in prop::collection::vec((0..3_usize, 0..6_u32, prop::collection::vec(prose(), 0..6)), 0..6),
        query in "(walking|blood pressure|sleep|VO2max|compare|how much| |\\PC){0,8}",
        most in 1..7_usize,
    ) {
        let mut corpus = Corpus::default();
        for (source, first, sentences) in &chunks {
            let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
            corpus.add(["brin_2020", "orvella_2021", "tandrik_2019"][*source], Body, *first, &sentences);
        }
        let settings = ExtractiveSettings { max_sentences: most, ..ExtractiveSettings::default() };
        let answer = ask_with(&corpus, &query, &settings);
        prop_assert_eq!(&ask_with(&corpus, &query, &settings), &answer, "the same again");
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}", query in "\\PC{0,40}", cut in 0..200_usize) {
        let mut corpus = Corpus::default();
        let mut spans: Vec<Span> = text::sentences(&text).into_iter().map(Span::from).collect();
        // A broken span, as a damaged index might hold.
        spans.push(Span::new(cut, cut + 7));
        corpus.add_text("orvella_2021", Body, 0, text, &spans);
        let settings = ExtractiveSettings { min_words: 0, min_relevance: 0.0, ..ExtractiveSettings::default() };
        ask_with(&corpus, &query, &settings);
    }
}
