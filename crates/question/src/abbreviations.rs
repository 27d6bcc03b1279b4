//! Abbreviations of a question and words that papers abbreviate: their other form is searched too.

use std::collections::{BTreeMap, BTreeSet};
use text::definitions::key;
use types::{Abbreviated, Abbreviation, OtherForm, Question, QuestionTerm, Span};

/// Words of the longest phrase that is looked up.
const LONGEST: usize = 8;
/// Words of a question that are looked at.
const WORDS: usize = 200;
/// How many other forms a phrase gets.
const FORMS: usize = 2;
/// Letters that the beginnings of two forms of a word share.
const BEGINNING: usize = 5;

/// Words of a question that may be an abbreviation, or be abbreviated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Their key (`text::definitions::key`).
    pub key: String,
    /// Their byte range in the question.
    pub span: Span,
}

/// The phrases of a question of up to eight words, longest first; none if the question is not in English.
pub fn phrases(question: &Question) -> Vec<Phrase> {
    if question.other_language() {
        return Vec::new();
    }
    let word = |word: text::Word| (key(&question.text[word.span.clone()]), word.span);
    let words = text::indexed_words(&question.text).into_iter().take(WORDS);
    let words: Vec<_> = words.map(word).collect();
    let is_one = |pair: &[(String, std::ops::Range<usize>)]| {
        let between = question.text.get(pair[0].1.end..pair[1].1.start);
        let joins = |c: char| c.is_whitespace() || matches!(c, '-' | '‐' | '‑' | '–' | '/' | '\'' | '’');
        between.is_some_and(|between| between.chars().all(joins))
    };
    let mut found = Vec::new();
    for length in (1..=LONGEST).rev() {
        for phrase in words.windows(length) {
            let span = Span::new(phrase[0].1.start, phrase[length - 1].1.end);
            let is_searched = question.terms.iter().any(|term| span.contains(term.span));
            if is_searched && phrase.windows(2).all(is_one) {
                let keys: Vec<&str> = phrase.iter().map(|(key, _)| key.as_str()).collect();
                let key = keys.join(" ");
                found.push(Phrase { key, span });
            }
        }
    }
    found
}

/// The keys of the short forms of these abbreviations, sorted, each once.
pub fn short_keys(found: &[Vec<Abbreviation>]) -> Vec<String> {
    let keys: BTreeSet<String> = found.iter().flatten().map(|found| key(&found.short)).collect();
    keys.into_iter().collect()
}

/// Adds the other forms of phrases to a question, and [`types::Understood::abbreviations`] says which. `found` are the
/// abbreviations with the key of each phrase, `of_short` those with the key of a short form. A short form that sources
/// define in several ways gets the long form that two thirds of them mean, or none: the wrong one would find passages
/// on another subject, and the short form itself is searched anyway. `is_common` says whether a word is an ordinary one:
/// it is no abbreviation unless it is written like one.
pub fn with_abbreviations(
    question: &mut Question,
    (phrases, found): (&[Phrase], &[Vec<Abbreviation>]),
    of_short: &BTreeMap<String, Vec<Abbreviation>>,
    is_common: impl Fn(&str) -> bool,
) {
    let mut taken: Vec<Span> = Vec::new();
    let mut forms: Vec<Vec<OtherForm>> = Vec::new();
    for (phrase, found) in phrases.iter().zip(found) {
        if found.is_empty() || taken.iter().any(|span| span.overlaps(phrase.span)) {
            continue;
        }
        let words = phrase.span.slice(&question.text).unwrap_or_default();
        let meant_by = |short: &str| of_short.get(short).map_or_else(Vec::new, |all| meant(short, all));
        let mut texts: Vec<(String, bool)> = Vec::new();
        for abbreviation in meant_by(&phrase.key) {
            if is_written_as(words, &abbreviation.short, &is_common) {
                texts.push((abbreviation.long.clone(), true));
            }
        }
        for abbreviation in found.iter().filter(|one| key(&one.long) == phrase.key) {
            let meant = meant_by(&key(&abbreviation.short));
            if meant.iter().any(|one| key(&one.long) == phrase.key) {
                texts.push((abbreviation.short.clone(), false));
            }
        }
        let texts = texts.into_iter().take(FORMS);
        let others: Vec<OtherForm> =
            texts.filter_map(|(text, is_long)| other_form(question, phrase.span, text, is_long)).collect();
        if !others.is_empty() {
            taken.push(phrase.span);
            forms.push(others);
        }
    }
    forms.sort_by_key(|others| others.first().map(|form| form.span));
    for others in forms {
        let span = others.first().map_or_else(Span::default, |form| form.span);
        question.understood.abbreviations.push(Abbreviated {
            words: span.slice(&question.text).unwrap_or_default().to_owned(),
            also: others.iter().map(|form| form.text.clone()).collect(),
        });
        question.other_forms.extend(others);
    }
}

