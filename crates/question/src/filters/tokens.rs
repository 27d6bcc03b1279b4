//! The words of a question with the tags among them.

use text::{Pattern, WordList, fold::fold};
use types::Span;

/// A word with its inner hyphens, apostrophes and decimal points, or one other character.
static TOKEN: Pattern =
    Pattern::new(r"[\p{L}\p{N}]+(?:[.,]\p{N}+)*(?:['’‐‑-][\p{L}\p{N}]+(?:[.,]\p{N}+)*)*|[^\s\p{L}\p{N}]");

/// A word or a punctuation mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Folded, without a possessive ending.
    pub(super) text: String,
    /// Whether it had a possessive ending: "year's", or an apostrophe behind it.
    pub(super) possessive: bool,
    /// Whether it is a word.
    pub(super) word: bool,
    /// The tag that it is part of, by its place in the list.
    pub(super) tag: Option<usize>,
    /// Bytes of the question.
    pub(super) span: Span,
}

/// The words and punctuation marks of a question.
pub(super) struct Tokens(Vec<Token>);

impl Tokens {
    /// Splits a question and marks the tags in it: whole words, ignoring case, the longest tag first.
    pub(super) fn new(query: &str, tags: &[String]) -> Self {
        let mut tokens = split(query);
        mark_tags(&mut tokens, query, tags);
        Self(tokens)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The token at a place.
    pub(super) fn get(&self, at: usize) -> Option<&Token> {
        self.0.get(at)
    }

    /// The word at a place; empty for punctuation and outside of the question.
    pub(super) fn word(&self, at: usize) -> &str {
        match self.0.get(at) {
            Some(token) if token.word => &token.text,
            _ => "",
        }
    }

    /// The word or punctuation mark at a place; empty outside of the question.
    pub(super) fn mark(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| &token.text)
    }

    /// The word `back` places before `at`.
    pub(super) fn before(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).map_or("", |at| self.word(at))
    }

    /// Whether a place is at the end of the question or of one of its parts.
    pub(super) fn ends(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|token| !token.word)
    }

    /// The end of a phrase, if it stands at a place.
    pub(super) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let words = phrase.split(' ').count();
        let is_there = phrase.split(' ').zip(at..).all(|(word, place)| self.word(place) == word);
        is_there.then_some(at + words)
    }

    /// The end of the first of these phrases that stands at a place.
    pub(super) fn one_of(&self, at: usize, phrases: &WordList) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.phrase(at, phrase))
    }

    /// The first place from `at` on whose word is not in the list.
    pub(super) fn skip(&self, at: usize, list: &WordList) -> usize {
        let passed = self.0.iter().skip(at);
        at + passed.take_while(|token| token.word && list.contains(&token.text)).count()
    }

    /// The bytes of the tokens in `from..to`.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        let start = self.0.get(from).map_or(0, |token| token.span.start);
        let end = to.checked_sub(1).and_then(|last| self.0.get(last));
        Span::new(start, end.map_or(start, |token| token.span.end))
    }
}

fn split(query: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for found in TOKEN.find_iter(query) {
        let written = found.as_str();
        if matches!(written, "'" | "’") {
            // The apostrophe of "years'".
            if let Some(last) = tokens.last_mut()
                && last.span.end == found.start()
                && last.text.ends_with('s')
            {
                last.possessive = true;
                continue;
            }
        }
        let bare = written.trim_end_matches("'s").trim_end_matches("’s");
        tokens.push(Token {
            text: fold(bare).text().to_owned(),
            possessive: bare.len() < written.len(),
            word: bare.starts_with(char::is_alphanumeric),
            tag: None,
            span: Span::new(found.start(), found.end()),
        });
    }
    tokens
}

/// Shortest tag that is matched in any case: shorter ones are acronyms or words such as "art" and "it".
const ANY_CASE: usize = 4;

fn mark_tags(tokens: &mut [Token], query: &str, tags: &[String]) {
    let mut order: Vec<(usize, Vec<Token>)> = tags.iter().map(|tag| split(tag)).enumerate().collect();
    order.retain(|(_, words)| !words.is_empty());
    order.sort_by_key(|(_, words)| std::cmp::Reverse(words.len()));
    for (place, words) in order {
        let Some(tag) = tags.get(place) else { continue };
        let exact = tag.chars().count() < ANY_CASE;
        for from in 0..tokens.len() {
            let Some(window) = tokens.get_mut(from..from + words.len()) else {
                break;
            };
            let same = |(token, word): (&Token, &Token)| {
                let written = query.get(token.span.start..token.span.end);
                token.tag.is_none()
                    && token.text == word.text
                    && (!exact || written == tag.get(word.span.start..word.span.end))
            };
            if window.iter().zip(&words).all(same) {
                for token in window {
                    token.tag = Some(place);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(query: &str, tags: &[&str]) -> Vec<(String, Option<usize>)> {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let tokens = Tokens::new(query, &tags);
        tokens.0.into_iter().map(|token| (token.text, token.tag)).collect()
    }

    #[test]
    fn numbers_and_compounds_are_one_word() {
        let check = |query: &str, want: &[&str]| {
            let found: Vec<String> = tagged(query, &[]).into_iter().map(|(text, _)| text).collect();
            assert_eq!(found, want, "{query}");
        };
        check("57.5-72.5", &["57.5-72.5"]);
        check("the 2019-nCoV", &["the", "2019-ncov"]);
        check("2,020 mice", &["2,020", "mice"]);
        check("last year's papers", &["last", "year", "papers"]);
        check("5 years' work", &["5", "years", "work"]);
        check("“In 2020–2023”?", &["\"", "in", "2020", "-", "2023", "\"", "?"]);
    }

    #[test]
    fn the_longest_tag_wins() {
        let check = |query: &str, tags: &[&str], want: &[Option<usize>]| {
            let found: Vec<_> = tagged(query, tags).into_iter().map(|(_, tag)| tag).collect();
            assert_eq!(found, want, "{query}");
        };
        let tags = ["Science", "Food Science", "AI"];
        check("food science", &tags, &[Some(1), Some(1)]);
        check("FOOD and science", &tags, &[None, None, Some(0)]);
        check("sciences", &tags, &[None]);
        check("ai AI", &tags, &[None, Some(2)]);
        check("x", &["", "-"], &[None]);
    }
}
