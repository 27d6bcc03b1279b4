//! Symbols of the field and their spellings: `TNF-α`, `TNF alpha`, `TNFalpha` and `TNFa` are one term, and so are
//! `5-HT2A` and `5HT2A`, `Δ9-THC` and `delta-9-THC`, `50mg` and `50 mg`.
//!
//! What belongs together is joined ([`is_one`]), what is written together by some only is taken apart ([`parts`]), and
//! Greek letters have one form ([`normal`]).

use crate::WordList;
use crate::chars::{is_dash, is_greek};
use crate::stopwords::{COUNTED_PREFIXES, is_stop_word};
use std::ops::Range;

/// Names of Greek letters that are written for the letter.
static GREEK: WordList = WordList::new(
    "alpha/α beta/β gamma/γ delta/δ epsilon/ε zeta/ζ eta/η theta/θ kappa/κ lambda/λ sigma/σ tau/τ omega/ω",
);

/// Latin letters that are typed for a Greek one behind a symbol: `TNFa`, `IL-1b`, `IFNg`.
const TYPED: &[(char, &str)] = &[('a', "α"), ('b', "β"), ('g', "γ"), ('d', "δ")];

/// Symbols with vowels that people write in lower case with a Greek letter behind them.
const WITH_VOWELS: &[&str] = &["ifn", "ppar", "hif", "il"];

/// Units whose micro sign is typed as a letter.
const MICRO: &[(&str, &str)] = &[("ug", "μg"), ("mcg", "μg"), ("ul", "μl"), ("um", "μm"), ("umol", "μmol")];

/// The letter with this name, in lower case.
pub(crate) fn greek_letter(name: &str) -> Option<char> {
    GREEK.pairs().find(|(own, _)| *own == name)?.1.chars().next()
}

/// The name of a letter in lower case, as it is typed where there is no Greek keyboard; the micro sign is a `u`.
pub(crate) fn typed(letter: char) -> Option<&'static str> {
    match letter {
        'μ' => Some("u"),
        _ => GREEK.pairs().find(|(_, own)| own.starts_with(letter)).map(|(name, _)| name),
    }
}

/// Whether two words are one symbol: with one hyphen between them `IL-6`, `PGC-1α`, `TGF-β`, `covid-19`, with a blank
/// only if a Greek letter follows capitals (`TNF alpha`).
pub(crate) fn is_one(text: &str, left: &Range<usize>, right: &Range<usize>) -> bool {
    let mut between = text[left.end..right.start].chars();
    let (Some(sign), None) = (between.next(), between.next()) else {
        return false;
    };
    let (head, tail) = (&text[left.clone()], &text[right.clone()]);
    let lower = tail.to_lowercase();
    let is_greek_tail = is_greek_suffix(&lower);
    let squeezed = squeeze(head);
    let kappa = matches!(squeezed.to_lowercase().as_str(), "nfkappa" | "nfκ" | "nfk") && lower == "b";
    if sign == ' ' || sign == '\u{a0}' {
        return kappa || is_greek_tail && !lower.starts_with('μ') && is_acronym(&squeezed);
    }
    if !is_dash(sign) {
        return false;
    }
    let letters = head.chars().all(|c| c.is_ascii_alphabetic());
    let inner_capital = head.chars().skip(1).any(char::is_uppercase);
    let short = head.len() <= 5
        && !COUNTED_PREFIXES.contains(head.to_ascii_lowercase().as_str())
        && !is_stop_word(head);
    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
    let suffix = &lower[digits..];
    // A number of a catalogue is longer, and so is a year.
    let year = digits == 4 && (tail.starts_with("19") || tail.starts_with("20"));
    let longest = if is_acronym(&squeezed) && !year { 7 } else { 3 };
    let numbered =
        (1..=longest).contains(&digits) && (suffix.chars().count() <= 2 || greek_letter(suffix).is_some());
    let letter = tail.chars().next().is_some_and(is_greek) && tail.chars().count() <= 2;
    let nuclear = head.eq_ignore_ascii_case("nf") && matches!(lower.as_str(), "kb" | "kappab");
    kappa
        || is_acronym(&squeezed)
            && (is_greek_tail || TYPED.iter().any(|(latin, _)| tail.chars().eq([*latin])))
        || letters && (inner_capital || short) && (numbered || letter || nuclear)
        || letters && inner_capital && is_greek_tail
}

