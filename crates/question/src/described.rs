//! Papers that a question describes: "the clock review", "the trials of fish oil in children and of vitamin D in adults".

use crate::parts::{NOUNS, VERBS, core, ends};
use std::ops::Range;
use text::{WordList, is_stop_word};

/// Most papers that a question describes.
const MAX_PAPERS: usize = 4;

/// Nouns for a paper.
static KINDS: WordList = WordList::new(
    "article articles cohort cohorts meta-analyses meta-analysis overview overviews paper papers protocol protocols review reviews
    studies study survey surveys trial trials",
);
/// What stands before a description: without it, "studies" are any.
static THE: WordList = WordList::new("the this that these those both");
/// What may follow the noun of a description.
static LINKS: WordList =
    WordList::new("about after among at by during for from in into of on over under with");
/// Words inside a description that say nothing of the paper.
static ARTICLES: WordList = WordList::new("a an the both");
/// Words that tell a paper from another one by order or number, and are in no title.
static WHICH: WordList = WordList::new(
    "two three four all each other others same first second third last later latest earlier earliest newer older recent previous
    original",
);

/// A paper as a question describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The noun, in lower case: "review".
    pub kind: String,
    /// The other content words, which its title or abstract may hold.
    pub words: String,
}

/// The papers that a question describes, and what it asks of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Two to four.
    pub papers: Vec<Description>,
    /// The question with "paper" in place of each description.
    pub asked: String,
}

/// The papers that a question tells apart by what they are about; `None` if it describes fewer than two, or asks nothing else.
///
/// ```
/// let found = question::described("What do the sleep review and the trial of walking say about age?").unwrap();
/// assert_eq!(found.asked, "What do the papers say about age?");
/// assert_eq!(found.papers[1].words, "walking");
/// ```
pub fn described(query: &str) -> Option<Described> {
    let words: Vec<&str> = query.split_whitespace().collect();
    let is = |word: &&&str| ["are", "is", "was", "were"].contains(&core(word).as_str());
    // "Are the trials of fish oil blind?" ends with what it asks; "... agree with the review on age?" asks for age.
    let but_last = words.first().filter(is).map(|_| words.len() - 1);
    let tails = [Some(words.len()), but_last, None];
    tails.into_iter().find_map(|end| of_mentions(&words, &mentions(&words, end)))
}

/// A description in a question, as places of words.
struct Mention {
    /// From its article on.
    span: Range<usize>,
    papers: Vec<Description>,
}

fn of_mentions(words: &[&str], mentions: &[Mention]) -> Option<Described> {
    let papers: Vec<Description> = mentions.iter().flat_map(|found| found.papers.clone()).collect();
    let outside = |at: &usize| mentions.iter().all(|found| !found.span.contains(at));
    let asks = |at: usize| {
        let word = core(words[at]);
        !is_stop_word(&word) && !VERBS.contains(&word) && !KINDS.contains(&word)
    };
    if !(2..=MAX_PAPERS).contains(&papers.len()) || !(0..words.len()).filter(outside).any(asks) {
        return None;
    }
    let mut asked: Vec<String> = Vec::new();
    let mut from = 0;
    for (at, Mention { span, papers, .. }) in mentions.iter().enumerate() {
        let between = &words[from..span.start];
        // "the review and the trial": what is asked of one is asked of the other.
        let joined = at > 0
            && between.iter().all(|word| is_stop_word(&core(word)))
            && !asked.last().is_some_and(|word| ends(word));
        if joined {
            asked.pop();
        } else {
            asked.extend(between.iter().map(ToString::to_string));
            asked.push(words[span.start].to_owned());
        }
        let last = words[span.end - 1];
        let several = joined || papers.len() > 1;
        let noun = if several { "papers" } else { "paper" };
        asked.push(format!("{noun}{}", &last[last.trim_end_matches(MARKS).len()..]));
        from = span.end;
    }
    asked.extend(words[from..].iter().map(ToString::to_string));
    Some(Described { papers, asked: asked.join(" ") })
}

const MARKS: [char; 6] = ['?', '!', '.', ',', ';', ':'];