/// The form with its terms; `None` if all of them are in the question.
fn other_form(question: &Question, span: Span, text: String, is_long: bool) -> Option<OtherForm> {
    let mut seen = BTreeSet::new();
    let terms: Vec<QuestionTerm> = text::terms(&text)
        .into_iter()
        .filter(|term| seen.insert(term.stem.clone()))
        .map(|term| QuestionTerm {
            word: text.get(term.span).unwrap_or(&term.stem).to_owned(),
            stem: term.stem,
            span,
            after_how: false,
        })
        .collect();
    let is_there = |term: &QuestionTerm| question.terms.iter().any(|own| own.stem == term.stem);
    (!terms.iter().all(is_there)).then_some(OtherForm { text, span, terms, is_long })
}

/// The long forms that the sources mean by a short form, those of the most sources first: all spellings of the most
/// common one, if two thirds of the sources that define the short form mean it.
fn meant<'a>(short: &str, all: &'a [Abbreviation]) -> Vec<&'a Abbreviation> {
    let all: Vec<&Abbreviation> = all.iter().filter(|one| key(&one.short) == short).collect();
    let Some(first) = all.first() else {
        return Vec::new();
    };
    let count = |of: &[&Abbreviation]| of.iter().map(|one| one.sources).sum::<usize>();
    let alike: Vec<&Abbreviation> =
        all.iter().copied().filter(|one| are_spellings(&key(&one.long), &key(&first.long))).collect();
    if count(&alike) * 3 >= count(&all) * 2 { alike } else { Vec::new() }
}

/// Whether two long forms, given by their keys, have the same words in other spellings: "grey", "gray".
fn are_spellings(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|key| key.split(' ').collect::<Vec<_>>());
    let alike = |(one, other): (&&str, &&str)| {
        let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        one == other || common >= BEGINNING || differ_by_one(one, other)
    };
    one.len() == other.len() && one.iter().zip(&other).all(alike)
}

/// Whether two words of at least four letters differ by one letter.
fn differ_by_one(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|word| word.chars().collect::<Vec<char>>());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let before = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let after = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    short.len() >= 4 && long.len() - short.len() <= 1 && before + after + 1 >= long.len()
}

