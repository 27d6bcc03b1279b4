//! The questions in one that joins things by "and": "Does X help in rats and in people?" asks about rats, and about people.

use std::ops::Range;
use text::{WordList, is_stop_word};

/// Most ways to split a question, and most parts of each.
const MAX_SPLITS: usize = 2;
const MAX_PARTS: usize = 4;

/// Words after "and" that begin another clause, or point back, instead of naming another thing.
static CLAUSE: WordList = WordList::new(
    "it its their them they this these those that what which who whom whose when where why how is are was were do does did can
    could has have had will would should if whether then",
);

/// Verbs that may follow the last thing, as in "what do A and B say about C".
pub(crate) static VERBS: WordList = WordList::new(
    "affect agree call cause change conclude contain differ each explain find give help improve include increase influence
    judge lower mean measure plan predict prevent protect raise recommend reduce relate report say see show state suggest
    treat use work",
);

/// Nouns among the stop words: they end the name of a thing.
pub(crate) static NOUNS: WordList = WordList::new(
    "author authors corpus document documents evidence example examples findings group groups literature paper papers
    publication publications report reports research source sources studies study table",
);

/// Ways to split a question into one for each of the things that it joins by "and" or lists, the likeliest first: at most two
/// ways of two to four questions each; none if it joins nothing. The words are those of the question, so it is up to the caller
/// to find out whether different papers answer the parts.
///
/// ```
/// let split = question::parts("Does basil lower lipids in rats and in people?");
/// assert_eq!(split, [["Does basil lower lipids in rats?", "Does basil lower lipids in people?"]]);
/// ```
pub fn parts(query: &str) -> Vec<Vec<String>> {
    let words: Vec<&str> = query.split_whitespace().collect();
    let joints = (0..words.len()).filter(|at| core(words[*at]) == "and");
    let mut splits: Vec<(bool, Vec<Range<usize>>)> = joints.filter_map(|at| items(&words, at)).collect();
    // "in rats and in people" says where the two begin.
    splits.sort_by_key(|(parallel, _)| !parallel);
    splits.into_iter().take(MAX_SPLITS).map(|(_, items)| of_items(&words, &items)).collect()
}

/// The things that the "and" at this place joins, and whether both begin with the same word.
fn items(words: &[&str], at: usize) -> Option<(bool, Vec<Range<usize>>)> {
    let first = core(words.get(at + 1)?);
    let is_content = |at: usize| {
        let word = core(words[at]);
        !is_stop_word(&word) || NOUNS.contains(&word)
    };
    let starts = (at + 1..words.len()).find(|at| is_content(*at))?;
    if (at + 1..starts).any(|at| CLAUSE.contains(&core(words[at]))) {
        return None;
    }
    let parallel = (starts > at + 1).then(|| (0..at).rev().find(|at| core(words[*at]) == first)).flatten();
    let start = parallel.unwrap_or_else(|| {
        let content = (0..at).rev().take_while(|at| is_content(*at)).last();
        // "in lettuce and under stones": each has its own word before it.
        content.map_or(at, |first| first.saturating_sub(usize::from(starts > at + 1)))
    });
    let mut items = Vec::new();
    let mut from = start;
    for to in start + 1..=at {
        if to == at || words[to - 1].ends_with(',') {
            items.push(from..to);
            from = to;
        }
    }
    // "of fish oil in children and of vitamin D in adults": the last thing has as many such words inside as the others.
    let joined = |item: &Range<usize>| {
        let inner = item.clone().skip_while(|at| !is_content(*at));
        inner.filter(|at| !is_content(*at)).count()
    };
    let mut room = items.iter().map(joined).max().unwrap_or(0);
    let mut end = starts;
    while end < words.len() && (end == starts || !ends(words[end - 1])) {
        let verb = end > starts && VERBS.contains(&core(words[end]));
        if verb || !is_content(end) {
            let more = !verb && room > 0 && words.get(end + 1).is_some_and(|_| is_content(end + 1));
            if !more {
                break;
            }
            room -= 1;
        }
        end += 1;
    }
    items.push(at + 1..end);
    let says = |item: &Range<usize>| item.clone().any(is_content);
    // "between A and B" asks for one difference.
    let fits = start > 0
        && core(words[start - 1]) != "between"
        && (2..=MAX_PARTS).contains(&items.len())
        && items.iter().all(says);
    fits.then_some((parallel.is_some(), items))
}

/// A question for each item, with all words but those of the other items.
fn of_items(words: &[&str], items: &[Range<usize>]) -> Vec<String> {
    let (start, end) = (items[0].start, items[items.len() - 1].end);
    let last = words[end - 1];
    let mark = &last[last.trim_end_matches(['?', '!', '.', ',', ';', ':']).len()..];
    let part = |item: &Range<usize>| {
        let own = words[item.clone()].join(" ");
        let own = own.trim_end_matches(['?', '!', '.', ',', ';', ':']);
        let mut text = [&words[..start], &[own], &words[end..]].concat().join(" ");
        if end == words.len() {
            text.push_str(mark);
        }
        text
    };
    items.iter().map(part).collect()
}

/// A word without its punctuation, in lower case.
pub(crate) fn core(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether a clause ends with this word.
pub(crate) fn ends(word: &str) -> bool {
    word.ends_with([',', ';', ':', '?', '!', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_are_joined_are_asked_for_one_by_one() {
        let check = |query: &str, want: &[&[&str]]| assert_eq!(parts(query), want, "{query}");
        check(
            "How large are the trials of fish oil in children and of vitamin D in adults?",
            &[&[
                "How large are the trials of fish oil in children?",
                "How large are the trials of vitamin D in adults?",
            ]],
        );
        check(
            "How long do slugs sleep in lettuce and under stones?",
            &[&["How long do slugs sleep in lettuce?", "How long do slugs sleep under stones?"]],
        );
        check(
            "What do the review of sleep and the cohort study say about age?",
            &[&["What do the review of sleep say about age?", "What do the cohort study say about age?"]],
        );
        check(
            "How many people took part in walking, swimming and cycling classes in winter?",
            &[&[
                "How many people took part in walking in winter?",
                "How many people took part in swimming in winter?",
                "How many people took part in cycling classes in winter?",
            ]],
        );
    }

    #[test]
    fn clauses_and_questions_without_and_are_not_split() {
        for query in [
            "Is the gap larger in women, and by how much?",
            "What is orientin?",
            "Did it work and why?",
            "Which trial was it, and with what outcome?",
            "How large was the difference between early eaters and late ones?",
            "and",
            "walking and",
            "",
        ] {
            let split = parts(query);
            assert!(split.is_empty(), "{query}: {split:?}");
        }
    }
}