/// The descriptions in the order of the question. What follows a noun belongs to it up to the place `tail`, if that is given.
fn mentions(words: &[&str], tail: Option<usize>) -> Vec<Mention> {
    let mut out: Vec<Mention> = Vec::new();
    let mut before = None;
    for noun in 0..words.len() {
        // "The clock study or the walking one".
        let kind = match core(words[noun]) {
            word if word == "one" => before.clone().unwrap_or(word),
            word => word,
        };
        if KINDS.contains(&kind) {
            before = Some(kind.clone());
        }
        let is_inside = out.last().is_some_and(|last| noun < last.span.end);
        // "The trial protocol" is a protocol.
        let goes_on =
            !ends(words[noun]) && words.get(noun + 1).is_some_and(|next| KINDS.contains(&core(next)));
        if !KINDS.contains(&kind) || is_inside || goes_on {
            continue;
        }
        let plural = kind.ends_with('s') && !kind.ends_with("is");
        let head = head(words, noun, plural);
        let article = head.start.checked_sub(1).filter(|at| THE.contains(&core(words[*at])));
        // A description takes no word of the one before it.
        let taken = out.last().map_or(0, |last| last.span.end);
        let Some(article) = article.filter(|at| *at >= taken) else {
            continue;
        };
        let tail = tail.map_or(noun + 1..noun + 1, |end| self::tail(words, noun, plural, end));
        let items = items(words, &head, &tail, plural);
        // "The review" alone does not say which one.
        if !plural && items.iter().all(String::is_empty) {
            return Vec::new();
        }
        let papers: Vec<Description> =
            items.into_iter().map(|words| Description { kind: kind.clone(), words }).collect();
        if !papers.is_empty() {
            out.push(Mention { span: article..tail.end, papers });
        }
    }
    out
}

fn is_content(word: &str) -> bool {
    let word = core(word);
    !word.is_empty() && !is_stop_word(&word)
}

/// The words between the article and the noun.
fn head(words: &[&str], noun: usize, plural: bool) -> Range<usize> {
    let mut start = noun;
    while let Some(before) = start.checked_sub(1) {
        let word = core(words[before]);
        let joins = plural && start < noun && word == "and";
        let listed = plural && start < noun && words[before].ends_with(',');
        let is_of_noun = start == noun && KINDS.contains(&word);
        let modifies = (is_content(words[before]) || WHICH.contains(&word) || is_of_noun)
            && (is_of_noun || !KINDS.contains(&word))
            && !VERBS.contains(&word)
            && (listed || !ends(words[before]));
        if !modifies && !joins {
            break;
        }
        start = before;
    }
    start..noun
}

/// The words that follow the noun and belong to it, before the place `end`.
fn tail(words: &[&str], noun: usize, plural: bool, end: usize) -> Range<usize> {
    let first = noun + 1;
    let links = |at: usize| words.get(at).is_some_and(|word| LINKS.contains(&core(word)));
    if ends(words[noun]) || !links(first) {
        return first..first;
    }
    let mut last = first;
    let mut at = first;
    while at < end.min(words.len()) {
        let word = core(words[at]);
        if word == "and" {
            if describes(&words[at + 1..]) {
                break;
            }
        } else if is_content(words[at]) || NOUNS.contains(&word) {
            if VERBS.contains(&word) {
                break;
            }
            last = at + 1;
            let listed = plural && words[at].ends_with(',');
            if ends(words[at]) && !listed {
                break;
            }
        } else if !LINKS.contains(&word) && !ARTICLES.contains(&word) {
            break;
        }
        at += 1;
    }
    first..last
}

/// Whether these words begin with another description: "the review of ..." after "and".
fn describes(words: &[&str]) -> bool {
    let inside = words.iter().skip_while(|word| LINKS.contains(&core(word)));
    let mut inside = inside.map(|word| core(word));
    inside.next().is_some_and(|word| THE.contains(&word))
        && inside
            .take_while(|word| !is_stop_word(word) || KINDS.contains(word))
            .any(|word| KINDS.contains(&word))
}

