//! Whether a text is English: the topic check must not count English terms in a question that has none.
//!
//! Function words decide. They are the commonest words of any text, and each list below holds only words
//! that English does not have, so two of them with fewer English ones beside them are clear evidence. Letters
//! of another script decide alone.
//!
//! Measured beside whatlang 0.18 (22 languages, English below a confidence of 0.9): neither calls one of 4,695 English
//! questions foreign; of the 13 foreign ones of `queries/extended.jsonl` these lists tell 13, whatlang 12; of 36 new
//! short ones in 12 languages 20 and 24.

use crate::{
    WordList,
    chars::{is_greek, is_unspaced},
    terms::words,
};

/// Whether the text may be English: `false` only when it is clearly in another language. Too short a text,
/// or one without words, may be English.
pub fn looks_english(text: &str) -> bool {
    language(text) == Some("en")
}

/// The ISO 639 code of the language that the text seems to be in: `en` unless it is clearly another one,
/// `None` for one that is not listed here (any that is not written in Latin letters). Close relatives share a
/// code: `sv` stands for the Scandinavian languages, `id` for Indonesian and Malay.
pub fn language(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic() && !is_greek(*c));
    let (latin, other) =
        letters.fold(
            (0usize, 0usize),
            |(latin, other), c| {
                if is_latin(c) { (latin + 1, other) } else { (latin, other + 1) }
            },
        );
    // Greek letters are symbols in papers, unless there is nothing else.
    let greek = text.chars().filter(|c| is_greek(*c)).count();
    if other > latin || (latin == 0 && other == 0 && greek >= 8) || greek > 4 * latin.max(4) {
        return None;
    }
    let words: Vec<String> = words(text).into_iter().map(|span| text[span].to_lowercase()).collect();
    let count = |list: &WordList| words.iter().filter(|word| list.contains(word)).count();
    let english = count(&ENGLISH);
    // The first of equals.
    let most = |(best, most): (&'static str, usize), (code, list): &(&'static str, WordList)| {
        let here = count(list);
        if here > most { (*code, here) } else { (best, most) }
    };
    let (code, mut foreign) = OTHERS.iter().fold(("en", 0), most);
    // "Barry et al." is English, "et" alone French.
    let cited = words.windows(2).filter(|pair| pair[0] == "et" && pair[1] == "al").count();
    foreign = foreign.saturating_sub(cited) + usize::from(text.contains(['¿', '¡']));
    Some(if foreign < 2 || foreign <= english { "en" } else { code })
}

/// Whether most letters of the text are of scripts written without spaces between words, so that it cannot be divided into words.
pub fn is_undivided(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, unspaced) =
        letters.fold((0_usize, 0), |(all, own), c| (all + 1, own + usize::from(is_unspaced(c))));
    2 * unspaced > all
}

fn is_latin(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{fb00}'..='\u{fb06}')
}

static ENGLISH: WordList = WordList::new(
    "the of and to in is are was were that for with as by on at from this these which what how does do
    did why who when where can has have had be been not or an it their they we between than there
    about after any should would will may its our but into during",
);

/// Function words of languages that users are likely to ask in. None of them is an English word.
static OTHERS: [(&str, WordList); 12] = [
    (
        "es",
        WordList::new(
            "el la los las del que qué es en por para una con se cuál cual cómo como más sobre entre cuáles
            son su sus lo al y o un de sin efecto",
        ),
    ),
    (
        "pt",
        WordList::new(
            "os da dos das que em um uma para com não é são qual quais como mais sobre entre na nos pelo pela
            ao seu sua de e efeito",
        ),
    ),
    (
        "fr",
        WordList::new(
            "le les des du et est une dans que qui pour avec sur par au aux quel quelle quels quelles sont ce
            cette la de un plus pas ou comment quoi",
        ),
    ),
    (
        "de",
        WordList::new(
            "der das und ist von den dem ein eine einer einem einen eines mit für auf nicht auch wie viel
            viele welche welcher welches sind zu im bei nach über durch wird werden des sich wurde wurden
            haben soll sollen kann können keine aus wenn dass oder zwischen wirkt",
        ),
    ),
    (
        "it",
        WordList::new(
            "il lo gli della dello dei delle di che è una per con del sono quale quali come nel nella alla si
            più tra la un sulla sul effetto",
        ),
    ),
    (
        "nl",
        WordList::new(
            "het een van de zijn voor op niet met wat welke hoe wordt werd bij uit naar ook aan en tussen",
        ),
    ),
    (
        "fil",
        WordList::new(
            "ang ng mga sa ano anong ay na ito paano bakit kung para hindi nang si ni kay ba may epekto
            tungkol mula at o alin sino saan ilang",
        ),
    ),
    (
        "id",
        WordList::new(
            "yang dan di dari untuk dengan pada adalah apa bagaimana mengapa tidak ini itu dalam ke oleh
            apakah terhadap pengaruh",
        ),
    ),
    ("tr", WordList::new("ve bir bu için ile nedir nasıl neden olarak üzerindeki etkisi mi mı hangi")),
    ("pl", WordList::new("jest się jak jaki jaka jakie czy na w z dla nie oraz przez wpływ są")),
    (
        "sv",
        WordList::new(
            "och og är er att som för med på av inte ikke hur hvordan vad hvad hva ett et en den det",
        ),
    ),
    ("vi", WordList::new("của là và các có trong được cho với như thế nào gì không đến về")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_evidence_speaks_against_english() {
        let check = |text: &str, want: bool| assert_eq!(looks_english(text), want, "{text:?}");
        check("", true);
        check("AMPK", true);
        check("PGC-1α", true);
        check("What is the effect of exercise on VO2max?", true);
        check("vitamin D dose elderly", true);
        check("Barry et al. and Moqri et al. on ageing", true);
        check("Kocoğlu et al. 2016", true);
        check("Who was Juan de la Cruz?", true);
        check("in vitro and in vivo effects of E. coli", true);
        check("α β γ", true);
        check("¿Cuál es el efecto del ejercicio en la longevidad?", false);
        check("Qual é o efeito do exercício sobre a longevidade?", false);
        check("Quel est l'effet du sport sur la santé ?", false);
        check("Wie wirkt Sport auf die Gesundheit von Mäusen?", false);
        check("Qual è l'effetto della dieta sulla salute?", false);
        check("Ano ang epekto ng ehersisyo sa kalusugan?", false);
        check("Apa pengaruh olahraga terhadap kesehatan?", false);
        check("运动对寿命有什么影响", false);
        check("Как упражнения влияют на здоровье?", false);
        check("Ποια είναι η επίδραση της άσκησης;", false);
        check("ما هو تأثير التمارين", false);
    }

    #[test]
    fn languages_are_named() {
        let check = |text: &str, want: Option<&str>| assert_eq!(language(text), want, "{text:?}");
        check("What is the effect of exercise on VO2max?", Some("en"));
        check("BRISKLINE", Some("en"));
        check("¿Cuál es el efecto del ejercicio en la longevidad?", Some("es"));
        check("Wie viele Mäuse wurden untersucht?", Some("de"));
        check("Ano ang epekto ng ehersisyo sa kalusugan?", Some("fil"));
        check("Quel est l'effet du sport sur la santé ?", Some("fr"));
        check("Как упражнения влияют на здоровье?", None);
    }

    #[test]
    fn no_list_holds_an_english_function_word() {
        // "may" and "at" are Filipino function words too: they count on both sides and cancel out.
        for word in OTHERS.iter().flat_map(|(_, list)| list.iter()) {
            assert!(!ENGLISH.contains(word) || matches!(word, "may" | "at"), "{word}");
        }
    }
}