/// A Greek letter or its name, with at most two digits behind it.
fn is_greek_suffix(lower: &str) -> bool {
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let letter = || bare.chars().count() == 1 && bare.starts_with(is_greek);
    lower.len() - bare.len() <= 2 && (greek_letter(bare).is_some() || letter() || bare == "kappab")
}

/// Capitals, or letters that can be nothing else, with at most two digits behind them: `TNF`, `IL1`, `tgf`.
fn is_acronym(head: &str) -> bool {
    let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let all = |fits: &dyn Fn(char) -> bool| letters.chars().all(fits);
    (2..=6).contains(&letters.len())
        && head.len() - letters.len() <= 2
        && (all(&|c| c.is_ascii_uppercase())
            || WITH_VOWELS.contains(&letters)
            || all(&|c| c.is_ascii_lowercase() && !vowel(c)) && !is_stop_word(letters))
}

fn squeeze(word: &str) -> String {
    word.chars().filter(|c| !is_dash(*c) && !c.is_whitespace()).collect()
}

/// The parts of a word that others write with a hyphen or a blank: behind a Greek letter at its start (`Δ9THC`,
/// `omega3`), and between a number and the letters behind it (`5HT2A`, `50mg`, `17β`), except ordinals and single letters
/// that are no unit (`2D`, `13C`). Bytes into the word.
pub(crate) fn parts(word: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(length) = first_part(&word[from..]) {
        out.push(from..from + length);
        from += length;
    }
    out.push(from..word.len());
    out
}

/// The bytes of the first part, where something follows it.
fn first_part(word: &str) -> Option<usize> {
    let first = word.chars().next()?;
    if is_greek(first) && !is_micro(first) {
        let rest = &word[first.len_utf8()..];
        return rest.starts_with(|c: char| c.is_ascii_alphanumeric()).then_some(first.len_utf8());
    }
    if first.is_ascii_alphabetic() {
        let name = |(name, _): &(&str, &str)| {
            name.len() > 3 && word.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        };
        let length = GREEK.pairs().find(name)?.0.len();
        let behind = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
        let shouted = word[..length].ends_with(|c: char| c.is_ascii_uppercase());
        return (!shouted && word[length..].starts_with(behind)).then_some(length);
    }
    if !first.is_ascii_digit() && first != '.' {
        return None;
    }
    let length = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')))?;
    let letters = &word[length..];
    let run = letters.chars().take_while(|c| c.is_alphabetic()).count();
    let is_ordinal = matches!(letters.to_ascii_lowercase().as_str(), "st" | "nd" | "rd" | "th");
    let greek = letters.starts_with(|c: char| is_greek(c) && !is_micro(c));
    (greek || run > 1 && !is_ordinal || matches!(letters, "g" | "h")).then_some(length)
}

fn is_micro(c: char) -> bool {
    matches!(c, 'μ' | 'µ')
}

