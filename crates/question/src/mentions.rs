//! Which sources of a store a question may mean.

use std::collections::BTreeSet;
use text::{entities::stem_forms, fold::fold};
use types::{MetadataWords, NamedSource, Question, SourceQuery};

/// Maximum number of sources for one named source: authors with a common surname have many papers, which the year
/// separates later.
const MAX_SOURCES_OF_A_NAME: usize = 10_000;
/// Sources that one word of a symbol or a name may bring. One that holds it in its title, authors or venue is enough, but
/// a store also finds words of source ids, which prove nothing.
const SAME_WORD: usize = 20;

/// The query that finds them in a store: the sources of the authors that the question names, and for each word of its
/// symbols and names a few sources whose id, title, authors or venue contain it. `None` if the question names nothing.
pub fn mentions(question: &Question) -> Option<SourceQuery> {
    let named = question.named_sources.iter().map(of_source);
    let entities = question
        .entities
        .iter()
        .flat_map(|entity| stem_forms(&entity.entity));
    let forms = entities.flatten().collect::<BTreeSet<String>>();
    let words = forms.into_iter().map(|stem| MetadataWords {
        stems: vec![stem],
        limit: SAME_WORD,
    });
    let wanted: Vec<MetadataWords> = named.chain(words).collect();
    (!wanted.is_empty()).then_some(SourceQuery::Containing(wanted))
}

/// The words of the surnames, without the year: it may be unknown, or differ by one.
fn of_source(named: &NamedSource) -> MetadataWords {
    let mut stems = BTreeSet::new();
    for surname in &named.surnames {
        let folded = fold(surname);
        let words = folded.text().split(|c: char| !c.is_alphanumeric());
        stems.extend(words.filter(|word| !word.is_empty()).map(text::stem));
    }
    MetadataWords {
        stems: stems.into_iter().collect(),
        limit: MAX_SOURCES_OF_A_NAME,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode};

    fn wanted(query: &str) -> Vec<MetadataWords> {
        let question = crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
        match mentions(&question) {
            Some(SourceQuery::Containing(words)) => words,
            None => Vec::new(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_and_symbols_are_looked_up() {
        let words = wanted("What did Okafor and Lindqvist (2019) say of GDF15?");
        assert_eq!(words[0].stems, [text::stem("lindqvist"), text::stem("okafor")]);
        assert_eq!(words[0].limit, MAX_SOURCES_OF_A_NAME);
        let symbol = words.iter().find(|w| w.stems == ["gdf15"]).expect("the symbol");
        assert_eq!(symbol.limit, SAME_WORD);
    }

    #[test]
    fn a_question_without_names_asks_for_nothing() {
        assert!(wanted("does walking lower blood pressure?").is_empty());
    }
}
