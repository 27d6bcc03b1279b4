//! Which sources of a store a question may mean, and which it is about, where it names them exactly.

use super::surname;
use std::collections::BTreeSet;
use text::{WordList, entities::stem_forms};
use types::{
    MetadataWords, NamedSource, Question, QuestionTerm, SectionKind, SourceId, SourceMeta, SourceQuery,
    StoredSource,
};

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
    let entities = question.entities.iter().flat_map(|entity| stem_forms(&entity.entity));
    let forms = entities.flatten().collect::<BTreeSet<String>>();
    let words = forms.into_iter().map(|stem| MetadataWords { stems: vec![stem], limit: SAME_WORD });
    let wanted: Vec<MetadataWords> = named.chain(words).collect();
    (!wanted.is_empty()).then_some(SourceQuery::Containing(wanted))
}

/// The words of the surnames, without the year: it may be unknown, or differ by one.
fn of_source(named: &NamedSource) -> MetadataWords {
    let words = named.surnames.iter().flat_map(|surname| text::folded_words(surname));
    let stems: BTreeSet<String> = words.map(|word| text::stem(&word)).collect();
    MetadataWords { stems: stems.into_iter().collect(), limit: MAX_SOURCES_OF_A_NAME }
}

/// Words that bring in a paper besides the one that is named: one that cites it, agrees with it, came later.
static OTHERS: WordList = WordList::new(
    "cite cited cites citing citation citations criticise criticised criticize criticized replicate replicated
    replication later since other others another unlike than response review",
);

/// The sources that the question is about; `None` if it names none, if one of those that it names is not exactly
/// known, or if others may answer it, too. `stored` are the sources of the store that it may name.
///
/// A source is known by its first author and its year; without a year, by its first author. "A and B" are both among
/// its authors.
pub fn meant_sources(question: &Question, stored: &[StoredSource]) -> Option<Vec<SourceId>> {
    let named = &question.named_sources;
    if named.is_empty() {
        return None;
    }
    let others = question.words.iter().any(|word| OTHERS.contains(&word.folded));
    if named.len() == 1 && (question.kind.across || others) {
        return None;
    }
    let mut meant = BTreeSet::new();
    for one in named {
        let of_it = stored.iter().filter(|source| is(one, &source.meta));
        let ids: Vec<&SourceId> = of_it.map(|source| &source.meta.source_id).collect();
        if ids.is_empty() {
            return None;
        }
        meant.extend(ids.into_iter().cloned());
    }
    Some(meant.into_iter().collect())
}

/// Leaves out the terms that stand in the title of the one paper that is asked about, which tell none of its sentences from
/// another, unless nothing but names is left.
pub fn without_title(question: &mut Question, title: &str) {
    let title = text::stems(title);
    let names = question.named_sources.iter().flat_map(|named| text::stems(&named.text));
    let names: BTreeSet<String> = names.collect();
    let asks = |term: &QuestionTerm| !title.contains(&term.stem) && !names.contains(&term.stem);
    if question.terms.iter().any(asks) {
        question.terms.retain(|term| !title.contains(&term.stem));
    }
}

/// What an author does with a conclusion, and with a result: words that ask for a part of a paper and not for a topic.
static CONCLUDE: WordList = WordList::new("conclude argue recommend propose believe claim");
static RESULT: WordList = WordList::new("observe investigate examine result measure test");

/// Prepares a question about named sources whose verb asks for a part of them: "What did Barry et al. conclude (about
/// sleep)?" The verb is no term, but says which section answers the question, unless that names one. Beside a topic, only
/// "conclude" is such a verb. Returns the verb as written; empty for a question without topic and verb, whose section is the
/// conclusion; `None` for other questions, which stay as they are.
pub fn part_asked_for(question: &mut Question) -> Option<String> {
    let names: BTreeSet<String> =
        question.named_sources.iter().flat_map(|named| text::stems(&named.text)).collect();
    let part = |term: &QuestionTerm| {
        let verbs = [(&CONCLUDE, SectionKind::Conclusion), (&RESULT, SectionKind::Results)];
        let mut asked = verbs.into_iter();
        let asked = asked.find(|(verbs, _)| verbs.iter().any(|verb| text::stem(verb) == term.stem));
        asked.map(|(_, section)| section)
    };
    let is_name = |term: &QuestionTerm| names.contains(&term.stem);
    let has_topic = question.terms.iter().any(|term| !is_name(term) && part(term).is_none());
    let concludes = text::stem("conclude");
    let asks = |term: &QuestionTerm| part(term).is_some() && (!has_topic || term.stem == concludes);
    let verb = question.terms.iter().find(|term| asks(term));
    if has_topic && verb.is_none() {
        return None;
    }
    let word = verb.map(|term| term.word.clone()).unwrap_or_default();
    let section = verb.and_then(part).unwrap_or(SectionKind::Conclusion);
    question.section = question.section.or(Some(section));
    question.terms.retain(|term| is_name(term) || !asks(term));
    Some(word)
}

