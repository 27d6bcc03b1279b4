//! The terms of a question: what is looked up in the index.

use super::{Form, fields::STOP_MARK};
use crate::{Bm25Settings, StopWords};
use std::collections::HashMap;
use types::Question;

/// A term of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    /// The word as the question first writes it.
    pub(crate) word: String,
    /// Its stem.
    pub(crate) stem: String,
    /// What is compared: the stem, or the word unstemmed.
    pub(crate) key: String,
    /// How often it occurs in the question; each occurrence counts. The terms of another form of the question's words
    /// share a weight of 1, as if they were one term.
    pub(crate) weight: f32,
}

impl QueryTerm {
    /// Its keys in the dictionary. With stop words, a word may stand there as one, as another, or as both.
    pub(crate) fn keys(&self, stop_words: StopWords) -> Vec<String> {
        let mut keys = vec![self.key.clone()];
        if stop_words == StopWords::None {
            keys.push(format!("{STOP_MARK}{}", self.key));
        }
        keys
    }
}

/// The form in which words are compared.
pub(crate) fn form(settings: &Bm25Settings) -> Form {
    if settings.stemming { Form::Stem } else { Form::Word }
}

/// The distinct terms of a question, in the order in which they first occur.
pub(crate) fn query_terms(question: &Question, settings: &Bm25Settings) -> Vec<QueryTerm> {
    let mut terms = Terms::default();
    match (settings.stop_words, form(settings)) {
        (StopWords::English, Form::Stem) => {
            for term in &question.terms {
                terms.add(&term.word, &term.stem, term.stem.clone(), 1.0);
            }
        }
        (StopWords::English, Form::Word) => {
            for term in &question.terms {
                terms.add(&term.word, &term.stem, text::normal_form(&term.word), 1.0);
            }
        }
        (StopWords::None, form) => {
            for word in text::indexed_words(&question.text) {
                let written = question.text.get(word.span.clone()).unwrap_or(&word.form);
                let key = match form {
                    Form::Stem => word.stem.clone(),
                    Form::Word => word.form.clone(),
                };
                terms.add(written, &word.stem, key, 1.0);
            }
        }
    }
    for other in &question.other_forms {
        let weight = 1.0 / other.terms.len().max(1) as f32;
        for term in &other.terms {
            let key = match form(settings) {
                Form::Stem => term.stem.clone(),
                Form::Word => text::normal_form(&term.word),
            };
            terms.add(&term.word, &term.stem, key, weight);
        }
    }
    terms.found
}

/// Terms by key.
#[derive(Default)]
struct Terms {
    found: Vec<QueryTerm>,
    places: HashMap<String, usize>,
}

impl Terms {
    fn add(&mut self, word: &str, stem: &str, key: String, weight: f32) {
        let place = *self.places.entry(key.clone()).or_insert(self.found.len());
        match self.found.get_mut(place) {
            Some(known) => known.weight += weight,
            None => self.found.push(QueryTerm {
                word: word.to_owned(),
                stem: stem.to_owned(),
                key,
                weight,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode};

    #[test]
    fn settings_decide_what_a_term_is() {
        let question = question::analyse(
            "Do the studies of walking, or walks, improve VO2max?",
            Vec::new(),
            Mode::Bm25,
            Filter::default(),
        );
        let check = |stemming: bool, stop_words: StopWords, want: &[(&str, u32)]| {
            let settings = Bm25Settings {
                stemming,
                stop_words,
                ..Bm25Settings::default()
            };
            let terms = query_terms(&question, &settings);
            let found: Vec<_> = terms
                .iter()
                .map(|term| (term.key.as_str(), term.weight as u32))
                .collect();
            assert_eq!(found, want, "stemming {stemming}, stop words {stop_words:?}");
        };
        check(
            true,
            StopWords::English,
            &[("walk", 2), ("improv", 1), ("vo2max", 1)],
        );
        let words = [("walking", 1), ("walks", 1), ("improve", 1), ("vo2max", 1)];
        check(false, StopWords::English, &words);
        check(
            true,
            StopWords::None,
            &[
                ("do", 1),
                ("the", 1),
                ("studi", 1),
                ("of", 1),
                ("walk", 2),
                ("or", 1),
                ("improv", 1),
                ("vo2max", 1),
            ],
        );
    }

    #[test]
    fn a_stop_word_is_looked_up_only_where_stop_words_count() {
        let term = QueryTerm {
            word: "studies".to_owned(),
            stem: "studi".to_owned(),
            key: "studi".to_owned(),
            weight: 1.0,
        };
        assert_eq!(term.keys(StopWords::English), ["studi"]);
        assert_eq!(term.keys(StopWords::None), ["studi", "\u{1}studi"]);
    }
}
