//! The sources that a question names: by author and year, by id, by title.

mod meant;

pub use meant::{meant_sources, mentions, part_asked_for, without_title};

use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};
use text::{WordList, fold::fold};
use types::{NamedSource, Question, QuestionWord, SourceId, SourceMeta};

/// `Surname et al.` and `Surname and colleagues`, then perhaps a year.
static FIRST_OF_MANY: LazyLock<Regex> = LazyLock::new(|| {
    let many = r"(?:et\.?\s+al\b\.?|and\s+(?:colleagues|co-?workers|co-?authors|associates)\b)";
    pattern(&format!(r"(?i)({NAME})(?:['’]s)?,?\s+{many}(?:['’]s?)?(?:,?\s*{BARE_YEAR})?"))
});
/// `Surname & Surname 2019`, `Surname and Surname (Journal 2019)`: only with a year.
static TWO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"(\p{{Lu}}{REST})\s+(?:and|&)\s+(\p{{Lu}}{REST})(?:['’]s?)?,?\s*{BARE_YEAR}"))
});
/// `the paper by Surname and Surname`: without a year, too.
static PAPER_BY_TWO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?i:paper|study|article|review|trial|work|report|publication)\s+by\s+(\p{{Lu}}{REST})\s+(?:and|&)\s+(\p{{Lu}}{REST})()"
    ))
});
/// `Surname (2021)`, `Surname, 2021`: only with a year.
static ONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(\p{{Lu}}{REST})(?:['’]s?)?(?:\s+\(|,\s+){ONLY_YEAR}")));

/// `does Surname say`, `did Surname and Surname find`: a name only where a store has such an author.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?i:do|does|did)\s+((\p{{Lu}}{REST})(?:\s+(?:and|&)\s+(\p{{Lu}}{REST}))?)\s+\p{{Ll}}"
    ))
});

/// A surname in upper or lower case: people often type in lower case.
const NAME: &str = r"\p{L}[\p{L}\p{M}'’-]*\p{L}";
/// What follows the capital letter of a surname; it contains a lower-case letter, so that acronyms do not match.
const REST: &str = r"(?:[\p{L}\p{M}'’-]*\p{Ll})";
/// A year, optionally in brackets, and there optionally after a journal's name.
const BARE_YEAR: &str = r"(?:\((?:[^()?!;]{0,40}?\s)?)?((?:19|20)\d{2})\b";
const ONLY_YEAR: &str = r"((?:19|20)\d{2})[a-z]?(?:\)|\b)";

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the patterns above are valid")
}

/// Words that are often capitalised before a year but are not authors.
static NO_NAMES: WordList = WordList::new(
    "january february march april may june july august september october november december spring summer autumn
    winter cell nature science lancet table figure phase since until after before during in by",
);

/// The sources that a text names by author and perhaps year, in order, each once.
pub fn named_sources(text: &str) -> Vec<NamedSource> {
    let mut found: Vec<(usize, usize, NamedSource)> = Vec::new();
    let shapes: [(&Regex, usize); 4] = [(&FIRST_OF_MANY, 1), (&TWO, 2), (&PAPER_BY_TWO, 2), (&ONE, 1)];
    for (shape, names) in shapes {
        for hit in shape.captures_iter(text) {
            let (Some(whole), Some(first)) = (hit.get(0), hit.get(1)) else {
                continue;
            };
            let surnames: Vec<String> =
                (1..=names).filter_map(|i| hit.get(i)).map(|m| m.as_str().to_owned()).collect();
            let overlaps = found.iter().any(|(start, end, _)| first.start() < *end && *start < whole.end());
            let no_name = |s: &String| NO_NAMES.contains(&s.to_lowercase());
            if overlaps || (names == 1 && shape.as_str() == ONE.as_str() && surnames.iter().any(no_name)) {
                continue;
            }
            let year = hit.get(names + 1).and_then(|m| m.as_str().parse().ok());
            let written = text[first.start()..whole.end()].trim_end_matches([' ', ',', '(']).to_owned();
            found.push((first.start(), whole.end(), NamedSource { text: closed(written), surnames, year }));
        }
    }
    found.sort_by_key(|(start, ..)| *start);
    let mut out: Vec<NamedSource> = Vec::new();
    for (_, _, named) in found {
        if !out.iter().any(|n| n.surnames == named.surnames && n.year == named.year) {
            out.push(named);
        }
    }
    out
}

/// The source that a text may name by surnames alone: "What does Barry conclude?" Only a store knows whether that is an author.
pub fn perhaps_named(text: &str) -> Option<NamedSource> {
    let found = ALONE.captures(text)?;
    let surnames = [found.get(2), found.get(3)].into_iter().flatten();
    Some(NamedSource {
        text: found[1].to_owned(),
        surnames: surnames.map(|name| name.as_str().to_owned()).collect(),
        year: None,
    })
}

