//! Words without a topic, and words that negate.

use crate::WordList;

/// Whether a word, in any case, carries no topic: function words, question words, and the words in which
/// papers and questions speak of papers (`study`, `report`, `corpus`).
pub fn is_stop_word(word: &str) -> bool {
    let word = plain_lower(word);
    STOP_WORDS.contains(&word) || NEGATIONS.contains(&word)
}

/// Whether a word, in any case, negates: `not`, `without`, `didn't`.
pub fn is_negation(word: &str) -> bool {
    let word = plain_lower(word);
    word.ends_with("n't") || NEGATIONS.contains(&word)
}

fn plain_lower(word: &str) -> String {
    word.trim()
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '’' | '‘') { '\'' } else { c })
        .collect()
}

/// Words without a topic: function words, and how papers and questions speak of papers.
static STOP_WORDS: WordList = WordList::new(
    "a about above according across after again against al all along also although am among an and
    another any are as at author authors available away be became because been before being below
    between both but by came can come corpus could describe described describes did discuss discussed
    discusses discussion do document documents does doing done down during e.g each eg either else et
    etc even ever every evidence example examples excerpt excerpts explain explained few fig figure
    find finding findings finds following for found from further furthermore gave get give given gives
    had has have having he hence her here hers him his how however i i.e ie if in indeed into is it
    its itself just know known least less like likely literature made mainly make many may me mention
    mentioned mentions might more moreover most much must my namely near nearly of often on once one
    only onto or other others our out over overall own paper papers per perhaps please provide
    provided provides publication publications question quite rather really regarding relevant report
    reported reporting reports research respectively said same say says see seen several shall she
    should show showed showing shown shows since so some something source sources state stated states
    still studied studies study such suggest suggested suggests summarise summarize summary table tell
    than that the their theirs them then there therefore these they thing things this those though
    through thus to together too toward towards under until up upon us use used uses using various
    versus very via vs was we well were what whatever when where whereas whether which while who whom
    whose why will with within would yes yet you your",
);

/// Words that turn a statement round.
static NEGATIONS: WordList = WordList::new(
    "aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't neither
    never no nobody none nor not nothing nowhere shouldn't wasn't weren't without won't wouldn't",
);

/// Short words that count what follows a hyphen (`type-2`, `week-12`) rather than begin a symbol (`IL-6`).
pub(crate) static COUNTED_PREFIXES: WordList = WordList::new(
    "age aged ages alpha arm beta bin box case class cut day days delta dose eight eq fig five four
    gamma grade group half item items lane level line max mean mid min month months near nine non
    omega one over part per phase plus post pre ref score seven site six stage step steps sub tab
    table ten three tier top two type under visit wave week weeks year years",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_and_negations_are_known_in_any_case() {
        for (word, stop, negates) in [
            ("The", true, false),
            ("not", true, true),
            ("didn’t", true, true),
            ("mitochondria", false, false),
        ] {
            assert_eq!((is_stop_word(word), is_negation(word)), (stop, negates), "{word}");
        }
    }
}