fn is(named: &NamedSource, meta: &SourceMeta) -> bool {
    let authors: Vec<String> = meta.authors.iter().filter_map(|author| surname(author)).collect();
    let wanted: Vec<String> = named.surnames.iter().map(|name| text::plain_letters(name)).collect();
    let first = authors.first().is_some_and(|first| wanted.contains(first));
    first
        && wanted.iter().all(|name| authors.contains(name))
        && named.year.is_none_or(|year| meta.year == Some(year))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use types::{Filter, Mode};

    fn source(id: &str, authors: &[&str], year: u16) -> StoredSource {
        StoredSource {
            meta: Arc::new(SourceMeta {
                source_id: id.into(),
                authors: authors.iter().map(|author| (*author).to_owned()).collect(),
                year: Some(year),
                ..SourceMeta::default()
            }),
            ..StoredSource::default()
        }
    }

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

    #[test]
    fn sources_are_meant_where_all_are_known() {
        let stored = [
            source("wirz_2019", &["Ada Wirz", "Bram Solvik"], 2019),
            source("wirz_2021", &["Wirz, A.", "Cor Barry"], 2021),
            source("barry_2020", &["Cor Barry", "Ada Wirz"], 2020),
        ];
        let check = |query: &str, want: Option<&[&str]>| {
            let question = crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
            let meant = meant_sources(&question, &stored);
            let meant: Option<Vec<&str>> =
                meant.as_ref().map(|ids| ids.iter().map(SourceId::as_str).collect());
            assert_eq!(meant.as_deref(), want, "{query}");
        };
        check("What did Wirz et al. conclude", Some(&["wirz_2019", "wirz_2021"]));
        check("What did wirz et al. 2019 conclude?", Some(&["wirz_2019"]));
        check("in the methods of Barry et al.", Some(&["barry_2020"]));
        check("According to Wirz and Solvik 2019, who walked?", Some(&["wirz_2019"]));
        let all: &[&str] = &["barry_2020", "wirz_2019", "wirz_2021"];
        check("Compare Wirz et al. with Barry et al.", Some(all));
        check("Does Wirz et al. 2019 agree with Barry et al. 2020?", Some(&["barry_2020", "wirz_2019"]));
        // Unknown, or not exactly known.
        check("What did Wirz et al. 2020 conclude?", None);
        check("What did Solvik et al. conclude?", None);
        check("What did Zhang et al. conclude?", None);
        check("Compare Wirz et al. with Zhang et al.", None);
        // Others may answer.
        check("Do other studies agree with Wirz et al.?", None);
        check("Who cited Wirz et al. 2019?", None);
        check("Does walking help?", None);
    }

    #[test]
    fn only_names_are_left_of_a_question_about_whole_sections() {
        let check = |query: &str, filtered: bool, want: bool| {
            let filter = Filter {
                sources: Some(vec!["wirz_2019".into()]),
                sections: filtered.then(|| vec![SectionKind::Conclusion]),
                ..Filter::default()
            };
            let mut question = crate::analyse(query, Vec::new(), Mode::Hybrid, filter);
            part_asked_for(&mut question);
            assert_eq!(question.asks_for_whole_sections(), want, "{query}");
        };
        check("What did Wirz et al. conclude?", true, true);
        check("What did Wirz et al. conclude?", false, false);
        check("What did Wirz et al. conclude about slugs?", true, false);
        check("What do the papers conclude?", true, false);
    }

    #[test]
    fn a_question_without_a_topic_asks_for_a_section() {
        let check = |query: &str, terms: &[&str], section: Option<SectionKind>| {
            let mut question = crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
            part_asked_for(&mut question);
            let left: Vec<&str> = question.terms.iter().map(|term| term.word.as_str()).collect();
            assert_eq!((left.as_slice(), question.section), (terms, section), "{query}");
        };
        check("What did Wirz et al. conclude?", &["Wirz"], Some(SectionKind::Conclusion));
        check("What did Wirz et al. observe?", &["Wirz"], Some(SectionKind::Results));
        check("What did Wirz et al. find?", &["Wirz"], Some(SectionKind::Conclusion));
        check("What did Wirz et al. conclude on sleep?", &["Wirz", "sleep"], Some(SectionKind::Conclusion));
    }
}
