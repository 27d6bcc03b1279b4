//! Questions about a figure or a table by its number: "What does Figure 3 show?" Its caption answers.

use regex::Regex;
use std::sync::LazyLock;
use types::{Context, RankedSentence};

/// The probability that is stated for such an answer.
pub(crate) const PROBABILITY: f32 = 0.6;
/// The probability of a caption whose figure the question asks for; no other sentence is that sure.
pub const ASKED_FOR: f32 = 1.0;

/// The figure or table that the question asks for, as its caption begins: the first letters of the word, and the number.
pub(crate) fn asked_for(question: &str) -> Option<(String, String)> {
    static ASKED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        let label = r"\b(?P<word>fig(?:ure)?s?|tab(?:le)?s?|scheme|box)\.?\s*(?P<number>S?\d{1,3}[a-z]?)\b";
        let shows = r"\b(?:show|display|depict|illustrate|present|report|describe|summari[sz]e|mean|tell|contain|list)";
        [
            format!(r"(?i)\b(?:does|do|did)\b.{{0,40}}{label}.{{0,30}}{shows}"),
            format!(r"(?i)\b(?:is|are)\b.{{0,30}}\b(?:shown|presented|displayed|depicted|listed|reported)\b.{{0,10}}{label}"),
            format!(r"(?i)\b(?:describe|explain|summari[sz]e)\b.{{0,15}}{label}"),
        ]
        .map(|pattern| Regex::new(&pattern).expect("the pattern is valid"))
    });
    let found = ASKED.iter().find_map(|pattern| pattern.captures(question))?;
    let (word, number) = (found["word"].to_lowercase(), found["number"].to_lowercase());
    Some((word.chars().take(3).collect(), number))
}

/// Puts the captions with this label first; whether there are any.
pub(crate) fn first(label: &(String, String), sentences: &mut [RankedSentence], context: &Context) -> bool {
    let is_caption = |ranked: &RankedSentence| {
        let chunk = &context.chunks[ranked.chunk].chunk;
        let text = chunk.sentence(&chunk.sentences[ranked.sentence]).to_lowercase();
        let mut words = text.split_whitespace();
        let (word, number) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        word.starts_with(&label.0) && number.trim_end_matches(|c: char| !c.is_alphanumeric()) == label.1
    };
    sentences.sort_by_cached_key(|ranked| !is_caption(ranked));
    let count = sentences.iter().take_while(|ranked| is_caption(ranked)).count();
    for ranked in &mut sentences[..count] {
        ranked.probability = ASKED_FOR;
    }
    count > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_asked_for_by_their_numbers() {
        let check = |question: &str, want: Option<(&str, &str)>| {
            let got = asked_for(question);
            assert_eq!(
                got.as_ref().map(|(word, number)| (word.as_str(), number.as_str())),
                want,
                "{question}"
            );
        };
        check("What does Figure 3 show?", Some(("fig", "3")));
        check("what does fig. 2b depict", Some(("fig", "2b")));
        check("What is shown in Table S1?", Some(("tab", "s1")));
        check("Describe Figure 4", Some(("fig", "4")));
        check("What did 3 tables of adults show?", None);
        check("Was the effect in Figure 2 larger than before?", None);
        check("How much vitamin B12 did they take?", None);
    }
}
