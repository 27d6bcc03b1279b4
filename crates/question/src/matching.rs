//! Whether a question names a source, by id, title, or author and year.

use std::collections::BTreeSet;
use text::fold::fold;
use types::{Question, QuestionWord, SourceId, SourceMeta};

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
    words
        .flat_map(|word| text::terms(&word))
        .map(|term| term.stem)
        .collect()
}

/// The folded surnames of a source's authors.
fn surnames(meta: &SourceMeta) -> BTreeSet<String> {
    meta.authors.iter().filter_map(|author| surname(author)).collect()
}

/// The words of a question.
pub(crate) fn words(query: &str) -> Vec<QuestionWord> {
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

/// The surname of a name, folded; `None` if it is shorter than two letters.
pub(crate) fn surname(author: &str) -> Option<String> {
    let folded = fold(types::surname(author)?)
        .text()
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned();
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
        token.capital && surnames.contains(&token.folded) && {
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
    }

    #[test]
    fn names_need_a_capital_and_the_right_year() {
        let meta = SourceMeta {
            authors: vec!["Orvella Tandrik".into(), "Brin Long".into()],
            year: Some(2021),
            ..SourceMeta::default()
        };
        let check = |query: &str, want: bool| assert_eq!(names_author(&words(query), &meta), want, "{query}");
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
        let meta = SourceMeta {
            title: Some("Brisk Walking and Sleep.".into()),
            ..SourceMeta::default()
        };
        assert!(names_title("in brisk walking and sleep, who took part?", &meta));
        assert!(!names_title("who walks?", &meta));
        assert!(!names_title("who walks?", &SourceMeta::default()));
    }
}
