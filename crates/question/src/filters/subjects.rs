//! Subjects: tags of the collection that say which publications are meant.

use super::{
    AskedSubject,
    publications::{KINDS, Noun, noun},
    tokens::Tokens,
};
use std::collections::BTreeMap;
use text::WordList;
use types::Span;

/// Words between a tag and the noun in "computer science and AI theses".
const GAP_WORDS: usize = 4;

/// What stands between a noun and its topic.
static LEADS: WordList = WordList::new("on; about; regarding; concerning; related to; dealing with; in");
/// What may stand before a tag there, the longer ones first.
static FIELD: WordList = WordList::new("the field of; the area of; the subject of; the; topics in");
/// Publications that have people.
static DESIGNS: WordList = WordList::new("studies trials reviews rcts meta-analyses");
/// Verbs, and words like them, that leave room for a bare verb: "does exercise help".
static AUXILIARIES: WordList =
    WordList::new("do does did can could will would may might should must to how why");
static EXCLUDING: WordList = WordList::new("not except excluding without than");

/// The subjects that a question asks for, in order, each once.
pub(super) fn find(tokens: &Tokens, tags: &[String]) -> Vec<AskedSubject> {
    let mut found: BTreeMap<usize, Span> = BTreeMap::new();
    for at in 0..tokens.len() {
        if noun(tokens, at) == Some(Noun::Many) && !negated(tokens, at) {
            for (tag, span) in before(tokens, at).into_iter().chain(behind(tokens, at)) {
                // A word such as "reviews" may be a tag, too.
                if span.end <= tokens.span(at, at + 1).start || span.start >= tokens.span(at, at + 1).end {
                    found.entry(tag).or_insert(span);
                }
            }
        }
    }
    let mut subjects: Vec<AskedSubject> = Vec::new();
    for (tag, span) in found {
        let Some(name) = tags.get(tag) else { continue };
        let same = |other: &&String| other.to_lowercase() == name.to_lowercase();
        subjects.push(AskedSubject { tags: tags.iter().filter(same).cloned().collect(), span });
    }
    subjects.sort_by_key(|subject| subject.span.start);
    subjects.dedup_by(|one, other| one.tags == other.tags);
    subjects
}

/// Tags in the words that describe the noun at `at`: "agriculture research", "food science nutrition studies".
fn before(tokens: &Tokens, at: usize) -> Vec<(usize, Span)> {
    let mut found: Vec<(usize, Span)> = Vec::new();
    let (mut place, mut gap, mut joined) = (at, 0, false);
    while let Some(token) = place.checked_sub(1).and_then(|before| tokens.get(before)) {
        place -= 1;
        if token.possessive {
            break;
        }
        if let Some(tag) = token.tag {
            let mut start = place;
            while start > 0 && tokens.get(start - 1).is_some_and(|token| token.tag == Some(tag)) {
                start -= 1;
            }
            // In "does exercise help trials" the word between may be the verb.
            if gap > 0 && !joined && has_auxiliary(tokens, start) {
                break;
            }
            found.push((tag, tokens.span(start, place + 1)));
            (place, gap) = (start, 0);
            continue;
        }
        let word = token.text.as_str();
        let joins = matches!(word, "and" | "or" | "&" | "," | "/");
        joined |= joins;
        if joins || KINDS.contains(word) || is_number(word) {
            continue;
        }
        gap += 1;
        let stops = !token.word || text::is_stop_word(word) || inflected(word);
        if stops || gap > GAP_WORDS || (gap > 1 && !joined) {
            break;
        }
    }
    found
}

