//! Analyses the text of a question for all stages.

use crate::{matching, named_sources, wording};
use text::{
    entities::{EntityKind, entities},
    fold::fold,
};
use types::{Filter, Mode, Question, QuestionEntity, QuestionTerm, Span, Understood};

/// Analyses a question. `vector` is its unit vector, empty if there is none. Never fails: a blank question has no
/// terms.
pub fn analyse(query: &str, vector: Vec<f32>, mode: Mode, filter: Filter) -> Question {
    let words = wording::words(query);
    Question {
        vector,
        terms: terms(query),
        other_forms: Vec::new(),
        entities: entities(query)
            .into_iter()
            .filter(|entity| entity.kind != EntityKind::Number)
            .map(|entity| QuestionEntity {
                stems: text::terms(&entity.text)
                    .into_iter()
                    .map(|term| term.stem)
                    .collect(),
                entity,
            })
            .collect(),
        language: text::language(query),
        words: matching::words(query),
        folded: fold(query).text().to_owned(),
        named_sources: named_sources(query),
        kind: wording::kind(&words),
        section: wording::section(&words),
        filter,
        understood: Understood::default(),
        mode,
        text: query.to_owned(),
    }
}

fn terms(query: &str) -> Vec<QuestionTerm> {
    let term = |term: text::Term| QuestionTerm {
        word: query.get(term.span.clone()).unwrap_or(&term.stem).to_owned(),
        after_how: wording::follows_how(query, term.span.start),
        span: Span::new(term.span.start, term.span.end),
        stem: term.stem,
    };
    text::terms(query).into_iter().map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Question {
        analyse(query, Vec::new(), Mode::Hybrid, Filter::default())
    }

    #[test]
    fn terms_of_a_question_stand_once_with_their_words() {
        let question = asked("Does walking raise oxygen uptake more than walks of the same oxygen cost?");
        let words: Vec<&str> = question.distinct_terms().map(|term| term.word.as_str()).collect();
        assert!(
            words.starts_with(&["walking", "raise", "oxygen", "uptake"]),
            "{words:?}"
        );
        assert_eq!(
            words.iter().filter(|word| **word == "oxygen").count(),
            1,
            "{words:?}"
        );
        assert!(!words.contains(&"walks"), "one stem, one term: {words:?}");
        assert!(
            question.terms.len() > words.len(),
            "repetitions are kept for BM25"
        );
    }

    #[test]
    fn everything_is_found_in_one_pass() {
        let question = asked("How long did Zhang et al. 2021 give GDF15 in the methods?");
        assert_eq!(question.named_sources.len(), 1);
        assert_eq!(question.section, Some(types::SectionKind::Methods));
        assert!(question.kind.number);
        assert!(
            question
                .terms
                .iter()
                .any(|term| term.word == "long" && term.after_how)
        );
        assert!(
            question
                .entities
                .iter()
                .any(|entity| entity.entity.text == "GDF15")
        );
        assert!(question.stems().contains("gdf15"), "{:?}", question.stems());
        assert!(!question.other_language());
        assert!(asked("¿Cuál es el efecto de la caminata en los adultos?").other_language());
    }

    #[test]
    fn a_blank_question_has_nothing() {
        let question = asked("  ");
        assert!(question.terms.is_empty() && question.entities.is_empty() && question.stems().is_empty());
    }
}
