//! Where the answers of a question stand in the text that was indexed.

use super::GoldAnswer;
use types::Span;

/// Where the answers of one question stand in the text of its document: at least one span, none of them empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldSpans(Vec<Span>);

/// Why answers have no place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLocated {
    /// The article does not have an answer's text at its offset, neither in characters nor in bytes.
    Offset,
    /// The indexed text is not that of the article, apart from white space and control characters.
    Text,
}

impl NotLocated {
    /// The reason, as part of a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Offset => "the article does not have the answer at its offset",
            Self::Text => "the indexed text differs from the article",
        }
    }
}

impl GoldSpans {
    /// Locates answers in `indexed`, the text of the document that was made from `article`. An answer that is not at
    /// its offset is left out; offsets count characters, or bytes where only that fits.
    ///
    /// # Errors
    /// When no answer can be located.
    pub fn locate(answers: &[GoldAnswer], article: &str, indexed: &str) -> Result<Self, NotLocated> {
        let ranges: Vec<Span> = answers
            .iter()
            .filter_map(|answer| in_article(answer, article))
            .collect();
        if ranges.is_empty() {
            return Err(NotLocated::Offset);
        }
        let spans: Option<Vec<Span>> = ranges
            .iter()
            .map(|range| carried(*range, article, indexed))
            .collect();
        spans.map(Self).ok_or(NotLocated::Text)
    }

    /// The spans, in the order of the answers.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Whether a chunk with this span of the indexed text holds an answer: at least half of its bytes.
    pub fn held_by(&self, chunk: Span) -> bool {
        self.0.iter().any(|gold| {
            let shared = gold
                .end
                .min(chunk.end)
                .saturating_sub(gold.start.max(chunk.start));
            2 * shared >= gold.len()
        })
    }
}

/// The bytes of the article that the answer covers, without white space at either end.
fn in_article(answer: &GoldAnswer, article: &str) -> Option<Span> {
    let by_character = article.char_indices().nth(answer.start).map(|(byte, _)| byte);
    let start = [by_character, Some(answer.start)]
        .into_iter()
        .flatten()
        .find(|start| {
            article
                .get(*start..)
                .is_some_and(|rest| rest.starts_with(&answer.text))
        })?;
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
    text.char_indices()
        .filter(|(_, c)| !c.is_whitespace() && !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ARTICLE: &str = "Größe\n\nThe  mean was\t5 µg. It fell.";
    const INDEXED: &str = "Größe\n\nThe mean was 5 µg. It fell.";

    fn answer(text: &str, start: usize) -> GoldAnswer {
        GoldAnswer {
            text: text.to_owned(),
            start,
        }
    }

    #[test]
    fn offsets_are_characters_or_bytes() {
        let check = |start: usize, want: Result<&str, NotLocated>| {
            let located = GoldSpans::locate(&[answer("was\t5 µg. ", start)], ARTICLE, INDEXED);
            let found = located
                .as_ref()
                .map(|gold| gold.0[0].slice(INDEXED).expect("a slice"));
            assert_eq!(found.map_err(|reason| *reason), want, "{start}");
        };
        let byte = ARTICLE.find("was").expect("there");
        let character = ARTICLE[..byte].chars().count();
        assert_ne!(byte, character);
        check(character, Ok("was 5 µg."));
        check(byte, Ok("was 5 µg."));
        check(character + 1, Err(NotLocated::Offset));
        check(999, Err(NotLocated::Offset));
        let other = GoldSpans::locate(&[answer("fell", character + 13)], ARTICLE, "Größe The mean");
        assert_eq!(other, Err(NotLocated::Text));
    }

    #[test]
    fn half_an_answer_is_enough() {
        let gold = GoldSpans(vec![Span::new(10, 20), Span::new(100, 103)]);
        for (start, end, held) in [
            (0, 15, true),
            (0, 14, false),
            (15, 99, true),
            (16, 99, false),
            (20, 30, false),
            (0, 99, true),
            (12, 17, true),
            (102, 200, false),
            (101, 200, true),
        ] {
            assert_eq!(gold.held_by(Span::new(start, end)), held, "{start}..{end}");
        }
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
            let gold = GoldSpans::locate(&[answer(&words[at], start)], &article, &indexed).expect("located");
            let byte = words[..at].iter().map(|word| word.len() + 1).sum();
            prop_assert_eq!(gold.0, vec![Span::new(byte, byte + words[at].len())]);
        }
    }
}