/// The content words of each paper that a description stands for; none if it stands for papers that it does not tell apart.
fn items(words: &[&str], head: &Range<usize>, tail: &Range<usize>, plural: bool) -> Vec<String> {
    let content = |range: Range<usize>| {
        let told = |word: &&&str| is_content(word) && !WHICH.contains(&core(word));
        let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        words[range].iter().filter(told).map(bare).collect::<Vec<String>>()
    };
    let joint = |range: &Range<usize>| {
        let mut but_last = range.start..range.end.saturating_sub(1);
        but_last.any(|at| core(words[at]) == "and" || words[at].ends_with(','))
    };
    let one = |parts: [Vec<String>; 2]| parts.concat().join(" ");
    if !plural {
        return vec![one([content(head.clone()), content(tail.clone())])];
    }
    let listed = |range: &Range<usize>| {
        let mut out = Vec::new();
        let mut from = range.start;
        for at in range.clone() {
            let (joins, comma) = (core(words[at]) == "and", words[at].ends_with(','));
            if joins || comma {
                out.push(content(from..at + usize::from(comma)));
                from = at + 1;
            }
        }
        out.push(content(from..range.end));
        out.retain(|item| !item.is_empty());
        out
    };
    match (joint(head), joint(tail)) {
        (false, true) => listed(tail).into_iter().map(|item| one([content(head.clone()), item])).collect(),
        (true, false) => listed(head).into_iter().map(|item| one([item, content(tail.clone())])).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_question_breaks_it(words in prop::collection::vec(prop::sample::select(vec![
            "the", "these", "of", "on", "and", "review", "trials", "studies,", "slugs", "newts,", "say", "is", "two", "age?",
        ]), 0..16)) {
            described(&words.join(" "));
        }
    }

    #[track_caller]
    fn check(query: &str, papers: &[&str], asked: &str) {
        let found = described(query).expect("papers");
        let said = |paper: &Description| format!("{}: {}", paper.kind, paper.words);
        let got: Vec<String> = found.papers.iter().map(said).collect();
        assert_eq!(
            (got, found.asked.as_str()),
            (papers.iter().map(ToString::to_string).collect(), asked),
            "{query}"
        );
    }

    #[test]
    fn papers_are_described_by_what_they_are_about() {
        check(
            "What do the slug review and the newt overview say about rain?",
            &["review: slug", "overview: newt"],
            "What do the papers say about rain?",
        );
        check(
            "How many animals do the field protocols on slug feeding, newt sleep and frog calls plan to include?",
            &["protocols: field slug feeding", "protocols: field newt sleep", "protocols: field frog calls"],
            "How many animals do the papers plan to include?",
        );
        check(
            "Are the garden trials of salt during rain and of beer after dusk randomised?",
            &["trials: garden salt rain", "trials: garden beer dusk"],
            "Are the papers randomised?",
        );
        check(
            "How much did slugs eat in the trial in old gardens and in the meta-analysis of lettuce?",
            &["trial: old gardens", "meta-analysis: lettuce"],
            "How much did slugs eat in the papers?",
        );
        check(
            "Does the lettuce trial in gardens agree with the later pooled survey on the harm of salt?",
            &["trial: lettuce", "survey: pooled"],
            "Does the paper in gardens agree with the paper on the harm of salt?",
        );
        check(
            "Which of the studies on slug feeding, newt sleep in new ponds and the frog song survey call weather a limit?",
            &["studies: slug feeding", "studies: newt sleep new ponds", "survey: frog song"],
            "Which of the papers call weather a limit?",
        );
        check(
            "Which trial had more animals, the garden slug one or the newt one?",
            &["trial: garden slug", "trial: newt"],
            "Which trial had more animals, the papers?",
        );
        check(
            "What do the slug and newt reviews say of rain?",
            &["reviews: slug", "reviews: newt"],
            "What do the papers say of rain?",
        );
    }

    #[test]
    fn other_questions_describe_no_papers() {
        for query in [
            "What does the slug review say about rain?",
            "Do studies agree on slugs and on newts?",
            "What do the two trials of lettuce say about rain?",
            "Does the slug review agree with the newt overview?",
            "Do slugs and newts sleep?",
            "Does this trial agree with that review on age?",
            "What did the dose-response analysis and the sensitivity analysis show for slugs?",
            // A word belongs to one description.
            "What does the review of the sleep, diet and exercise trials conclude about age?",
            "Is salt the trial of the fish review?",
            "Was the wet garden one or the dry one preferred by slugs?",
            "the",
            "",
        ] {
            assert_eq!(described(query), None, "{query}");
        }
    }
}
