//! Analyses the text of a question for all stages.

use crate::sources::{named_sources, words_of};
use text::{
    WordList,
    entities::{EntityKind, entities},
    fold::fold,
};
use types::{
    Filter, Mode, OtherForm, Question, QuestionEntity, QuestionKind, QuestionTerm, SectionKind, Span,
    Understood,
};

/// Phrases that ask for a number.
static NUMBER: WordList = WordList::new(
    "how many; how much; how long; how often; how large; how big; how old; how far; how high; how low; how fast;
    how great; how strong; what dose; what doses; which dose; dosage; what percentage; what proportion;
    what fraction; what share; percent; number of; sample size; what age; what rate; what value; effect size;
    hazard ratio; odds ratio; prevalence",
);

/// Phrases that ask for more than one source.
static ACROSS: WordList = WordList::new(
    "across studies papers trials sources articles literature compare comparison contrast agree disagree
    agreement disagreement consensus contradict conflicting consistent",
);

/// Words of a question that asks for the aim of a study or a gap in knowledge.
static ASKED: WordList = WordList::new(
    "aim aims purpose objective objectives goal goals hypothesis hypotheses gap gaps future unclear unknown
    limitations investigated",
);

/// What authors do with what is asked for, besides the stop words: "which limits do they acknowledge".
static REPORTING: WordList = WordList::new(
    "acknowledge acknowledges acknowledged admit admits admitted concede concedes conceded recognise recognises recognised
    recognize recognizes recognized",
);

/// Words that name a section, each with the section's kind.
static SECTIONS: [(SectionKind, WordList); 7] = [
    (SectionKind::Abstract, WordList::new("abstract")),
    (SectionKind::Introduction, WordList::new("introduction")),
    (SectionKind::Background, WordList::new("background; related work")),
    (SectionKind::Methods, WordList::new("method; methods; methodology; materials and methods")),
    (SectionKind::Results, WordList::new("results result findings")),
    (SectionKind::Discussion, WordList::new("discussion limitations")),
    (SectionKind::Conclusion, WordList::new("conclusion conclusions outlook")),
];
/// What stands before such a word if it names a section: "which methods lower blood pressure" is not about one.
static IN_SECTION: WordList =
    WordList::new("in the; in its; in their; from the; according to the; under the");

/// Analyses a question. `vector` is its unit vector, empty if there is none. Never fails: a blank question has no
/// terms.
pub fn analyse(query: &str, vector: Vec<f32>, mode: Mode, filter: Filter) -> Question {
    let words = spaced(query);
    let terms = terms(query);
    Question {
        vector,
        embedder: String::new(),
        other_forms: terms.iter().filter_map(|term| noun(query, term)).collect(),
        terms,
        entities: entities(query)
            .into_iter()
            .filter(|entity| entity.kind != EntityKind::Number)
            .map(|entity| QuestionEntity {
                stems: text::terms(&entity.text).into_iter().map(|term| term.stem).collect(),
                entity,
            })
            .collect(),
        language: text::language(query),
        words: words_of(query),
        folded: fold(query).text().to_owned(),
        named_sources: named_sources(query),
        kind: kind(&words),
        section: section(&words),
        study_item: None,
        filter,
        understood: Understood::default(),
        mode,
        papers: Vec::new(),
        text: query.to_owned(),
    }
}

fn terms(query: &str) -> Vec<QuestionTerm> {
    let term = |term: text::Term| QuestionTerm {
        word: query.get(term.span.clone()).unwrap_or(&term.stem).to_owned(),
        after_how: follows_how(query, term.span.start),
        span: Span::new(term.span.start, term.span.end),
        stem: term.stem,
    };
    let mut terms: Vec<QuestionTerm> = text::terms(query).into_iter().map(term).collect();
    let is_topic = |term: &QuestionTerm| !REPORTING.contains(&term.word.to_lowercase());
    if terms.iter().any(is_topic) {
        terms.retain(is_topic);
    }
    terms
}

/// The noun of a verb and its particle, which papers use in its place: "dropout" of "dropped out".
fn noun(query: &str, verb: &QuestionTerm) -> Option<OtherForm> {
    const PARTICLES: [&str; 6] = ["back", "down", "off", "out", "over", "up"];
    let rest = query.get(verb.span.end..)?.strip_prefix(' ')?;
    let particle = PARTICLES.into_iter().find(|particle| {
        rest.strip_prefix(particle)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    })?;
    let span = Span::new(verb.span.start, verb.span.end + 1 + particle.len());
    let text = format!("{}{particle}", verb.stem);
    let term = QuestionTerm { word: text.clone(), stem: text::stem(&text), span, after_how: false };
    Some(OtherForm { text, span, terms: vec![term], is_long: false })
}

/// The question as folded words between single spaces, with a space at both ends.
pub(crate) fn spaced(query: &str) -> String {
    let words = text::folded_words(query);
    words.into_iter().fold(String::from(" "), |out, word| out + &word + " ")
}

pub(crate) fn has(words: &str, phrase: &str) -> bool {
    words.contains(&format!(" {phrase} "))
}