/// The one form of a word that is a symbol or a number; `None` for any other word. `word` is as written, `plain` folded,
/// in lower case: `pgc-1alpha` → `pgc1α`, `1,000` → `1000`, `.50` → `0.5`.
pub(crate) fn normal(word: &str, plain: &str) -> Option<String> {
    if let Some((_, unit)) = MICRO.iter().find(|(latin, _)| *latin == plain) {
        return Some((*unit).to_owned());
    }
    let letters: String =
        plain.chars().filter(|c| !matches!(c, '-' | ',' | '\'') && !c.is_whitespace()).collect();
    let has_digit = letters.contains(|c: char| c.is_ascii_digit());
    if has_digit && letters.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Some(number(letters));
    }
    if let Some(letter) = greek_letter(&letters) {
        return Some(letter.to_string());
    }
    if let Some(head) = ["kappab", "κb", "kb"].iter().find_map(|tail| letters.strip_suffix(tail))
        && matches!(head, "nf" | "i")
    {
        return Some(format!("{head}κb"));
    }
    // Bytes of the symbol before the digits that may follow the Greek letter.
    let bare = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &letters[bare.len()..];
    let written = squeeze(word);
    let parted = plain.contains('-') || written.len() < word.len();
    let greek = GREEK.pairs().find_map(|(name, letter)| {
        let head = bare.strip_suffix(name).filter(|head| !head.is_empty())?;
        let own = written.get(..head.len()).unwrap_or_default();
        (parted || head.ends_with(|c: char| c.is_ascii_digit()) || is_acronym(own)).then_some((head, letter))
    });
    let (head, letter) = greek
        .or_else(|| {
            let (latin, letter) = TYPED
                .iter()
                .find(|(latin, _)| written.strip_suffix(digits).is_some_and(|bare| bare.ends_with(*latin)))?;
            let head = bare.strip_suffix(*latin)?;
            let own = written.get(..head.len())?;
            let is_capital = own.starts_with(|c: char| c.is_ascii_uppercase());
            (is_capital && is_acronym(own)).then_some((head, *letter))
        })
        .unzip();
    match (head, letter) {
        (Some(head), Some(letter)) if digits.len() <= 2 => Some(format!("{head}{letter}{digits}")),
        _ => has_digit.then_some(letters),
    }
}

/// How papers print a symbol with a Greek letter that is written otherwise: `TNFalpha`, `tnfα` → `TNF-α`, `il1b` → `IL-1β`;
/// `None` for any other word. For models that know words by their letters.
pub fn as_printed(word: &str) -> Option<String> {
    let plain = crate::fold::fold(word);
    let form = match word.contains(is_greek) {
        // A term of the vocabulary.
        true if !word.contains(char::is_uppercase) => plain.text().to_owned(),
        true => return None,
        false => normal(word, plain.text())?,
    };
    let at = form.find(is_greek).filter(|at| *at > 0)?;
    let (head, tail) =
        form.to_uppercase().split_at_checked(at).map(|(head, _)| (head.to_owned(), &form[at..]))?;
    let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let greek: String = tail.chars().map(|c| if is_greek(c) { c } else { c.to_ascii_uppercase() }).collect();
    Some(format!("{letters}-{}{greek}", &head[letters.len()..]))
}