/// The text with its bracket closed: the pattern ends at the year.
fn closed(mut text: String) -> String {
    if text.matches('(').count() > text.matches(')').count() {
        text.push(')');
    }
    text
}

/// How many words after an author are searched for the year, as in "Orvella, Tandrik et al. (2021)".
const YEAR_REACH: usize = 5;
/// Minimum number of words of a title: a shorter one is too likely to occur in a question by accident.
const TITLE_WORDS: usize = 4;

/// Whether the question names this source by its id, its title, or one of its authors.
pub fn names(question: &Question, meta: &SourceMeta) -> bool {
    names_id(&question.folded, &meta.source_id)
        || names_title(&question.folded, meta)
        || names_author(&question.words, meta)
}

/// The stems of the authors' surnames and of the year: a question uses them to name a source, and they say nothing
/// about its content.
pub fn name_stems(meta: &SourceMeta) -> BTreeSet<String> {
    let year = meta.year.map(|year| year.to_string());
    let words = surnames(meta).into_iter().chain(year);
    words.flat_map(|word| text::stems(&word)).collect()
}

/// The surnames of a source's authors, folded and without diacritics.
fn surnames(meta: &SourceMeta) -> BTreeSet<String> {
    meta.authors.iter().filter_map(|author| surname(author)).collect()
}

/// The words of a question.
pub(crate) fn words_of(query: &str) -> Vec<QuestionWord> {
    query
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '‐' | '‑' | '&')))
        .filter(|word| !word.is_empty())
        .map(|word| {
            let bare = word.trim_end_matches("'s").trim_end_matches("’s");
            QuestionWord {
                folded: fold(bare).text().to_owned(),
                capital: bare.chars().next().is_some_and(char::is_uppercase),
                possessive: bare.len() < word.len(),
            }
        })
        .collect()
}

/// The surname of a name, folded and without diacritics; `None` if it is shorter than two letters.
fn surname(author: &str) -> Option<String> {
    let folded =
        text::plain_letters(types::surname(author)?).trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    (folded.chars().count() >= 2).then_some(folded)
}

fn names_id(folded_query: &str, id: &SourceId) -> bool {
    let id = id.as_str();
    // A short id, or one that is an ordinary word ("a", "paper"), proves nothing.
    let telling = id.len() >= 5 && id.contains(|c: char| c.is_ascii_digit() || c == '_');
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    telling
        && folded_query.match_indices(id).any(|(at, _)| {
            !folded_query[..at].ends_with(inside) && !folded_query[at + id.len()..].starts_with(inside)
        })
}

fn names_title(folded_query: &str, meta: &SourceMeta) -> bool {
    let title = fold(meta.title.as_deref().unwrap_or_default());
    let title = title.text().trim().trim_end_matches('.');
    title.split_whitespace().count() >= TITLE_WORDS && folded_query.contains(title)
}

fn names_author(tokens: &[QuestionWord], meta: &SourceMeta) -> bool {
    let surnames = surnames(meta);
    tokens.iter().enumerate().any(|(at, token)| {
        token.capital && surnames.contains(&text::plain_letters(&token.folded)) && {
            let next = tokens.get(at + 1).map_or("", |t| t.folded.as_str());
            let year = year_after(&tokens[at + 1..]);
            // The first word is capitalised anyway: "Long walks help" does not name a Dr Long.
            let as_name = at > 0 || token.possessive || year.is_some() || matches!(next, "et" | "and" | "&");
            as_name && year.is_none_or(|y| meta.year.is_none_or(|own| own == y))
        }
    })
}

