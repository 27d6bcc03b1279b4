//! Whether a text is English: the topic check must not count English terms in a question that has none.
//!
//! Letters of another script decide alone; between languages in Latin letters, whatlang decides if it is sure.
//! Measured: of 2,203 English questions it calls none foreign; the 12 foreign ones of `queries/extended.jsonl` are told, one by
//! its Spanish mark alone. Short ones may not be: "Qual é o efeito do exercício sobre a longevidade?" has 0.40.

use crate::{
    WordList,
    chars::{is_greek, is_unspaced},
};
use std::sync::LazyLock;
use whatlang::{Detector, Lang};

/// Below this confidence, a text counts as English. The surest wrong one of an English question is 0.66.
const SURE: f64 = 0.68;
/// Bytes that tell the language.
const HEAD: usize = 1000;

/// The languages that are told apart, and their ISO 639 codes. Close relatives share a code: `sv` stands for the
/// Scandinavian languages, `id` for Indonesian and its relatives.
static LANGUAGES: WordList = WordList::new(
    "eng/en spa/es cat/es por/pt fra/fr deu/de ita/it nld/nl afr/nl tgl/fil ind/id jav/id tur/tr pol/pl swe/sv dan/sv nob/sv vie/vi
    ces/cs fin/fi hun/hu ron/ro",
);
static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
    let known = LANGUAGES.pairs().filter_map(|(code, _)| Lang::from_code(code));
    Detector::with_allowlist(known.collect())
});

/// Whether the text may be English: `false` only when it is clearly in another language. Too short a text,
/// or one without words, may be English.
pub fn looks_english(text: &str) -> bool {
    language(text) == Some("en")
}

/// The ISO 639 code of the language that the text seems to be in: `en` unless it is clearly another one,
/// `None` for one that is not written in Latin letters.
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
    if text.trim_start().starts_with(['¿', '¡']) {
        return Some("es");
    }
    let found = DETECTOR.detect(&text[..text.floor_char_boundary(HEAD)]);
    let sure = found.filter(|found| found.confidence() >= SURE).map(|found| found.lang().code());
    let known = LANGUAGES.pairs().find(|(code, _)| Some(*code) == sure);
    Some(known.map_or("en", |(_, code)| code))
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
}
