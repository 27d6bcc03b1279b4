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

static WORDS: WordList = WordList::new(
    "able accept achieve act actual add admit adopt adverse affect agree aim allow alter announce anticipate
    apart appear apply appropriate arise arrange arrive ask assess assume attend avoid aware bad bare beat
    become began begin begun behave believe belong best better big bigger biggest blank blunt bore borne
    bought bound break brief bring brisk broke broken brought build built buy call calm came careful carry
    catch caught cheap check choose chose chosen clear close collect combine common compare complain
    complete complex confirm connect consider constant consume contain continue contribute convert cope
    correct costly count create cut daily dealt decide decline decrease deep define deliver depend derive
    deserve detect determine develop differ different difficult direct discover dispose diverse divide
    domestic dominate draw drawn drew driven drove due eager early earn easy eight eighty elderly eldest
    eleven emerge enable end enough ensure enter entire equal establish even everyday evident exact exceed
    excellent exclude exist expect explain extend extra fail fair fallen familiar favour favourite feel fell
    felt few fifty fill final fine firm fit five fix follow forbid force foresee forget forgot former forty
    found four fragile free frequent full general get gone good grand great grew grow grown half handle
    happen happy hard heard heavy held hid hide high hit hope huge hundred hurt identify ignore imply
    important improve include increase indicate inform initial intend intense invite involve join keen keep
    kept kind knew know known large last late learn learnt leave led left lengthen let likely lit little
    live long look loose lose lost loud low made maintain make manage matter mean meant meet mention merely
    met mild mislead misled miss modern monitor more move narrow natural near need negative new nice nine
    ninety normal note notice null obtain obvious occur odd offer old omit open operate oppose ordinary
    original outlive overall own paid part pass past pay perform permit plain pleasant please plenty poor
    poorest popular positive possess possible practical prefer prepare present prevent previous private
    probable proceed produce prolong promise promote prompt proper propose prove proven provide public pull
    push put quick quiet ran rapid rare reach ready real realise receive recent recognise recommend recover
    reduce refer refuse regard regular reject relate rely remain remember remove repeat replace represent
    require restrict retain return reveal review rich right rise risen rough safe same sang sank satisfy
    save saw scarce secure see seek seem seen select sell send sent separate serious serve set settle seven
    seventy severe shaken shape share sharp shook short show shrank shrink shrunk similar simple single six
    sixties sixty slept slid slight slow small smart soft sold solve soon spare sparse special spend spent
    stay steady stick stolen stop strange strenuous strict strong submit succeed such sudden suffer suggest
    suit sunk support suppose sure surprise suspect swam switch swum take taken taught teach tell ten tend
    tense think third thirty thought threw throw thrown tight tiny told took tore torn true try turn twelve
    twenty twice typical undergo undergone understand understood underwent undesired unequal unique unite
    unknown use useful usual vague vary vast vivid want warn weak wear well went whole wide win wise wish
    withdraw withdrew woke woken won wonder wore worn worse worst worth write written wrong wrote yield
    young",
);

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
