//! The rule of the earlier system: enough words of the question occur in the context.

use std::collections::BTreeSet;
use text::WordList;
use types::Context;

/// Hits that are always enough.
const ENOUGH: usize = 2;
/// Letters of a word, at least.
const LETTERS: usize = 3;
/// Words that say how a question is asked, not what about.
static OF_THE_QUESTION: WordList = WordList::new(
    "according across associated corpus describe described effect evidence findings key main role say suggest",
);

/// How many of the question's keywords occur in the context.
pub(super) struct Keywords {
    /// Keywords of the question.
    pub(super) all: usize,
    /// Those that occur in the context, also inside a longer word.
    pub(super) found: usize,
    /// How many must occur: a third, at least 1 and at most 2.
    pub(super) needed: usize,
}

impl Keywords {
    /// Counts the keywords of a question in the text of the context.
    pub(super) fn count(query: &str, context: &Context) -> Self {
        let keywords = keywords(query);
        let text: Vec<String> = context.chunks.iter().map(|c| c.chunk.text.to_lowercase()).collect();
        let text = text.join(" ");
        let found = keywords.iter().filter(|word| text.contains(word.as_str())).count();
        Self { all: keywords.len(), found, needed: ENOUGH.min((keywords.len() / 3).max(1)) }
    }

    /// Whether the question passes; one without keywords does.
    pub(super) fn pass(&self) -> bool {
        self.all == 0 || self.found >= self.needed
    }
}

/// Words of at least three characters that are not stop words, in lower case.
fn keywords(query: &str) -> BTreeSet<String> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    query
        .split(|c: char| !part(c))
        .map(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| word.chars().count() >= LETTERS)
        .filter(|word| !text::is_stop_word(word) && !OF_THE_QUESTION.contains(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_content_words() {
        let words: Vec<String> =
            keywords("What does the corpus say about the effect of AMPK/PGC-1α on VO2max in mice?")
                .into_iter()
                .collect();
        assert_eq!(words, ["ampk/pgc-1α", "mice", "vo2max"]);
        assert!(keywords("What is it?").is_empty());
    }

    #[test]
    fn a_third_of_the_keywords_is_enough_and_two_always_are() {
        let check = |all: usize, found: usize, passes: bool| {
            let counted = Keywords { all, found, needed: ENOUGH.min((all / 3).max(1)) };
            assert_eq!(counted.pass(), passes, "{found} of {all}");
        };
        check(0, 0, true);
        check(1, 0, false);
        check(1, 1, true);
        check(5, 1, true);
        check(6, 1, false);
        check(6, 2, true);
        check(30, 2, true);
    }
}
