//! Everyday verbs, adjectives and adverbs: they say how something is asked, and rarely name what is asked about.

use crate::WordList;
use std::ops::Range;

/// Whether a word is an everyday verb, adjective, adverb or numeral, in any form. A noun that is none of them may name
/// what a question is about.
pub fn is_everyday(word: &str) -> bool {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
        return false;
    }
    let ending = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let past = word.len() > 4 && ending(&["ed"]) && !ending(&["eed"]);
    let adverb =
        word.len() > 4 && ending(&["ly"]) && !ending(&["family", "anomaly", "assembly", "supply", "fly"]);
    let adjective = word.len() > 6 && ending(&["able", "ible", "ful", "less", "ous"]) && word != "vegetable";
    let bare = word
        .strip_prefix("un")
        .filter(|rest| rest.len() > 3)
        .unwrap_or(word);
    past || adverb || adjective || is_listed(word) || is_listed(bare)
}

/// Words before a noun phrase.
const BEFORE: [&str; 34] = [
    "a", "about", "against", "an", "any", "between", "by", "compare", "did", "do", "does", "during", "each",
    "every", "for", "from", "had", "has", "have", "in", "into", "many", "much", "of", "on", "some", "than",
    "the", "through", "versus", "via", "vs", "with", "without",
];

/// Whether the word at `span` of a question is plainly a noun: it begins a noun phrase, and neither its ending nor the list
/// says that it is anything else.
pub fn is_plain_noun(question: &str, span: Range<usize>) -> bool {
    let part = |range: Range<usize>| question.get(range).unwrap_or_default();
    let (before, word) = (part(0..span.start), part(span));
    if !word.starts_with(char::is_lowercase)
        || is_everyday(word)
        || ends_like_no_noun(word)
        || CONDITIONS.contains(word)
    {
        return false;
    }
    let before = before.split_whitespace().next_back().map(str::to_lowercase);
    before.is_some_and(|before| BEFORE.contains(&before.as_str()) || is_everyday(&before))
}

/// Whether an ending is more often that of a verb or an adjective than of a noun.
fn ends_like_no_noun(word: &str) -> bool {
    let endings = [
        "ing", "ive", "al", "ic", "ary", "ant", "ent", "er", "est", "ar", "ory", "oid", "ate", "ise", "ize",
        "ify", "en", "ish", "y",
    ];
    endings.iter().any(|ending| word.ends_with(ending))
}

/// Whether the list holds the word or what it is a form of. A form in "-ing" may name something: "hearing".
fn is_listed(word: &str) -> bool {
    let of = |ending: &str| {
        let rest = word.strip_suffix(ending).filter(|rest| rest.len() > 2)?;
        let y = rest.strip_suffix('i').map(|rest| format!("{rest}y"));
        let forms = [Some(rest.to_owned()), Some(format!("{rest}e")), y];
        let mut forms = forms.into_iter().flatten();
        forms.find(|form| WORDS.contains(form))
    };
    WORDS.contains(word)
        || ["s", "es", "er", "est"]
            .into_iter()
            .any(|ending| of(ending).is_some())
}

static WORDS: WordList = WordList::new(include_str!("everyday.txt"));

/// Words of conditions and groups of people: they are no nouns, and yet a question may be about them.
static CONDITIONS: WordList = WordList::new(
    "acute alive asleep ate awake blind bright cold cool crude dark dead deaf dense die drank drunk dry eat
    eaten emotional fertile frail fresh hot humid inactive lean male mature mobile morbid numb obese
    premature prone pure raw recur relapse remote rigid ripe rural sick sober solid sore stable sterile
    supine survive tall tender unstable urban warm wet worsen",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_adjectives_are_everyday_words_and_nouns_are_not() {
        for word in [
            "went",
            "switched",
            "switches",
            "unpleasant",
            "pleasant",
            "slept",
            "dealt",
            "broke",
            "quicker",
            "slowest",
            "great",
            "sent",
            "ensured",
            "strenuous",
            "undesired",
            "shrink",
            "seventy",
            "emotionally",
            "merely",
            "painful",
        ] {
            assert!(is_everyday(word), "{word}");
        }
        for word in [
            "coffee",
            "yoga",
            "sauna",
            "spermidine",
            "legumes",
            "testosterone",
            "vaping",
            "sachets",
            "tendon",
            "seed",
            "GI",
            "maltodextrin",
            "surrogate",
            "fibrillation",
            "creatine",
            "butyrate",
            "family",
            "stomach",
            "bed",
        ] {
            assert!(!is_everyday(word), "{word}");
        }
        for word in ["obese", "relapse", "deaf", "frail", "rural"] {
            let question = format!("What is said of {word} adults?");
            assert!(
                !is_everyday(word) && !is_plain_noun(&question, 16..16 + word.len()),
                "{word}"
            );
        }
    }

    #[test]
    fn nouns_are_told_by_their_place() {
        let check = |query: &str, want: &[&str]| {
            let terms = crate::terms(query).into_iter();
            let nouns = terms.filter(|term| is_plain_noun(query, term.span.clone()));
            let found: Vec<&str> = nouns.map(|term| &query[term.span]).collect();
            assert_eq!(found, want, "{query}");
        };
        check("What do the papers say about coffee and survival?", &["coffee"]);
        check("What went with the unpleasant sachets?", &["sachets"]);
        check(
            "How much did adiponectin change with creatine?",
            &["adiponectin", "creatine"],
        );
        check("Did the use of flax oil differ?", &["flax"]);
        check("Who paid for it and switched on the slowest one?", &[]);
        check("Is it to relapse, or are the frail obese?", &[]);
    }
}