/// Tags that are the topic of the noun at `at`: "studies on agriculture", "theses in computer science".
fn behind(tokens: &Tokens, at: usize) -> Vec<(usize, Span)> {
    let Some(mut place) = tokens.one_of(at + 1, &LEADS) else {
        return Vec::new();
    };
    // "Trials in women" are about people, "theses in chemistry" about a subject.
    if tokens.word(at + 1) == "in" && DESIGNS.contains(tokens.word(at)) {
        return Vec::new();
    }
    place = tokens.one_of(place, &FIELD).unwrap_or(place);
    let mut found = Vec::new();
    loop {
        let start = place;
        let Some(tag) = tokens.get(place).and_then(|token| token.tag) else {
            // Half of the topic has no tag.
            return Vec::new();
        };
        while tokens.get(place).is_some_and(|token| token.tag == Some(tag)) {
            place += 1;
        }
        found.push((tag, tokens.span(start, place)));
        match tokens.word(place) {
            "and" | "or" => place += 1,
            // "Studies on exercise training" are not about all that is tagged "exercise".
            word if tokens.ends(place) || text::is_stop_word(word) => return found,
            "published" | "written" | "since" => return found,
            _ => return Vec::new(),
        }
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word may be a verb: "agriculture affects research".
fn inflected(word: &str) -> bool {
    word.ends_with("ed") || word.ends_with("ing") || (word.ends_with('s') && !word.ends_with("ss"))
}

/// Whether an auxiliary verb before a place leaves room for a bare verb after it.
fn has_auxiliary(tokens: &Tokens, at: usize) -> bool {
    (0..at).any(|place| AUXILIARIES.contains(tokens.word(place)))
}

/// Whether the noun at `at` is excluded: "other than agriculture studies".
fn negated(tokens: &Tokens, at: usize) -> bool {
    (1..=5).any(|back| EXCLUDING.contains(tokens.before(at, back)))
}

#[cfg(test)]
mod tests {
    use crate::filters::asked;

    const TAGS: &str = "Agriculture|Computer Science|Food Science|Science|nutrition|exercise|women|vitamin D|sleep|AI|\
        review|Exercise|protein";

    fn subjects(query: &str, without: &[&str]) -> Vec<String> {
        let tags: Vec<String> =
            TAGS.split('|').filter(|tag| !without.contains(tag)).map(str::to_owned).collect();
        let found = asked(query, 2026, &tags).subjects;
        found.into_iter().flat_map(|subject| subject.tags).collect()
    }

    #[test]
    fn tags_that_describe_publications_are_subjects() {
        let check = |query: &str, without: &[&str], want: &[&str]| {
            assert_eq!(subjects(query, without), want, "{query}");
        };
        // The rows of the reference evaluation.
        check("agriculture research in 2023", &[], &["Agriculture"]);
        check("computer science and AI theses", &["AI"], &["Computer Science"]);
        check("food science nutrition studies", &["nutrition"], &["Food Science"]);
        check("computer science and AI theses", &[], &["Computer Science", "AI"]);
        check("food science nutrition studies", &[], &["Food Science", "nutrition"]);
        check("recent studies on agriculture", &[], &["Agriculture"]);
        check("What do AGRICULTURE papers say?", &[], &["Agriculture"]);
        check("2023 agriculture theses", &[], &["Agriculture"]);
        check("Is it mentioned in any of the sleep studies?", &[], &["sleep"]);
        check("Which theses in computer science are about soil?", &[], &["Computer Science"]);
        check("papers on sleep and nutrition", &[], &["sleep", "nutrition"]);
        check("research in the field of food science from 2020", &[], &["Food Science"]);
        check("literature about vitamin D, please", &[], &["vitamin D"]);
        check("exercise trials", &[], &["exercise", "Exercise"]);
        check("sleep randomised trials", &[], &["sleep"]);
    }

    #[test]
    fn tags_of_the_topic_are_none() {
        for query in [
            "",
            "agriculture",
            "How does agriculture affect soil?",
            "How does agriculture affect research?",
            "Does exercise help in studies?",
            "Does exercise improve studies?",
            "How much did grip strength change with whey in the frail women?",
            "Why were people not enrolled in the vitamin D trial?",
            "Does the protein trial in frail women agree with the later analysis?",
            "What do studies on vitamin D supplementation say?",
            "What do studies on sleep and telomeres say?",
            "What do trials in women say?",
            "What do the studies report on protein and strength?",
            "all papers except sleep studies",
            "Which trials compared sleep with rest?",
            "What is ai research?",
            "agricultural research",
            "women's studies",
        ] {
            assert_eq!(subjects(query, &[]), Vec::<String>::new(), "{query}");
        }
    }
}
