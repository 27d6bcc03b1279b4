//! The terms of a question: what a store looks up.

use crate::SearchSettings;
use std::collections::HashMap;
use types::{LexicalQuery, Mode, QueryTerm, Question, TermWeight, Tokenizer, idf};

/// What a lexical search for a question looks up.
pub fn lexical_query(question: &Question, settings: &SearchSettings) -> LexicalQuery {
    LexicalQuery {
        terms: match settings.tokenizer {
            Tokenizer::Stems => stems(question),
            Tokenizer::Whitespace => question.text.split_whitespace().map(as_written).collect(),
        },
        tokenizer: settings.tokenizer,
        title_weight: settings.title_weight,
        counted: question.stems().into_iter().map(str::to_owned).collect(),
        // What no other list holds is a candidate at the head of this one or not at all.
        named: (question.mode == Mode::Bm25).then_some(settings.bm25_k),
    }
}

/// How rare the terms of a query are in a store of `chunks` chunks; none without frequencies.
pub fn weights(query: &LexicalQuery, frequencies: &[usize], chunks: usize) -> Vec<TermWeight> {
    let one = |(term, held): (&QueryTerm, &usize)| TermWeight {
        word: term.word.clone(),
        stem: term.key.clone(),
        chunks: *held,
        idf: idf(chunks, *held),
        weight: term.weight,
    };
    query.terms.iter().zip(frequencies).map(one).collect()
}

fn as_written(word: &str) -> QueryTerm {
    QueryTerm { word: word.to_owned(), key: word.to_owned(), weight: 1.0 }
}

/// The distinct stems of a question, in the order in which they first occur. Each occurrence counts; the terms of another
/// form of the question's words share a weight of 1, as if they were one term.
fn stems(question: &Question) -> Vec<QueryTerm> {
    let own = question.terms.iter().map(|term| (term, 1.0));
    let others = question.other_forms.iter().flat_map(|other| {
        let weight = 1.0 / other.terms.len().max(1) as f32;
        other.terms.iter().map(move |term| (term, weight))
    });
    let mut found: Vec<QueryTerm> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (term, weight) in own.chain(others) {
        let place = *places.entry(&term.stem).or_insert(found.len());
        match found.get_mut(place) {
            Some(known) => known.weight += weight,
            None => found.push(QueryTerm { word: term.word.clone(), key: term.stem.clone(), weight }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::Filter;

    #[test]
    fn the_tokenizer_decides_what_a_term_is() {
        let text = "Do the studies of walking, or walks, improve VO2max?";
        let question = question::analyse(text, Vec::new(), Mode::Bm25, Filter::default());
        let check = |tokenizer, want: &[(&str, u32)]| {
            let settings = SearchSettings { tokenizer, ..SearchSettings::default() };
            let query = lexical_query(&question, &settings);
            let terms = query.terms.iter();
            let found: Vec<_> = terms.map(|term| (term.key.as_str(), term.weight as u32)).collect();
            assert_eq!(found, want);
        };
        check(Tokenizer::Stems, &[("walk", 2), ("improv", 1), ("vo2max", 1)]);
        let written = ["Do", "the", "studies", "of", "walking,", "or", "walks,", "improve", "VO2max?"];
        check(Tokenizer::Whitespace, &written.map(|word| (word, 1)));
    }
}