/// A number without separators of thousands, with a digit before its point and no zeros at its end.
fn number(mut digits: String) -> String {
    if digits.starts_with('.') {
        digits.insert(0, '0');
    }
    if digits.matches('.').count() == 1 {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    digits
}

#[cfg(test)]
mod tests {
    use crate::terms;
    use proptest::prelude::*;

    fn stems(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|t| t.stem).collect()
    }

    #[test]
    fn spellings_of_one_symbol_are_one_term() {
        for (forms, want) in [
            ("PGC-1α|PGC1α|pgc-1α|PGC-1alpha|PGC‑1α|PGC-1 alpha|PGC1a", "pgc1α"),
            ("IL-6|il-6|IL6|IL–6|il6", "il6"),
            ("IL-1β|IL1β|IL-1beta|IL-1 beta|IL-1 β|IL-1b|IL1b|il-1 beta|IL1-beta", "il1β"),
            (
                "TNF-α|TNFα|TNF-alpha|TNFalpha|TNF alpha|TNF α|TNFa|TNF-a|tnf-alpha|tnf alpha|tnfalpha|tnfα",
                "tnfα",
            ),
            ("TGF-β|TGF-beta|TGFβ|TGFbeta|TGFb|TGF beta|tgf-β", "tgfβ"),
            ("TGF-β1|TGFβ1|TGF-beta1|TGFbeta1|TGFb1|TGF beta1", "tgfβ1"),
            ("IFN-γ|IFNγ|IFN-gamma|IFNgamma|IFNg|IFN-g|ifn-gamma|ifn gamma", "ifnγ"),
            (
                "NF-κB|NFκB|NF-kB|NFkB|nf-kb|nfkb|NF-kappaB|NFkappaB|NF-kappa-B|NF-kappa B|NF kappa B|NF-κ B",
                "nfκb",
            ),
            ("IκB|IkappaB", "iκb"),
            ("COVID-19|covid-19|COVID19", "covid19"),
            ("PPARγ|PPAR-γ|PPAR-gamma|PPARgamma|PPAR gamma|PPARg|ppar-gamma", "pparγ"),
            ("HIF-1α|HIF1α|HIF-1alpha|HIF1a|hif-1α", "hif1α"),
            ("μg|µg|ug|mcg", "μg"),
            ("H2O2|H₂O₂|h2o2", "h2o2"),
            ("SB-203580|SB203580", "sb203580"),
            ("C++|c++", "c++"),
            ("VO2max|V̇O2max|VO₂max", "vo2max"),
            ("GABAA|GABAa", "gabaa"),
        ] {
            for form in forms.split('|').filter(|form| want != "gabaa" || *form == "GABAA") {
                assert_eq!(stems(form), [want], "{form:?}");
            }
        }
    }

    #[test]
    fn what_some_write_together_is_taken_apart() {
        for (forms, want) in [
            ("5-HT2A|5HT2A|5‑HT2A|5 HT2A", &["5", "ht2a"][..]),
            ("Δ9-THC|Δ9THC|delta-9-THC|delta9-THC|Delta-9 THC|δ9-THC|∆9-THC", &["δ", "9", "thc"]),
            ("ω-3|ω3|omega-3|omega3|Omega 3", &["ω", "3"]),
            ("β-catenin|beta-catenin|beta catenin", &["β", "catenin"]),
            ("αSMA|α-SMA|alphaSMA|alpha-SMA", &["α", "sma"]),
            ("17β-estradiol|17beta-estradiol|17-beta-estradiol|17 β estradiol", &["17", "β", "estradiol"]),
            ("50mg|50 mg|50-mg", &["50", "mg"]),
            ("0.5ug|0.5 μg|.5µg", &["0.5", "μg"]),
            ("24h|24 h|24-h", &["24", "h"]),
            ("6MWT|6-MWT|6mwt", &["6", "mwt"]),
        ] {
            for form in forms.split('|') {
                assert_eq!(stems(form), want, "{form:?}");
            }
        }
    }

    #[test]
    fn symbols_are_printed_with_their_greek_letter() {
        for (word, want) in [
            ("TNFalpha", Some("TNF-α")),
            ("NF-kappaB", Some("NF-κB")),
            ("IL1b", Some("IL-1β")),
            ("TGFb1", Some("TGF-β1")),
            ("tnfα", Some("TNF-α")),
            ("il1β", Some("IL-1β")),
            ("nfκb", Some("NF-κB")),
            ("TNF-α", None),
            ("α", None),
            ("μg", None),
            ("alpha", None),
            ("50", None),
            ("walking", None),
        ] {
            assert_eq!(super::as_printed(word).as_deref(), want, "{word}");
        }
    }

    #[test]
    fn other_words_stay_as_they_are() {
        for (text, want) in [
            ("2D 3D 13C 4th 22nd 3T3 2D3", &["2d", "3d", "13c", "4th", "22nd", "3t3", "2d3"][..]),
            ("betaine deltoid gammopathy alphabet", &["betain", "deltoid", "gammopathi", "alphabet"]),
            ("plateau theta", &["plateau", "θ"]),
            ("mRNAs IgG HbA1c", &["mrnas", "igg", "hba1c"]),
            ("oral beta blockers", &["oral", "β", "blocker"]),
            ("SARS-CoV-2 WHO-2020", &["sar", "cov2", "2020"]),
            ("the mean alpha", &["mean", "α"]),
        ] {
            assert_eq!(stems(text), want, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_cover_the_word(word in "[0-9.]{0,3}[a-zA-Zαβμ]{0,3}(alpha|beta)?[0-9]{0,2}[A-Zα]{0,3}") {
            let parts = super::parts(&word);
            prop_assert_eq!(parts.iter().map(|part| &word[part.clone()]).collect::<String>(), word.clone());
            prop_assert!(word.is_empty() || parts.iter().all(|part| !part.is_empty()));
        }
    }
}