/// The section that the wording names: "in the methods", "the methods section".
fn section(words: &str) -> Option<SectionKind> {
    let points_at = |name: &str| {
        let before = |before: &str| has(words, &format!("{before} {name}"));
        has(words, &format!("{name} section")) || IN_SECTION.iter().any(before)
    };
    let named = SECTIONS.iter().find(|(_, names)| names.iter().any(points_at));
    named.map(|(kind, _)| *kind)
}

/// What a question asks for; `words` is the result of [`spaced`].
fn kind(words: &str) -> QuestionKind {
    QuestionKind {
        number: NUMBER.iter().any(|phrase| has(words, phrase)),
        aim: words.split_whitespace().any(|word| ASKED.contains(word)),
        across: words.split_whitespace().any(|word| ACROSS.contains(word)),
    }
}

/// Whether the word at byte `at` follows "how": "how long" asks for a number, and an answer need not contain "long".
fn follows_how(query: &str, at: usize) -> bool {
    let before = query.get(..at).unwrap_or_default().trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    word.eq_ignore_ascii_case("how")
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
        assert!(words.starts_with(&["walking", "raise", "oxygen", "uptake"]), "{words:?}");
        assert_eq!(words.iter().filter(|word| **word == "oxygen").count(), 1, "{words:?}");
        assert!(!words.contains(&"walks"), "one stem, one term: {words:?}");
        assert!(question.terms.len() > words.len(), "repetitions are kept for BM25");
    }

    #[test]
    fn everything_is_found_in_one_pass() {
        let question = asked("How long did Zhang et al. 2021 give GDF15 in the methods?");
        assert_eq!(question.named_sources.len(), 1);
        assert_eq!(question.section, Some(types::SectionKind::Methods));
        assert!(question.kind.number);
        assert!(question.terms.iter().any(|term| term.word == "long" && term.after_how));
        assert!(question.entities.iter().any(|entity| entity.entity.text == "GDF15"));
        assert!(question.stems().contains("gdf15"), "{:?}", question.stems());
        assert!(!question.other_language());
        assert!(asked("¿Cuál es el efecto de la caminata en los adultos?").other_language());
    }

    #[test]
    fn what_authors_do_with_it_is_no_term() {
        let words = |query: &str| asked(query).terms.iter().map(|term| term.word.clone()).collect::<Vec<_>>();
        assert_eq!(words("Which limits do the authors acknowledge?"), ["limits"]);
        assert_eq!(words("acknowledge"), ["acknowledge"]);
    }

    #[test]
    fn a_verb_and_its_particle_are_also_looked_up_as_their_noun() {
        let nouns = |query: &str| -> Vec<String> {
            let question = asked(query);
            let span = |form: &OtherForm| form.span.slice(&question.text).unwrap_or_default().to_owned();
            question.other_forms.iter().map(|form| format!("{} = {}", span(form), form.text)).collect()
        };
        assert_eq!(nouns("How many workers dropped out of the group?"), ["dropped out = dropout"]);
        assert_eq!(nouns("Who followed up?"), ["followed up = followup"]);
        assert_eq!(nouns("Was the dropped outlier, or the run over-fitted?"), [""; 0]);
    }

    #[test]
    fn a_blank_question_has_nothing() {
        let question = asked("  ");
        assert!(question.terms.is_empty() && question.entities.is_empty() && question.stems().is_empty());
    }

    #[test]
    fn how_is_followed_by_a_measure() {
        let check = |query: &str, word: &str, want: bool| {
            let at = query.find(word).expect("the word is there");
            assert_eq!(follows_how(query, at), want, "{query}");
        };
        check("How long do they live?", "long", true);
        check("And how  many?", "many", true);
        check("A long life", "long", false);
        check("Show long lists", "long", false);
        check("long", "long", false);
    }

    #[test]
    fn wording_gives_hints() {
        let check = |query: &str, number: bool, across: bool, section_hint: Option<SectionKind>| {
            let words = spaced(query);
            let asked = kind(&words);
            assert_eq!(asked.number, number, "number: {query}");
            assert_eq!(asked.across, across, "across: {query}");
            assert_eq!(section(&words), section_hint, "section: {query}");
        };
        check("How many adults took part?", true, false, None);
        check("What DOSE was given?", true, false, None);
        check("Show many things", false, false, None);
        check("What is reported across studies?", false, true, None);
        check("Do the papers agree on how much protein helps?", true, true, None);
        check("What is said in the methods of Orvella?", false, false, Some(SectionKind::Methods));
        check("Summarise the discussion section.", false, false, Some(SectionKind::Discussion));
        check("Which methods lower blood pressure?", false, false, None);
        check("Were acrossing words or paperss found?", false, false, None);
        check("", false, false, None);
    }

    #[test]
    fn a_question_may_ask_for_an_aim_or_a_gap() {
        let check = |query: &str, want: bool| assert_eq!(kind(&spaced(query)).aim, want, "{query}");
        check("What was the aim of the trial?", true);
        check("Which gaps do they name?", true);
        check("Does walking help?", false);
    }
}