/// Whether words of a question are this short form: with its capitals, or in lower case if they are no common word.
fn is_written_as(words: &str, short: &str, is_common: impl Fn(&str) -> bool) -> bool {
    let bare = |text: &str| {
        let bare: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        bare.strip_suffix('s').map(str::to_owned).unwrap_or(bare)
    };
    let (own, wanted) = (bare(words), bare(short));
    let capitals = own.chars().filter(|c| c.is_uppercase()).count();
    let is_same_word = own.to_lowercase() == wanted.to_lowercase();
    own == wanted || (is_same_word && (capitals > 1 || (capitals == 0 && !is_common(&words.to_lowercase()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, Mode};

    fn defined() -> Vec<Abbreviation> {
        let all = [
            ("GMV", "grey matter volume", 3),
            ("GMV", "gray matter volume", 2),
            ("PA", "physical activity", 5),
            ("PHA", "physical activity", 1),
            ("PA", "plasma albumin", 1),
            ("CR", "caloric restriction", 1),
            ("CR", "complete response", 1),
            ("ART", "antiretroviral therapy", 4),
            ("SARS", "severe acute respiratory syndrome", 4),
            ("SARS-CoV-2", "severe acute respiratory syndrome coronavirus 2", 4),
            ("HRQoL", "health-related quality of life", 2),
        ];
        let abbreviation = |(short, long, sources): (&str, &str, usize)| Abbreviation {
            short: short.to_owned(),
            long: long.to_owned(),
            sources,
        };
        all.map(abbreviation).into()
    }

    /// As a store finds them.
    fn with_key(wanted: &str) -> Vec<Abbreviation> {
        let mut found = defined();
        found.retain(|one| key(&one.short) == wanted || key(&one.long) == wanted);
        found
    }

    fn asked(query: &str) -> Question {
        let mut question = crate::analyse(query, Vec::new(), Mode::Hybrid, Filter::default());
        let phrases = phrases(&question);
        let found: Vec<_> = phrases.iter().map(|phrase| with_key(&phrase.key)).collect();
        let shorts = short_keys(&found).into_iter();
        let of_short = shorts.map(|short| (short.clone(), with_key(&short))).collect();
        let is_common = |word: &str| word == "art";
        with_abbreviations(&mut question, (&phrases, &found), &of_short, is_common);
        question
    }

    #[test]
    fn either_form_adds_the_other() {
        let check = |query: &str, want: &[(&str, &[&str])]| {
            let question = asked(query);
            let found: Vec<_> = question
                .understood
                .abbreviations
                .iter()
                .map(|one| (one.words.as_str(), one.also.iter().map(String::as_str).collect::<Vec<_>>()))
                .collect();
            let want: Vec<_> = want.iter().map(|(words, also)| (*words, also.to_vec())).collect();
            assert_eq!(found, want, "{query}");
        };
        let both: &[&str] = &["grey matter volume", "gray matter volume"];
        check("Does walking change GMV?", &[("GMV", both)]);
        check("does walking change gmv", &[("gmv", both)]);
        check("is Grey-matter volume larger", &[("Grey-matter volume", &["GMV"])]);
        // The meaning of most papers, and no other.
        check("PA and sleep", &[("PA", &["physical activity"])]);
        check("physical activity and sleep", &[("physical activity", &["PA", "PHA"])]);
        check("plasma albumin", &[]);
        check("CR in mice, caloric restriction", &[]);
        // A common word is an abbreviation only if it is written like one.
        check("the art of sleep", &[]);
        check("who gets ART", &[("ART", &["antiretroviral therapy"])]);
        check("Art and sleep", &[]);
        // The longest phrase; nothing across commas; nothing that the question has anyway.
        check(
            "what causes SARS-CoV-2?",
            &[("SARS-CoV-2", &["severe acute respiratory syndrome coronavirus 2"])],
        );
        check(
            "severe acute respiratory syndrome coronavirus 2",
            &[("severe acute respiratory syndrome coronavirus 2", &["SARS-CoV-2"])],
        );
        check("grey matter, volume", &[]);
        check("grey matter volume (GMV) of mice", &[("GMV", &["gray matter volume"])]);
        check("health-related quality of life", &[("health-related quality of life", &["HRQoL"])]);
        check("¿Cuál es el efecto de la PA en los adultos?", &[]);
        check("", &[]);
    }

    #[test]
    fn a_form_is_found_if_all_its_words_are() {
        let question = asked("Does walking change GMV?");
        let gmv = question.terms.iter().find(|term| term.word == "GMV").expect("a term");
        let check = |stems: &[&str], want: bool| {
            assert_eq!(question.is_found(gmv, |stem| stems.contains(&stem)), want, "{stems:?}");
        };
        check(&["gmv"], true);
        check(&["grey", "matter", "volum"], true);
        check(&["grey", "matter"], false);
        check(&["walk"], false);
        assert_eq!(crate::respelt(&question), "Does walking change GMV (grey matter volume)?");
        let question = asked("grey matter volume");
        assert_eq!(crate::respelt(&question), question.text);
        for term in &question.terms {
            assert!(question.is_found(term, |stem| stem == "gmv"), "{term:?}");
        }
        assert!(question.stems().contains("gmv"));
    }

    #[test]
    fn spellings_of_one_long_form_are_told_from_other_words() {
        let check = |one: &str, other: &str, want: bool| {
            assert_eq!(are_spellings(&key(one), &key(other)), want, "{one}, {other}");
        };
        check("grey matter volume", "gray matter volume", true);
        check("haemoglobin", "hemoglobin", true);
        check("randomised trial", "randomized trials", true);
        check("mean arterial pressure", "mean airway pressure", false);
        check("physical activity", "physical aggression", false);
        check("grey matter", "grey matter volume", false);
        check("red cell", "rod cell", false);
    }
}