/// The year that follows a name, before any word that ends the name.
fn year_after(tokens: &[QuestionWord]) -> Option<u16> {
    for token in tokens.iter().take(YEAR_REACH) {
        let text = token.folded.as_str();
        // The "a" of "2021a" distinguishes papers of the same year; here only the year counts.
        let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
        if digits.len() == 4
            && let Ok(year @ 1800..=2100) = digits.parse()
        {
            return Some(year);
        }
        let in_name =
            token.capital || matches!(text, "et" | "al" | "and" | "&" | "colleagues" | "in" | "from");
        if !in_name {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_years_are_sources() {
        let check = |text: &str, want: &[(&str, &[&str], Option<u16>)]| {
            let got = named_sources(text);
            let got: Vec<(&str, Vec<&str>, Option<u16>)> = got
                .iter()
                .map(|n| (n.text.as_str(), n.surnames.iter().map(String::as_str).collect(), n.year))
                .collect();
            let want: Vec<(&str, Vec<&str>, Option<u16>)> =
                want.iter().map(|(t, s, y)| (*t, s.to_vec(), *y)).collect();
            assert_eq!(got, want, "{text:?}");
        };
        check("Summarise Zhang et al. 2021 on fasting", &[("Zhang et al. 2021", &["Zhang"], Some(2021))]);
        check("summarise zhang et al. (2021)", &[("zhang et al. (2021)", &["zhang"], Some(2021))]);
        check("What did Zhang et al. find?", &[("Zhang et al.", &["Zhang"], None)]);
        check("What did Okafor and colleagues find?", &[("Okafor and colleagues", &["Okafor"], None)]);
        check("Okafor et al.'s 2020 trial", &[("Okafor et al.'s 2020", &["Okafor"], Some(2020))]);
        check(
            "Compare Moqri et al. (Cell 2023) with Furrer & Handschin (Physiol Rev 2025)",
            &[
                ("Moqri et al. (Cell 2023)", &["Moqri"], Some(2023)),
                ("Furrer & Handschin (Physiol Rev 2025)", &["Furrer", "Handschin"], Some(2025)),
            ],
        );
        check("Does Tandrik (2019) agree?", &[("Tandrik (2019)", &["Tandrik"], Some(2019))]);
        check("van der Berg et al., 2018", &[("Berg et al., 2018", &["Berg"], Some(2018))]);
        check(
            "Zhang et al. 2021 and again Zhang et al. 2021",
            &[("Zhang et al. 2021", &["Zhang"], Some(2021))],
        );
        check("Summarise the paper by Wolny and Patel.", &[("Wolny and Patel", &["Wolny", "Patel"], None)]);
        // No sources.
        check("What did the trial of Aspirin and Warfarin find?", &[]);
        check("Is there a study from Kenya and Uganda?", &[]);
        check("Data from March (2021) and NHANES (2015)", &[]);
        check("How do diet and exercise in 2019 compare?", &[]);
        check("What is the colour of the sky?", &[]);
        check("Is VO2max, 2021 or not, a marker?", &[]);
        check("et al.", &[]);
        check("", &[]);
    }

    #[test]
    fn surnames_alone_may_name_a_source() {
        let check = |text: &str, want: Option<(&str, &[&str])>| {
            let got = perhaps_named(text);
            let got = got
                .as_ref()
                .map(|named| (named.text.as_str(), named.surnames.iter().map(String::as_str).collect()));
            assert_eq!(got, want.map(|(text, names)| (text, names.to_vec())), "{text}");
        };
        check("What does Wirz give as limits?", Some(("Wirz", &["Wirz"])));
        check("How do Wirz and Solvik rate it?", Some(("Wirz and Solvik", &["Wirz", "Solvik"])));
        check("Does Basil help?", Some(("Basil", &["Basil"])));
        check("Did IL-6 fall?", None);
        check("What does the trial say?", None);
    }

    #[test]
    fn surnames_are_found_in_the_usual_forms() {
        let check = |author: &str, want: Option<&str>| {
            assert_eq!(surname(author).as_deref(), want, "{author:?}");
        };
        check("Orvella Tandrik", Some("tandrik"));
        check("Tandrik, Orvella", Some("tandrik"));
        check("Tandrik O", Some("tandrik"));
        check("O. M. Tandrik", Some("tandrik"));
        check("Tandrik OMB", Some("tandrik"));
        check("ORVELLA TANDRIK", Some("tandrik"));
        check("  ", None);
        check("X", None);
        check("Lin Ng", Some("ng"));
        check("Ayşe Öztürk", Some("ozturk"));
        check("Kjærstad, Ødegård", Some("kjaerstad"));
    }

    #[test]
    fn names_need_a_capital_and_the_right_year() {
        let meta = SourceMeta {
            authors: vec!["Orvella Tandrik".into(), "Brin Long".into()],
            year: Some(2021),
            ..SourceMeta::default()
        };
        let check =
            |query: &str, want: bool| assert_eq!(names_author(&words_of(query), &meta), want, "{query}");
        check("What did Tandrik find?", true);
        check("What did Tandrik et al. (2021) find?", true);
        check("What did Tandrik and Long 2021a find?", true);
        check("What did Tandrik et al. (2019) find?", false);
        check("What did tandrik find?", false);
        check("Tandrik's result?", true);
        check("Tandrik et al. found what?", true);
        check("Long walks in 2019?", false);
        check("Long walks help?", false);
        check("Does walking help?", false);
        check("", false);
    }

    #[test]
    fn ids_and_titles_name_their_source() {
        let id = SourceId::from("tandrik_2021");
        assert!(names_id("what does tandrik_2021 say?", &id));
        assert!(!names_id("what does tandrik_2021_b say?", &id));
        assert!(!names_id("a paper", &SourceId::from("paper")));
        let meta = SourceMeta { title: Some("Brisk Walking and Sleep.".into()), ..SourceMeta::default() };
        assert!(names_title("in brisk walking and sleep, who took part?", &meta));
        assert!(!names_title("who walks?", &meta));
        assert!(!names_title("who walks?", &SourceMeta::default()));
    }
}
