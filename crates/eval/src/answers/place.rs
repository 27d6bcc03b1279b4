//! Where the answers to a question are in the text that was indexed.

use super::GoldAnswer;
use types::Span;

/// Where answers are in `indexed`, the text of the document that was made from `article`: at least one span, in the order of
/// the answers. An answer that is not at its offset is left out; offsets count characters, or bytes where only that fits.
/// `None` when no answer is at its offset, or the indexed text is not that of the article, apart from white space and control
/// characters.
pub fn locate(answers: &[GoldAnswer], article: &str, indexed: &str) -> Option<Vec<Span>> {
    let ranges = answers.iter().filter_map(|answer| in_article(answer, article));
    let spans: Vec<Span> = ranges.map(|range| carried(range, article, indexed)).collect::<Option<_>>()?;
    (!spans.is_empty()).then_some(spans)
}

/// The bytes of the article that the answer covers, without white space at either end.
fn in_article(answer: &GoldAnswer, article: &str) -> Option<Span> {
    let by_character = article.char_indices().nth(answer.start).map(|(byte, _)| byte);
    let start = [by_character, Some(answer.start)]
        .into_iter()
        .flatten()
        .find(|start| article.get(*start..).is_some_and(|rest| rest.starts_with(&answer.text)))?;
    let text = answer.text.trim_end();
    let leading = text.len() - text.trim_start().len();
    Some(Span::new(start + leading, start + text.len()))
}

/// A range of the article as a range of the indexed text: both have the same visible characters in the same order.
fn carried(range: Span, article: &str, indexed: &str) -> Option<Span> {
    let before = visible(article.get(..range.start)?).count();
    let inside = visible(range.slice(article)?).count();
    let mut places = visible(indexed).skip(before).take(inside);
    let mut wanted = visible(range.slice(article)?);
    let (mut start, mut end) = (None, 0);
    for (at, found) in places.by_ref() {
        if wanted.next()?.1 != found {
            return None;
        }
        start.get_or_insert(at);
        end = at + found.len_utf8();
    }
    wanted.next().is_none().then_some(Span::new(start?, end))
}

/// The characters that ingestion keeps, with their places: it closes up white space and drops control characters.
fn visible(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(_, c)| !c.is_whitespace() && !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ARTICLE: &str = "Größe\n\nThe  mean was\t5 µg. It fell.";
    const INDEXED: &str = "Größe\n\nThe mean was 5 µg. It fell.";

    fn answer(text: &str, start: usize) -> GoldAnswer {
        GoldAnswer { text: text.to_owned(), start }
    }

    #[test]
    fn offsets_are_characters_or_bytes() {
        let check = |start: usize, want: Option<&str>| {
            let located = locate(&[answer("was\t5 µg. ", start)], ARTICLE, INDEXED);
            let found = located.as_ref().map(|gold| gold[0].slice(INDEXED).expect("a slice"));
            assert_eq!(found, want, "{start}");
        };
        let byte = ARTICLE.find("was").expect("there");
        let character = ARTICLE[..byte].chars().count();
        assert_ne!(byte, character);
        check(character, Some("was 5 µg."));
        check(byte, Some("was 5 µg."));
        check(character + 1, None);
        check(999, None);
        let other = locate(&[answer("fell", character + 13)], ARTICLE, "Größe The mean");
        assert_eq!(other, None);
    }

    proptest! {
        #[test]
        fn a_word_is_found_where_it_stands(
            words in prop::collection::vec("[a-zµß]{1,4}", 1..12), at: prop::sample::Index,
            gaps in prop::collection::vec("[ \t\n]{1,3}", 12),
        ) {
            let at = at.index(words.len());
            let mut article = String::new();
            let mut start = 0;
            for (number, (word, gap)) in words.iter().zip(&gaps).enumerate() {
                if number == at {
                    start = article.chars().count();
                }
                article.push_str(word);
                article.push_str(gap);
            }
            let indexed = words.join(" ");
            let gold = locate(&[answer(&words[at], start)], &article, &indexed).expect("located");
            let byte = words[..at].iter().map(|word| word.len() + 1).sum();
            prop_assert_eq!(gold, vec![Span::new(byte, byte + words[at].len())]);
        }
    }
}
