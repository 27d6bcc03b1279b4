//! Everyday verbs, adjectives and adverbs: they say how something is asked, and rarely name what is asked about.

use crate::WordList;

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
    let bare = word.strip_prefix("un").filter(|rest| rest.len() > 3).unwrap_or(word);
    past || adverb || adjective || is_listed(word) || is_listed(bare)
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
    WORDS.contains(word) || ["s", "es", "er", "est"].into_iter().any(|ending| of(ending).is_some())
}

static WORDS: WordList = WordList::new(include_str!("everyday.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_adjectives_are_everyday_words_and_nouns_are_not() {
        for word in "went switched switches unpleasant pleasant slept dealt broke quicker slowest great sent
            ensured strenuous undesired shrink seventy emotionally merely painful"
            .split_whitespace()
        {
            assert!(is_everyday(word), "{word}");
        }
        for word in "coffee yoga sauna spermidine legumes testosterone vaping sachets tendon seed GI
            maltodextrin surrogate fibrillation creatine butyrate family stomach bed"
            .split_whitespace()
        {
            assert!(!is_everyday(word), "{word}");
        }
    }
}
